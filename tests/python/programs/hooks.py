"""The interpreter's own tests of its memory interface, and hooks that wrap Cubby's tables."""

import _testcapi

for name in ("test_pymem_alloc0", "test_pyobject_new", "test_pymem_setrawallocators", "test_pymem_setallocators",
             "test_pyobject_setallocators"):
    function = getattr(_testcapi, name, None)
    if function is not None:
        for _ in range(50):
            function()
items = [str(step) for step in range(10_000)]
assert items[77] == "77"
print("right")
