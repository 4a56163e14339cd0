#!/usr/bin/env python3
"""Messages that users pasted, of real-messages.json: cudald must say who prints each, what it means, which library it
names, and whether it is harmless.

    real_messages.py CUDALD

For each that names a library for Linux, the cause is staged as well: a small real program that opens the library by
dlopen and prints the message, in a root that lacks it. cudald must tell the miss and the speaker's file and offset, and
its first command must mend it. Output is TAP.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from tap import Tap  # noqa: E402

SITE = "opt/venv/lib/python3.9/site-packages"


def ask(cudald, *words):
    done = subprocess.run([cudald, *words], capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    return done, json.loads(done.stdout) if done.stdout.startswith("{") else {}


def check_reading(tap, cudald, empty, message):
    done, answer = ask(cudald, "explain", "-f", "json", "--sysroot", empty, "--error", message["text"])
    reading = answer.get("message", answer)
    name = f"{message['text'].strip()[:70]} ({message['address'].split('com/')[1]})"
    told = (message["who"] in reading.get("who", ""), message["means"] in reading.get("means", ""),
            reading.get("library") == message["library"], reading.get("harmless") is message["harmless"])
    tap.ok(all(told), name, [f"who, meaning, library, harmless: {told}", json.dumps(reading), done.stderr])


def compile_c(root, path, code, *words):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["gcc", "-nostdlib", "-shared", "-fPIC", "-x", "c", "-", "-o", path, "-Wl,--build-id=none", *words],
                   input=code, text=True, check=True)


def stage(root, message):
    """A library that opens the one that is missing, and holds the message's text as its constants."""
    text = json.dumps(message["text"].split("\n")[0], ensure_ascii=True)
    os.makedirs(os.path.join(root, SITE))
    compile_c(root, "opt/app/libspeaker.so",
              "extern void *dlopen(const char *, int);\n"
              f"static const char text[] = {text};\n"
              "const char *said(void) { return text; }\n"
              f"void *load(void) {{ return dlopen(\"{message['library']}\", 2); }}\n", "-Wl,-soname,libspeaker.so")
    return "/opt/app/libspeaker.so"


def mend(cudald, root, library, command):
    """What the command does: the file where pip would put it, or the package, and the variable that it sets."""
    options = []
    provided = ask(cudald, "provides", "-f", "json", library)[1]["libraries"][0]
    for line in command.split("\n"):
        install = re.search(r"pip install (?:'|)([A-Za-z0-9-]+)", line)
        if install:
            folders = [row["folder"] for row in provided["pip"] if row["distribution"] == install[1]]
            if not folders:
                return None
            compile_c(root, f"{SITE}/{folders[0].split('/', 1)[1]}/{library}", "int f(void) { return 0; }\n",
                      f"-Wl,-soname,{library}")
            options = ["--env", f"LD_LIBRARY_PATH=/{SITE}/{folders[0].split('/', 1)[1]}"]
    return options or None


def check_cause(tap, cudald, message):
    name = f"staged: {message['library']} ({message['address'].split('com/')[1]})"
    with tempfile.TemporaryDirectory() as root:
        target = stage(root, message)
        words = ["explain", "-f", "json", "--sysroot", root, "--prefix", "/opt/venv", "--driver", "580.65.06"]
        _, answer = ask(cudald, *words, "--error", message["text"], target)
        found = [each for each in answer.get("findings", []) if each["subject"] == message["library"]
                 and each["code"] in ("CUD311", "CUD117")]
        if not tap.ok(bool(found), f"{name}: the miss is told", [json.dumps(answer.get("findings"))[:1500]]):
            return
        evidence = " ".join(each["text"] for each in found[0]["evidence"])
        tap.ok(re.search(r"stands at offset 0x[0-9a-f]+ of libspeaker\.so", evidence), f"{name}: by whom and where",
               [evidence])
        _, before = ask(cudald, *words, target)
        tap.ok(any(each["subject"] == message["library"] for each in before["findings"]),
               f"{name}: the files show it as well", [json.dumps(before["findings"])])
        fixes = [fix for fix in found[0]["fixes"] if fix["command"]]
        options = mend(cudald, root, message["library"], fixes[0]["command"]) if fixes else None
        if not tap.ok(options is not None, f"{name}: a command is told", [json.dumps(found[0]["fixes"])]):
            return
        _, after = ask(cudald, *words, *options, target)
        missing = [each for each in after["findings"] if each["subject"] == message["library"]]
        tap.ok(not missing, f"{name}: it mends the cause", [json.dumps(missing)])


def main():
    cudald = os.path.abspath(sys.argv[1])
    with open(os.path.join(HERE, "real-messages.json"), encoding="utf-8") as text:
        messages = json.load(text)["messages"]
    tap = Tap()
    tap.ok(len(messages) >= 40, f"{len(messages)} messages")
    with tempfile.TemporaryDirectory() as empty:
        for message in messages:
            check_reading(tap, cudald, empty, message)
    staged = {}
    for message in messages:
        library = message["library"] or ""
        # Of the driver and of what no package has, no command puts the library there.
        if re.search(r"\.so\.\d", library) and not message["harmless"] and library != "libcuda.so.1" and (
                library != "libnvrtc-builtins.so.11.1"):
            staged.setdefault(library, message)
    for message in staged.values():
        check_cause(tap, cudald, message)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
