"""A first release: from a file of rows to tables with noise and a page.

The tutorial ``docs/tutorials/first-release.md`` of the command, in Python.
"""

import logging
import tempfile
from pathlib import Path

import disclosure

logging.basicConfig(level=logging.INFO, format="note: %(message)s")  # what jobs assume is logged
DATA = Path(__file__).resolve().parents[3] / "fixtures/data/anes96.csv"
folder = Path(tempfile.mkdtemp())

# %% 1. Say what the columns are. Labels that were read off the data are there because somebody has
# them: go through the list, give names to codes, and then say that the list is public.
domain = disclosure.Data(DATA).learn_domain(bins={"age": [18, 30, 45, 65]})
domain = domain.replace('name = "vote"\n', 'name = "vote"\nnames = ["Clinton", "Dole"]\n')
domain = domain.replace("domain_is_public = false", "domain_is_public = true")
job = """
title = "Voters of 1996"
domain = "domain.toml"
[budget]
rho = 0.5
neighbours = "add-remove"
[noisy]
marginals = [["vote"], ["age", "vote"], ["educ", "vote"]]
"""
files = {"domain.toml": domain}

# %% 2. Look before you release: nothing is drawn, nothing is spent.
findings = disclosure.pipeline.plan(job, DATA, files=files)
print("targets met:", findings.targets_met)
assert findings.targets_met

# %% 3. Release. `release/` may leave; `review/` and `manifest.json` are for the owner.
release = disclosure.run(job, DATA, files=files)
release.write(folder / "out")
(folder / "page.html").write_text(release.report(public=True), encoding="utf-8")
votes = release.measurement.table("vote")
for label, value, sd in zip(votes.labels["vote"], votes.values, votes.sds):
    print(f"{label:>8}: {value:6.1f} ± {1.96 * sd:.1f}")

# %% 4. A second release adds to the cost. Let a ledger count it.
with disclosure.Ledger.open(folder / "survey.ledger", rho=1.0, neighbours="add-remove") as ledger:
    disclosure.run(job, DATA, files=files, ledger=ledger)
    disclosure.run(job, DATA, files=files, ledger=ledger)
    try:
        disclosure.run(job, DATA, files=files, ledger=ledger)
    except disclosure.BudgetError as refused:
        print(refused)
        assert refused.code == "E0501"
    else:
        raise AssertionError("the third release was not refused")
