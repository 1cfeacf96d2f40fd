"""Codes of refusals, of what lies beside a release, and of limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import disclosure
from disclosure import amounts, exact, filter, reports, screening

from .records import MODEL, SCHEMA, counts
from .words import COUNTED, FILTER, LAW, ROOT, ROWS, VISITS, VOTES, Case, key, plan, table, votes

GUARDED = 'group_by = ["town"]\naid = ["patient"]\nguard = true\n' + LAW
RULED = 'data = "d"\naxes = ["region"]\namount = "x"\nrespondent = "firm"\n%s\n[rule]\np_percent = 10\n'


def towns(people: int) -> dict[str, Any]:
    return {
        "town": [f"t{town}" for town in range(120) for _ in range(people)],
        "patient": [100 * town + one for town in range(120) for one in range(people)],
    }


def ledgers(how: str) -> Case:
    """A release from a ledger that does not cover it."""

    def charged(tmp: Path) -> object:
        path = tmp / "l"
        if how != "missing":
            disclosure.Ledger.open(path, rho=1.5, neighbours="replace" if how == "terms" else "add-remove")
        if how == "changed":
            path.write_text(path.read_text().replace("1.5", "9.5"))
        if how == "open":
            path.chmod(0o666)
        releases = plan()
        return [releases.release(ROWS, ledger=path) for _ in range(2)]

    return charged


def other_job(tmp: Path) -> object:
    secret = key(tmp)
    filter.filter(FILTER, VISITS, secret_file=secret, register=True)
    return filter.filter(FILTER.replace("8.0", "9.0"), VISITS, secret_file=secret)


def other_table(tmp: Path) -> object:
    job, secret = FILTER + 'draws = "publish"\ngroups_per_entity = 1\n', key(tmp)
    filter.filter(job, VISITS, secret_file=secret, register=True)
    return filter.filter(job, {**VISITS, "town": ["Rome"] * 40}, secret_file=secret)


def older_answers(tmp: Path) -> object:
    secret = key(tmp)
    filter.filter(GUARDED, towns(8), secret_file=secret, register=True)
    (tmp / "key.answers").unlink()
    return filter.filter(GUARDED, towns(8), secret_file=secret)


def differenced(_: Path) -> object:
    # One newcomer, who voted A.
    after: dict[str, list[Any]] = {name: [*own, own[0]] for name, own in VOTES.items()}
    after["vote"][-1], after["n"][-1] = "A", 1
    return exact.diff(votes(), VOTES, votes(), after).require_target()


def aware(_: Path) -> object:
    counted = [2, 10, 7, 3, 11, 17, 1, 8, 11, 5, 17, 9, 5, 10, 14, 3]
    labels = ["0", "1", "2", "3"]
    job = {"data": "d", "count": "n", "tau": 0, "kappa": 3, "margins": [["a"], ["b"], ["a", "b"]],
           "decide_on": "counts", "attribute": [{"name": name, "labels": labels} for name in "ab"]}
    rows = {"a": [cell // 4 for cell in range(16)], "b": [cell % 4 for cell in range(16)], "n": counted}
    return exact.audit(job, rows, algorithm_aware=True).require_target()


def amounts_pattern(_: Path) -> object:
    jj = amounts.plan(ROOT / "jobs/magnitude-firms.toml", ROOT / "data/firms.csv").jj
    line = next(line for line in jj.splitlines() if " m " in line)
    return amounts.audit_pattern(jj.replace(line, line.replace(" m ", " s ")), decimals=2).require_target()


def kept(_: Path) -> object:
    rows = {"region": ["s", "s", "n"], "firm": ["F1", "F2", "F3"], "x": [100, 1, 50]}
    return amounts.plan(RULED % 'keep = [{ region = "s" }]', rows)


def rounded(_: Path) -> object:
    return exact.round(table('margins = [["religion", "age"]]').replace("tau = 0", "tau = 4").replace("kappa = 20", "kappa = 1"), COUNTED, base=5)


def unpredicted(_: Path) -> object:
    rows = {"a": [row // 40 for row in range(80)], "b": [row // 20 % 2 for row in range(80)],
            "y": [(row // 40) ^ (row // 20 % 2) for row in range(80)]}
    job = "target = 'y'\nsuppress_below = 41\nnoise = 0\ntarget_accuracy = 0.9\n"
    return screening.screen(job, rows).require_target()


def wide(_: Path) -> object:
    rows = {f"c{column}": [row >> (column % 5) & 1 for row in range(32)] for column in range(40)}
    return screening.screen("suppress_below = 1\nnoise = 1\n", rows, max_visits=100_000)


def perturbed(tmp: Path) -> object:
    job = table('margins = [["religion", "age"]]')
    design = "[cell_key]\nmax_deviation = 4\nvariance = 3.0\nsmallest_published = 3\n"
    job = job.replace("tau = 0\nkappa = 20", "min_interval_width = 4\nmin_frequency = 1")
    return exact.perturb(job.replace("[[attribute]]", design + "[[attribute]]", 1), COUNTED, secret_file=key(tmp), register=True)


def many_entries(_: Path) -> object:
    job = MODEL.replace("150", "1000").replace("[4, 4, 4, 4]", str([2] * 20))
    return screening.attack(job, trials=1, seed=1)


def full(**options: Any) -> Case:
    """Very many subsets of a table of twenty columns."""
    features = "".join(
        f'[[feature]]\nname = "f{i}"\nvalues = ["0", "1"]\nprotocol = "rr"\nepsilon = 1.0\n' for i in range(20)
    )
    names = [f"f{i}" for i in range(20)]
    return lambda _: counts('order = "full"\n' + features, {name: ["0", "1"] for name in names}).estimate(
        [names[:12]] * 400, **options
    )


CASES: dict[str, Case] = {
    "E0105": ledgers("missing"),
    "E0351": ledgers("changed"),
    "E0402": ledgers("terms"),
    "E0501": ledgers("spent"),
    "E0407": lambda tmp: filter.filter(FILTER, VISITS, secret_file=key(tmp, b"short"), register=True),
    "E0408": other_job,
    "E0419": ledgers("open"),
    "E0409": other_table,
    "E0410": older_answers,
    "E0413": differenced,
    "E0414": lambda _: exact.audit_pattern(
        (ROOT / "frechet/wp22_two_in_every_line.jj").read_text()
    ).require_target(),
    "E0415": lambda _: screening.screen(MODEL + "target_accuracy = 0.51\n").require_target(),
    "E0416": aware,
    "E0417": unpredicted,
    "E0440": kept,
    "E0442": amounts_pattern,
    "E0444": rounded,
    "E0445": perturbed,
    "E0621": lambda _: exact.audit(votes("limits = { classes = 3 }"), VOTES),
    "E0622": lambda _: exact.audit(votes("known = [{ value = 9223372036854775807 }]"), VOTES),
    "E0631": lambda _: screening.screen(MODEL.replace("[4, 4, 4, 4]", str(list(range(2, 400)))), max_memory=0),
    "E0632": wide,
    "E0635": many_entries,
    "E0636": lambda _: screening.attack(MODEL, trials=10**9, seed=1),
    "E0640": lambda _: amounts.plan(
        "steps = 1\n" + (ROOT / "jobs/magnitude-firms.toml").read_text(), ROOT / "data/firms.csv"
    ),
    "E0641": lambda _: reports.Schema(SCHEMA.replace("order = 2", 'order = "full"').replace(
        '["a", "b", "c"]', str([str(value) for value in range(30)]))).aggregator().add(b""),
    "E0648": full(feasible=True),
}
