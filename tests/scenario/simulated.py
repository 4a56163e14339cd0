"""Asks cudald about the same start and reads its JSON into an Answer."""
import json
import os
import subprocess

from answer import Answer, Search, Undefined

HANG_SECONDS = 20.0


class Failed(Exception):
    """cudald gave no answer at all."""


def ask(plan, libc, cudald, bound):
    command = [cudald, *words(plan, libc, bound)]
    done = run(plan, command)
    if done.returncode not in (0, 1, 3):
        raise Failed(f"{' '.join(command)}\nended with status {done.returncode}\n{done.stderr}")
    try:
        document = json.loads(done.stdout)
    except ValueError as wrong:
        raise Failed(f"{' '.join(command)}\nwrote no JSON: {wrong}\n{done.stdout[:2000]}{done.stderr}") from wrong
    return read(plan, libc, document), document, command


def words(plan, libc, bound):
    """The question, without the program."""
    command = ["explain", plan.target, "--format", "json", "--symbols", "all", "--clear-env"]
    for name, value in plan.environment.items():
        command += ["--env", f"{name}={value}"]
    if plan.user == "setuid":
        command += ["--secure"]
    if plan.kind == "list" and libc.NAME == "musl":
        command += ["--libc", "musl-1.2"]  # a library does not say which loader starts it
    if bound:
        command += ["--bindings"]
    for request in plan.dlopens:
        command += ["--dlopen", request.spelled()]
    return command


def process(plan):
    """As what cudald is run. It is told the environment of the start in words: no LD_PRELOAD may reach cudald."""
    return {**plan.process({}), "env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}}


def run(plan, command):
    try:
        return subprocess.run(command, **process(plan), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=HANG_SECONDS)
    except subprocess.TimeoutExpired as wrong:
        raise Failed(f"{' '.join(command)}\nstill ran after {HANG_SECONDS:.0f} s") from wrong


def read(plan, libc, document):
    loader = os.path.realpath(libc.INTERPRETER)
    objects = document["objects"]
    paths = {thing["id"]: plan.real(thing["path"]) for thing in objects}
    answer = Answer()
    answer.error = document["targets"][0]["error"]
    answer.started = answer.error is None
    answer.objects = [path for path in paths.values() if path != loader]
    answer.dlopens = [(target["given"].split("@")[0], target["error"]) for target in document["targets"][1:]]
    for thing in objects:
        for needed in thing["needed"]:
            if needed["status"] == "already-loaded" and not needed["tried"]:
                continue  # by its name; a file that turns out to be loaded was searched for
            answer.searches.append(Search(
                requester=paths[thing["id"]], name=needed["name"],
                tried=[probe["path"] for probe in needed["tried"]],
                found=None if needed["object"] is None else paths[needed["object"]]))
    missing = [thing for thing in document["symbols"]["missing"] if not thing["weak"]]
    answer.undefined = {undefined(paths, thing, libc) for thing in missing}
    answer.undefined_now = {undefined(paths, thing, libc) for thing in missing if not thing["lazy"]}
    answer.versions = {(paths[one["object"]], one["subject"]) for one in document["findings"]
                       if one["name"] == "version-missing" and one["level"] == "error"}
    if "bindings" in document["symbols"]:
        answer.bindings = {(paths[thing["object"]], thing["name"], paths[thing["definer"]])
                           for thing in document["symbols"]["bindings"]}
    return answer


def undefined(paths, thing, libc):
    version = thing["version"] if libc.NAME == "glibc" else None  # musl knows none
    return Undefined(paths[thing["object"]], thing["name"], version or "")
