# SPDX-License-Identifier: MIT
"""docs/settings.md shows every setting as the program has it: settings_test.py CUBBY. Prints TAP."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys

from tap import main, test

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUBBY = os.path.abspath(sys.argv[1])


def tool_load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("settings_table", str(ROOT / "tools/settings-table"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("settings_table", loader))
    loader.exec_module(tool)
    return tool


TOOL = tool_load()
PAGE = TOOL.PAGE.read_text()


@test
def the_page_shows_every_setting_as_the_program_has_it():
    """When it does not: tools/settings-table build/cubby --write."""
    settings = TOOL.settings_of(CUBBY)
    assert len(settings) > 10
    for setting in settings:
        assert f"| `{setting['name']}` |" in PAGE, f"{setting['name']} is not in docs/settings.md"
    assert TOOL.page_with(PAGE, settings) == PAGE, "run tools/settings-table build/cubby --write"


@test
def a_setting_that_the_page_lacks_or_has_otherwise_is_noticed():
    settings = TOOL.settings_of(CUBBY)
    assert TOOL.page_with(PAGE, settings[:-1]) != PAGE
    assert TOOL.page_with(PAGE, [*settings[:-1], {**settings[-1], "default_text": "7"}]) != PAGE


@test
def the_messages_on_the_page_are_those_of_the_program():
    shown = [line for line in PAGE.splitlines() if line.startswith("cubby: ")]
    assert len(shown) == 2
    for variable, line in (("CUBBY_OBJ=jemalloc", shown[0]), ("CUBBY_RETAIN_SM=5", shown[1])):
        name, value = variable.split("=")
        ran = subprocess.run([CUBBY, "info"], env={name: value}, capture_output=True, text=True)
        assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", line + "\n"), ran


if __name__ == "__main__":
    sys.exit(main())
