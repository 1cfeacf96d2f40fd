"""All two-way and all three-way marginals of a table of codes at one rho of zCDP: this package, OpenDP, diffprivlib,
and the measure step of mbi (one Gaussian vector a table).

Usage: ``python side_by_side.py CODES.csv DOMAIN.json [ORDERS]``, orders as ``2,3``. Each method runs in a process of
its own, so that peaks are its own. Prints CPU seconds, peak memory beyond the imported packages and the data, and the
root mean square error over all cells. DIFFPRIVLIB_PYTHON names another interpreter for that package, which needs an
older scikit-learn.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import resource
import subprocess
import sys
import time

RHO = 0.5


def ours(frame, domain, sets):
    import disclosure

    plan = disclosure.plan(marginals=[list(names) for names in sets], rho=RHO, neighbours="add-remove", domain=domain)
    measurement = plan.release(frame).measurement
    for names in sets:
        yield measurement.table(*names).values


def counted(frame, domain, sets):
    import numpy as np

    columns = {name: frame[name].to_numpy() for name in domain}
    for names in sets:
        shape = [domain[name] for name in names]
        codes = np.ravel_multi_index([columns[name] for name in names], shape)
        yield np.bincount(codes, minlength=int(np.prod(shape)))


def mbi(frame, domain, sets):
    import numpy as np

    # One row more adds 1 to one cell of each table: rho = tables / (2 sigma^2).
    sigma, rng = (len(sets) / (2 * RHO)) ** 0.5, np.random.default_rng()
    for counts in counted(frame, domain, sets):
        yield counts + rng.normal(0, sigma, counts.size)


def opendp(frame, domain, sets):
    import numpy as np
    import opendp.prelude as dp

    dp.enable_features("contrib")
    sigma = (len(sets) / (2 * RHO)) ** 0.5
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    measure = dp.m.make_gaussian(*space, sigma)
    assert measure.map(1.0) * len(sets) <= RHO * 1.0001
    for counts in counted(frame, domain, sets):
        yield np.array(measure(counts.astype(int).tolist()))


def diffprivlib(frame, domain, sets):
    import numpy as np
    from diffprivlib.tools import histogramdd

    # It has pure epsilon alone: epsilon^2 / 2 of zCDP, the same for each table.
    epsilon = (2 * RHO / len(sets)) ** 0.5
    for names in sets:
        yield histogramdd(
            frame[list(names)].to_numpy(), epsilon=epsilon, bins=[domain[name] for name in names],
            range=[(-0.5, domain[name] - 0.5) for name in names],
        )[0].astype(np.float64)


METHODS = {"disclosure": ours, "OpenDP": opendp, "diffprivlib": diffprivlib, "mbi, measure step": mbi}
PACKAGES = {"disclosure": "disclosure", "OpenDP": "opendp.prelude", "diffprivlib": "diffprivlib.tools"}


def peak() -> int:
    """The most memory that was resident so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run(codes: str, sizes: str, order: str, method: str) -> None:
    import pandas as pd

    if method in PACKAGES:
        importlib.import_module(PACKAGES[method])
    frame = pd.read_csv(codes)
    domain = {name: int(size) for name, size in json.load(open(sizes)).items()}
    sets = list(itertools.combinations(domain, int(order)))
    truth, tables = counted(frame, domain, sets), METHODS[method](frame, domain, sets)
    squares, cells, seconds, before = 0.0, 0, 0.0, peak()
    for counts in truth:
        # The error is not part of the time.
        started = time.process_time()
        table = next(tables)
        seconds += time.process_time() - started
        squares += float(((table.reshape(-1) - counts) ** 2).sum())
        cells += counts.size
    print(
        f"| {order} | {method} | {seconds:.1f} | {(peak() - before) / 1024:.0f} | {(squares / cells) ** 0.5:.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    if len(sys.argv) > 4:
        run(*sys.argv[1:5])
    else:
        for order in (sys.argv[3] if len(sys.argv) > 3 else "2,3").split(","):
            for name in METHODS:
                other = os.environ.get("DIFFPRIVLIB_PYTHON") if name == "diffprivlib" else None
                words = [other or sys.executable, __file__, *sys.argv[1:3], order, name]
                subprocess.run(words, check=False)
