#!/usr/bin/env python3
"""Asks jsonschema, the validator that others wrote, about the schemas of --knowledge: that each is one, takes the
tables that are built in, and says of each file of tests/cli/knowledge_tests.py what our own reading of it says. TAP.

knowledge_schema.py
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import knowledge_tests  # noqa: E402
from schema import Schema  # noqa: E402
from tap import Tap  # noqa: E402
from tools import python_with_tools  # noqa: E402

ASK = """
import json, sys
import jsonschema
for schema, documents in json.load(sys.stdin):
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    print(json.dumps([validator.is_valid(document) for document in documents]))
"""


def read(path):
    with open(path, encoding="utf-8") as text:
        return json.load(text)


def main():
    tap = Tap()
    python, reason = python_with_tools()
    if python is None:
        tap.skip("the schemas of --knowledge", f"not run: {reason}")
        return tap.finish()
    asked = [(read(knowledge_tests.SCHEMA), [read(knowledge_tests.TABLE)]),
             (read(knowledge_tests.TABLES_SCHEMA), list(knowledge_tests.newer_files()))]
    done = subprocess.run([python, "-c", ASK], input=json.dumps(asked), capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "both are schemas", [done.stderr[-500:]])
    for (schema, documents), line in zip(asked, done.stdout.splitlines()):
        own = [not Schema(schema).problems(document) for document in documents]
        tap.ok(json.loads(line) == own, f"{schema['title']}: of {len(own)} files jsonschema says what is said here",
               [json.dumps(each)[:300] for each, a, b in zip(documents, json.loads(line), own) if a != b][:10])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
