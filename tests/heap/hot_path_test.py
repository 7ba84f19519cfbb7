"""The fast paths are as short as the golden file says, and a block is known after two dependent loads at most.

    hot_path_test.py [--update]

Builds the library's sources with fixed options into one shared object, with a small program's cubby_new() and
cubby_delete() among them, disassembles that with objdump and follows each function from its entry: conditional branches
fall through (the compiler was told which way is likely), jumps are taken, until it returns. --update writes what was
found to the golden file. Says why and exits with 77 where there is nothing to follow.
"""

import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = pathlib.Path(__file__).resolve().parent / "hot_path.x86_64.golden"
CC = shlex.split(os.environ.get("CC", "cc"))
OPTIONS = ["-std=gnu11", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition"]
# Their meaning differs between distributions' compilers.
OPTIONS += ["-fcf-protection=none", "-fno-stack-protector", "-fno-plt", "-fomit-frame-pointer"]

PROGRAM = """
#include <cubby/cubby.h>
typedef struct boxed { uint64_t references; void *type; double value; } boxed_t;
CUBBY_API boxed_t *boxed_new(cubby_heap_t *heap);
CUBBY_API void boxed_delete(cubby_heap_t *heap, boxed_t *boxed);
boxed_t *boxed_new(cubby_heap_t *heap) { return cubby_new(heap, boxed_t); }
void boxed_delete(cubby_heap_t *heap, boxed_t *boxed) { cubby_delete(heap, boxed); }
"""

# Name in the golden file, symbol, and what is to be known: the block that is returned, or where a freed one goes.
FUNCTIONS = {
    "cubby_heap_malloc": "result",
    "cubby_heap_free": "store",
    "boxed_new": "result",
    "boxed_delete": "store",
}
# The same paths of the guarded library (cubby.h); names as long as the golden file's first column allows.
GUARDED = {
    "guarded heap_malloc": "cubby_heap_malloc",
    "guarded heap_free": "cubby_heap_free",
    "guarded new": "boxed_new",
    "guarded delete": "boxed_delete",
}
COLUMNS = ["loads", "stores", "branches", "calls", "instructions", "dependent"]
MOST_DEPENDENT_LOADS = 2
MOST_STEPS = 200

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*?)\s*(?:#.*)?$")
TARGET = re.compile(r"^([0-9a-f]+)\b")
MEMORY = re.compile(r"(-?[0-9a-fx]*)\(([^)]*)\)")
REGISTER = re.compile(r"%([a-z0-9]+)")


def canonical(register):
    """One name for all widths of a register."""
    match = re.fullmatch(r"r(\d+)[bwd]?", register)
    if match:
        return "r" + match.group(1)
    name = re.sub(r"^[re]", "", register)
    return {"al": "ax", "bl": "bx", "cl": "cx", "dl": "dx", "sil": "si", "dil": "di", "bpl": "bp"}.get(name, name)


def registers(text):
    return [canonical(name) for name in REGISTER.findall(text)]


def split_operands(text):
    """Operands, at commas that are not inside parentheses."""
    return [operand for operand in re.split(r",(?![^(]*\))", text) if operand]


class Path:
    """What a walk along a fast path has met."""

    def __init__(self):
        self.counts = dict.fromkeys(COLUMNS, 0)
        self.depth = {}  # register: loads, one after the other, that its value took
        self.deepest_store = 0
        self.wide = []  # instructions that use registers of 16 bytes or more

    def depth_of(self, text):
        return max([self.depth.get(register, 0) for register in registers(text)], default=0)

    def note(self, mnemonic, operands):
        """Counts an instruction other than a jump and follows the values it moves. AT&T order: the target is last."""
        self.counts["instructions"] += 1
        if any(re.match(r"[xyz]mm", register) for operand in operands for register in registers(operand)):
            self.wide.append(" ".join([mnemonic, *operands]))
        if mnemonic.startswith(("nop", "endbr", "ret")) or (mnemonic == "data16"):
            return
        if mnemonic.startswith("call"):
            self.counts["calls"] += 1
            return
        if mnemonic.startswith("push"):
            self.counts["stores"] += 1
            return
        if mnemonic.startswith("pop"):
            self.counts["loads"] += 1
            self.depth[registers(operands[0])[0]] = 0
            return
        reads_only = mnemonic.startswith(("cmp", "test"))
        moves = mnemonic.startswith("mov")
        depth = 0
        for place, operand in enumerate(operands):
            is_target = place == len(operands) - 1 and not reads_only
            if MEMORY.search(operand) and not mnemonic.startswith("lea"):
                address = self.depth_of(operand)
                if is_target:
                    self.counts["stores"] += 1
                    self.counts["loads"] += not moves
                    if "sp" not in registers(operand):
                        self.deepest_store = max(self.deepest_store, address)
                else:
                    self.counts["loads"] += 1
                    depth = max(depth, address + 1)
            elif not (is_target and moves):
                depth = max(depth, self.depth_of(operand))
        target = operands[-1] if operands else ""
        if not reads_only and not MEMORY.search(target):
            # A register exclusive-ored with or subtracted from itself is a constant.
            same = mnemonic.startswith(("xor", "sub")) and len(operands) == 2 and operands[0] == target
            for register in registers(target):
                self.depth[register] = 0 if same else depth


def follow(code, start, known):
    """What a fast path holds, from its first instruction to its return."""
    path = Path()
    at = start
    for _ in range(MOST_STEPS):
        mnemonic, operands, following = code[at]
        if mnemonic.startswith("jmp"):
            path.counts["instructions"] += 1
            at = int(TARGET.match(operands).group(1), 16)
            continue
        if mnemonic.startswith("j"):
            path.counts["instructions"] += 1
            path.counts["branches"] += 1
        else:
            path.note(mnemonic, split_operands(operands))
        if mnemonic.startswith("ret"):
            path.counts["dependent"] = path.depth.get("ax", 0) if known == "result" else path.deepest_store
            return path
        at = following
    raise AssertionError("the fast path does not return")


def disassemble(library):
    """Instructions by address, and functions' addresses by name."""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    code, functions, last = {}, {}, None
    for line in text.splitlines():
        header = re.match(r"^([0-9a-f]+) <([^>]+)>:$", line)
        if header:
            functions[header.group(2)] = int(header.group(1), 16)
            continue
        match = LINE.match(line)
        if match:
            address = int(match.group(1), 16)
            if last is not None:
                code[last][2] = address
            code[address] = [match.group(2), match.group(3), None]
            last = address
    return code, functions


def build(options):
    """The code of the library and the program, and where its functions start."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.c"
        program.write_text(PROGRAM)
        library = pathlib.Path(folder) / "library.so"
        sources = [path for layer in ("os", "span", "heap") for path in sorted((ROOT / "src" / layer).glob("*.c"))]
        subprocess.run(
            [*CC, *OPTIONS, *options, "-I", ROOT / "include", "-I", ROOT / "src", "-shared", "-pthread", "-o", library]
            + [*sources, program],
            check=True,
        )
        return disassemble(library)


def measure():
    code, functions = build([])
    found = {name: follow(code, functions[name], known) for name, known in FUNCTIONS.items()}
    code, functions = build(["-DCUBBY_GUARD"])
    found.update({row: follow(code, functions[name], FUNCTIONS[name]) for row, name in GUARDED.items()})
    return found


def compiler():
    """Name and major version, as in "gcc 12"."""
    asked = subprocess.run(
        [*CC, "-dM", "-E", "-x", "c", "/dev/null"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    macros = dict(line.split(" ", 2)[1:] for line in asked.splitlines() if line.count(" ") >= 2)
    if "__clang_major__" in macros:
        return "clang " + macros["__clang_major__"]
    return "gcc " + macros["__GNUC__"]


def format_table(found):
    lines = [f"{'function':<20}" + "".join(f"{column:>14}" for column in COLUMNS)]
    lines += [f"{name:<20}" + "".join(f"{path.counts[column]:>14}" for column in COLUMNS) for name, path in found.items()]
    return lines


def read_golden():
    """Comment lines, the compiler they hold for, the table."""
    comments, lines = [], []
    for line in GOLDEN.read_text().splitlines():
        (comments if line.startswith("#") or not line else lines).append(line)
    return comments, lines[0].removeprefix("compiler: "), lines[1:]


class HotPath(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = measure()

    def test_a_block_is_known_after_two_dependent_loads_at_most(self):
        for name, path in self.found.items():
            with self.subTest(name):
                self.assertLessEqual(path.counts["dependent"], MOST_DEPENDENT_LOADS)
                self.assertGreaterEqual(path.counts["dependent"], 0 if name.endswith("delete") else 1)

    def test_no_fast_path_calls_anything(self):
        for name, path in self.found.items():
            with self.subTest(name):
                self.assertEqual(path.counts["calls"], 0)

    def test_no_free_stores_a_link_and_its_twin_as_one(self):
        """The next allocation reads the link alone: out of a wider store that takes several times as long."""
        for name, path in self.found.items():
            if FUNCTIONS[GUARDED.get(name, name)] == "store":
                with self.subTest(name):
                    self.assertEqual(path.wide, [])

    def test_the_instruction_mix_is_that_of_the_golden_file(self):
        _, expected_compiler, expected = read_golden()
        if compiler() != expected_compiler:
            self.skipTest(f"the golden file is of {expected_compiler}, this is {compiler()}")
        self.maxDiff = None
        self.assertEqual(
            "\n".join(expected),
            "\n".join(format_table(self.found)),
            "if that is meant to be: tests/heap/hot_path_test.py --update",
        )


def reason_to_skip():
    if platform.machine() != "x86_64":
        return f"there is no golden file for {platform.machine()}"
    machine = subprocess.run([*CC, "-dumpmachine"], stdout=subprocess.PIPE, text=True, check=False).stdout
    if not machine.startswith("x86_64"):
        return f"{CC[0]} compiles for {machine.strip() or 'nothing'}"
    return None if shutil.which("objdump") else "objdump is missing"


def main():
    reason = reason_to_skip()
    if reason:
        print("skipped:", reason)
        return 77
    if sys.argv[1:] == ["--update"]:
        comments, _, _ = read_golden()
        GOLDEN.write_text("\n".join([*comments, "compiler: " + compiler(), *format_table(measure())]) + "\n")
        return 0
    return unittest.main()


if __name__ == "__main__":
    sys.exit(main())
