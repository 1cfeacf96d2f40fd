"""Fits mbi's model to an exported measurement, with the code of docs/formats.md as it stands there.

Usage: mbi_check.py PAGE EXPORT RELEASE. The model has to agree with the released tables within
their noise; the same measurement with one attribute's categories in reverse must not.
"""

import csv
import json
import math
import re
import sys

page, export, release = sys.argv[1:]
code = re.search(r"### For mbi.*?```python\n(.*?)```", open(page, encoding="utf-8").read(), re.S).group(1)


def fitted(path):
    """The model that the page's code fits to an export."""
    scope = {}
    exec(code.replace("OUT.json", path), scope)
    return scope["model"]


def labels_of(answers):
    """The labels of each attribute, from the released one-way tables."""
    return {names[0]: [row[0] for row in rows] for names, rows in answers if len(names) == 1}


def released():
    """Attributes and rows (labels, then value and standard deviation) of every released table."""
    record = json.load(open(f"{release}/release.json", encoding="utf-8"))
    tables = []
    for file in record["files"]:
        if not file["name"].endswith(".csv"):
            continue
        header, *rows = csv.reader(open(f"{release}/{file['name']}", encoding="utf-8"))
        tables.append((header[: header.index("value")], rows))
    return tables


def misfit(model, tables):
    """Root mean square of the difference between model and release, in standard deviations."""
    labels, squares = labels_of(tables), []
    for names, rows in tables:
        cells = model.project(tuple(names)).datavector().reshape([len(labels[name]) for name in names])
        for row in rows:
            place = tuple(labels[name].index(label) for name, label in zip(names, row))
            value, sd = float(row[len(names)]), float(row[len(names) + 1])
            if sd > 0:
                squares.append(((float(cells[place]) - value) / sd) ** 2)
    return math.sqrt(sum(squares) / len(squares)), len(squares)


tables = released()
good, count = misfit(fitted(export), tables)

# The negative control: one attribute's categories in reverse, in its queries alone.
file = json.load(open(export, encoding="utf-8"))
name = max(file["queries"], key=lambda name: len(file["queries"][name]))
file["queries"][name] = [row[::-1] for row in file["queries"][name]]
reversed_export = f"{release}/reversed.json"
json.dump(file, open(reversed_export, "w", encoding="utf-8"))
bad, _ = misfit(fitted(reversed_export), tables)

print(f"mbi: {count} cells, root mean square misfit {good:.2f} sd; {bad:.1f} sd with {name} reversed")
# The model is fitted to these very numbers and cannot be negative: cells of few people differ.
if not good < 1.5:
    sys.exit("the model that mbi fits does not agree with the released tables")
if not bad > 5.0:
    sys.exit("the check would not see a measurement that means something else")
