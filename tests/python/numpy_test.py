"""numpy, a large extension module with allocation of its own, works on Cubby."""

import importlib.util
import itertools

import tap
from preload import PreloadTestCase


class Numpy(PreloadTestCase):
    def setUp(self):
        if importlib.util.find_spec("numpy") is None:
            self.skipTest("numpy (python3-numpy) is not installed")

    def test_arrays_have_the_right_contents(self):
        self.program("arrays")

    def test_arrays_have_the_right_contents_on_other_choices_of_allocators(self):
        for obj, mem in itertools.permutations(("cubby", "libc"), 2):
            with self.subTest(obj=obj, mem=mem):
                self.program("arrays", variables={"CUBBY_OBJ": obj, "CUBBY_MEM": mem})


if __name__ == "__main__":
    tap.main()
