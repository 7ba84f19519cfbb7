"""concurrent.futures: pools of threads and of processes, one inside the other; what fails and what is cancelled."""

import concurrent.futures
import multiprocessing
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

started = []


def begin(text):
    started.append([text] * 100)


def work(step):
    if step % 97 == 96:
        raise ValueError([step] * 10)
    return {str(number): [number] * (step % 50) for number in range(step, step + 40)}


def expected(step):
    return {str(number): [number] * (step % 50) for number in range(step, step + 40)}


def check(executor, steps):
    futures = {executor.submit(work, step): step for step in range(steps)}
    failed = 0
    for future in concurrent.futures.as_completed(futures):
        step = futures[future]
        if step % 97 == 96:
            assert future.exception().args == ([step] * 10,)
            failed += 1
        else:
            assert future.result() == expected(step)
    assert failed == steps // 97
    assert list(executor.map(work, range(90), chunksize=8)) == [expected(step) for step in range(90)]


def in_worker(step):
    """A worker asks its own block where it lies, and has threads of its own."""
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        total = sum(len(table) for table in threads.map(work, range(step, step + 5)))
    return probe.is_as_asked(), len(started), total


def check_cancelling():
    gate = threading.Event()
    executor = concurrent.futures.ThreadPoolExecutor(2)
    busy = [executor.submit(gate.wait) for _ in range(2)]
    waiting = [executor.submit(work, step) for step in range(500)]
    executor.shutdown(wait=False, cancel_futures=True)
    gate.set()
    assert all(future.result() for future in busy) and all(future.cancelled() for future in waiting)


def main():
    assert probe.is_as_asked()
    with concurrent.futures.ThreadPoolExecutor(8, initializer=begin, initargs=("thread",)) as executor:
        check(executor, 1_000)
        assert 1 <= len(started) <= 8
    check_cancelling()
    for _ in range(60):  # pools that live for a moment: threads are born and end
        with concurrent.futures.ThreadPoolExecutor(4) as executor:
            assert list(executor.map(len, [[1] * step for step in range(40)])) == list(range(40))
    for method in multiprocessing.get_all_start_methods():
        started.clear()
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(2, context, begin, ("process",)) as executor:
            check(executor, 200)
            answers = list(executor.map(in_worker, range(0, 40, 5)))
            assert answers == [(True, 1, 200)] * 8, answers
    with concurrent.futures.ProcessPoolExecutor(1) as executor:
        try:
            executor.submit(os._exit, 3).result()
        except concurrent.futures.process.BrokenProcessPool:
            print("right")


if __name__ == "__main__":
    main()
