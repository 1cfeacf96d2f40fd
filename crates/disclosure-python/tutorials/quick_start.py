"""Two minutes: plan, look at the error, release, look at the tables.

Run it from anywhere: ``python quick_start.py``. The people are made up.
"""

import random
import tempfile
from pathlib import Path

import disclosure

# %% A table with a row for each person: here a mapping of columns; a data frame is as good.
people = {
    "age": [random.randint(16, 90) for _ in range(2000)],
    "smoker": [random.choice(["no", "no", "no", "yes"]) for _ in range(2000)],
}

# %% The plan comes before the data: every error is known, and what it costs.
plan = disclosure.plan(
    title="Smoking by age",
    marginals=[["age"], ["smoker"], ["age", "smoker"]],
    rho=0.05,
    neighbours="add-remove",
    domain={"age": [0, 18, 30, 45, 60, 75, 120], "smoker": ["no", "yes"]},
)
print(f"root mean square error {plan.rmse:.1f} people at rho {plan.rho}")
print(f"an error of 2 people takes rho {plan.target_rmse(2.0):.3g}")
print(plan.promise["statement"])

# %% The release charges a ledger, then draws the noise once.
folder = Path(tempfile.mkdtemp())
with disclosure.Ledger(folder / "people.ledger", rho=1.0) as ledger:
    release = plan.release(people, ledger=ledger)
    print(f"spent {ledger.spent:.3g} of {ledger.budget}, left {ledger.left:.3g}")

# %% Tables with their errors. In a notebook, the table shows itself with error bars.
table = release.table("age", "smoker")
for label, row, sds in zip(table.labels["age"], table.values, table.sds):
    print(f"{label:>10}  " + "  ".join(f"{value:7.1f} ± {1.96 * sd:.1f}" for value, sd in zip(row, sds)))

# %% Any table within the planned ones costs nothing more, and all of them agree, up to the digits that
# the files have.
assert abs(release.table("age").values.sum() - release.table("smoker").values.sum()) < 0.01

# %% The files that the command writes, with a page for people who run no program.
release.write(folder / "out")
(folder / "page.html").write_text(release.report(), encoding="utf-8")
print("wrote", *sorted(path.name for path in (folder / "out").iterdir()))
