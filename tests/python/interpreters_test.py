"""Whatever kind of python3 is started, and by whatever, Cubby serves it; any other program runs unharmed."""

import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile

import tap
from preload import CHECKED, HERE, LIBRARY, PROBE, PROGRAMS, PYTHON, SERVED, STOCK, PreloadTestCase, probe, python, run

PROBE_CODE = f"import sys; sys.path.insert(0, {str(HERE)!r}); import probe; probe.main()"


class FolderTestCase(PreloadTestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def script(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def need(self, tool):
        path = shutil.which(tool)
        if path is None:
            self.skipTest(f"there is no {tool}")
        return path


class Linked(FolderTestCase):
    """Interpreters by how they are put together."""

    def uses_libpython(self, interpreter):
        return "libpython" in subprocess.run(
            [self.need("ldd"), interpreter], stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    def host(self, kind):
        """Compiles host.c against the interpreter's own libpython, or skips the test."""
        header = pathlib.Path(sysconfig.get_path("include"), "Python.h")
        libpython = pathlib.Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME") or "")
        if not header.exists() or not libpython.is_file() or ".so" not in libpython.name:
            self.skipTest("python3's header or shared libpython is not installed")
        program = self.folder / kind.lower()
        link = [] if kind == "LOADS" else [libpython]
        command = [self.need("cc"), f"-DHOST_{kind}", "-I", header.parent, "-o", program, HERE / "host.c", *link]
        subprocess.run([*command, "-ldl", f"-Wl,-rpath,{libpython.parent}"], check=True)
        return program, libpython

    def test_a_statically_linked_interpreter_is_served(self):
        if self.uses_libpython(PYTHON):
            self.skipTest("python3 is linked to libpython")
        self.assertServed(probe(PYTHON))

    def test_an_interpreter_that_uses_libpython_is_served(self):
        program, _ = self.host("MAIN")
        self.assertTrue(self.uses_libpython(program))
        self.assertServed(probe(program))
        stock, cubby = (run([program, PROGRAMS / "workload.py"], preload=preload) for preload in (False, True))
        self.assertRan(cubby, stock.out.strip())
        self.assertEqual(run([program, "-X", "dev", PROBE]).out.strip(), CHECKED)

    def test_a_program_that_embeds_and_restarts_an_interpreter_is_served_each_time(self):
        program, _ = self.host("EMBEDS")
        self.assertRan(run([program, PROBE_CODE]), "\n".join([SERVED] * 3))
        text = "import json, collections, re; x = [str(i) for i in range(10000)]; print(len(json.dumps(x)))"
        self.assertRan(run([program, text]), "\n".join(["78890"] * 3))

    def test_an_interpreter_that_is_loaded_after_the_start_serves_itself(self):
        program, libpython = self.host("LOADS")
        self.assertRan(run([program, libpython, PROBE_CODE]), STOCK)

    def test_other_versions_are_served_from_3_7_on(self):
        found = other_interpreters()
        if not found:
            self.skipTest("there is no other python3")
        for interpreter, version in found.items():
            with self.subTest(interpreter=interpreter, version=version):
                ran = probe(interpreter)
                if version >= (3, 7):
                    self.assertServed(ran)
                    self.assertRan(run([interpreter, PROGRAMS / "lists.py"]), "right")
                else:
                    self.assertEqual((ran.status, ran.out.strip()), (0, STOCK), ran)
                    self.assertEqual(len(ran.err.splitlines()), 1, ran)
                    self.assertIn("cubby: standing back: CPython {}.{} ".format(*version), ran.err)
                    self.assertRan(probe(interpreter, variables={"CUBBY_QUIET": "1"}), STOCK)


def other_interpreters():
    """CPython 3.x in PATH or with a version manager, with ctypes, one of each version: {path: (major, minor)}."""
    candidates = [shutil.which(f"python3.{minor}") for minor in range(6, 20)]
    candidates += sorted(pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    ask = "import ctypes, platform, sys; assert platform.python_implementation() == 'CPython'; "
    ask += "print(sys.executable, sys.version_info[0], sys.version_info[1])"
    found = {}
    for candidate in filter(None, candidates):
        ran = run([candidate, "-c", ask], preload=False)
        if ran.status == 0:
            path, major, minor = ran.out.split()
            version = int(major), int(minor)
            if version not in found.values() and not os.path.samefile(path, PYTHON):
                found[path] = version
    return found


class VirtualEnvironment(FolderTestCase):
    def create(self, *options):
        target = self.folder / "environment"
        self.assertRan(python("-m", "venv", "--without-pip", *options, target))
        return target / "bin/python3"

    def assertVirtual(self, interpreter):
        self.assertServed(probe(interpreter))
        code = "import sys; print(sys.prefix != sys.base_prefix)"
        self.assertRan(run([interpreter, "-c", code]), "True")

    def test_a_virtual_environment_of_links_is_served(self):
        interpreter = self.create("--symlinks")
        self.assertTrue(interpreter.is_symlink())
        self.assertVirtual(interpreter)

    def test_a_virtual_environment_of_copies_is_served(self):
        interpreter = self.create("--copies")
        self.assertFalse(interpreter.is_symlink())
        self.assertVirtual(interpreter)

    def test_an_activated_virtual_environment_is_served(self):
        interpreter = self.create()
        command = f". {interpreter.parent}/activate && exec python3 {PROBE}"
        self.assertServed(run(["sh", "-c", command]))


class Wrapped(FolderTestCase):
    """A python3 that is something else at first."""

    def test_a_shell_script_in_front_of_python_is_served(self):
        self.assertServed(probe(self.script("python3", f'#!/bin/sh\nexec {PYTHON} "$@"\n')))

    def test_a_shell_script_that_waits_for_python_is_served(self):
        wrapper = self.script("python3", f'#!/bin/sh\n{PYTHON} "$@"\nstatus=$?\nexit $status\n')
        self.assertServed(probe(wrapper))
        self.assertRan(run([wrapper, "-c", "raise SystemExit(7)"]), "", status=7)

    def test_a_version_manager_s_shim_is_served(self):
        self.need("bash")
        self.script("bin/python3", f'#!/bin/sh\nexec {PYTHON} "$@"\n')
        self.script(
            "manager",
            "#!/usr/bin/env bash\nset -e\nroot=$(cd \"$(dirname \"$0\")\" && pwd)\n"
            'name=$1; shift\nversion=$(printf "%s" 3 | tr -d "\\n")\nexport MANAGER_VERSION="$version"\n'
            'PATH="$root/bin:$PATH"\nexec -a "$name" "$root/bin/$name" "$@"\n',
        )
        shim = self.script(
            "shims/python3",
            "#!/usr/bin/env bash\nset -e\n[ -n \"$MANAGER_DEBUG\" ] && set -x\nprogram=\"${0##*/}\"\n"
            f'export MANAGER_ROOT="{self.folder}"\nfor argument; do case "$argument" in -c*|--) break;; esac; done\n'
            'exec "$MANAGER_ROOT/manager" "$program" "$@"\n',
        )
        self.assertServed(probe(shim))
        self.assertRan(run([shim, "-X", "dev", PROBE]), CHECKED)

    def test_a_link_of_another_name_is_served(self):
        link = self.folder / "snake"
        link.symlink_to(os.path.realpath(PYTHON))
        self.assertServed(probe(link))

    def test_an_interpreter_found_by_env_is_served(self):
        self.assertServed(probe("/usr/bin/env", "python3"))
        self.assertServed(run([self.script("script", f"#!/usr/bin/env python3\n{PROBE_CODE}\n")]))


class Started(FolderTestCase):
    """An interpreter that another program starts."""

    def test_python_started_by_a_shell_is_served(self):
        self.assertServed(run(["sh", "-c", f"true; {PYTHON} {PROBE}; true"]))
        self.assertServed(run(["sh", "-c", f"cat {PROBE} | {PYTHON} | cat"]))

    def test_python_started_by_make_is_served(self):
        make = self.need("make")
        self.script("Makefile", f"all:\n\t@{PYTHON} {PROBE}\n")
        self.assertServed(run([make, "-s", "-C", self.folder]))

    def test_pythons_started_by_xargs_are_served(self):
        xargs = self.need("xargs")
        ran = run([xargs, "-P", "2", "-n", "1", PYTHON], input=f"{PROBE}\n" * 4)
        self.assertRan(ran, "\n".join([SERVED] * 4))

    def test_python_started_by_perl_is_served(self):
        perl = self.need("perl")
        self.assertServed(run([perl, "-e", "exit(system(@ARGV) >> 8)", PYTHON, PROBE]))

    def test_python_started_in_a_new_session_in_the_background_is_served(self):
        setsid = self.need("setsid")
        self.assertServed(run([setsid, "sh", "-c", f"nice {PYTHON} {PROBE} & wait"]))


class Others(FolderTestCase):
    """Programs that are not Python do not notice."""

    def assertUnharmed(self, *command, **options):
        stock, cubby = run(command, preload=False, **options), run(command, **options)
        self.assertEqual(stock.status, 0, stock)
        self.assertEqual(cubby, stock)

    def test_other_programs_give_the_same_output(self):
        self.assertUnharmed("ls", "-la", HERE)
        self.assertUnharmed("sh", "-c", "for i in 1 2 3; do echo $i $(echo inner | tr a-z A-Z); done >&2; echo end")
        self.assertUnharmed("sort", HERE / "probe.py")
        self.assertUnharmed("grep", "-rn", "import", HERE, "--include=*.py")

    def test_other_languages_give_the_same_output(self):
        perl = self.need("perl")
        code = 'my %h; $h{$_ % 1000} .= "x$_" for 1..200000; print length(join "", map { $h{$_} } sort keys %h), "\\n"'
        self.assertUnharmed(perl, "-e", code)

    def test_other_programs_load_the_adapter_and_get_no_region(self):
        ran = run(["cat", "/proc/self/maps"])
        self.assertIn(LIBRARY.name, ran.out)
        spaces = [re.match(r"(\w+)-(\w+)", line).groups() for line in ran.out.splitlines()]
        self.assertLess(max(int(end, 16) - int(start, 16) for start, end in spaces[:-1]), 1 << 30)

    def test_exit_statuses_of_other_programs_are_theirs(self):
        self.assertRan(run(["sh", "-c", "exit 41"]), "", status=41)
        self.assertRan(run(["sh", "-c", "kill -TERM $$"]), "", status=-15)

    def test_a_compiler_gives_the_same_program(self):
        compiler = self.need("cc")
        source = self.script("program.c", "int main(void) { return 0; }\n")
        objects = []
        for preload in (False, True):
            self.assertRan(run([compiler, "-c", source, "-o", self.folder / "program.o"], preload=preload))
            objects.append((self.folder / "program.o").read_bytes())
        self.assertEqual(objects[0], objects[1])


if __name__ == "__main__":
    tap.main()
