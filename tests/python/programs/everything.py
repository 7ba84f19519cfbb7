"""Imports all of the standard library that can be imported without a screen, and says how much that was."""

import importlib
import pkgutil
import sys
import warnings

warnings.simplefilter("ignore")
# These open windows or browsers, print poems, or run programs when imported.
NOT_FOR_IMPORT = {"antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test", "lib2to3", "__main__"}

imported = failed = 0
for name in sorted(sys.stdlib_module_names - NOT_FOR_IMPORT):
    names = [name]
    try:
        module = importlib.import_module(name)
    except ImportError:
        failed += 1
        continue
    for child in pkgutil.iter_modules(getattr(module, "__path__", ()), name + "."):
        if not child.name.endswith("__main__") and ".tests" not in child.name:
            names.append(child.name)
    for child in names:
        try:
            importlib.import_module(child)
            imported += 1
        except (ImportError, AttributeError):
            failed += 1
assert imported > 300, imported
print("imported", imported, "failed", failed)
