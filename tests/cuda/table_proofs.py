#!/usr/bin/env python3
"""Repeats the proofs of the rows in data/ that speak of texts: messages, known-dlopens, gpu-use and windows.

    table_proofs.py [--full [--all] | --pin [FOLDER...]]

A row names in `proof` the files that hold what it says, as "PROJECT==VERSION[@windows] MEMBER" of a wheel. What those
members hold stands in pinned-texts.json, with their hashes: each text of a row must be there. --full reads the members
on the index again, and without network is a skip; what it has read is kept below the cache, so that a run that was
broken off goes on where it was, and --all reads everything anew. --pin writes pinned-texts.json, of members that lie
below FOLDERs (as site-packages, or wheels) from there. A message that names no file must fit one of real-messages.json,
which users pasted; those of loaders must stand in this machine's. A text that is pinned and that no row needs is that
of a row that somebody deleted. Output is TAP.
"""

import hashlib
import json
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
PINNED = os.path.join(HERE, "pinned-texts.json")
LOADERS = {"the loader of glibc": ["/lib64/ld-linux-x86-64.so.2"],
           "the loader of musl": ["/lib/ld-musl-x86_64.so.1", "/usr/lib/x86_64-linux-musl/libc.so"],
           "the C library of glibc": ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"]}
# dlerror's own words, and those of strerror.
HANDED_ON = [": cannot open shared object file", ": No such file or directory"]
DELVEWHEEL = "delvewheel==1.13.2 delvewheel/_dll_list.py"
# The names in that file, in lower case, sorted, a line each. delvewheel makes its list of this and older Windows.
SYSTEM32 = {"file": "dll_lists/11/System32.txt of github.com/adang1345/delvewheel 15c2556",
            "names": "c6593377a76138b2df8e07f64bcadeaba2697623ba758c418d5a4124d06b3da7"}
# The index serves others as well: few questions for large parts, with a pause in seconds between them.
WINDOW, PAUSE = 16 << 20, 0.5
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.dont_write_bytecode = True

from tap import Tap  # noqa: E402
from tool_module import tool_module  # noqa: E402


members = tool_module("fetch-member")


def read(path):
    with open(path, encoding="utf-8") as text:
        return json.load(text)


def fixed_parts(template):
    """What of a message never varies, but for a word or two between names, and what others hand to its speaker."""
    parts = re.split(r"\{[a-z_]+\}", template)
    return [part for part in parts if len(part.strip("\"'` ,.:;")) > 3 and part not in HANDED_ON]


def of_list(proof):
    return [proof] if isinstance(proof, str) else proof or []


def needed_texts(ask):
    """The constants that make the name of a request: its pieces, the name as a whole, or of a DLL its two halves."""
    if "pieces" in ask:
        return [ask["pieces"]]
    name = os.path.basename(ask["name"])
    halves = re.fullmatch(r"([a-zA-Z]+)(64_\d+)\.dll", name)
    return [[name]] + ([list(halves.groups())] if halves else [])


def claims(tables):
    """(what the row is called, its proofs, ways in which its texts may stand there)."""
    for row in tables["messages"]["rows"]:
        proofs = of_list(row.get("proof"))
        if proofs and proofs[0] not in LOADERS:
            yield f"messages: {row['text']}", proofs, [fixed_parts(row["text"])]
    for row in tables["gpu-use"]["rows"]:
        call = re.search(r"(\w+)\(", row["require"])[1]
        texts = [row["through"], call, f"Provides-Extra: {row['extra']}"]
        yield f"gpu-use: {row['module']} through {row['through']}", of_list(row.get("proof")), [texts]
    later = tables["windows"]["added_later"]
    for name in sorted(set(later["dlls"]) - set(later["unproven"])):
        yield f"windows: {name} comes with {later['dlls'][name]}", of_list(later["proof"]), [[f"/{name},"]]
    for row in tables["known-dlopens"]["rows"]:
        name = row.get("file") or row["libraries"][0]
        for ask in row["asks"]:
            yield f"known-dlopens: {name} opens {ask['name']}", of_list(row.get("proof")), needed_texts(ask)


def hash_of(names):
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()


def read_tables():
    return {name: read(os.path.join(PROJECT, "data", name + ".json"))
            for name in ("messages", "gpu-use", "known-dlopens", "windows")}


def check_claims(tap, tables, pinned):
    for name, proofs, ways in claims(tables):
        held = {text for proof in proofs for text in pinned.get(proof, {}).get("texts", [])}
        tap.ok(proofs and any(set(texts) <= held for texts in ways), name,
               [f"{proofs or 'it names no proof'} must hold {' or '.join(map(str, ways))}"])


def pattern_of(template):
    parts = re.split(r"(\{[a-z_]+\})", template)
    return re.compile("".join(".+?" if part.startswith("{") else re.escape(part) for part in parts))


def check_messages(tap, tables):
    pasted = read(os.path.join(HERE, "real-messages.json"))["messages"]
    real = [line for each in pasted for line in each["text"].split("\n")]
    by_row = {each.get("row") for each in pasted}  # whose text is another one, and whose meaning is this row's
    for row in tables["messages"]["rows"]:
        proof = row.get("proof")
        if proof is None:
            fits = [line for line in real if pattern_of(row["text"]).search(line) and row.get("library", "") in line]
            tap.ok(fits or row["text"] in by_row, f"messages: {row['text']}: somebody has pasted it")
        elif proof in LOADERS:
            there = [path for path in LOADERS[proof] if os.path.exists(path)]
            if not there:
                tap.skip(f"messages: {row['text']}", f"not run: {proof} is not here")
                continue
            with open(there[0], "rb") as file:
                data = file.read()
            # The colons between the words are those of a format, and a colon may join the words of two.
            words = [word for part in fixed_parts(row["text"]) for word in part.strip(": ").split(": ")]
            tap.ok(all(word.encode() in data for word in words),
                   f"messages: {row['text']}: in {there[0]}")


def check_windows(tap, tables, pinned):
    names = set(tables["windows"]["system32"]["dlls"])
    tap.ok(hash_of(names) == SYSTEM32["names"], f"windows: {len(names)} names are those of {SYSTEM32['file']}")
    facts = pinned[DELVEWHEEL]
    tap.ok(set(facts["left_out"]) <= names and hash_of(names - set(facts["left_out"])) == facts["names"],
           "windows: but for those that are pinned, the wheel of delvewheel has them as well")
    check_dll_names(tap, tables["windows"]["dll_names"])


def check_dll_names(tap, section):
    """Which releases a name serves, by the rows of names in cuda.json and by which releases of cuDNN carry it."""
    libraries = read(os.path.join(PROJECT, "data", "cuda.json"))["libraries"]["rows"]
    carried = {row["name"].lower(): row["pip"] for row in
               read(os.path.join(PROJECT, "data", "providers.json"))["providers"]}
    for name, meaning in section["meaning"].items():
        if name in section["unproven"]:
            continue
        if name.startswith("cudnn"):
            majors = {row[key].partition(".")[0] for row in carried[name] for key in ("oldest", "version")}
            told = [f"every cuDNN {major}" for major in majors]
        else:
            majors = {row["first"].partition(".")[0] for row in libraries if row["first"].endswith(".0") and
                      (row["windows"] or "").lower() == name and row.get("proof", "") is not None}
            told = [f"every CUDA {major}.x" for major in majors]
        tap.ok(len(told) == 1 and meaning.startswith(told[0]), f"windows: {name} serves {meaning}", [str(told)])


def wheel_of(index, proof):
    """The file's name on the index: of a release for x86-64 the one for CPython 3.11, or for any."""
    release, _, member = proof.partition(" ")
    release, _, platform = release.partition("@")
    project, _, version = release.partition("==")
    fitting = []
    for name in index.read_page(f"{index.url}/{project}/"):
        words = name[:-4].split("-")
        of_platform = (words[-1] == "any" or
                       ("win_amd64" in words[-1] if platform == "windows" else re.search("linux.*x86_64", words[-1])))
        if name.endswith(".whl") and words[1] == version and of_platform:
            fitting.append(name)
    fitting.sort(key=lambda name: ("cp311" not in name, "-py3-" not in name, name))
    return project, fitting[0] if fitting else None, member


def member_of(archive, wanted):
    names = sorted(name for name in archive.namelist() if name.startswith(wanted))
    return archive.read(names[0]) if names else b""


class Kept:
    """What was read of members on the index, which never change: below the cache, a file for each proof."""

    def __init__(self, again):
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.folder, self.again = os.path.join(cache, "cudald", "member-texts"), again
        os.makedirs(self.folder, exist_ok=True)

    def path(self, proof, texts):
        return os.path.join(self.folder, hash_of({proof, *texts}) + ".json")

    def facts(self, proof, texts):
        path = self.path(proof, texts)
        return None if self.again or not os.path.exists(path) else read(path)

    def keep(self, proof, texts, facts):
        with open(self.path(proof, texts) + ".part", "w", encoding="utf-8") as out:
            json.dump(facts, out)
        os.replace(out.name, self.path(proof, texts))


def local_data(folders, proof):
    """The member's bytes below one of the folders; nothing if it is in none."""
    release, _, member = proof.partition(" ")
    release, _, platform = release.partition("@")
    project, _, version = release.partition("==")
    for folder in folders:
        there = os.path.join(folder, f"{project.replace('-', '_')}-{version}.dist-info")
        if platform != "windows" and os.path.isdir(there):
            parent, beginning = os.path.split(os.path.join(folder, member))
            found = sorted(name for name in os.listdir(parent) if name.startswith(beginning))
            with open(os.path.join(parent, found[0]), "rb") as file:
                return file.read()
        for name in sorted(os.listdir(folder)):
            of_platform = "win_amd64" in name if platform == "windows" else "linux" in name and "x86_64" in name
            if name.startswith(f"{project.replace('-', '_')}-{version}-") and name.endswith(".whl") and of_platform:
                with zipfile.ZipFile(os.path.join(folder, name)) as archive:
                    return member_of(archive, member)
    return None


def all_proofs(tables):
    texts = {}
    for _, proofs, ways in claims(tables):
        for proof in proofs:
            texts.setdefault(proof, set()).update(text for way in ways for text in way)
    texts.setdefault(DELVEWHEEL, set())
    return texts


def facts_of(data, texts, tables, proof):
    facts = {"sha256": hashlib.sha256(data).hexdigest(), "texts": sorted(
        text for text in texts if text.encode() in data or text.encode("utf-16-le") in data)}
    if proof == DELVEWHEEL:
        listed = set(re.findall(r"'([^'\s]+)'", data.decode("utf-8").lower()))
        names = set(tables["windows"]["system32"]["dlls"])
        facts.update(names=hash_of(names & listed), left_out=sorted(names - listed))
    return facts


def read_again(tables, folders=(), kept=None):
    """(proof, what its member holds now), one after the other."""
    index = members.pypi.Index(members.pypi.index_url())
    for proof, texts in sorted(all_proofs(tables).items()):
        facts = kept.facts(proof, texts) if kept else None
        data = None if facts else local_data(folders, proof)
        if not facts and data is None:
            project, filename, member = wheel_of(index, proof)
            data = b""
            if filename:
                with members.open_wheel(index, project, filename, WINDOW, PAUSE) as archive:
                    data = member_of(archive, member)
        facts = facts or facts_of(data, texts, tables, proof)
        # What the list of DLLs is held against is a table, which may change.
        if kept and proof != DELVEWHEEL:
            kept.keep(proof, texts, facts)
        yield proof, facts


def check_all(tap, tables, pinned):
    check_claims(tap, tables, pinned)
    check_messages(tap, tables)
    check_windows(tap, tables, pinned)


def main():
    words = sys.argv[1:]
    tables = read_tables()
    if words[:1] == ["--pin"]:
        with open(PINNED, "w", encoding="utf-8") as out:
            lines = [f" {json.dumps(proof)}: {json.dumps(facts)}"
                     for proof, facts in read_again(tables, words[1:])]
            out.write("{\n" + ",\n".join(lines) + "\n}\n")
        return 0
    pinned = read(PINNED)
    tap = Tap()
    check_all(tap, tables, pinned)
    texts = all_proofs(tables)
    for proof, facts in pinned.items():
        unused = sorted(set(facts["texts"]) - texts.get(proof, set()))
        tap.ok(proof in texts and not unused, f"{proof}: a row needs each text that is pinned", unused)
    if words[:1] == ["--full"]:
        try:
            for proof, facts in read_again(tables, kept=Kept(words[1:] == ["--all"])):
                tap.ok(pinned.get(proof) == facts, f"{proof}: as on the index", [str(pinned.get(proof)), str(facts)])
        except (OSError, members.pypi.FetchError) as fault:
            tap.skip("the other members on the index", f"not run: {fault}")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
