"""No trusted curator: answers that are randomised before anyone sees them.

The tutorial ``docs/tutorials/nobody-trusted.md`` of the command, in Python.
"""

import pickle
from pathlib import Path

import disclosure

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"

# %% 1. Plan before you ask: protocols with the same epsilon differ by a factor of 20.
plan = disclosure.reports.plan(FIXTURES / "jobs/ldp-plan.toml")
print(sorted(plan))

# %% 2. Randomise at the client. Encode once for each person: a second report costs as much again.
schema = disclosure.reports.Schema(FIXTURES / "jobs/ldp-voters.toml")
reports = schema.client().encode(FIXTURES / "data/anes96.csv")
print(len(reports), "bytes")

# %% 3. Count and estimate. Counts merge, from many places and in any order, and are pickled.
aggregator = schema.aggregator()
aggregator.add(reports)
aggregator = pickle.loads(pickle.dumps(aggregator))
estimate = aggregator.estimate([["vote"], ["vote", "party=5"], ["vote", "party=6"]], pairs=True, covariance=True)
for columns, count, sd, truth in zip(estimate.sets, estimate.counts, estimate.sds, (393, 124, 167)):
    print(f"{' and '.join(columns):>20}: {count:6.1f} ± {1.96 * sd:5.1f}   in truth {truth}")
    assert abs(count - truth) < 8 * sd
assert estimate.covariance.shape == (3, 3)
