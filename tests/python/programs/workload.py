"""A little of everything an interpreter allocates; prints a digest of the results, the same on any allocator."""

import collections
import gc
import hashlib
import json
import pickle
import random
import re

rng = random.Random(20080213)
digest = hashlib.sha256()


def note(value):
    digest.update(repr(value).encode())


numbers = [rng.randrange(-(10**rng.randrange(1, 60)), 10**60) for _ in range(8_000)]
floats = [rng.random() * 10 ** rng.randrange(-30, 30) for _ in range(8_000)]
note(sum(numbers))
note(sorted(floats)[::997])

words = ["".join(rng.choice("abcdefghij") for _ in range(rng.randrange(1, 200))) for _ in range(2_000)]
note(collections.Counter(letter for word in words for letter in word).most_common())
note(sorted(set(re.findall(r"a[b-d]+e", " ".join(words)))))

tree = {word: {"length": len(word), "parts": [word[i : i + 7] for i in range(0, len(word), 7)]} for word in words}
assert json.loads(json.dumps(tree)) == tree
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    assert pickle.loads(pickle.dumps((tree, numbers), protocol)) == (tree, numbers)
note(json.dumps(tree, sort_keys=True))

rows = []
for step in range(30_000):
    rows.append((step, str(step), [step] * (step % 9)))
    if step % 3 == 0:
        rows[rng.randrange(len(rows))] = None
    if step % 10_000 == 9_999:
        rows = [row for row in rows if row]
        gc.collect()
note(rows[::501])

text = bytearray()
for step in range(100_000):
    text += b"%d" % step
note(hashlib.md5(text).hexdigest())
while len(text) > 10:
    del text[len(text) // 2 :]
note(text)

print("workload", digest.hexdigest())
