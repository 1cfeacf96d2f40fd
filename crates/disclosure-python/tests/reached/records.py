"""Codes of screening, randomised reports, filters and amounts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from disclosure import amounts, exact, filter, reports, screening

from .words import FILTER, ROOT, STORED, VISITS, VOTES, Case, audit, filtered, key, table, votes

MODEL = "rows = 150\ncardinalities = [4, 4, 4, 4]\nclasses = 2\nsuppress_below = 5\nnoise = 2\n"
SCHEMA = (
    'order = 2\n[[feature]]\nname = "city"\nvalues = ["a", "b", "c"]\nprotocol = "ue"\np = 0.2\nq = 0.7\n'
    '[[feature]]\nname = "smoker"\nvalues = ["no", "yes"]\nprotocol = "rr"\nepsilon = 1.0\n'
)
PEOPLE = {"city": ["a", "b", "c", "a", "b"], "smoker": ["no", "yes", "no", "no", "yes"]}
RAPPOR = (
    '[[feature]]\nname = "city"\nvalues = ["a", "b", "c"]\nprotocol = "rappor"\n'
    "permanent = { epsilon = 2.0 }\ninstantaneous = { epsilon = 1.0 }\n"
)
MANY = "order = 2\n" + "".join(
    f'[[feature]]\nname = "f{i}"\nvalues = ["0", "1"]\nprotocol = "rr"\nepsilon = 1.0\n' for i in range(90)
)


def model(words: str, how: str = "screen", **options: Any) -> Case:
    return lambda _: getattr(screening, how)(words, **options)


def schema(one: str = "", other: str = "", words: str = SCHEMA) -> Case:
    """The client of a schema with something replaced."""
    return lambda _: reports.Schema(words.replace(one, other)).client().encode(PEOPLE)


def counts(words: str = SCHEMA, rows: Any = None) -> reports.Aggregator:
    own = reports.Schema(words)
    aggregator = own.aggregator()
    aggregator.add(own.client().encode(PEOPLE if rows is None else rows))
    return aggregator


def many(words: str = MANY) -> reports.Aggregator:
    return counts(words, {f"f{i}": ["0", "1"] for i in range(90)})


def estimate(sets: Any, **options: Any) -> Case:
    return lambda _: counts().estimate(sets, **options)


def bits(vouched: bool, bit: int = 1, words: str = SCHEMA) -> Case:
    columns = {"city=a": [bit], "city=b": [1], "city=c": [0], "smoker": [1]}
    return lambda _: reports.Schema(words).aggregator().add_bits(columns, vouched=vouched)


def changed(_: Path) -> object:
    aggregator, other = counts(), reports.Schema(SCHEMA.replace("epsilon = 1.0", "epsilon = 1.1"))
    other_reports = other.client().encode(PEOPLE)
    return aggregator.add(other_reports)


def repeated(_: Path) -> object:
    aggregator = counts()
    return aggregator._merge([aggregator.to_bytes()])


def rounds(*rows: Any) -> Case:
    def all_rounds(tmp: Path) -> object:
        client = reports.Schema(RAPPOR).client()
        return [client.encode(own, memory=tmp / "people.ldpp", person="who") for own in rows]

    return all_rounds


def stored(change: bool) -> Case:
    def decided(tmp: Path) -> object:
        groups = filter.group(STORED, VISITS, secret_file=key(tmp), register=True).to_bytes()
        middle = len(groups) // 2
        damaged = groups[:middle] + bytes([groups[middle] ^ 1]) + groups[middle + 1 :]
        return filter.filter(STORED, filter.StoredGroups(damaged), secret_file=tmp / "key")

    return decided if change else lambda tmp: filter.group(FILTER, VISITS, secret_file=key(tmp), register=True)


def explained(labels: list[str]) -> Case:
    return lambda tmp: filter.explain(FILTER, VISITS, labels, secret_file=key(tmp), register=True)


def starred(tmp: Path) -> object:
    rows = {"town": ["Bonn"] + ["*"] * 30 + [f"t{i}" for i in range(9)], "clinic": ["eye"] + ["*"] * 30 + ["x"] * 9,
            "patient": list(range(40))}
    return filter.filter(FILTER, rows, secret_file=key(tmp), register=True, rest="*")


def certificates(change: str) -> Case:
    def verified(_: Path) -> object:
        if change == "form":
            return exact.verify("[]")
        proofs = json.loads(str(exact.audit(votes(), VOTES, certificates=True).certificates))
        claim = next(own for own in proofs["claims"] if own["side"] == "upper")
        claim["value"] -= 1
        return exact.verify(json.dumps(proofs))

    return verified


def pattern(one: str, other: str) -> Case:
    good = (ROOT / "frechet/wp22_two_in_every_line.jj").read_text()
    return lambda _: exact.audit_pattern(good.replace(one, other))


def firms(column: str, value: Any) -> Case:
    def planned(_: Path) -> object:
        import pandas as pd

        rows = pd.read_csv(ROOT / "data/firms.csv")
        rows.loc[0, column] = value
        return amounts.plan(ROOT / "jobs/magnitude-firms.toml", rows)

    return planned


FIRST = "0 15 15 s 0 135 0 0 0"
ADVICE = "always_suppress_upper_bound = 2\ncertainty_odds = 1e-3\nposterior = 0.9\n"

CASES: dict[str, Case] = {
    "E0251": model("suppress_below = 3\nnoise = 2\n"),
    "E0252": model(MODEL.replace("150", "1")),
    "E0253": model(MODEL + "alpha = 1.0\n"),
    "E0254": model("suppress_below = 2\nnoise = 1\ntarget = 'z'\n", data={"a": [0, 1], "y": ["u", "v"]}),
    "E0255": model(MODEL, "search"),
    "E0256": model(MODEL + "target_accuracy = 0.8\n[grid]\nsuppress_below = []\nnoise = [1]\n", "search"),
    "E0257": model(MODEL.replace("classes = 2", "classes = 1"), "attack", trials=1, seed=1),
    "E0261": schema("p = 0.2", "p = 0.9"),
    "E0262": schema("p = 0.2\n", ""),
    "E0263": schema('"city"', '"smoker"'),
    "E0264": schema("order = 2", "features_per_person = 3"),
    "E0265": lambda _: counts(SCHEMA.replace("order = 2", "order = 7")),
    "E0266": estimate([["nobody"]]),
    "E0267": estimate([["city=a", "city=b"]]),
    "E0268": lambda _: counts(SCHEMA.replace("order = 2", "order = 1")).estimate([["city=a", "smoker"]]),
    "E0269": lambda _: reports.plan("epsilon = 1.0\n"),
    "E0270": schema(words=RAPPOR),
    "E0271": filtered(FILTER.replace("= 2", "= 0.5")),
    "E0272": filtered(FILTER.replace("mean = 8.0\n", "")),
    "E0273": filtered(FILTER.replace('["patient"]', "[]")),
    "E0275": starred,
    "E0276": lambda _: filter.odds("hard", mean=8),
    "E0277": lambda _: filter.odds(mean=8, sd=1.5, floor=0),
    "E0278": lambda _: filter.advise("always_suppress_upper_bound = 2\n"),
    "E0279": lambda _: filter.advise(ADVICE + "group_sizes = []\n"),
    "E0281": filtered(FILTER + 'draws = "publish"\ngroups_per_entity = 3\nlow_effect = true\n'),
    "E0282": filtered(FILTER + 'draws = "publish"\n'),
    "E0283": filtered(FILTER + 'counts = { kind = "rounded", base = 1 }\n'),
    "E0284": filtered(FILTER + 'guard = true\ncounts = "rounded"\n'),
    "E0285": stored(False),
    "E0348": firms("turnover", -1),
    "E0364": lambda _: exact.audit_pattern("1\n"),
    "E0365": pattern(FIRST, "0 15.5 15 s 0 135 0 0 0"),
    "E0366": pattern(FIRST, "7 15 15 s 0 135 0 0 0"),
    "E0367": pattern(FIRST, "0 14 14 s 0 135 0 0 0"),
    "E0371": audit(votes('known = [{ where = { religion = "a" }, value = 777 }]')),
    "E0372": audit(table('margins = "axial"\nknown = [{ where = { religion = "a", age = "young" }, value = 999 }]')),
    "E0373": certificates("form"),
    "E0374": certificates("claim"),
    "E0375": stored(True),
    "E0381": model("suppress_below = 2\nnoise = 1\n", data={"a": [0], "y": ["u"]}),
    "E0389": filtered(FILTER, {"town": ["B", "B"], "clinic": ["e", "e"], "patient": ["7", "07"]}),
    "E0390": rounds({"city": ["a", "b"], "who": ["p", "p"]}),
    "E0391": lambda _: reports.Schema(SCHEMA).aggregator().add(b"city\n"),
    "E0392": changed,
    "E0393": bits(True, words=SCHEMA.replace('"ue"\np = 0.2\nq = 0.7', '"grr"\nq = 0.7')),
    "E0394": bits(False),
    "E0395": lambda _: counts(rows={"city": ["a"], "smoker": ["no"]}).estimate(),
    "E0396": lambda _: counts("features_per_person = 1\n" + SCHEMA, {name: 50 * own for name, own in PEOPLE.items()}).estimate(
        [["city=a"], ["smoker"]], population="fixed", covariance=True
    ),
    "E0397": filtered(STORED, {"town": ["B"], "clinic": ["e"], "patient": ["x7"]}),
    "E0398": explained(["Rome", "eye"]),
    "E0399": repeated,
    "E0418": rounds({"city": ["a"], "who": ["p"]}, {"city": ["b"], "who": ["p"]}),
    "E0425": lambda _: filter.advise(ADVICE + "max_mean = 5\n"),
    "E0645": lambda _: many().estimate(order=6),
    "E0646": lambda _: many().estimate(covariance=True),
    "E0647": lambda _: reports.simulate(reports.Schema(SCHEMA), PEOPLE, trials=10**12, seed=1),
    "E0651": filtered(FILTER + "[limits]\ngroups = 1\n", {**VISITS, "town": ["A", "B"] * 20}),
    "E0652": filtered(FILTER + "[limits]\nmebibytes = 0\n"),
    "E0654": lambda _: filter.advise(ADVICE + "max_mean = 65536\nmean_steps = 4294967295\nsd_steps = 4294967295\n"),
    "E0655": lambda _: filter.odds(mean=80000, sd=1, floor=2),
}
