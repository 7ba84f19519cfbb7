# SPDX-License-Identifier: MIT
"""The command from outside, with an adapter that does nothing: run_test.py CUBBY. Prints TAP."""

import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile

from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
REAL_ADAPTER = os.path.join(os.path.dirname(CUBBY), "adapters", "python", "libcubby-python.so")
NOT_PYTHON = "is not a Python interpreter; only Python programs it starts use Cubby"
SANITIZER = ("ASAN_OPTIONS", "UBSAN_OPTIONS")
CLASS_64 = sys.maxsize > 2**32


def cubby(*arguments, environment=None, path=None, **more):
    """Runs the command with a bare environment. path replaces PATH."""
    whole = {"PATH": path or os.environ["PATH"], "HOME": "/", "LANG": "C.UTF-8", "CUBBY_ADAPTER": ADAPTER}
    whole.update({name: os.environ[name] for name in SANITIZER if name in os.environ})
    whole.update(environment or {})
    return subprocess.run([CUBBY, *arguments], env=whole, capture_output=True, text=True, timeout=120, **more)


def file_write(name, content, mode=0o755):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.chmod(path, mode)
    return path


def expect(result, status, *texts):
    """The status, and every text on stderr."""
    assert result.returncode == status, f"status {result.returncode}, not {status}: {result.stderr}"
    for text in texts:
        assert text in result.stderr, f"no {text!r} in {result.stderr!r}"


# ---- options -------------------------------------------------------------------------------------------------------


@test
def help_and_version_are_on_stdout_with_status_0():
    for arguments in (["--help"], ["run", "--help"], ["info", "--help"], ["bench", "--help"], ["run", "--usage"]):
        result = cubby(*arguments)
        expect(result, 0)
        assert "Usage: cubby" in result.stdout and result.stderr == ""
    for arguments in (["--version"], ["run", "--version"], ["info", "--version"], ["bench", "--version"]):
        assert cubby(*arguments).stdout.startswith("cubby ")


@test
def no_command_and_an_unknown_command_are_status_2_with_the_commands():
    expect(cubby(), 2, "run", "bench", "info")
    expect(cubby("rnu"), 2, "rnu: no such command", "run", "bench", "info")


@test
def an_unknown_option_is_status_2_with_the_options():
    expect(cubby("run", "--ojb=cubby", "true"), 2, "--ojb=cubby", "--obj=WHICH", "--raw=WHICH", "--quiet")
    expect(cubby("info", "--xml"), 2, "--xml", "--json")
    expect(cubby("bench", "--fast"), 2, "--fast", "--quick")


@test
def a_wrong_value_is_status_2_with_the_right_ones():
    for option in ("--obj", "--mem", "--raw"):
        expect(cubby("run", option + "=jemalloc", "true"), 2, option + "=jemalloc", "cubby, libc or stock")
    expect(cubby("run", "--heaps=both", "true"), 2, "--heaps=both", "auto, lock or thread")
    expect(cubby("run", "--retain-ms=soon", "true"), 2, "--retain-ms=soon", "a number (ms, at most 3600000)")
    expect(cubby("run", "--purge-thread=yes", "true"), 2, "--purge-thread=yes", "0 or 1")
    expect(cubby("run", "--quiet=2", "true"), 2, "--quiet=2", "0 or 1")
    expect(cubby("run", "--stats=" + "f" * 5000, "true"), 2, "0, 1, - or a file")
    expect(cubby("run", "--obj"), 2, "--obj")


@test
def a_wrong_value_in_the_environment_is_status_2_with_the_right_ones():
    for arguments in (["run", "echo", "started"], ["info"], ["bench", "--help"]):
        result = cubby(*arguments, environment={"CUBBY_MEM": "jemalloc"})
        expect(result, 2, "CUBBY_MEM=jemalloc", "cubby, libc or stock")
        assert result.stdout == ""


@test
def a_name_in_the_environment_that_is_almost_right_is_status_2_with_the_right_one():
    result = cubby("run", "echo", "started", environment={"CUBBY_RETIAN_MS": "5"})
    expect(result, 2, "CUBBY_RETIAN_MS", "CUBBY_RETAIN_MS (ms)")
    assert result.stdout == ""
    expect(cubby("run", "-q", "true", environment={"CUBBY_SEEDS": "5", "CUBBY_TEST_SEED": "1"}), 0)


@test
def run_without_a_program_is_status_2():
    expect(cubby("run"), 2, "no PROGRAM")
    expect(cubby("run", "--quiet", "--"), 2, "no PROGRAM")


@test
def wrong_lists_and_numbers_of_bench_are_status_2_with_the_right_ones():
    expect(cubby("bench", "--arms=stock,snmalloc"), 2, "snmalloc", "list-libc", "tcmalloc")
    expect(cubby("bench", "--workloads=strings"), 2, "strings", "unpickle_list")
    expect(cubby("bench", "--rounds=0"), 2, "--rounds=0", "1 to 1000")
    expect(cubby("bench", "--pairs=many"), 2, "--pairs=many")
    expect(cubby("bench", "pyperformance"), 2, "pyperformance", "seeds")


# ---- run: what the program gets ------------------------------------------------------------------------------------


@test
def options_after_the_program_are_the_programs():
    result = cubby("run", "sh", "-c", 'echo "$0 $1"', "--obj=x", "--help")
    assert result.stdout == "--obj=x --help\n"
    assert cubby("run", "--", "echo", "--quiet").stdout == "--quiet\n"


@test
def the_program_gets_the_choice_and_the_adapter_first():
    script = "echo [$CUBBY_OBJ] [$CUBBY_MEM] [$CUBBY_RAW] [$CUBBY_QUIET] $LD_PRELOAD"
    assert cubby("run", "sh", "-c", script).stdout == f"[] [] [] [] {ADAPTER}\n"
    result = cubby("run", "--obj=stock", "--mem=libc", "--raw=cubby", "-q", "sh", "-c", script)
    assert result.stdout == f"[stock] [libc] [cubby] [1] {ADAPTER}\n"
    other = shutil.copy(ADAPTER, os.path.join(FOLDER, "other.so"))
    result = cubby("run", "sh", "-c", script, environment={"LD_PRELOAD": other})
    assert result.stdout == f"[] [] [] [] {ADAPTER}:{other}\n"


@test
def every_setting_has_an_option_that_sets_its_variable():
    settings = json.loads(cubby("info", "--json").stdout)["settings"]
    values = {"number": "7", "switch": "1", "report": "/tmp/x", "file": ADAPTER}
    assert len(settings) > 10
    for setting in settings:
        name, kind = setting["name"], setting["kind"]
        value = setting["choices"][-1] if kind == "choice" else values[kind]
        assert setting["option"] is not None, name
        result = cubby("run", "-q", f"--{setting['option']}={value}", "sh", "-c", f"echo ${name}")
        expect(result, 0)
        assert result.stdout == value + "\n", (name, result.stdout)
    text = cubby("run", "--help").stdout
    for setting in settings:
        assert f"--{setting['option']}" in text, setting["option"]


@test
def what_no_option_sets_stays_as_the_environment_has_it():
    environment = {"CUBBY_OBJ": "libc", "CUBBY_MEM": "libc", "CUBBY_RETAIN_MS": "5"}
    script = "echo $CUBBY_OBJ $CUBBY_MEM $CUBBY_RETAIN_MS"
    result = cubby("run", "--mem=stock", "--retain-ms=7", "sh", "-c", script, environment=environment)
    assert result.stdout == "libc stock 7\n", result.stdout


@test
def a_switch_and_a_report_may_stand_alone():
    script = "echo $CUBBY_PURGE_THREAD $CUBBY_STATS $CUBBY_DEBUG"
    result = cubby("run", "--purge-thread", "--stats", "--debug", "sh", "-c", script)
    assert result.stdout == "1 1 1\n", result.stdout
    assert cubby("run", "--purge-thread=0", "--stats=-", "sh", "-c", script).stdout == "0 -\n"


@test
def a_relative_file_is_where_the_command_was_started():
    result = cubby("run", "--stats=figures", "sh", "-c", "cd /; echo $CUBBY_STATS", cwd=FOLDER)
    assert result.stdout == os.path.join(os.path.realpath(FOLDER), "figures") + "\n", result.stdout


@test
def the_folder_of_the_module_is_the_last_of_pythonpath():
    module = json.loads(cubby("info", "--json").stdout)["adapter"]["module"]
    if not module:
        return "this build has no adapter"
    assert os.path.exists(module + "/cubby/__init__.py"), module
    for before, after in ((None, module), ("", module), ("/a:/b", "/a:/b:" + module), ("/a:", "/a::" + module)):
        environment = {} if before is None else {"PYTHONPATH": before}
        result = cubby("run", "sh", "-c", "echo $PYTHONPATH", environment=environment)
        assert result.stdout == after + "\n", result.stdout
    return None


@test
def a_relative_adapter_is_preloaded_wherever_the_program_goes():
    name = os.path.basename(ADAPTER)
    result = cubby("run", "sh", "-c", "cd / && /bin/true", environment={"CUBBY_ADAPTER": name}, cwd=FOLDER)
    expect(result, 0)
    assert "cannot be preloaded" not in result.stderr


@test
def the_exit_status_is_the_programs():
    for status in (0, 1, 2, 42, 126, 127, 255):
        expect(cubby("run", "sh", "-c", f"exit {status}"), status)


@test
def a_signal_that_ends_the_program_ends_the_command():
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
        result = cubby("run", "sh", "-c", f"ulimit -c 0; kill -{int(number)} $$")
        assert result.returncode == -number, result.returncode


@test
def a_signal_to_the_command_reaches_the_program():
    script = "trap 'echo got it; exit 7' TERM; echo ready; while :; do sleep 0.02; done"
    environment = {"PATH": os.environ["PATH"], "CUBBY_ADAPTER": ADAPTER}
    process = subprocess.Popen([CUBBY, "run", "-q", "sh", "-c", script], env=environment, stdout=subprocess.PIPE,
                               text=True)
    assert process.stdout.readline() == "ready\n"
    process.terminate()
    rest, _ = process.communicate(timeout=30)
    assert (rest, process.returncode) == ("got it\n", 7), (rest, process.returncode)


# ---- run: what cannot be run ---------------------------------------------------------------------------------------


@test
def a_program_that_is_not_there_is_status_127():
    expect(cubby("run", "no-such-program"), 127, "no-such-program: not found")
    expect(cubby("run", FOLDER + "/no-such-program"), 127, "not found")
    expect(cubby("run", ""), 127, "not found")


@test
def a_file_that_may_not_be_executed_and_a_folder_are_status_126():
    plain = file_write("plain", "#!/bin/sh\n", 0o644)
    expect(cubby("run", plain), 126, plain)
    expect(cubby("run", FOLDER), 126, FOLDER)
    expect(cubby("run", "plain", path=FOLDER), 126, plain)
    expect(cubby("run", file_write("lost", "#!/no/such/interpreter\n")), 126, "interpreter is not there")


@test
def the_search_passes_over_what_cannot_be_executed():
    first, second = os.path.join(FOLDER, "first"), os.path.join(FOLDER, "second")
    os.makedirs(os.path.join(first, "tool"))
    os.makedirs(second)
    file_write("second/tool", "#!/bin/sh\necho second\n")
    assert cubby("run", "tool", path=f"{first}:{second}").stdout == "second\n"
    assert cubby("run", "tool", path=f"{first}:", cwd=second).stdout == "second\n"


@test
def a_text_without_an_interpreter_goes_to_the_shell():
    assert cubby("run", file_write("text", "echo $1\n"), "hello").stdout == "hello\n"
    expect(cubby("run", file_write("blob", b"\x00\x01\x02\x03")), 126)


@test
def the_adapter_of_the_build_folder_is_found_beside_the_command():
    if not os.path.exists(REAL_ADAPTER):
        return "this build has no adapter"
    info = json.loads(cubby("info", "--json", environment={"CUBBY_ADAPTER": ""}).stdout)
    assert info["adapter"]["path"] == os.path.realpath(REAL_ADAPTER)
    return None


FREE_TWICE = """
import ctypes
python = ctypes.PyDLL(None)
python.PyMem_Malloc.restype = ctypes.c_void_p
block = ctypes.c_void_p(python.PyMem_Malloc(ctypes.c_size_t(100)))
python.PyMem_Free(block)
python.PyMem_Free(block)
print("went on")
"""


@test
def the_guarded_adapter_stops_a_python_that_frees_a_block_twice():
    if not os.path.exists(REAL_ADAPTER):
        return "this build has no adapter"
    with open(REAL_ADAPTER, "rb") as adapter:
        if b"libasan" in adapter.read():
            return "AddressSanitizer has reports of its own, and must be loaded first"
    beside = {"CUBBY_ADAPTER": ""}
    stopped = cubby("run", "--guard", "/usr/bin/python3", "-c", FREE_TWICE, environment=beside)
    expect(stopped, -signal.SIGABRT, "cubby: guard: ", "free already")
    assert "went on" not in stopped.stdout
    for choice in ("--guard", "--guard=0"):
        assert cubby("run", choice, "/usr/bin/python3", "-c", "print(6 * 7)", environment=beside).stdout == "42\n"
    return None


@test
def a_missing_adapter_is_status_126():
    expect(cubby("run", "true", environment={"CUBBY_ADAPTER": "/no/adapter.so"}), 126, "/no/adapter.so")
    alone = os.path.join(FOLDER, "alone")
    os.makedirs(alone)
    command = shutil.copy(CUBBY, alone)
    environment = {"PATH": os.environ["PATH"]}
    result = subprocess.run([command, "run", "true"], env=environment, capture_output=True, text=True, timeout=60)
    if "no adapter" in result.stderr:  # unless one is installed
        expect(result, 126, alone + "/adapters/python/libcubby-python.so")


@test
def an_adapter_path_that_cannot_be_preloaded_is_status_126():
    for name in ("a space.so", "a:colon.so"):
        path = shutil.copy(ADAPTER, os.path.join(FOLDER, name))
        expect(cubby("run", "true", environment={"CUBBY_ADAPTER": path}), 126, path, "cannot be preloaded")


# ---- run: notes ----------------------------------------------------------------------------------------------------


@test
def a_program_that_is_not_python_runs_with_a_note():
    result = cubby("run", "ls", "-d", "/")
    expect(result, 0, NOT_PYTHON)
    assert result.stdout == "/\n"
    assert NOT_PYTHON not in cubby("run", "--quiet", "ls", "-d", "/").stderr


@test
def python_runs_without_a_note():
    result = cubby("run", sys.executable, "-c", "print(6 * 7)")
    expect(result, 0)
    assert result.stdout == "42\n" and "note:" not in result.stderr


@test
def an_interpreter_is_known_by_what_it_exports_or_needs():
    """Every kind of symbol hash table is read; a program that only uses the function is no interpreter."""
    source = file_write("hook.c", "int PyMem_SetAllocator(void){return 0;} int main(void){return 0;}\n", 0o644)
    output = os.path.join(FOLDER, "hook")
    for style in ("sysv", "gnu", "both"):
        for flags, known in ((["-rdynamic"], True), ([], False)):
            subprocess.run([COMPILER, *flags, "-Wl,--hash-style=" + style, "-o", output, source], check=True)
            result = cubby("run", output)
            expect(result, 0)
            assert (NOT_PYTHON not in result.stderr) == known, (style, flags)
    library = os.path.join(FOLDER, "libpython3.so")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source], check=True)
    call = "int PyMem_SetAllocator(void); int main(void){return 0 & PyMem_SetAllocator();}\n"
    user = file_write("user.c", call, 0o644)
    subprocess.run([COMPILER, "-o", output, user, "-L" + FOLDER, "-lpython3", "-Wl,-rpath," + FOLDER], check=True)
    assert NOT_PYTHON not in cubby("run", output).stderr
    shutil.copy(library, os.path.join(FOLDER, "libother.so"))
    subprocess.run([COMPILER, "-o", output, user, "-L" + FOLDER, "-lother", "-Wl,-rpath," + FOLDER], check=True)
    expect(cubby("run", "-q", output), 0)
    expect(cubby("run", output), 0, NOT_PYTHON)


@test
def scripts_are_judged_by_their_interpreter():
    silent = {
        "shim": "#!/bin/sh\nexit 0\n",
        "env-shim": "#!/usr/bin/env bash\nexit 0\n",
        "python": f"#!{os.path.realpath(sys.executable)}\n",
        "env-python": "#!/usr/bin/env python3\n",
        "env-split": "#!/usr/bin/env -S X=1 python3\n",
        "nothing": "#!\n",
        "blank": "#!   \n",
    }
    for name, text in silent.items():
        assert "note:" not in cubby("run", file_write(name, text)).stderr, name
    expect(cubby("run", file_write("sorted", "#!/usr/bin/sort\nb\na\n")), 0, NOT_PYTHON)


@test
def a_script_that_runs_itself_does_not_hang():
    path = os.path.join(FOLDER, "loop")
    result = cubby("run", file_write("loop", f"#!{path}\n"))
    assert result.returncode == 126, result


@test
def a_privileged_program_gets_a_note():
    path = shutil.copy(shutil.which("true"), os.path.join(FOLDER, "privileged"))
    if os.getuid() != 0:
        return "only root can make one"
    os.chown(path, 65534, -1)
    os.chmod(path, 0o755 | stat.S_ISUID)
    expect(cubby("run", path), 0, "nothing can be preloaded")
    return None


# ---- hostile ELF files ---------------------------------------------------------------------------------------------


def elf_true():
    with open(os.path.realpath(shutil.which("true")), "rb") as file:
        return bytearray(file.read())


def judged(content):
    """Lets the command judge a file that nothing starts: a script names it, and it may not be executed."""
    target = file_write("hostile-elf", bytes(content), 0o644)
    script = file_write("hostile-script", f"#!{target}\n")
    result = cubby("run", script)
    assert result.returncode == 126, result
    return result


@test
def a_file_of_another_machine_or_word_size_gets_a_note():
    for offset, value in ((18, 0xF3), (4, 1 if CLASS_64 else 2), (5, 2 if sys.byteorder == "little" else 1)):
        image = elf_true()
        image[offset] = value
        assert "another kind of machine" in judged(image).stderr


@test
def a_static_program_gets_a_note():
    if not CLASS_64:
        return "written for 64-bit files"
    image = elf_true()
    offset, = struct.unpack_from("=Q", image, 32)
    size, count = struct.unpack_from("=HH", image, 54)
    for place in range(offset, offset + size * count, size):
        if struct.unpack_from("=I", image, place)[0] == 3:
            struct.pack_into("=I", image, place, 0)
    assert "statically linked" in judged(image).stderr
    return None


@test
def truncated_files_do_no_harm():
    image = elf_true()
    for length in [*range(0, 130, 3), 200, 500, 1000, 2000, len(image) // 2, len(image) - 1]:
        judged(image[:length])


@test
def absurd_program_headers_do_no_harm():
    if not CLASS_64:
        return "written for 64-bit files"
    for offset in (1, 2**31, 2**32 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 64):
        image = elf_true()
        struct.pack_into("=Q", image, 32, offset)
        judged(image)
    for size, count in ((0, 1), (1, 65535), (56, 65535), (56, 0), (65535, 2), (57, 3)):
        image = elf_true()
        struct.pack_into("=HH", image, 54, size, count)
        judged(image)
    return None


def segments_of(image, kind):
    offset, = struct.unpack_from("=Q", image, 32)
    size, count = struct.unpack_from("=HH", image, 54)
    return [p for p in range(offset, offset + size * count, size) if struct.unpack_from("=I", image, p)[0] == kind]


ABSURD = (0, 1, 2**31 - 1, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1)


@test
def absurd_segments_do_no_harm():
    if not CLASS_64:
        return "written for 64-bit files"
    for kind in (1, 2, 3):
        for field in (8, 16, 32, 40):
            for value in ABSURD:
                image = elf_true()
                for place in segments_of(image, kind):
                    struct.pack_into("=Q", image, place + field, value)
                judged(image)
    return None


@test
def absurd_dynamic_entries_and_hash_tables_do_no_harm():
    if not CLASS_64:
        return "written for 64-bit files"
    original = elf_true()
    dynamic, = segments_of(original, 2)
    start, = struct.unpack_from("=Q", original, dynamic + 8)
    length, = struct.unpack_from("=Q", original, dynamic + 32)
    for place in range(start, start + length, 16):
        for value in ABSURD:
            image = bytearray(original)
            struct.pack_into("=Q", image, place + 8, value)
            judged(image)
    table = [struct.unpack_from("=Q", original, p + 8)[0] for p in range(start, start + length, 16)
             if struct.unpack_from("=Q", original, p)[0] == 0x6FFFFEF5]
    for place in range(table[0], table[0] + 64, 4):
        for value in (0, 1, 2**31, 2**32 - 1):
            image = bytearray(original)
            struct.pack_into("=I", image, place, value)
            judged(image)
    return None


# ---- info ----------------------------------------------------------------------------------------------------------


@test
def info_says_the_same_to_people_and_machines():
    result = cubby("info", "--json", environment={"PYTHONMALLOC": "malloc"})
    expect(result, 0)
    info = json.loads(result.stdout)
    assert info["adapter"]["path"] == ADAPTER
    assert info["machine"]["page_bytes"] == os.sysconf("SC_PAGESIZE")
    assert info["library"]["serves"] and info["library"]["reserved_bytes"] > 0
    assert [entry["name"] for entry in info["environment"]] == ["PYTHONMALLOC", "CUBBY_ADAPTER"]
    text = cubby("info").stdout
    assert ADAPTER in text and info["library"]["version"] in text and info["machine"]["kernel"] in text


@test
def info_shows_every_setting_with_its_value_default_unit_and_help():
    environment = {"CUBBY_RETAIN_MS": "250", "CUBBY_PURGE_THREAD": "1"}
    info = json.loads(cubby("info", "--json", environment=environment).stdout)
    settings = {setting["name"]: setting for setting in info["settings"]}
    assert settings["CUBBY_RETAIN_MS"]["value"] == 250 != settings["CUBBY_RETAIN_MS"]["default"]
    assert all(setting["unit"] and setting["help"] and setting["reason"] for setting in settings.values())
    assert settings["CUBBY_OBJ"]["choices"] == ["cubby", "libc", "stock"]
    assert settings["CUBBY_OBJ"]["kind"] == "choice" and settings["CUBBY_OBJ"]["value"] == "cubby"
    assert info["purge_thread"] is True
    text = cubby("info", environment=environment).stdout
    assert "CUBBY_RETAIN_MS = 250 ms (default 1000 ms): " in text
    for name, setting in settings.items():
        assert name in text, name
        assert setting["kind"] == "number" or f"[{setting['unit']}]" in text, name


@test
def info_says_whether_huge_pages_are_asked_for_and_from_which_size():
    info = json.loads(cubby("info", "--json", environment={"CUBBY_HUGE_FROM": "64m"}).stdout)
    facts = info["huge_pages"]
    assert facts["system"] == info["machine"]["thp_enabled"] and facts["from_bytes"] == 64 << 20
    assert facts["asked"] == (facts["system"] in ("always", "madvise"))
    info = json.loads(cubby("info", "--json", environment={"CUBBY_HUGE_PAGES": "0"}).stdout)
    assert info["huge_pages"]["asked"] is False
    assert info["huge_pages"]["meaning"] in cubby("info", environment={"CUBBY_HUGE_PAGES": "0"}).stdout


@test
def info_works_without_python_and_adapter():
    result = cubby("info", environment={"CUBBY_ADAPTER": "/no/adapter.so"}, path="/no/path")
    expect(result, 0)
    assert "/no/adapter.so" in result.stdout and "not in PATH" in result.stdout


@test
def info_tells_what_it_could_not_read_as_text():
    result = cubby("info", environment={"PYTHONMALLOC": os.fsdecode(b"\xff")})
    assert result.returncode in (0, 1) and "Traceback" not in result.stderr
    result = cubby("info", "--json", environment={"CUBBY_ADAPTER": os.fsdecode(b"/no/\xff")})
    assert result.returncode == 1 and "not UTF-8 text" in result.stderr and result.stdout == "", result


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-cli-") as FOLDER:
        ADAPTER = os.path.join(FOLDER, "fake.so")
        source = file_write("fake.c", "int cubby_fake;\n", 0o644)
        COMPILER = os.environ.get("CC", "cc")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", ADAPTER, source], check=True)
        STATUS = main()
    sys.exit(STATUS)
