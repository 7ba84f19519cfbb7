"""pandas: a few thousand rows grouped, joined, reshaped and written out, against the same in plain Python."""

import io
import os
import sys

import pandas

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

ROWS, SHOPS, GOODS = 6_000, 37, 211


def rows(seed):
    for step in range(ROWS):
        yield (step * 7 + seed) % SHOPS, (step * 13 + seed) % GOODS, step % 9 + 1, (step * 31 + seed) % 500 / 4


def check_groups(sales, plain):
    totals, largest = {}, {}
    for shop, goods, pieces, price in plain:
        totals[shop] = totals.get(shop, 0) + pieces * price
        largest[shop, goods] = max(largest.get((shop, goods), 0), price)
    found = (sales["pieces"] * sales["price"]).groupby(sales["shop"]).sum()
    assert found.to_dict() == totals
    assert sales.groupby(["shop", "goods"])["price"].max().to_dict() == largest
    # A function of Python's, called once for each group.
    spread = sales.groupby("shop")["price"].apply(lambda prices: prices.max() - prices.min()).to_dict()
    for shop in range(SHOPS):
        prices = [row[3] for row in plain if row[0] == shop]
        assert spread[shop] == max(prices) - min(prices)


def check_joins(sales, plain):
    names = pandas.DataFrame({"goods": range(0, GOODS, 2), "name": [f"goods {n}" for n in range(0, GOODS, 2)]})
    joined = sales.merge(names, on="goods", how="left")
    assert len(joined) == ROWS
    for (_, goods, _, _), name in zip(plain, joined["name"]):
        assert name == f"goods {goods}" if goods % 2 == 0 else pandas.isna(name)
    inner = sales.merge(names, on="goods")
    assert len(inner) == sum(row[1] % 2 == 0 for row in plain)
    table = sales.pivot_table(index="shop", columns="goods", values="pieces", aggfunc="sum", fill_value=0)
    assert table.shape == (SHOPS, GOODS) and table.values.sum() == sum(row[2] for row in plain)


def check_text(sales, plain):
    copy = pandas.read_csv(io.StringIO(sales.to_csv(index=False)))
    assert list(copy.itertuples(index=False, name=None)) == plain
    words = pandas.Series([f"  shop {shop}: {goods} " for shop, goods, _, _ in plain])
    parts = words.str.strip().str.upper().str.split(": ", expand=True)
    assert parts[0].tolist() == [f"SHOP {row[0]}" for row in plain]
    assert parts[1].astype(int).tolist() == [row[1] for row in plain]
    ordered = sales.sort_values(["price", "shop", "goods", "pieces"], ascending=[False, True, True, True])
    key = lambda row: (-row[3], row[0], row[1], row[2])  # noqa: E731
    assert list(ordered.itertuples(index=False, name=None)) == sorted(plain, key=key)


assert probe.is_as_asked()
for seed in range(3):
    plain = list(rows(seed))
    sales = pandas.DataFrame(plain, columns=["shop", "goods", "pieces", "price"])
    check_groups(sales, plain)
    check_joins(sales, plain)
    check_text(sales, plain)
days = pandas.Series(range(1_000), index=pandas.date_range("2008-02-01", periods=1_000))
assert days.resample("M").count().iloc[0] == 29 and days.rolling(7).sum().iloc[-1] == sum(range(993, 1_000))
print("right")
