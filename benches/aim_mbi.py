"""AIM on the mbi package, for docs/benchmarks.md: error of all three-way marginals of coded rows.

Usage: aim_mbi.py CODES.csv DOMAIN.json RHO [MODEL_CELLS] [STEPS] [SEED]. The file has a line of
names and then one integer code a column, from 0; DOMAIN.json has the number of codes of each.
Written from the formulas of McKenna, Mullins, Sheldon, Miklau, "AIM: an adaptive and iterative
mechanism for differentially private synthetic data" (VLDB 2022), algorithms 1 to 4, with mbi for
every fit and for the rows. Marginals of a model that are compared with the data are contractions of
its potentials by opt_einsum: mbi's own compile a program for each, which takes far longer. The time
that is printed for mbi is that of fits and rows alone. A simulation: the seed is known, and the
noise is floating point.
"""

import itertools
import json
import math
import os
import resource
import sys
import time
import warnings

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
warnings.filterwarnings("ignore")

import jax

jax.config.update("jax_enable_x64", True)

import mbi
import numpy as np
import opt_einsum
from mbi import LinearMeasurement, estimation
from mbi.junction_tree import hypothetical_model_size

MEAN_ABSOLUTE = math.sqrt(2 / math.pi)


def marginal(rows, domain, clique):
    """Counts over a clique, flat."""
    code = np.zeros(len(rows), dtype=np.int64)
    for name in clique:
        code = code * domain[name] + rows[:, domain.attributes.index(name)]
    return np.bincount(code, minlength=domain.size(clique)).astype(float)


def closure(workload):
    """All subsets of the workload's cliques."""
    return sorted({sub for clique in workload for k in range(1, len(clique) + 1) for sub in itertools.combinations(clique, k)})


def scaled(model):
    """The factors of a model as arrays, relative to their largest numbers."""
    potentials = [(clique, np.asarray(model.potentials[clique].values)) for clique in model.potentials.cliques]
    return [(clique, np.exp(table - table.max())) for clique, table in potentials]


def answers(factors, domain, total, clique):
    """The marginal of a product of factors over a clique."""
    # Factors that nothing joins to the clique multiply by a constant.
    reached, near = set(clique), None
    while near != reached:
        near = set(reached)
        for other, _ in factors:
            reached |= set(other) if reached & set(other) else set()
    symbol = {name: opt_einsum.get_symbol(i) for i, name in enumerate(domain.attributes)}
    used = [(other, table) for other, table in factors if set(other) <= reached and other]
    text = ",".join("".join(symbol[name] for name in other) for other, _ in used)
    joint = opt_einsum.contract(f"{text}->{''.join(symbol[n] for n in clique)}", *[table for _, table in used], optimize="greedy")
    return (joint * (total / joint.sum())).ravel()


def aim(rows, domain, rho, cells, steps, rng):
    workload = list(itertools.combinations(domain.attributes, 3))
    candidates = closure(workload)
    weights = {r: sum(len(set(r) & set(s)) for s in workload) for r in candidates}
    exact = {r: marginal(rows, domain, r) for r in candidates}
    rounds = 16 * len(domain.attributes)
    sigma = math.sqrt(rounds / (2 * 0.9 * rho))
    epsilon = math.sqrt(8 * 0.1 * rho / rounds)
    estimator = estimation.MirrorDescent()
    measured, used, times = [], 0.0, []

    def measure(clique):
        noised = exact[clique] + rng.normal(0, sigma, exact[clique].size)
        measured.append(LinearMeasurement(noised, clique, sigma))

    def fit(model):
        start = cpu()
        model = estimator.estimate(domain, list(measured), iters=steps, warm_start=model)
        jax.block_until_ready(model.potentials)
        times.append(cpu() - start)
        return model, scaled(model)

    for name in domain.attributes:
        measure((name,))
        used += 1 / (2 * sigma**2)
    (model, factors), is_last, count = fit(None), False, len(measured)
    while not is_last:
        left = rho - used
        if left <= 2 * (1 / (2 * sigma**2) + epsilon**2 / 8):
            is_last = True
            sigma = math.sqrt(1 / (2 * 0.9 * left))
            epsilon = math.sqrt(8 * 0.1 * left)
        used += 1 / (2 * sigma**2) + epsilon**2 / 8
        room = cells * 8 / 2**20 * used / rho
        have = [m.clique for m in measured]
        free = [r for r in candidates if any(set(r) <= set(c) for c in have)]
        fits = free + [r for r in candidates if r not in free and hypothetical_model_size(domain, have + [r]) <= room]
        total = float(model.total)
        errors = [np.abs(exact[r] - answers(factors, domain, total, r)).sum() for r in fits]
        scores = np.array([
            weights[r] * (error - MEAN_ABSOLUTE * sigma * domain.size(r)) for r, error in zip(fits, errors)
        ])
        logits = 0.5 * epsilon / max(weights.values()) * (scores - scores.max())
        shares = np.exp(logits) / np.exp(logits).sum()
        chosen = fits[rng.choice(len(fits), p=shares)]
        before = answers(factors, domain, total, chosen)
        measure(chosen)
        model, factors = fit(model)
        after = answers(factors, domain, float(model.total), chosen)
        count += 1
        print(f"{count} {chosen} sigma {sigma:.1f}, {cpu():.0f} CPU s", file=sys.stderr, flush=True)
        if np.abs(after - before).sum() <= MEAN_ABSOLUTE * sigma * domain.size(chosen):
            sigma, epsilon = sigma / 2, 2 * epsilon
    return model, exact, workload, count, sum(times)


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    path, domain_path, rho, *rest = sys.argv[1:]
    cells, steps, seed = [float(x) for x in rest] + [1e7, 1000, 1][len(rest) :]
    np.random.seed(int(seed))
    with open(path, encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    sizes = json.load(open(domain_path, encoding="utf-8"))
    domain = mbi.Domain(names, [sizes[name] for name in names])
    rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64)
    begun, start = cpu(), time.time()
    model, exact, workload, count, fitting = aim(rows, domain, float(rho), cells, int(steps), np.random.default_rng(int(seed)))
    fitted = cpu()
    made = model.synthetic_data(rows=len(rows))
    made = np.stack([np.asarray(made.to_dict()[name]) for name in names], axis=1)
    drawn = cpu()
    errors = [np.abs(exact[r] - marginal(made, domain, r)).sum() / len(rows) for r in workload]
    print(
        f"rho {float(rho):.6g}: {count} rounds, {fitting:.0f} CPU s of {fitted - begun:.0f} in fits, "
        f"{drawn - fitted:.1f} for the rows, {time.time() - start:.0f} s; mean error {np.mean(errors):.4f}"
    )


main()
