"""multiprocessing by each way of starting, and a pool of executors; the workers are served, too."""

import concurrent.futures
import multiprocessing
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402


def work(step):
    """Gets and gives back more than a pipe's buffer, and says who served it."""
    items = [str(step + number) for number in range(3_000)]
    return probe.server(1), probe.server(2), items


def check(results):
    count = 0
    for step, (mem, obj, items) in enumerate(results):
        assert mem == obj == "cubby", (mem, obj)
        assert items == [str(step + number) for number in range(3_000)]
        count += 1
    assert count == 60


def talk(pipe):
    while (item := pipe.recv()) is not None:
        pipe.send(item[::-1])


def main():
    method = sys.argv[1]
    context = multiprocessing.get_context(method)
    before = [list(range(step % 100)) for step in range(20_000)]
    with context.Pool(3) as pool:
        check(pool.imap(work, range(60), chunksize=7))
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        check(executor.map(work, range(60), chunksize=11))

    here, there = context.Pipe()
    process = context.Process(target=talk, args=(there,))
    process.start()
    for step in range(300):
        here.send([step] * step + [None])
        assert here.recv() == [None] + [step] * step
    here.send(None)
    process.join()
    assert process.exitcode == 0
    with context.Manager() as manager:
        shared = manager.dict()
        shared.update({step: [step] * 10 for step in range(200)})
        assert dict(shared) == {step: [step] * 10 for step in range(200)}
    assert before == [list(range(step % 100)) for step in range(20_000)]
    print("right")


if __name__ == "__main__":
    main()
