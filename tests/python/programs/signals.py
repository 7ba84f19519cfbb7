"""Signal handlers that allocate in the middle of everything; faulthandler; signals that kill."""

import faulthandler
import os
import signal
import subprocess
import sys
import tempfile
import threading

handled = []


def handler(number, frame):
    handled.append([number, {step: str(step) for step in range(50)}, bytearray(len(handled) % 70_000)])
    if len(handled) % 100 == 0:
        del handled[1:90]
    counter[0] += 1


counter = [0]
signal.signal(signal.SIGALRM, handler)
signal.signal(signal.SIGUSR1, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
round = 0
while counter[0] < 600:
    round += 1
    items = [(step, str(step), [step] * 3) for step in range(3_000)]
    assert all(item == (step, str(step), [step] * 3) for step, item in enumerate(items))
    text = bytearray()
    for step in range(2_000):
        text += b"%06d" % step
    assert text[6 * 77 : 6 * 78] == b"000077"
signal.setitimer(signal.ITIMER_REAL, 0)
assert all(len(table) == 50 for _, table, _ in handled)

before = counter[0]
for _ in range(200):
    os.kill(os.getpid(), signal.SIGUSR1)
assert counter[0] > before

with tempfile.TemporaryFile() as file:
    ready, stop = threading.Event(), threading.Event()

    def wait_here():
        ready.set()
        stop.wait()

    thread = threading.Thread(target=wait_here)
    thread.start()
    ready.wait()
    faulthandler.dump_traceback(file, all_threads=True)
    faulthandler.enable(file)
    faulthandler.disable()
    stop.set()
    thread.join()
    file.seek(0)
    assert b"wait_here" in file.read()

for name in ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL"):
    code = f"import os, faulthandler, signal; faulthandler.enable(); x = [0] * 9999; os.kill(os.getpid(), signal.{name})"
    ran = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, check=False)
    assert ran.returncode == -getattr(signal, name), (name, ran)
    assert b"Fatal Python error" in ran.stderr and b'File "<string>", line 1' in ran.stderr
print("right")
