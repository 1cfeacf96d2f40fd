"""Seconds of processor time of the command `disclosure` on tables of a million rows, for docs/benchmarks.md.

Usage: command.py COMMAND [COMMAND ...]. Each COMMAND is a path to a binary; a line of the table that
is printed has one job, and a median of five runs of each binary, in turn. Data are drawn here, from
a named seed, in a folder that is removed at the end. Only the standard library is needed.
"""

import csv
import os
import random
import statistics
import subprocess
import sys
import tempfile

SEED = 26
RUNS = 5
PEOPLE = 1_000_000
# Sizes of the attributes of the Adult table, with those of 85 and more categories cut to 16.
SIZES = [16, 9, 16, 16, 7, 15, 6, 5, 2, 16, 16, 16, 42, 2]
NAMES = [f"a{number}" for number in range(len(SIZES))]


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def people(rng):
    """Independent codes, skewed towards 0 like those of real tables."""
    return ([int(rng.random() ** 3 * size) for size in SIZES] for _ in range(PEOPLE))


def visits(rng):
    return ([int(rng.random() * 300_000), f"t{int(rng.random() ** 3 * 200)}", rng.choice("abcdefgh")] for _ in range(PEOPLE))


def marginals(extra):
    attributes = "".join(
        f'[[attribute]]\nname = "{name}"\nlabels = {[str(code) for code in range(size)]}\n'
        for name, size in zip(NAMES, SIZES)
    )
    return f'title = "People"\nneighbours = "add-remove"\n{extra}\n[privacy]\nrho = 0.5\n{attributes}'


FILTER = """title = "Visits"
group_by = ["town", "clinic"]
entity = ["person"]
always_suppress_upper_bound = 2
mean = 8.0
sd = 1.5
"""

FEATURES = "".join(
    f'[[feature]]\nname = "{name}"\nvalues = {[str(code) for code in range(size)]}\nprotocol = "{protocol}"\nepsilon = 2.0\n'
    for name, size, protocol in [("a8", 2, "rr"), ("a4", 7, "ue"), ("a6", 6, "grr")]
)

# What is measured: a name, and the arguments of the command. `{out}` is new in every run.
JOBS = [
    ("the command alone", ["--version"]),
    ("marginals of 1 and 2 attributes, a million rows", ["resplan", "release", "tables.toml", "people.csv", "-o", "{out}"]),
    ("the same, chosen adaptively", ["adaptive", "release", "adaptive.toml", "people.csv", "-o", "{out}"]),
    ("a low-count filter over a million rows", ["lcf", "filter", "filter.toml", "visits.csv", "--secret-file", "key", "-o", "{out}.csv"]),
    ("reports of a million people", ["ldp", "encode", "features.toml", "people.csv", "-o", "{out}.reports"]),
    ("a state of these reports", ["ldp", "aggregate", "features.toml", "people.reports", "-o", "{out}.state"]),
    ("2 million synthetic rows", ["synth", "few/measurement.bin", "--rows", "2000000", "-o", "{out}.csv"]),
]


def cpu_seconds(binary, arguments, folder):
    """User and system time of one run; a run that fails ends the measurement."""
    process = subprocess.Popen([binary, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(arguments)}: {message}")
    return usage.ru_utime + usage.ru_stime


def prepare(binary, folder):
    rng = random.Random(SEED)
    write(f"{folder}/people.csv", NAMES, people(rng))
    write(f"{folder}/visits.csv", ["person", "town", "clinic"], visits(rng))
    texts = {
        "tables": marginals("up_to = 2"),
        "few": marginals('marginals = [["a1", "a4"], ["a4", "a8"], ["a8", "a13"]]'),
        "adaptive": marginals("up_to = 2\nrounds = 16"),
        "filter": FILTER,
        "features": FEATURES,
    }
    for name, text in texts.items():
        with open(f"{folder}/{name}.toml", "w") as file:
            file.write(text)
    for arguments in [
        ["resplan", "release", "few.toml", "people.csv", "-o", "few"],
        ["lcf", "filter", "filter.toml", "visits.csv", "--secret-file", "key", "--new-secret", "-o", "first.csv"],
        ["ldp", "encode", "features.toml", "people.csv", "-o", "people.reports"],
    ]:
        cpu_seconds(binary, arguments, folder)


def main(binaries):
    with tempfile.TemporaryDirectory() as folder:
        prepare(binaries[0], folder)
        run = 0
        for name, arguments in JOBS:
            times = [[] for _ in binaries]
            for _ in range(RUNS):
                for of_binary, binary in zip(times, binaries):
                    run += 1
                    filled = [argument.format(out=f"out{run}") for argument in arguments]
                    of_binary.append(cpu_seconds(binary, filled, folder))
            print(f"| {name} | " + " | ".join(f"{statistics.median(of_binary):.2f}" for of_binary in times) + " |", flush=True)


if len(sys.argv) < 2:
    sys.exit(__doc__)
main([os.path.abspath(binary) for binary in sys.argv[1:]])
