"""Seconds and memory from a pandas data frame of many rows to all two-way marginals.

Usage: ``python rows.py CODES.csv DOMAIN.json ROWS``: the rows of the file are repeated.
"""

import itertools
import json
import resource
import sys
import time

import numpy as np
import pandas as pd

import disclosure


def main(codes: str, sizes: str, rows: str) -> None:
    small = pd.read_csv(codes)
    frame = small.iloc[np.arange(int(float(rows))) % len(small)].astype("int32").reset_index(drop=True)
    domain = {name: int(size) for name, size in json.load(open(sizes)).items()}
    pairs = [list(pair) for pair in itertools.combinations(domain, 2)]
    plan = disclosure.plan(marginals=pairs, rho=0.5, neighbours="add-remove", domain=domain)
    before, started, cpu = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter(), time.process_time()
    release = plan.release(frame)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{float(rows):.0e} rows: {time.perf_counter() - started:.1f} s, {time.process_time() - cpu:.1f} s of CPU, "
          f"{(peak - before) / 1024:.0f} MiB more, {len(release.files)} files")


main(*sys.argv[1:])
