"""The README stays true: its C is an example that is compiled and run, and its links lead somewhere."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "tests/README.md", "cli/README.md", "adapters/python/README.md"]


class Readme(unittest.TestCase):
    def test_the_c_example_is_the_one_that_is_tested(self):
        shown = re.findall(r"^```c\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
        source = (ROOT / "examples/ten_lines.c").read_text()
        self.assertEqual(len(shown), 1)
        self.assertTrue(source.endswith("*/\n" + shown[0]), "README.md and examples/ten_lines.c differ")

    def test_links_between_files_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", (ROOT / page).read_text()):
                if "://" not in target:
                    with self.subTest(page=page, target=target):
                        self.assertTrue(((ROOT / page).parent / target).exists())

    def test_every_make_target_named_exists(self):
        makefile = (ROOT / "Makefile").read_text()
        for page in PAGES:
            for target in re.findall(r"`make ([a-z]+)", (ROOT / page).read_text()):
                with self.subTest(page=page, target=target):
                    self.assertRegex(makefile, rf"(?m)^{target}:")


if __name__ == "__main__":
    unittest.main()
