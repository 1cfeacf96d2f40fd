"""Bounds of sampled cells: the example `large` of this crate beside HiGHS, on the same rows in one run.

Usage: ``python highs.py CASE CELLS [COMMAND...]``, where COMMAND starts the example (by default
``cargo run -q --release -p frechet-release --example large --``). Needs highspy. Prints CPU seconds of
both and how many bounds agree: HiGHS solves linear programs, so its ends are rounded to whole numbers,
and an end that is wider then is asked of its branch and bound.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time

import highspy
import numpy as np

COMMAND = ["cargo", "run", "-q", "--release", "-p", "frechet-release", "--example", "large", "--"]


def model(table: dict) -> highspy.Highs:
    """All rows, cells at least 0."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    # One polytope and many objectives: primal steps from the last basis, as advised for this use.
    solver.setOptionValue("presolve", "off")
    solver.setOptionValue("simplex_strategy", 4)
    lp = highspy.HighsLp()
    cells, rows = table["cells"], table["rows"]
    lp.num_col_, lp.num_row_ = cells, len(rows)
    lp.col_cost_ = np.zeros(cells)
    lp.col_lower_, lp.col_upper_ = np.zeros(cells), np.full(cells, highspy.kHighsInf)
    lp.row_lower_ = lp.row_upper_ = np.array([count for _, count in rows], dtype=float)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0] + [len(own) for own, _ in rows])
    lp.a_matrix_.index_ = np.concatenate([np.array(own, dtype=np.int32) for own, _ in rows])
    lp.a_matrix_.value_ = np.ones(sum(len(own) for own, _ in rows))
    solver.passModel(lp)
    return solver


def end(solver: highspy.Highs, cell: int, sign: int) -> float:
    """The least (sign 1) or largest (sign -1) count of a cell."""
    solver.changeColCost(cell, float(sign))
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    value = sign * solver.getInfo().objective_function_value
    solver.changeColCost(cell, 0.0)
    return value


def whole(table: dict, cell: int, sign: int) -> int:
    """The same over whole numbers."""
    solver = model(table)
    solver.setOptionValue("presolve", "on")
    cells = np.arange(table["cells"], dtype=np.int32)
    solver.changeColsIntegrality(len(cells), cells, np.full(len(cells), highspy.HighsVarType.kInteger))
    return round(end(solver, cell, sign))


def main() -> None:
    case, asked, *command = sys.argv[1:]
    answer = subprocess.run([*(command or COMMAND), case, "bounds", asked], capture_output=True, check=True)
    table = json.loads(answer.stdout)
    start = time.process_time()
    solver = model(table)
    relaxed = [(end(solver, cell, 1), end(solver, cell, -1)) for cell, *_ in table["bounds"]]
    seconds = time.process_time() - start
    agree = gaps = wrong = 0
    for (cell, lower, upper, is_sharp), (least, most) in zip(table["bounds"], relaxed):
        least, most = math.ceil(least - 1e-6), math.floor(most + 1e-6)
        for sign, ours, theirs in ((1, lower, least), (-1, upper, most)):
            if ours == theirs:
                agree += 1
            elif is_sharp and whole(table, cell, sign) == ours:
                gaps += 1
            else:
                wrong += 1
    ends = 2 * len(relaxed)
    print(f"{case}: {table['seconds']:.2f} CPU s with whole numbers and certificates, HiGHS {seconds:.2f} CPU s")
    print(f"{ends} ends: {agree} agree, {gaps} are further in and HiGHS agrees over whole numbers, {wrong} differ")


if __name__ == "__main__":
    main()
