"""Asks the real glibc loader what it does with a file. Nothing of the file runs.

With LD_TRACE_LOADED_OBJECTS the loader maps every object, prints the list and exits; a miss
does not stop it. `ld.so --list` (glibc 2.36) does stop at the first miss, with the very line
that a start would end with. LD_DEBUG tells who asked for what, and which file each symbol
is bound to.
"""

import os
import re
import subprocess
from dataclasses import dataclass, field

import elf_file
from elf_file import ElfFile

LD_SO = {
    (64, elf_file.EM_X86_64): "/lib64/ld-linux-x86-64.so.2",
    (32, elf_file.EM_386): "/lib/ld-linux.so.2",
    (64, elf_file.EM_AARCH64): "/lib/ld-linux-aarch64.so.1",
    (32, elf_file.EM_ARM): "/lib/ld-linux-armhf.so.3",
    (64, elf_file.EM_PPC64): "/lib64/ld64.so.2",
    (64, elf_file.EM_S390): "/lib/ld64.so.1",
    (64, elf_file.EM_RISCV): "/lib/ld-linux-riscv64-lp64d.so.1",
}
# Objects that the kernel maps, not the loader.
VDSO = {"linux-vdso.so.1", "linux-vdso64.so.1", "linux-gate.so.1"}
TIMEOUT = 120  # seconds; the largest closure with all symbols takes well under one

_DEBUG_LINE = re.compile(r"^ *\d+:\t(.*)$")
_REQUEST = re.compile(r"^file=(.*) \[\d+\];  needed by (.*) \[\d+\]$")
_NEW_OBJECT = re.compile(r"^file=(.*) \[\d+\];  generating link map$")
_TRYING = re.compile(r"^ *trying file=(.*)$")
_LISTED = re.compile(r"^\t(?:(.*) => )?(.*) \(0x[0-9a-f]+\)$")
_FATAL = re.compile(r"error while loading shared libraries: (.*)$")
_INCONSISTENT = re.compile(r"^Inconsistency detected by ld\.so: (.*)$")
_UNDEFINED = re.compile(r"^(?:symbol lookup error: )?undefined symbol: (.*?)(?:, version (.*?))?\t\((.*)\)$")
_NOT_IN_FILE = re.compile(
    r"^symbol (.*?),? version (.*?) not defined in file .* with link time reference.*\t\((.*)\)$"
)
_VERSION_MISSING = re.compile(r"^.*?: (.*): (weak )?version `(.*)' not found \(required by (.*)\)$")
_NO_VERSIONS = re.compile(r"^.*?: (.*): no version information available \(required by (.*)\)$")
_BINDING = re.compile(
    r"^binding file (.*) \[\d+\] to (.*) \[\d+\]: (?:normal|protected) symbol `(.*?)'(?: \[(.*)\])?$"
)


class LoaderProblem(Exception):
    """The real loader gave no answer that a test could use."""


@dataclass
class Start:
    """What the real loader did. All paths are real paths: absolute, symlinks resolved."""

    objects: list = field(default_factory=list)  # load order; the first is the file asked for
    pairs: set = field(default_factory=set)  # (requester, needed name, path or None)
    unsure: set = field(default_factory=set)  # (requester, needed name): the trace does not tell which file
    error: str = None  # the line that ended the start, from after "error while loading shared libraries: "

    def pair_differences(self, others):
        """(side, pair) of each pair that only one side has."""
        for pair in sorted(self.pairs ^ others, key=repr):
            if pair[:2] not in self.unsure:
                yield "loader" if pair in self.pairs else "cudald", pair

    @property
    def missing(self):
        return {(requester, name) for requester, name, path in self.pairs if path is None}


@dataclass
class Symbols:
    """What `ldd -r` says, by object."""

    missing: set = field(default_factory=set)  # (object, name, version or None)
    version_errors: set = field(default_factory=set)  # (requester, version)
    version_warnings: set = field(default_factory=set)  # requesters of versions in a file that has none
    bindings: set = field(default_factory=set)  # (object, name, version or None, definer)
    inconsistency: str = None  # an assertion of the loader itself that failed


def loader_for(elf):
    """The dynamic loader of a file's class and machine, or None if this system has none."""
    path = LD_SO.get((elf.bits, elf.machine))
    return path if path and os.path.exists(path) else None


def can_run(loader):
    """Some kernels run no 32-bit programs; then the 32-bit loader is of no use."""
    try:
        return subprocess.run([loader, "--version"], capture_output=True, timeout=TIMEOUT).returncode == 0
    except OSError:
        return False


class RealLoader:
    """One way to start programs: an environment and a current folder.

    What it has read of a file is kept, so files must not change while it lives.
    """

    def __init__(self, env=None, cwd="/"):
        self.env = dict(env or {})
        self.cwd = cwd
        self._elves = {}

    def trace(self, path, loader=None):
        """Everything the loader maps for `path`, misses included.

        With `loader` the start is `ld.so path`; without, the kernel reads PT_INTERP.
        """
        env = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_DEBUG": "libs,files"}
        status, out, err = self._run([loader, path] if loader else [path], env)
        fatal = _first_match(_FATAL, err)
        if status != 0:
            if fatal is None:
                raise LoaderProblem(f"{path}: exit status {status}: {err[-300:]!r}")
            return Start(error=fatal)
        return self._read_trace(path, loader is not None, out, err)

    def start_error(self, path, loader):
        """The line by which a start would end before anything of `path` runs, or None."""
        _, _, err = self._run([loader, "--list", path], {})
        return _first_match(_FATAL, err)

    def symbols(self, path, loader, bindings=False):
        """What `ldd -r` finds. With `bindings`, also which file each symbol is bound to."""
        env = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "yes", "LD_BIND_NOW": "yes"}
        if bindings:
            env["LD_DEBUG"] = "bindings"
        status, out, err = self._run([loader, path], env)
        found = Symbols()
        for line in err.splitlines() + out.splitlines():
            self._read_symbol_line(found, line)
        if status != 0 and not found.inconsistency:
            raise LoaderProblem(f"{path}: exit status {status}: {err[-300:]!r}")
        return found

    def real(self, path):
        return os.path.realpath(os.path.join(self.cwd, path))

    def _elf(self, path):
        if path not in self._elves:
            self._elves[path] = ElfFile(path)
        return self._elves[path]

    def _run(self, command, env):
        run = subprocess.run(
            command,
            env={**self.env, **env},
            cwd=self.cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
        )
        return run.returncode, elf_file.text(run.stdout), elf_file.text(run.stderr)

    def _read_trace(self, path, by_loader, out, err):
        names = [path]  # of each object, as the loader calls it
        listed_names = [{path} if by_loader else set()]  # every name an object answers to
        for line in out.splitlines():
            match = _LISTED.match(line)
            if not match:
                if not line.endswith(" => not found") and line != "\tstatically linked":
                    raise LoaderProblem(f"{path}: unknown line {line!r}")
                continue
            asked, name = match.groups()
            if name in VDSO:
                continue
            names.append(name)
            listed_names.append({name, asked or name})

        objects = [self.real(name) for name in names]
        start = Start(objects)
        answers = self._read_requests(objects, listed_names, err)
        elves = [self._elf(object_) for object_ in objects]
        for elf, answering in zip(elves, listed_names):
            if elf.soname is not None:
                answering.add(elf.soname)
        # A filter moves objects forward in the loader's list: the final order is not the one it searched.
        moved = any(elf.strings(elf_file.DT_FILTER, elf_file.DT_AUXILIARY) for elf in elves)
        for name, object_, elf in zip(names, objects, elves):
            origin_path = object_ if object_ == objects[0] and not by_loader else name
            # Not dirname: for d//lib.so the loader takes d/.
            origin = os.path.join(self.cwd, origin_path).rpartition("/")[0] or "/"
            for needed in elf.strings(elf_file.DT_NEEDED, elf_file.DT_FILTER, elf_file.DT_AUXILIARY):
                asked = needed.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
                searched = answers.get((object_, asked))
                if searched:
                    start.pairs.add((object_, needed, searched.pop(0)))
                    continue
                # Asked for without a search: an object that was there already answered to that name.
                known = [o for o, answering in zip(objects, listed_names) if asked in answering]
                if not known:
                    raise LoaderProblem(f"{path}: nobody asked for {needed!r}, needed by {object_}")
                start.pairs.add((object_, needed, known[0]))
                if moved and len(known) > 1:
                    start.unsure.add((object_, needed))
        return start

    def _read_requests(self, objects, listed_names, err):
        """(requester, name) -> the answers, path or None, of the requests that needed a search, in order."""
        identities = {_identity(object_): i for i, object_ in enumerate(objects)}
        loaded = {_identity(path) for path in (objects[0], *LD_SO.values())}
        answers = {}
        request, tried = None, None

        def close():
            if request is None:
                return
            # It may open a file and then refuse it, and another object gets the same file later.
            identity = _identity(self.real(tried)) if tried else None
            index = identities.get(identity) if identity in loaded else None
            answers.setdefault(request, []).append(None if index is None else objects[index])
            if index is not None:
                listed_names[index].add(request[1])

        for line in err.splitlines():
            match = _DEBUG_LINE.match(line)
            if not match:
                continue
            event = match.group(1)
            if match := _REQUEST.match(event):
                close()
                name, requester = match.groups()
                request, tried = (self.real(requester), name), name if "/" in name else None
            elif match := _TRYING.match(event):
                tried = match.group(1)
            elif _NEW_OBJECT.match(event) and tried:
                loaded.add(_identity(self.real(tried)))
        close()
        self._forget_preloads(objects[0], answers)
        return answers

    def _forget_preloads(self, program, answers):
        """Preloads are asked for by the program, too, and first."""
        for name in re.split("[ :]", self.env.get("LD_PRELOAD", "")):
            if answers.get((program, name)):
                answers[program, name].pop(0)

    def _read_symbol_line(self, found, line):
        debug = _DEBUG_LINE.match(line)
        if debug:
            match = _BINDING.match(debug.group(1))
            if match and not {match[1], match[2]} & VDSO:
                found.bindings.add((self.real(match[1]), match[3], match[4], self.real(match[2])))
        elif match := _UNDEFINED.match(line) or _NOT_IN_FILE.match(line):
            found.missing.add((self.real(match[3]), match[1], match[2]))
        elif match := _VERSION_MISSING.match(line):
            if not match[2]:
                found.version_errors.add((self.real(match[4]), match[3]))
        elif match := _NO_VERSIONS.match(line):
            found.version_warnings.add(self.real(match[2]))
        elif match := _INCONSISTENT.match(line):
            found.inconsistency = match[1]


def _first_match(pattern, lines):
    return next((m[1] for m in map(pattern.search, lines.splitlines()) if m), None)


def _identity(path):
    try:
        stat = os.stat(path)
    except (OSError, ValueError):
        return None
    return stat.st_dev, stat.st_ino
