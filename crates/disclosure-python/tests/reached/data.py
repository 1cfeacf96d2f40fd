"""Codes of data, of files that jobs name, and of outputs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

import disclosure
from disclosure import exact, marginals

from .words import ROWS, Case, attribute, basis, one, plan, read, table, text

LIMIT = {"a": ["x"], "b": ["p"]}


def write(name: str) -> Case:
    """Writes a release to what is at this name."""

    def into(tmp: Path) -> object:
        (tmp / "full").mkdir()
        (tmp / "full/mine.txt").write_text("mine")
        (tmp / "file").write_text("mine")
        (tmp / "link").symlink_to(tmp / "full")
        return plan().release(ROWS).write(tmp / name)

    return into


def named(*names: str) -> Case:
    """A release whose files have these names."""
    return lambda tmp: disclosure.Release("{}", {name: b"" for name in names}, []).write(tmp / "out")


def rewritten(change: str) -> Case:
    """A measurement that was changed on the way."""

    def again(_: Path) -> object:
        data = bytearray(plan().release(ROWS).measurement._bytes)
        if change == "cut":
            del data[len(data) // 2 :]
        elif change == "other":
            data[:4] = b"none"
        return marginals.Measurement(bytes(data))

    return again


def made_up(_: Path) -> object:
    """A stored plan that says another thing, with a digest that is right."""
    head, rest = plan().store().replace('"rows_per_person":1', '"rows_per_person":2').split(',"job":', 1)
    job = rest.rsplit(',"sha256":"', 1)[0]
    digest = hashlib.sha256(job.encode()).hexdigest()
    return disclosure.plan(f'{head},"job":{job},"sha256":"{digest}"}}\n')


def counted(value: object) -> Case:
    return lambda _: plan(count="n").release({**ROWS, "n": [1, 2, value]})


def numbers(value: object) -> Case:
    return lambda _: attribute(bins=[0, 10]).release({"a": [1.0, value]})


def csv(words: object) -> Case:
    return lambda tmp: read(tmp, words)


def page(change: str) -> Case:
    """The page of a release whose files were changed."""

    def shown(tmp: Path) -> object:
        one().release({"a": ["x"]}).write(tmp / "out")
        table, record = tmp / "out/0-a.csv", tmp / "out/release.json"
        words, old = table.read_bytes(), hashlib.sha256(table.read_bytes()).hexdigest()
        changed = words.replace(b"x,", b"x,many", 1)
        if change == "record":
            record.unlink()
        else:
            table.write_bytes(changed)
        if change == "form":
            said = record.read_text().replace(old, hashlib.sha256(changed).hexdigest())
            record.write_text(said.replace(f'"bytes": {len(words)}', f'"bytes": {len(changed)}'))
        return disclosure.report(tmp / "out")

    return shown


def workbook(tmp: Path) -> object:
    return plan().release(text(tmp, b"PK\x03\x04" + bytes(100), "t.xlsx"))


def stream(_: Path) -> object:
    import pyarrow as pa

    schema = pa.schema([("a", pa.string())])

    def batches():
        yield pa.record_batch([pa.array(["x"])], schema=schema)
        raise ValueError("secret")

    return one().release(pa.RecordBatchReader.from_batches(schema, batches()))


def stamps(_: Path) -> object:
    import datetime

    import pyarrow as pa

    return one().release(pa.table({"a": pa.array([datetime.datetime(2024, 1, 1)])}))


def codes(_: Path) -> object:
    return disclosure._core.Data.of_columns([("a", ["x"], np.array([1], dtype=np.uint32).tobytes())], "t")


CASES: dict[str, Case] = {
    "E0103": write("nowhere/out"),
    "E0104": lambda _: disclosure.plan("nowhere.toml"),
    "E0111": write("full"),
    "E0112": write("link"),
    "E0113": write("file"),
    "E0114": write("full/.."),
    "E0115": named("a b.csv"),
    "E0116": named("a.csv", "A.csv"),
    "E0301": csv(""),
    "E0302": csv("a\n"),
    "E0303": csv("a,b\nx\n"),
    "E0304": csv(b"a\n\xff\n"),
    "E0305": csv(b"a\nx\x00\n"),
    "E0306": csv("a\nx\n".encode("utf-16")),
    "E0307": csv("a,a\nx,x\n"),
    "E0308": csv("c\nx\n"),
    "E0309": csv("a;b\nx;p\ny\n"),
    "E0310": csv('a\n"x\n'),
    "E0311": csv('a\nx"y\n'),
    "E0312": csv('a\n"x"y\n'),
    "E0313": csv(b"a,b\nx,p\ry,q\n"),
    "E0314": csv("a,b\n\nx,p\n"),
    "E0315": lambda _: one().release({"a": ["x", None]}),
    "E0316": lambda _: one().release({"a": ["x", "z"]}),
    "E0317": lambda _: attribute(size=3).release({"a": ["01"]}),
    "E0318": lambda _: attribute(size=3).release({"a": [3]}),
    "E0319": numbers("ten"),
    "E0320": numbers(11.0),
    "E0321": counted(-1),
    "E0322": counted(2**53),
    "E0323": lambda _: disclosure.Data({"a": list(range(2000))}).learn_domain(),
    "E0324": csv("a\n" + "x" * (1 << 21) + "\n"),
    "E0325": csv(",".join(["a", *(f"b{i}" for i in range(40))]) + "\n" + ",".join(["x" * 500_000] * 41) + "\n"),
    "E0326": csv(",".join(f"a{i}" for i in range(5000)) + "\n"),
    "E0327": csv(b"PAR1" + bytes(60)),
    "E0328": workbook,
    "E0341": basis("queries", "a,b,c,d,e\n1,2,3,4,5\n"),
    "E0342": basis("hierarchy", "a;x\nb;x\nc;x\nd;x\na;x\n"),
    "E0343": basis("hierarchy", "a;x\nb;x\nc;x\n"),
    "E0344": basis("hierarchy", "a;\nb\nc\nd\n"),
    "E0345": basis("queries", "query,a,b,c,d\none,1,2,3,4\none,1,2,3,4\n"),
    "E0346": basis("hierarchy", "a;z;y\nb;z;x\nc\nd\n"),
    "E0347": basis("hierarchy", "a;b\nb\nc\nd\n"),
    "E0350": lambda tmp: exact.audit(
        table('margins = "axial"\nformat = { query = "select 1" }'), text(tmp, "religion,age,n\na,old,1\n")
    ),
    "E0361": rewritten("other"),
    "E0362": rewritten("cut"),
    "E0363": made_up,
    "E0386": page("record"),
    "E0387": page("digest"),
    "E0388": page("form"),
    "E0604": lambda _: plan(domain={"a": {"size": 2_000_000}}),
    "E0611": lambda _: plan(max_answers=1),
    "E0612": lambda _: plan(
        domain={"a": 100, "b": 100}, marginals=[["a", "b"]], count="n"
    ).release({"a": [0], "b": [0], "n": [2**53]}),
    "E0624": lambda _: plan(
        domain={"a": {"size": 4, "basis": "prefix"}, "b": {"size": 3, "basis": "prefix"}},
        neighbours="replace",
        up_to=2,
        count="n",
    ).release({"a": [0], "b": [0], "n": [2**52]}),
    "E0614": lambda _: plan(domain="d.toml", files={"d.toml": "#" * (17 << 20)}),
    "E0672": stream,
    "E0673": stamps,
    "E0674": codes,
    "E0681": lambda _: plan().release(ROWS).synthesise(max_cells=1),
    "E0287": lambda _: plan().release(ROWS).synthesise(zeros=["nobody=1"]),
    "E0291": lambda _: disclosure.adaptive.plan(up_to=1, rho=1.0, rounds=0, neighbours="add-remove", domain=LIMIT),
    "E0292": lambda _: disclosure.adaptive.plan(
        up_to=1, rho=1.0, rounds=4, neighbours="add-remove", domain=LIMIT, structural_zeros=[{"a": "nowhere", "b": "p"}]
    ),
    "E0329": lambda _: one(person="id", rows_per_person=2).release({"a": ["x", "y"], "id": ["7", "07"]}),
    "E0330": lambda _: one(person="id", rows_per_person=1, excess_rows="refuse").release(
        {"a": ["x", "y"], "id": ["7", "7"]}
    ),
    "E0671": lambda _: disclosure.report({"release.json": b"{" + b" " * (65 << 20)}),
}
