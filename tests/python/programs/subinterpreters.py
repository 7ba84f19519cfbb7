"""Interpreters with a lock of their own, in threads of one process: they allocate, pass bytes and end, all at once.

Needs CPython 3.12 or later. The argument says who has to serve what they allocate: `cubby`, or `stock`.
"""

import os
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

try:
    import _interpreters as interpreters
except ImportError:  # 3.12
    import _xxsubinterpreters as interpreters

# In each interpreter, this one, too.
IMPORT = """
try:
    import _interpchannels as channels
    options = dict(blocking=False)
except ImportError:
    import _xxinterpchannels as channels
    options = dict()
"""
exec(IMPORT)

SERVER = sys.argv[1]
WORKERS = 6
ROUNDS = 4


def guarded(function, *arguments):
    """What fails ends the process at once: an interpreter that is left over would keep it from ending."""
    try:
        function(*arguments)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


def at_once(*calls):
    threads = [threading.Thread(target=guarded, args=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def create():
    """With a lock of its own."""
    if sys.version_info < (3, 13):
        return interpreters.create(isolated=True)
    created = interpreters.create("isolated")
    assert interpreters.get_config(created).gil == "own"
    return created


def run(interpreter, code, **shared):
    failed = interpreters.run_string(interpreter, code, shared)  # 3.12 raises instead
    assert failed is None, failed


def channel_create():
    """Lives as long as what this returns."""
    try:
        return channels.create()
    except TypeError:  # 3.13: what becomes of objects whose interpreter has ended; 1 is, they are removed
        return channels.create(1)


def receive(channel):
    """The next that was sent."""
    for _ in range(60_000):
        try:
            got = channels.recv(channel)
            return got[0] if isinstance(got, tuple) else got  # 3.13 tells also whether its interpreter has ended
        except channels.ChannelEmptyError:
            time.sleep(0.001)
    raise AssertionError("nothing was sent")


WORK = """
import queue, threading

line = queue.Queue(20)
sums = []

def produce(seed):
    for step in range(300):
        line.put([(seed, step, bytes([seed]) * step, step / 7, str(step))] * (step % 40))
    line.put(None)

def consume():
    total = 0
    while (items := line.get()) is not None:
        assert all(item == items[0] for item in items)
        total += sum(len(text) for _, _, text, _, _ in items)
    sums.append(total)

threads = [threading.Thread(target=produce, args=(seed,)) for seed in range(3)]
threads += [threading.Thread(target=consume) for seed in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sum(sums) == 3 * sum(step * (step % 40) for step in range(300))

class Node:
    pass

for step in range(2_000):  # cycles, which the collector drops
    node = Node()
    node.other, node.load = [node], bytearray(step)
held = {step: [str(step), (step,) * (step % 30)] for step in range(20_000)}  # left to the end of the interpreter

assert text == bytes(range(256)) * (len(text) // 256)
for step in range(50):
    channels.send(channel, text[:step * 90], **options)
channels.send(channel, b"%d %d %d" % (id(held[777][0]), id(held[19_999][0]), id(node.load)), **options)
"""


def serve():
    """Interpreters come and go in this thread."""
    for round in range(ROUNDS):
        text = bytes(range(256)) * (20 * round)
        channel = channel_create()
        interpreter = create()
        run(interpreter, IMPORT + WORK, text=text, channel=int(channel))
        for step in range(50):
            assert receive(channel) == text[: step * 90]
        for address in map(int, receive(channel).split()):
            assert probe.is_cubbys(address) == (SERVER == "cubby"), "an object of an interpreter is elsewhere"
        # As its own main thread would go on, with blocks that other threads left.
        run(interpreter, "held = {step: held[step] for step in range(0, 20_000, 3)}; held[0][0] *= 5_000")
        channels.destroy(channel)
        interpreters.destroy(interpreter)


at_once(*((serve,) for _ in range(WORKERS)))

# Made by one thread, used by others, one after the other, ended by the last; all those before have ended.
wanderers = []
at_once(*((lambda: wanderers.append(create()),) for _ in range(WORKERS)))
for round in range(ROUNDS):
    code = f"kept = [[{round}] * (step % 100) for step in range(5_000)] + [bytearray(100_000)]"
    at_once(*((run, wanderer, code) for wanderer in wanderers))
at_once(*((interpreters.destroy, wanderer) for wanderer in wanderers))

# An interpreter reads memory of another, which is let go when the reader has done with it. 3.12 cannot.
channel = channel_create()
reader = create()
for step in range(200) if hasattr(channels, "send_buffer") else ():
    text = bytearray([step]) * (step * 300 + 1)
    channels.send_buffer(channel, text, **options)
    code = """
import _interpreters, _interpchannels as channels
got = channels.recv(channel)
view = got[0] if isinstance(got, tuple) else got
assert view[0] == view[-1] == step and len(view) == step * 300 + 1, step
del got, view
"""
    run(reader, code, channel=int(channel), step=step)
    text = None
interpreters.destroy(reader)
channels.destroy(channel)

if sys.version_info >= (3, 14):
    import concurrent.futures

    if __name__ == "__main__":
        with concurrent.futures.InterpreterPoolExecutor(4) as pool:
            texts = [bytes([step]) * (step * 700) + b"end" for step in range(200)]
            assert list(pool.map(bytes.__len__, texts)) == [len(text) for text in texts]
            assert list(pool.map(sorted, texts)) == [sorted(text) for text in texts]

assert len(interpreters.list_all()) == 1
print("right")
