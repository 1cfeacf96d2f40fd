from collections.abc import Callable, Mapping
from typing import Any

VERSION: str
FIXED_GENERATOR: bool

_Progress = Callable[[str | None, float | None], object] | None
_Ledger = tuple[str, float | None] | None
_Files = dict[str, bytes]
_Judged = tuple[str, tuple[str, str] | None]
_Audited = tuple[str, str | None, tuple[str, str] | None]
_JudgedTable = tuple[str, str | None, tuple[str, str] | None]
_Shown = tuple[str, list[str], str, list[tuple[list[str], float, float, float]], int]

class Data:
    @staticmethod
    def of_path(
        path: str,
        separator: str | None = None,
        decimal: str | None = None,
        quote: str | None = None,
        sheet: str | None = None,
    ) -> Data: ...
    @staticmethod
    def of_stream(object: Any, name: str) -> Data: ...
    @staticmethod
    def of_columns(columns: list[tuple[str, list[str], bytes]], name: str) -> Data: ...
    @property
    def rows(self) -> int | None: ...
    @property
    def columns(self) -> list[str] | None: ...

class JobText:
    def __init__(
        self, text: str, title: str, base: str | None = None, files: Mapping[str, bytes] | None = None
    ) -> None: ...
    @property
    def text(self) -> str: ...
    @property
    def title(self) -> str: ...

class Batch:
    def __init__(
        self,
        axes: list[tuple[str, list[str]]],
        numbers: list[tuple[str, bytes]],
        texts: list[tuple[str, list[str]]],
    ) -> None: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class MarginalsPlan:
    def __init__(
        self,
        job: JobText,
        today: str,
        weights: str | None = None,
        max_memory: int | None = None,
        max_answers: int | None = None,
        max_marginals: int | None = None,
        max_planning: int | None = None,
        progress: _Progress = None,
    ) -> None: ...
    @property
    def job(self) -> JobText: ...
    def document(self) -> str: ...
    def stored(self) -> str: ...
    def rmse(self) -> float: ...
    def rho(self) -> float: ...
    def gap(self) -> float | None: ...
    def domain_is_learnt(self) -> bool: ...
    def rho_for_rmse(self, target: float) -> float: ...
    def rho_for_largest_sd(self, target: float) -> float: ...
    def release(
        self, data: Data, keep: int, ledger: _Ledger = None, progress: _Progress = None
    ) -> tuple[str | None, _Files | LargeRelease]: ...
    def simulated(self, data: Data, seed: int, progress: _Progress = None) -> bytes: ...
    def check(self, data: Data, progress: _Progress = None) -> None: ...
    def simulate(self, data: Data, trials: int, seed: int, progress: _Progress = None) -> str: ...

class LargeRelease:
    def record(self) -> str: ...
    def measurement(self) -> bytes: ...
    def sizes(self) -> list[tuple[str, int]]: ...
    def read(self, name: str) -> bytes: ...
    def write(self, path: str, progress: _Progress = None) -> None: ...

class AdaptivePlan:
    def __init__(self, job: JobText, today: str, max_memory: int | None = None) -> None: ...
    @property
    def job(self) -> JobText: ...
    def document(self) -> str: ...
    def rho(self) -> float: ...
    def check(self, data: Data, progress: _Progress = None) -> None: ...
    def release(
        self, data: Data, ledger: _Ledger = None, progress: _Progress = None
    ) -> tuple[str, _Files, list[str]]: ...

class Measurement:
    def __init__(self, bytes: bytes) -> None: ...
    def contents(self) -> tuple[str, str]: ...
    def answers(self, names: list[str]) -> tuple[list[str], list[list[str]], list[bytes], bytes]: ...
    def covariances(self, one: list[str], other: list[str]) -> tuple[bytes, int, int]: ...
    def query(self, text: str) -> str: ...
    def document(self, tables: list[list[str]]) -> str: ...
    def write(self, path: str, tables: list[list[str]], format: str = "csv") -> str: ...
    def mbi(self) -> str: ...
    def synthesise(
        self,
        rows: int | None = None,
        max_cells: int = 4_000_000,
        choose: bool = False,
        weight: bool = False,
        zeros: list[str] = ...,
        errors: bool = False,
        progress: _Progress = None,
    ) -> tuple[str, bytes]: ...

def learn_domain(data: Data, learning: dict[str, Any]) -> str: ...
def start(data: Data, learning: dict[str, Any], beside: str, title: str) -> tuple[str, str]: ...
def explain(code: str) -> str | None: ...
def codes() -> list[str]: ...
def write_directory(path: str, files: Mapping[str, bytes], owner: list[str]) -> None: ...
def set_generator(seed: bytes | None) -> None: ...
def ledger_open(path: str, rho: float, neighbours: str, rows_per_person: int) -> None: ...
def ledger_read(path: str) -> str: ...
def page(files: Mapping[str, bytes], public: bool = True, max_lines: int = 200) -> str: ...
def page_of_directory(directory: str, public: bool = True, max_lines: int = 200) -> str: ...
def document_page(text: str, max_lines: int = 200) -> str: ...
def tables_page(title: str, statements: list[str], tables: list[_Shown]) -> str: ...
def pipeline_run(
    job: JobText,
    data: Data,
    today: str,
    dry_run: bool = False,
    ledger: _Ledger = None,
    secret: str | None = None,
    register: bool = False,
    max_memory: int | None = None,
    progress: _Progress = None,
) -> tuple[str, tuple[str, str] | None, _Files, list[str]]: ...
def amounts_plan(
    job: JobText, data: Data, certificates: bool = False, progress: _Progress = None
) -> tuple[str, str | None, str]: ...
def amounts_pattern(
    text: str, title: str, decimals: int = 0, steps: int | None = None, progress: _Progress = None
) -> _Audited: ...
def amounts_release(
    job: JobText, data: Data, certificates: bool = False, progress: _Progress = None
) -> tuple[str, str | None, _Files, list[str]]: ...
def exact_audit(
    job: JobText,
    data: Data | None = None,
    draws: int | None = None,
    certificates: bool = False,
    algorithm_aware: bool = False,
    progress: _Progress = None,
) -> _Audited: ...
def exact_bounds(
    job: JobText,
    data: Data | None = None,
    count_tables: int | None = None,
    certificates: bool = False,
    progress: _Progress = None,
) -> tuple[str, str | None]: ...
def exact_plan(job: JobText, data: Data | None = None, progress: _Progress = None) -> _Audited: ...
def exact_release(
    job: JobText, data: Data | None, today: str, ledger: _Ledger = None, progress: _Progress = None
) -> tuple[str, _Files, list[str]]: ...
def exact_round(
    job: JobText, data: Data | None, base: int, today: str, progress: _Progress = None
) -> tuple[str, _Files, list[str]]: ...
def exact_perturb(
    job: JobText, data: Data, secret: tuple[str, bool, bool], today: str, progress: _Progress = None
) -> tuple[str, _Files, list[str]]: ...
def exact_diff(
    before: JobText,
    before_data: Data | None,
    after: JobText,
    after_data: Data | None,
    changed: int = 0,
    progress: _Progress = None,
) -> _Audited: ...
def exact_verify(text: str) -> str: ...
def exact_slack(
    job: JobText, data: Data | None = None, cells: bool = False, progress: _Progress = None
) -> str: ...
def exact_pattern(
    text: str,
    title: str,
    steps: int | None = None,
    nodes: int | None = None,
    all_steps: int | None = None,
    seconds: int | None = None,
    certificates: bool = False,
    progress: _Progress = None,
) -> _Audited: ...
def secret_new(path: str) -> None: ...
def is_stored_groups(head: bytes) -> bool: ...
def filter_group(
    job: JobText, parts: list[Data | bytes], secret: str, register: bool = False, progress: _Progress = None
) -> bytes: ...
def filter_run(
    job: JobText,
    data: Data | bytes,
    secret: str,
    rest: str | None = None,
    register: bool = False,
    explain: list[str] | None = None,
    progress: _Progress = None,
) -> tuple[str, bytes, str]: ...
def filter_odds(
    name: str,
    law: dict[str, float],
    groups_per_entity: int = 1,
    prior: float = 0.5,
    up_to: int | None = None,
    counts: str = '"hidden"',
) -> str: ...
def filter_advise(job: JobText, progress: _Progress = None) -> str: ...
def reports_check(schema: str) -> tuple[list[str], list[str]]: ...
def reports_encode(
    schema: str,
    data: Data,
    once: bool = False,
    memory: str | None = None,
    person: str | None = None,
    changed: str | None = None,
    progress: _Progress = None,
) -> tuple[str, bytes]: ...
def reports_count(
    schema: str,
    reports: list[bytes],
    state: bytes | None = None,
    allow_repeats: bool = False,
    progress: _Progress = None,
) -> tuple[bytes, str]: ...
def reports_count_bits(
    schema: str, data: Data, vouched: bool, progress: _Progress = None
) -> tuple[bytes, str]: ...
def reports_merge(
    states: list[bytes], allow_repeats: bool = False, forget_sources: bool = False, progress: _Progress = None
) -> tuple[bytes, str]: ...
def reports_estimate(
    schema: str,
    state: bytes,
    sets: str | None = None,
    order: int | None = None,
    population: str | None = None,
    pairs: bool = False,
    feasible: bool = False,
    covariance: bool = False,
    progress: _Progress = None,
) -> str: ...
def reports_plan(text: str) -> str: ...
def reports_simulate(
    schema: str,
    data: Data,
    trials: int,
    seed: int,
    sets: str | None = None,
    order: int | None = None,
    progress: _Progress = None,
) -> str: ...
def screen(
    job: JobText,
    data: Data | None = None,
    rows: bool = False,
    margin: float | None = None,
    max_memory: int | None = None,
    max_visits: int | None = None,
    progress: _Progress = None,
) -> _JudgedTable: ...
def screen_attack(
    job: JobText,
    trials: int,
    seed: int,
    data: Data | None = None,
    margin: float | None = None,
    max_entries: int = 20_000_000,
    progress: _Progress = None,
) -> _Judged: ...
def screen_search(
    job: JobText,
    grid: bool = False,
    margin: float | None = None,
    confirm: tuple[int, int] | None = None,
    max_entries: int = 20_000_000,
    max_memory: int | None = None,
    progress: _Progress = None,
) -> _JudgedTable: ...
