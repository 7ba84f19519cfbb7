"""numpy: arithmetic, sorting, many small arrays, views, object arrays, files, linear algebra, results checked."""

import io
import pickle
import threading

import numpy as np

rng = np.random.default_rng(7)

a = np.arange(3_000_000, dtype=np.int64)
assert (a * 2 + 1).sum() == 3_000_000**2
assert np.array_equal(a[::-1][::-1], a) and a.reshape(1000, 3000).T[5, 7] == 7 * 3000 + 5
assert np.array_equal(np.sort(rng.permutation(a)), a)
assert np.unique(a % 977).size == 977
assert abs(np.fft.ifft(np.fft.fft(a[:4096])).real - a[:4096]).max() < 1e-6

small = [np.full(step % 50, step) for step in range(100_000)]
assert all(item.size == step % 50 and (item == step).all() for step, item in enumerate(small[::37]) for step in [step * 37])
del small[::2]
assert sum(item.size for item in small) == sum(step % 50 for step in range(1, 100_000, 2))
joined = np.concatenate(small)
assert joined.size == sum(item.size for item in small)

matrix = rng.random((200, 200)) + 200 * np.eye(200)
assert np.allclose(np.linalg.inv(matrix) @ matrix, np.eye(200))
things = np.array([[step] * 3 + [None] for step in range(5_000)], dtype=object)
assert things.shape == (5_000, 4) and things[77, 2] == 77
things[:, 3] = [str(step) for step in range(5_000)]
assert things[4_999, 3] == "4999"
words = np.array([f"word{step}" for step in range(20_000)])
assert np.char.upper(words)[12_345] == "WORD12345"
records = np.zeros(10_000, dtype=[("name", "U10"), ("value", "f8")])
records["value"] = np.arange(10_000) / 2
assert records[9]["value"] == 4.5
file = io.BytesIO()
np.save(file, a)
file.seek(0)
assert np.array_equal(np.load(file), a)
assert np.array_equal(pickle.loads(pickle.dumps(matrix)), matrix)

grown = np.zeros(10)
for step in range(1, 200):
    grown = np.resize(grown, step * 5_000)
    grown[-1] = step
assert grown[-1] == 199
owner = np.zeros(10)
for size in (100, 100_000, 1_000_000, 50):
    owner.resize(size, refcheck=False)
    owner[-1] = size
assert owner[-1] == 50 and owner[9] == 0

failures = []


def churn(seed):
    local = np.random.default_rng(seed)
    for _ in range(300):
        block = local.random(local.integers(1, 20_000))
        if not np.all(np.diff(np.sort(block)) >= 0):
            failures.append(seed)


threads = [threading.Thread(target=churn, args=(seed,)) for seed in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures
print("right")
