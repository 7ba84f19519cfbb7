"""tools/check-includes lets includes point down and nowhere else."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.write("include/cubby/cubby.h", "#include <stddef.h>\n")
        self.write("src/os/os.h", "#include <stdint.h>\n")
        self.write("src/span/span.h", '#include "os/os.h"\n')
        self.write("src/heap/heap.h", '#include "span/span.h"\n#include <cubby/cubby.h>\n')
        self.write("src/domain/domain.h", '#include "heap/heap.h"\n')

    def write(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self):
        ran = subprocess.run(
            [ROOT / "tools/check-includes", self.tree], stdout=subprocess.PIPE, text=True, check=False
        )
        return ran.returncode, ran.stdout.splitlines()

    def assert_refused(self, line):
        self.assertEqual(self.check(), (1, [line]))

    def test_includes_that_point_down_pass(self):
        self.assertEqual(self.check(), (0, []))

    def test_a_layer_that_includes_the_one_above_is_named_with_its_line(self):
        self.write("src/span/retain.c", '#include "span/span.h"\n\n#include "heap/heap.h"\n')
        self.assert_refused("src/span/retain.c:3: src/span may not include src/heap")

    def test_the_system_layer_includes_no_other(self):
        self.write("src/os/linux.c", '#include "../span/span.h"\n')
        self.assert_refused("src/os/linux.c:1: src/os may not include src/span")

    def test_a_path_relative_to_the_file_does_not_hide_the_layer(self):
        self.write("src/heap/pool.c", '  #  include "../domain/domain.h"\n')
        self.assert_refused("src/heap/pool.c:1: src/heap may not include src/domain")

    def test_a_public_header_includes_nothing_from_inside(self):
        self.write("include/cubby/domain.h", '#include "heap/heap.h"\n')
        self.assert_refused("include/cubby/domain.h:1: include/cubby may not include src/heap")

    def test_an_adapter_sees_heaps_and_domains_but_no_spans(self):
        self.write("adapters/python/adapter.c", '#include "domain/domain.h"\n#include "span/span.h"\n')
        self.assert_refused("adapters/python/adapter.c:2: adapters may not include src/span")

    def test_the_command_uses_public_headers_only(self):
        self.write("lab/child.h", "")
        self.write("cli/main.c", '#include <cubby/cubby.h>\n#include "lab/child.h"\n#include "heap/heap.h"\n')
        self.assert_refused("cli/main.c:3: cli may not include src/heap")

    def test_nothing_below_includes_an_adapter(self):
        self.write("adapters/python/adapter.h", "")
        self.write("src/domain/domain.c", '#include "python/adapter.h"\n')
        self.assert_refused("src/domain/domain.c:1: src/domain may not include adapters")

    def test_tests_may_look_inside_everything(self):
        self.write("tests/span/span_test.c", '#include "span/span.h"\n#include "domain/domain.h"\n')
        self.assertEqual(self.check(), (0, []))

    def test_a_source_file_is_not_included(self):
        self.write("src/os/linux.c", "")
        self.write("src/os/other.c", '#include "linux.c"\n')
        self.assert_refused("src/os/other.c:1: linux.c: a .c file is compiled, not included")

    def test_an_include_of_a_missing_file_is_named(self):
        self.write("src/os/linux.c", '#include "os/gone.h"\n')
        self.assert_refused('src/os/linux.c:1: "os/gone.h" is nowhere in the tree')

    def test_a_layer_without_a_rule_is_refused(self):
        self.write("src/extra/extra.h", "")
        self.assert_refused("src/extra: no rule says what this layer may include")

    def test_a_tree_without_sources_is_an_error(self):
        with tempfile.TemporaryDirectory() as empty:
            self.tree = pathlib.Path(empty)
            self.assertEqual(self.check(), (2, []))


if __name__ == "__main__":
    unittest.main()
