# SPDX-License-Identifier: MIT
"""The command without memory: each allocation of each quick subcommand fails in turn. scarce_test.py CUBBY SCARCE."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
SCARCE = os.path.abspath(sys.argv[2])
MOST = 5000  # allocations, of any subcommand here


def cubby(arguments, at, onwards=False):
    """The result when the allocation with that number fails, and whether there was one."""
    note = os.path.join(FOLDER, "note")
    environment = {
        "PATH": os.environ["PATH"],
        "LD_PRELOAD": SCARCE,
        "SCARCE_AT": str(at),
        "SCARCE_PROGRAM": "cubby",
        "SCARCE_NOTE": note,
        "CUBBY_ADAPTER": ADAPTER,
        "PYTHONPATH": "/nowhere",
    }
    if onwards:
        environment["SCARCE_ONWARDS"] = "1"
    result = subprocess.run([CUBBY, *arguments], env=environment, capture_output=True, text=True, timeout=60)
    failed = os.path.exists(note)
    if failed:
        os.remove(note)
    return result, failed


def fail_each(arguments, same, status=0):
    """
    Without memory the command does what it does with it, or says that it cannot and ends with a status; it never
    crashes, and never does half of it. `same` compares two outputs.
    """
    right, failed = cubby(arguments, 0)
    assert right.returncode == status and not failed, right
    for onwards in (False, True):
        refusals = 0
        for at in range(1, MOST):
            result, failed = cubby(arguments, at, onwards)
            if not failed:
                break
            told = f"allocation {at}{' and all after it' if onwards else ''}: {result}"
            assert result.returncode >= 0 and result.returncode != 134, told
            if result.returncode == status and same(result.stdout, right.stdout):
                continue
            refusals += 1
            assert result.returncode in (1, 126) and "memory" in result.stderr.lower(), told
        assert not failed, "there is no end"
        assert refusals > 0 or at <= 2, f"{at - 1} allocations failed and none mattered"


def equal(one, other):
    return one == other


def equal_facts(one, other):
    """The same but for what changes from one moment to the next."""

    def facts(text):
        try:
            info = json.loads(text)
        except ValueError:
            return text
        for key in list(info["machine"]):
            if not isinstance(info["machine"][key], str):
                info["machine"][key] = info["machine"][key] is None
        return info

    return facts(one) == facts(other)


@test
def a_program_is_run_as_it_should_be_or_not_at_all():
    script = "echo $LD_PRELOAD $PYTHONPATH $CUBBY_OBJ $CUBBY_STATS $1"
    fail_each(["run", "-q", "--obj=libc", "--stats=figures", "sh", "-c", script, "sh", "x"], equal)


@test
def a_script_without_an_interpreter_is_run_or_not_at_all():
    path = os.path.join(FOLDER, "script")
    with open(path, "w") as file:
        file.write("echo $1\n")
    os.chmod(path, 0o755)
    fail_each(["run", "-q", path, "x"], equal)


@test
def wrong_options_are_answered_or_it_is_said_that_memory_ran_out():
    fail_each(["run", "--obj=x", "true"], equal, status=2)
    fail_each(["info", "--xml"], equal, status=2)
    fail_each(["run"], equal, status=2)


@test
def a_program_that_is_not_there_is_status_127_or_it_is_said_that_memory_ran_out():
    fail_each(["run", "no-such-program"], equal, status=127)


@test
def help_and_version_are_printed_whole_or_it_is_said_that_memory_ran_out():
    for arguments in (["run", "--help"], ["info", "--usage"], ["--help"], ["--version"], ["run", "--version"]):
        fail_each(arguments, equal)


@test
def info_is_whole_or_it_is_said_that_memory_ran_out():
    fail_each(["info", "--json"], equal_facts)


@test
def info_for_people_is_whole_or_it_is_said_that_memory_ran_out():
    def same_lines(one, other):
        return [line[:15] for line in one.splitlines()] == [line[:15] for line in other.splitlines()]

    fail_each(["info"], same_lines)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-scarce-") as FOLDER:
        ADAPTER = os.path.join(FOLDER, "fake.so")
        shutil.copy(SCARCE, ADAPTER)
        STATUS = main()
    sys.exit(STATUS)
