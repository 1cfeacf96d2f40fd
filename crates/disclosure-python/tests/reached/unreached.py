"""Codes that no call of Python ends in, and why."""

from __future__ import annotations

DISK = "a fault of the disk or of the system between two of its steps: the crash points of the jobs reach it"
SQL = "an engine of disclosure-sql: Python hands over rows, and an engine's result as Arrow"
WORKBENCH = "the workbench in the browser: it is served by the command"
SHAPE = "the shape of codes from a program in Rust: columns of Python have their rows checked as they are coded"

UNREACHED: dict[str, str] = {
    "E0101": DISK,
    "E0102": "schemas are files that a job names, which end in E0104",
    "E0106": "the system has random numbers",
    "E0107": "Python writes to no standard output",
    "E0108": "what stopped the call is raised in its place: KeyboardInterrupt, or what progress raised",
    "E0117": "no call of the package replaces a file: a new secret keeps the one that is there",
    "E0121": DISK,
    "E0122": DISK,
    "E0218": "a guard behind the bounds of E0213, which refuse such queries first",
    "E0220": "the wheel has the feature linalg",
    "E0274": "labels are a list here and no line of a command: those of no group end in E0398",
    "E0331": SHAPE,
    "E0332": SHAPE,
    "E0333": SHAPE,
    "E0334": SHAPE,
    "E0335": SHAPE,
    "E0336": SQL,
    "E0337": SQL,
    "E0338": SQL,
    "E0339": SQL,
    "E0349": SQL,
    "E0352": SQL,
    "E0353": SQL,
    "E0354": SQL,
    "E0368": "tables that a program in Rust counted itself",
    "E0369": "tables that a program in Rust counted itself",
    "E0422": "a clock: no data are slow on every machine",
    "E0426": "chance: a draw that a release has with the probability that its plan states, at most delta",
    "E0441": "a guard: the plan withholds until its attackers find nothing, and they are asked again",
    "E0443": "a search without an end within its limits: the tables of three attributes that have none are unknown",
    "E0605": "a plan over so many cells ends in E0611 before anything is counted",
    "E0606": "a domain is a file of the job, which ends in E0614 at the same length",
    "E0613": "counts that do not fit the plan, from a program in Rust",
    "E0642": "2^53 reports",
    "E0643": "a file on the standard input",
    "E0661": "a stream that is read twice, or a workbook of 256 MiB: a path is opened twice, and a table is there",
    "E0701": WORKBENCH,
    "E0702": WORKBENCH,
    "E0703": WORKBENCH,
    "E0704": WORKBENCH,
    "E0705": WORKBENCH,
    "E0706": WORKBENCH,
    "E0707": WORKBENCH,
    "E0708": WORKBENCH,
    "E0709": WORKBENCH,
    "E0710": WORKBENCH,
    "E0711": WORKBENCH,
}
