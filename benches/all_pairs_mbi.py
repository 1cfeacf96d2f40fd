"""All pairs of coded rows on the mbi package, for docs/benchmarks.md: regional belief propagation.

Usage: all_pairs_mbi.py CODES.csv RHO [STEPS] [SEED]. Measures every pair with normal noise as
`crates/synthetic-people/examples/all_pairs.rs` does, and fits the package's relaxed model
(approximate_oracles.mirror_descent) to them, whose tables agree pairwise and need not be those of
any distribution: no rows can be drawn from it. A simulation.
"""

import csv
import itertools
import math
import os
import sys
import time
import warnings

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
warnings.filterwarnings("ignore")

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np
from mbi import Domain, LinearMeasurement, approximate_oracles


def main():
    path, rho = sys.argv[1], float(sys.argv[2])
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with open(path) as file:
        names, *lines = csv.reader(file)
    rows = np.array(lines, dtype=np.int64)
    sizes = rows.max(axis=0) + 1
    domain = Domain(names, [int(size) for size in sizes])
    pairs = list(itertools.combinations(range(len(names)), 2))
    sigma = math.sqrt(len(pairs) / (2 * rho))
    random = np.random.default_rng(seed)
    exact = {pair: np.bincount(rows[:, pair[0]] * sizes[pair[1]] + rows[:, pair[1]], minlength=sizes[pair[0]] * sizes[pair[1]]) for pair in pairs}
    measured = [
        LinearMeasurement(counts + sigma * random.standard_normal(len(counts)), tuple(names[a] for a in pair), stddev=sigma)
        for pair, counts in exact.items()
    ]
    def report(marginals, at):
        errors, loss = [], 0.0
        for (pair, counts), measurement in zip(exact.items(), measured):
            got = np.asarray(marginals.project(measurement.clique).datavector())
            loss += ((got - measurement.noisy_measurement) ** 2).sum() / (2 * sigma**2)
            errors.append(abs(got / got.sum() - counts / counts.sum()).sum())
        print(f"steps {at}  loss {loss:.0f}  pairs {np.mean(errors):.4f}  seconds {time.process_time() - start:.1f}", flush=True)

    start = time.process_time()
    marginals = approximate_oracles.mirror_descent(
        domain, measured, known_total=len(rows), stepsize=float(os.environ.get("STEPSIZE", "1.0")), iters=steps
    )
    report(marginals, steps)


main()
