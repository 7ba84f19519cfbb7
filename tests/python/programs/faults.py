"""faulthandler: a dump when SIGUSR1 asks for it, one after a time, and one on a real fault, which ends the process."""

import faulthandler
import os
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402


def allocating_where_the_signal_comes(count):
    items = []
    for step in range(count):
        items.append({str(step): [step] * (step % 30)})
        if step % 50 == 0:
            os.kill(os.getpid(), signal.SIGUSR1)
        if len(items) > 500:
            del items[:400]
    return items


def check_dumps_on_demand():
    with tempfile.TemporaryFile() as file:
        faulthandler.register(signal.SIGUSR1, file, all_threads=True)
        threads = [threading.Thread(target=allocating_where_the_signal_comes, args=(2_000,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        items = allocating_where_the_signal_comes(5_000)
        for thread in threads:
            thread.join()
        assert faulthandler.unregister(signal.SIGUSR1)
        assert all(value == [int(key)] * (int(key) % 30) for item in items for key, value in item.items())
        file.seek(0)
        text = file.read()
        assert text.count(b"Current thread") >= 100 and b"in allocating_where_the_signal_comes" in text


def check_dumps_after_a_time():
    with tempfile.TemporaryFile() as file:
        faulthandler.dump_traceback_later(0.002, repeat=True, file=file)
        while os.fstat(file.fileno()).st_size < 5_000:
            assert sum(map(len, [str(step) for step in range(5_000)])) == 18_890
        faulthandler.cancel_dump_traceback_later()
        file.seek(0)
        assert b"Timeout (0:00:00.002" in file.read()


def check_real_faults():
    fault = "import ctypes\ndef fault():\n x = [str(i) for i in range(9_999)]\n {}\nfault()"
    for how, number, said in (
        ("ctypes.string_at(0)", signal.SIGSEGV, b"Segmentation fault"),
        ("ctypes.memset(16, 1, 1)", signal.SIGSEGV, b"Segmentation fault"),
        ("ctypes.CDLL(None).abort()", signal.SIGABRT, b"Aborted"),
        ("getattr(ctypes.CDLL(None), 'raise')(8)", signal.SIGFPE, b"Floating point exception"),
    ):
        for arguments in (["-X", "faulthandler"], ["-q", "-X", "faulthandler", "-X", "tracemalloc"]):
            command = [sys.executable, *arguments, "-c", fault.format(how)]
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            assert ran.returncode == -number, (how, ran)
            assert b"Fatal Python error: " + said in ran.stderr and b"in fault\n" in ran.stderr, (how, ran)
        # Without it: the same end, and nothing said.
        ran = subprocess.run([sys.executable, "-c", fault.format(how)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (ran.returncode, ran.stderr) == (-number, b""), (how, ran)


assert probe.is_as_asked()
check_dumps_on_demand()
check_dumps_after_a_time()
check_real_faults()
print("right")
