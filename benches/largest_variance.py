"""The least largest variance of any mechanism with Gaussian noise, for tests/strategies.rs of resplan.

Usage: largest_variance.py. For queries W on one attribute it prints the least over A of the
largest |w A^-1|^2 over the rows w of W, where the columns of A have length at most 1: the largest
variance of an answer when A x is measured with noise of variance 1 and one person changes A x by at
most 1. With X = A^T A this is a convex problem. The upper value is that of an X that was found; the
lower one is proved by duality: for weights p of the queries that add up to 1, M = W^T diag(p) W, and
any v >= 0,

    max over q of w_q X^-1 w_q >= tr(M X^-1) >= 2 tr((M^(1/2) diag(v) M^(1/2))^(1/2)) - sum(v)

for every X with a diagonal of at most 1. Needs numpy and scipy.
"""

import numpy as np
from scipy.optimize import minimize

# Of the smooth maximum log(sum(exp(s g))) / s, relative to the largest variance.
SHARPNESS = [10, 100, 1_000, 10_000, 100_000]


def prefixes(size):
    return np.tril(np.ones((size, size)))


def ranges(size):
    ends = [(a, b) for a in range(size) for b in range(a, size)]
    return np.array([[1.0 if a <= k <= b else 0.0 for k in range(size)] for a, b in ends])


def variances(queries, strategy):
    """The variances, the strategy with columns of length 1, the lengths, and its X^-1 W^T."""
    lengths = np.linalg.norm(strategy, axis=0)
    unit = strategy / lengths
    solved = np.linalg.solve(unit.T @ unit, queries.T)
    return np.einsum("qk,kq->q", queries, solved), unit, lengths, solved


def smooth(flat, queries, sharpness):
    """The smooth maximum and its gradient in the entries of A."""
    size = queries.shape[1]
    values, unit, lengths, solved = variances(queries, flat.reshape(size, size))
    largest = values.max()
    weights = np.exp(sharpness * (values - largest))
    total = weights.sum()
    by_gram = -(solved * (weights / total)) @ solved.T
    by_unit = 2 * unit @ by_gram
    by_entry = (by_unit - unit * (unit * by_unit).sum(axis=0)) / lengths
    return largest + np.log(total) / sharpness, by_entry.ravel()


def root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def proved(queries, strategy, sharpness):
    """A lower bound for every mechanism, from the weights that a strategy gives the queries."""
    values, _, _, solved = variances(queries, strategy)
    weights = np.exp(sharpness * (values - values.max()))
    weights /= weights.sum()
    moment = queries.T @ (weights[:, None] * queries)
    multipliers = np.diag((solved * weights) @ solved.T)
    half = root(moment)
    return 2 * np.trace(root(half @ np.diag(multipliers) @ half)) - multipliers.sum()


def least(queries, seed):
    """The largest variance of the best strategy found, and the best bound on the way."""
    size = queries.shape[1]
    flat = (np.eye(size) + 0.1 * np.random.default_rng(seed).standard_normal((size, size))).ravel()
    bounds = []
    for relative in SHARPNESS:
        sharpness = relative / variances(queries, flat.reshape(size, size))[0].max()
        options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10}
        flat = minimize(smooth, flat, (queries, sharpness), jac=True, method="L-BFGS-B", options=options).x
        bounds.append(proved(queries, flat.reshape(size, size), sharpness))
    return variances(queries, flat.reshape(size, size))[0].max(), max(bounds)


for name, make, size in [
    ("prefix", prefixes, 4),
    ("prefix", prefixes, 8),
    ("prefix", prefixes, 16),
    ("range", ranges, 4),
    ("range", ranges, 6),
]:
    found = [least(make(size), seed) for seed in range(4)]
    print(f"{name} {size}: {max(bound for _, bound in found):.5f} to {min(value for value, _ in found):.5f}")
