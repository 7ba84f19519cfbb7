# SPDX-License-Identifier: MIT
"""Results of known ratios, in the form that `cubby bench gupb --json` writes."""

import copy
import json


def run(row, seconds, loops=10):
    return {"name": row, "size": "2016", "loops": loops, "cpu_seconds": seconds, "seconds": seconds,
            "peak_kib": 2048, "minor_faults": 7, "python": "3.11.2", "preloaded": []}


def pairs(row, arm, times):
    """Of stock, which takes one second, beside the arm, which takes those."""
    return [{"base": "stock", "arm": arm, "base_core": number % 2, "arm_core": 1 - number % 2, "hash_seed": number,
             "base_run": run(row, 1.0), "arm_run": run(row, seconds)} for number, seconds in enumerate(times)]


def arm(name, meaning):
    return {"name": name, "meaning": meaning, "environment": [], "state": "measured", "reason": ""}


def summary(name, speedup):
    return {"base": "stock", "arm": name, "pairs": 2, "median_cpu_seconds": 1 / speedup,
            "speedup": {"value": speedup, "low": speedup * 0.9, "high": speedup * 1.1}}


def row(name, speedups, published):
    return {
        "name": name, "program": "a.py", "note": "", "loops": 10, "published_percent": published, "left_out": {},
        "summary": [summary(one, speedup) for one, speedup in speedups.items()],
        "pairs": [pair for one, speedup in speedups.items() for pair in pairs(name, one, [1 / speedup] * 2)],
    }


RESULT = {
    "format": 1, "suite": "gupb", "cubby": "0.1.0", "date": "2026-01-02T03:04:05Z",
    "command": ["cubby bench", "gupb", "--json=it.json"], "quick": False, "seed": 5, "python": "/usr/bin/python3",
    "machine": {"cpu": "Some CPU", "kernel": "Linux 6", "cores_online": 2, "libc": "glibc 2.36"},
    "arms": [arm("stock", "as it comes"), arm("list-libc", "as before"), arm("cubby", "Cubby")],
    "rows": [
        row("nbody", {"stock": 1, "list-libc": 0.8, "cubby": 1.1}, [1.6, 3.25, None, None]),
        row("go", {"stock": 1, "list-libc": 0.5, "cubby": 1.25}, [1.54, None, None, None]),
    ],
}


def result():
    return copy.deepcopy(RESULT)


def write(path, content):
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return path
