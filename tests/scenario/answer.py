"""What a loader says about one start, in a form in which the real one and cudald can be compared."""
from dataclasses import dataclass, field
from typing import List, Optional, Set, Tuple


@dataclass
class Search:
    """One name that nothing loaded answered to, so that files were looked at."""
    requester: str  # real path of the object that asked
    name: str
    tried: List[str] = field(default_factory=list)  # as the loader spells them, in order
    found: Optional[str] = None  # real path


@dataclass(frozen=True)
class Undefined:
    """A strong reference that found no definition."""
    object: str
    symbol: str
    version: str  # "" when the reference has none

    def __str__(self):
        return f"{self.symbol}{'@' * bool(self.version)}{self.version} in {self.object}"


@dataclass
class Answer:
    started: bool = False  # the program's own code was reached
    hung: bool = False
    error: Optional[str] = None  # the line that ended the start
    late_error: Optional[str] = None  # the line that ended the program after it had started
    stderr: str = ""
    objects: List[str] = field(default_factory=list)  # real paths in load order, without the loader itself
    mapped: List[str] = field(default_factory=list)  # the same with what a dlopen that failed unmapped again
    logged: bool = True  # whether searches could be seen; not so in secure mode
    searches: List[Search] = field(default_factory=list)
    undefined: Optional[Set[Undefined]] = None  # None: not asked
    undefined_now: Optional[Set[Undefined]] = None  # those that a start does not outlive
    versions: Optional[Set[Tuple[str, str]]] = None  # (object, version that its provider does not define)
    bindings: Optional[Set[Tuple[str, str, str]]] = None  # (object, symbol, object that defines it)
    dlopens: List[Tuple[str, Optional[str]]] = field(default_factory=list)  # (name, error)

    def searched(self, requester):
        return [search for search in self.searches if search.requester == requester]

    def requesters(self):
        return list(dict.fromkeys(search.requester for search in self.searches))


def in_existing_folders(tried, name, plan):
    """The tried paths that say something: a folder that does not exist may be skipped without a look, and the
    legacy x86_64 folder, which is both platform and capability, is looked at twice in a row."""
    base = name.rsplit("/", 1)[-1]
    paths = [path for path in tried if path.rsplit("/", 1)[-1] == base and plan.is_folder(path)]
    return [path for path, before in zip(paths, [None] + paths)
            if path != before or not path.endswith(f"/x86_64/{base}")]
