"""Unlimited queries: groups behind a keyed, noisy threshold.

The tutorial ``docs/tutorials/questions.md`` of the command, in Python. This is not differential
privacy, and every call warns of it.
"""

import tempfile
import warnings
from pathlib import Path

import disclosure

warnings.simplefilter("ignore", disclosure.CalibrationWarning)  # we know: see the first lines
DATA = Path(__file__).resolve().parents[3] / "fixtures/data/visits.csv"
key = Path(tempfile.mkdtemp()) / "key"

# %% 1. Groups with enough people. The threshold of each group is drawn once, from the secret key
# and the people in the group: the same question gets the same answer.
job = {
    "title": "Visits",
    "group_by": ["town", "clinic"],
    "entity": ["patient"],  # who must be protected
    "always_suppress_upper_bound": 2,  # groups of at most 2 patients are never shown
    "mean": 8.0,  # groups of 8 are shown as often as not
    "sd": 1.5,
    "counts": "noisy",  # beside each group its patients, with noise and rounded
}
disclosure.filter.new_secret(key)
one = disclosure.filter.filter(job, DATA, secret_file=key, register=True)
two = disclosure.filter.filter(job, DATA, secret_file=key)
assert one.to_json() == two.to_json()
print(one.csv.decode().splitlines()[0], "and", len(one.csv.decode().splitlines()) - 1, "groups")

# %% 2. What it gives away.
odds = disclosure.filter.odds("clamped-normal", mean=8, sd=1.5, floor=2)
shown = {row["n"]: row["p"] for row in odds["report_probability"]}
print(f"of groups with 8 patients {shown[8]:.0%} are shown, of groups with 3 one in {1 / shown[3]:.0f}")
assert shown[2] == 0

# %% 3. Fewer mistakes: why a group is shown or not, for the owner alone.
why = disclosure.filter.explain(job, DATA, ["Bonn", "eye"], secret_file=key)
print(sorted(why))
