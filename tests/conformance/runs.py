# SPDX-License-Identifier: MIT
"""Runs a module of CPython's test suite in an arm, and reads what became of each of its tests."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree

PYTHON = "/usr/bin/python3.11"
PACKAGE = "libpython3.11-testsuite"

# Nothing that needs a network, a screen, a sound card or gigabytes of disk; see tests/conformance/README.md.
RESOURCES = "decimal,subprocess,tzdata"

# Tests that hang on stock in some places, and would take their module along. In a virtual machine this one waits for
# its host.
LEFT_OUT = {"test_socket": ["ThreadedVSOCKSocketStreamTest"]}

ARMS = ["lock", "thread", "checked"]
ARMS_USUAL = ARMS[:2]
PASSED = "passed"
NO_RESULT = "no result"
# Seconds more for an interpreter that is to end by itself after a time-out.
GRACE = 60
CAPTURED = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "check": False}


class WrongUse(Exception):
    pass


class Result:
    """What one module did in one arm: a state for each test, by its id, and one for the module as a whole."""

    def __init__(self, module, ending, states, notes, seconds, text):
        self.module = module
        self.ending = ending
        self.states = states
        self.notes = notes
        self.seconds = seconds
        self.text = text

    def has_died(self):
        """It ended before it could tell how its tests went."""
        return self.states[self.module] not in (PASSED, "failed")

    def passed(self):
        return {name for name, state in self.states.items() if state == PASSED}

    def state(self, name):
        return self.states.get(name, NO_RESULT)


def clean_id(name):
    """Ids hold addresses where a test is named after an object."""
    return re.sub(r"0x[0-9a-fA-F]+", "0x", name)


def xml_read(path):
    """The tests' states and notes of a JUnit file, and how many failures it counts. None when there is no such file."""
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    # A failure's text may hold what XML does not allow.
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "?", text)
    text = re.sub(r"&#(\d+);", lambda number: number.group(0) if 0x20 <= int(number.group(1)) < 0xD800 else "?", text)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None
    states, notes, failures = {}, {}, 0
    for suite in root.iter("testsuite"):
        failures += int(suite.get("errors", 0)) + int(suite.get("failures", 0))
    for case in root.iter("testcase"):
        # One whose subtest failed has no name: it is missing, which counts as not passed.
        if case.get("name") is None:
            continue
        name = clean_id(case.get("name"))
        trouble = next((child for child in case if child.tag in ("error", "failure", "outcome")), None)
        if trouble is not None:
            states[name] = "failed"
            notes[name] = " ".join((trouble.get("message") or trouble.text or "").split())[:160]
        elif case.find("skipped") is not None:
            states.setdefault(name, "skipped")
        elif states.get(name) != "failed":
            states[name] = PASSED
    return states, notes, failures


def module_state(status, found, timed_out):
    """The state of the module as a whole: passed when its tests account for how it ended."""
    if timed_out:
        return "timed out"
    if status < 0:
        try:
            return f"died of {signal.Signals(-status).name}"
        except ValueError:
            return f"died of signal {-status}"
    if found is None:
        return f"ended with status {status} and told no results"
    return PASSED if status == 0 or found[2] > 0 else "failed"


class Runner:
    """Starts modules in arms, each in a process group, a folder and an environment of its own."""

    def __init__(self, adapter, timeout, python=None):
        self.adapter = adapter
        self.timeout = timeout
        self.python = python or PYTHON
        self.running = set()
        self.lock = threading.Lock()
        self.stopped = False

    def environment(self, arm, folder):
        kept = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(folder), "TMPDIR": str(folder)}
        if arm != "stock":
            kept["LD_PRELOAD"] = str(self.adapter)
            kept["CUBBY_QUIET"] = "1"
        if arm == "thread":
            kept["CUBBY_HEAPS"] = "thread"
        if arm == "checked":
            kept["CUBBY_DEBUG"] = "1"
        return kept

    def run(self, module, arm, verbose=False):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cubby-"))
        try:
            return self.run_in(folder, module, arm, verbose)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run_in(self, folder, module, arm, verbose):
        results = folder / "results.xml"
        command = [self.python, "-m", "test", f"--use={RESOURCES}", f"--timeout={self.timeout}", f"--junit-xml={results}"]
        command += [f"--tempdir={folder}", *(["--verbose"] if verbose else [])]
        command += [f"--ignore={pattern}" for pattern in LEFT_OUT.get(module, [])] + [module]
        started = time.monotonic()
        # To a file, for a process that a test leaves behind would keep a pipe open.
        with open(folder / "output.txt", "wb") as output:
            with self.lock:
                if self.stopped:
                    raise KeyboardInterrupt
                process = subprocess.Popen(
                    command,
                    env=self.environment(arm, folder),
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self.running.add(process)
        # The interpreter itself says where it hangs, and ends; ending it here is for one that no longer can.
        timed_out = not process_ends(process, self.timeout + GRACE)
        with self.lock:
            self.running.discard(process)
            group_kill(process)
        process.wait()
        if self.stopped:
            raise KeyboardInterrupt  # it was ended by us, and tells nothing
        text = (folder / "output.txt").read_bytes().decode("utf-8", "replace")
        found = xml_read(results)
        if found is None and re.search(r"^Timeout \(\d+:\d\d:\d\d\)!$", text, re.MULTILINE):
            timed_out = True
        ending = module_state(process.returncode, found, timed_out)
        states, notes = (dict(found[0]), found[1]) if found else ({}, {})
        states[module] = ending
        return Result(module, ending, states, notes, time.monotonic() - started, text)

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                group_kill(process)


def process_ends(process, seconds):
    """Waits until it has ended, or for so long. What has ended is not collected yet, so its group is still its own."""
    limit = time.monotonic() + seconds
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def group_kill(process):
    """Ends a module and what it has left behind."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def python_version():
    command = [PYTHON, "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(command, **CAPTURED).stdout.strip()


def modules_list():
    """The names of the interpreter's test modules."""
    try:
        listed = subprocess.run([PYTHON, "-m", "test", "--list-tests"], **CAPTURED)
    except FileNotFoundError:
        raise WrongUse(f"{PYTHON} is missing; install python3.11") from None
    names = listed.stdout.split()
    # Without the package the interpreter has a stub of its tests, which lists none, or not even that.
    if listed.returncode != 0 or "test_list" not in names:
        raise WrongUse(f"CPython's tests are missing; install {PACKAGE}")
    return names


def arms_check(runner, arms):
    """An arm that is not what it is called would agree with stock in everything."""
    blocks = [PYTHON, "-c", "import sys; print(sys.getallocatedblocks())"]  # pymalloc's count: 0 when it serves nothing

    def count(environment):
        return subprocess.run(blocks, env=environment, **CAPTURED).stdout.strip()

    if count(runner.environment("stock", "/")) == "0":
        raise WrongUse("stock Python does not use its own allocator here; is something preloaded for all programs?")
    for arm in arms:
        environment = runner.environment(arm, "/")
        if count(environment) != "0":
            raise WrongUse(f"{runner.adapter} does not serve {PYTHON} in arm {arm}; build it with `make`")
        # Only an adapter that knows the variable refuses what is no choice.
        for name in {"thread": ["CUBBY_HEAPS"], "checked": ["CUBBY_DEBUG"]}.get(arm, []):
            if count({**environment, name: "neither"}) == "0":
                raise WrongUse(f"{runner.adapter} does not know {name}; build it with `make`")
