"""All two-way or three-way marginals of a table of codes at one rho of zCDP: this package, OpenDP, diffprivlib,
and the measure step of mbi (one Gaussian vector a table).

Usage: ``python side_by_side.py CODES.csv DOMAIN.json ORDER [METHOD]``, one method a process so that peaks
are its own. Prints CPU seconds, peak memory, and the root mean square error over all cells.
"""

from __future__ import annotations

import itertools
import json
import resource
import subprocess
import sys
import time

RHO = 0.5


def ours(frame, domain, sets):
    import disclosure

    plan = disclosure.plan(marginals=[list(names) for names in sets], rho=RHO, neighbours="add-remove", domain=domain)
    measurement = plan.release(frame).measurement
    return {names: measurement.table(*names).values for names in sets}


def counted(frame, domain, sets):
    import numpy as np

    columns = {name: frame[name].to_numpy() for name in domain}
    for names in sets:
        shape = [domain[name] for name in names]
        codes = np.ravel_multi_index([columns[name] for name in names], shape)
        yield names, np.bincount(codes, minlength=int(np.prod(shape)))


def mbi(frame, domain, sets):
    import numpy as np

    # One row more adds 1 to one cell of each table: rho = tables / (2 sigma^2).
    sigma, rng = (len(sets) / (2 * RHO)) ** 0.5, np.random.default_rng()
    return {
        names: (counts + rng.normal(0, sigma, counts.size)).reshape([domain[name] for name in names])
        for names, counts in counted(frame, domain, sets)
    }


def opendp(frame, domain, sets):
    import numpy as np
    import opendp.prelude as dp

    dp.enable_features("contrib")
    sigma = (len(sets) / (2 * RHO)) ** 0.5
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    measure = dp.m.make_gaussian(*space, sigma)
    assert measure.map(1.0) * len(sets) <= RHO * 1.0001
    return {
        names: np.array(measure(counts.astype(int).tolist())).reshape([domain[name] for name in names])
        for names, counts in counted(frame, domain, sets)
    }


def diffprivlib(frame, domain, sets):
    import numpy as np
    from diffprivlib.tools import histogramdd

    # It has pure epsilon alone: epsilon^2 / 2 of zCDP, the same for each table.
    epsilon = (2 * RHO / len(sets)) ** 0.5
    return {
        names: histogramdd(
            frame[list(names)].to_numpy(), epsilon=epsilon, bins=[domain[name] for name in names],
            range=[(-0.5, domain[name] - 0.5) for name in names],
        )[0].astype(np.float64)
        for names in sets
    }


METHODS = {"disclosure": ours, "OpenDP": opendp, "diffprivlib": diffprivlib, "mbi, measure step": mbi}


def run(codes: str, sizes: str, order: str, method: str) -> None:
    import numpy as np
    import pandas as pd

    frame = pd.read_csv(codes)
    domain = {name: int(size) for name, size in json.load(open(sizes)).items()}
    sets = list(itertools.combinations(domain, int(order)))
    own = METHODS[method]
    before, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tables = own(frame, domain, sets)
    seconds = time.process_time() - before
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
    squares, cells = 0.0, 0
    for names, counts in counted(frame, domain, sets):
        squares += float(((tables[names].reshape(-1) - counts) ** 2).sum())
        cells += counts.size
    print(f"| {method} | {seconds:.1f} | {more / 1024:.0f} | {np.sqrt(squares / cells):.2f} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 4:
        run(*sys.argv[1:5])
    else:
        for name in METHODS:
            subprocess.run([sys.executable, __file__, *sys.argv[1:4], name], check=False)
