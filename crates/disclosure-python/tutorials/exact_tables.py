"""Which tables can be published exactly? Bounds, a target, and a release without noise.

The tutorial ``docs/tutorials/exact-tables.md`` of the command, in Python. In 1973 the university at
Berkeley admitted students in six large departments. How many women and men applied to each is
public. May the admissions be published by gender, and by department?
"""

import tempfile
from pathlib import Path

import disclosure

DATA = Path(__file__).resolve().parents[3] / "fixtures/data/ucb-admissions.csv"

# %% 1. Ask.
job = {
    "title": "Admissions of 1973",
    "domain": DATA.with_suffix(".domain.toml"),
    "count": "n",  # a line stands for many people
    "response": {"column": "Admit", "value": "Admitted"},  # counted; the applicants are public
    "margins": [["Gender"], ["Dept"]],  # the tables that are to be published
    "min_interval_width": 0,  # a count that is known exactly is disclosed
    "rate_margin": 0.05,  # as is a rate below 5 % or above 95 %
    "min_frequency": 20,  # no number about fewer people
}
files = {str(job["domain"]): DATA.with_suffix(".domain.toml").read_text()}
audit = disclosure.exact.audit(job, DATA, files=files)
print("every class certified:", audit.target_met)
assert not audit.target_met

# %% 2. Choose the target: nobody is disclosed, and that may be enough.
undisclosed = {**job, "target": "undisclosed"}
plan = disclosure.exact.plan(undisclosed, DATA, files=files)
assert plan["target_met"]

# %% 3. Release, and let somebody check: the certificates prove every bound without the solver.
release = disclosure.exact.release(undisclosed, DATA, files=files)
release.write(Path(tempfile.mkdtemp()) / "admissions")
proved = disclosure.exact.audit(undisclosed, DATA, files=files, certificates=True)
print(disclosure.exact.verify(proved.certificates)["bounds"], "bounds follow from what is published")
print(release.promise)
