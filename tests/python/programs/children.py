"""subprocess: Python that runs between fork and exec, while other threads allocate; descriptors closed or passed."""

import os
import signal
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

stop = threading.Event()


def churn(seed):
    held = {}
    while not stop.is_set():
        for step in range(300):
            held[step] = [bytearray((step * seed) % 3_000), str(step) * (step % 40)]


def before_exec(number):
    """In the child, where only this thread is left."""
    items = [{str(step): [step] * 10, "bytes": bytearray(step * 40)} for step in range(300)]
    assert all(item["bytes"] == bytes(len(item["bytes"])) for item in items)
    os.environ["CHILD"] = str(number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.umask(0o27)


def check_before_exec():
    code = "import os; print(os.umask(0), len([str(i) for i in range(9_999)]))"
    for number in range(25):
        command = [sys.executable, "-c", code]
        ran = subprocess.run(command, preexec_fn=lambda: before_exec(number), stdout=subprocess.PIPE)
        assert (ran.returncode, ran.stdout) == (0, b"23 9999\n"), ran
    try:
        subprocess.run(["true"], preexec_fn=lambda: [1][2], check=True)
    except subprocess.SubprocessError as error:
        assert "preexec_fn" in str(error)
    else:
        raise AssertionError("an exception before exec was not reported")
    try:
        subprocess.run(["/nowhere/to/be/found"], check=True)
    except FileNotFoundError:
        pass


def open_descriptors(**options):
    code = "import os; print(*sorted(int(n) for n in os.listdir('/proc/self/fd')))"
    out = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, **options).stdout
    return [int(number) for number in out.split()]


def check_descriptors():
    inherited = [os.open(os.devnull, os.O_RDONLY) for _ in range(30)]
    for number in inherited:
        os.set_inheritable(number, True)
    # Beside the three standard ones, what lists the folder has one open.
    assert len(open_descriptors(close_fds=True)) == 4
    assert len(open_descriptors(close_fds=True, pass_fds=inherited[:7])) == 11
    assert len(open_descriptors(close_fds=False)) >= 34
    for number in inherited:
        os.close(number)


def check_ends():
    for name in ("SIGTERM", "SIGKILL", "SIGINT"):
        process = subprocess.Popen(["sleep", "1000"], start_new_session=True, restore_signals=True)
        process.send_signal(getattr(signal, name))
        assert process.wait() == -getattr(signal, name)
    code = "import sys, os; x = [0] * 10**6; print(len(sys.stdin.read())); sys.stdout.flush(); os._exit(9)"
    ran = subprocess.run([sys.executable, "-c", code], input=b"y" * 3_000_000, stdout=subprocess.PIPE)
    assert (ran.returncode, ran.stdout) == (9, b"3000000\n")
    for vfork in (True, False):
        subprocess._USE_VFORK = vfork
        assert subprocess.check_output(["echo", "x" * 50_000]) == b"x" * 50_000 + b"\n"
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 5"], os.environ)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5


assert probe.is_as_asked()
threads = [threading.Thread(target=churn, args=(seed,)) for seed in (3, 7, 11)]
for thread in threads:
    thread.start()
try:
    check_before_exec()
    check_descriptors()
    check_ends()
finally:
    stop.set()
for thread in threads:
    thread.join()
print("right")
