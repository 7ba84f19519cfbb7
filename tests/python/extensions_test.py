"""Debian's extension modules do real work on Cubby: with heaps of the interpreter's lock, with heaps of threads, and with
debug checks, which find nothing."""

import importlib.util

import tap
from preload import PreloadTestCase


class Extensions(PreloadTestCase):
    def programWith(self, module, name):
        """The program passes on stock, so that what fails on Cubby is Cubby's."""
        if importlib.util.find_spec(module) is None:
            self.skipTest(f"{module} (python3-{module}) is not installed")
        self.program(name, preload=False)
        self.programOnEachHeap(name)
        with self.subTest(program=name, checks="on"):
            self.program(name, variables={"CUBBY_DEBUG": "1"})

    def test_numpy_s_arrays_have_the_right_contents(self):
        self.programWith("numpy", "arrays")

    def test_pandas_groups_joins_and_reshapes_as_plain_python_does(self):
        self.programWith("pandas", "frames")

    def test_lxml_parses_searches_transforms_and_streams_documents(self):
        self.programWith("lxml", "documents")

    def test_cffi_calls_back_and_drops_what_it_made(self):
        self.programWith("cffi", "foreign")

    def test_greenlets_switch_10_000_times_across_two_threads(self):
        self.programWith("greenlet", "switches")

    def test_a_django_site_serves_pages_from_a_model_and_a_template(self):
        self.programWith("django", "website")


if __name__ == "__main__":
    tap.main()
