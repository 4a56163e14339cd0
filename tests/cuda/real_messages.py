#!/usr/bin/env python3
"""Messages that users pasted, of real-messages.json: cudald must say who prints each, what it means, which library it
names, and whether it is harmless.

    real_messages.py CUDALD

Each is staged as well (staged_worlds.py): a small world in which its cause is real. cudald, given the message and the
target, must tell that cause as a finding with evidence, and its first fix, carried out, must make the finding vanish.
Where no command can mend it, the words are what is held against the row. What is harmless is asked about something that
works: it must load with the message as without. Output is TAP.
"""

import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from staged_worlds import KINDS, World, ask  # noqa: E402
from tap import Tap  # noqa: E402


def check_reading(tap, cudald, empty, message):
    answer, done = ask(cudald, "explain", "-f", "json", "--sysroot", empty, "--error", message["text"])
    reading = answer.get("message", answer)
    name = f"{message['text'].strip()[:70]} ({message['address'].split('com/')[1]})"
    told = (message["who"] in reading.get("who", ""), message["means"] in reading.get("means", ""),
            reading.get("library") == message["library"], reading.get("harmless") is message["harmless"])
    tap.ok(all(told), name, [f"who, meaning, library, harmless: {told}", json.dumps(reading), done.stderr])


def same(finding, cause):
    return (finding["code"], finding["message"]) == (cause["code"], cause["message"])


def check_harmless(tap, name, message, world):
    told, quiet = world.ask("--error", message["text"])[0], world.ask()[0]
    tap.ok(told["verdict"] == quiet["verdict"] == "loads", f"{name}: it loads, with the message as without",
           [told["verdict"], quiet["verdict"]])
    tap.ok(told["findings"] == quiet["findings"] and not any(each["fixes"] for each in told["findings"]),
           f"{name}: nothing to mend", [json.dumps(told["findings"])])


def check_cause(tap, name, message, world):
    told, done = world.ask("--error", message["text"])
    causes = [each for each in told.get("findings", []) if each["code"] == message["cause"] and each["level"] != "note"]
    if not tap.ok(causes and causes[0]["evidence"], f"{name}: {message['cause']} tells the cause",
                  [json.dumps(told.get("findings"))[:1500], done.stderr]):
        return
    cause = causes[0]
    evidence = " ".join(each["text"] for each in cause["evidence"])
    if message["stage"][0] in ("opens", "opens_dll"):
        tap.ok(re.search(r"is at offset 0x[0-9a-f]+ of (libspeaker\.so|\w+\.pyd)", evidence),
               f"{name}: by whom and where", [evidence])
    first = cause["fixes"][0] if cause["fixes"] else {"title": "", "command": None}
    words = first["title"] + "\n" + (first["command"] or "")
    if not tap.ok(re.search(message["fix"], words), f"{name}: what helps",
                  [message["fix"], json.dumps(cause["fixes"])]):
        return
    if message.get("only_words"):
        tap.ok(first["command"] is None, f"{name}: in words, as no command mends it", [words])
        return
    if not tap.ok(world.apply(first), f"{name}: it can be done", [words]):
        return
    for after, what in ((world.ask()[0], "it"), (world.ask("--error", message["text"])[0], "with the message, it")):
        left = [each for each in after.get("findings", [{"code": "nothing is told", "message": ""}])
                if same(each, cause) or not each["message"]]
        tap.ok(not left, f"{name}: {what} is gone then", [json.dumps(left)[:1500]])


def check_stage(tap, cudald, message):
    name = f"staged: {message['address'].split('com/')[1]}, {message['text'].strip()[-40:]}"
    with tempfile.TemporaryDirectory() as folder:
        world = World(cudald, folder)
        kind, *words = message["stage"]
        KINDS[kind](world, message, *words)
        (check_harmless if message["harmless"] else check_cause)(tap, name, message, world)


def main():
    cudald = os.path.abspath(sys.argv[1])
    with open(os.path.join(HERE, "real-messages.json"), encoding="utf-8") as text:
        messages = json.load(text)["messages"]
    tap = Tap()
    tap.ok(len(messages) >= 40, f"{len(messages)} messages")
    with tempfile.TemporaryDirectory() as empty:
        for message in messages:
            check_reading(tap, cudald, empty, message)
    staged = [message for message in messages if "stage" in message]
    tap.ok(len(staged) >= 40, f"{len(staged)} of them staged")
    for message in staged:
        check_stage(tap, cudald, message)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
