"""Containers and numbers with checked contents, in words that every Python 3 understands."""

import json
import pickle
import re

rows = [(step, str(step), [step] * (step % 40), step / 7, {"step": step}) for step in range(20000)]
for step, row in enumerate(rows):
    assert row == (step, str(step), [step] * (step % 40), step / 7, {"step": step})
assert pickle.loads(pickle.dumps(rows)) == rows
assert json.loads(json.dumps(rows)) == [list(row) for row in rows]
assert len(re.findall("[0-9]+", " ".join(row[1] for row in rows))) == 20000
for _ in range(5):
    rows = [row for row in rows if row[0] % 3] + rows[::5]
assert sum(row[0] for row in rows) == sum(int(row[1]) for row in rows)
print("right")
