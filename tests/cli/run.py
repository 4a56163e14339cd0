#!/usr/bin/env python3
"""Asks cudald as a user and a script would, and checks what comes back. Writes TAP.

run.py CUDALD SOURCE_ROOT
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import answer_tests  # noqa: E402
import cuda_tests  # noqa: E402
import gate_tests  # noqa: E402
import help_tests  # noqa: E402
import import_tests  # noqa: E402
import knowledge_tests  # noqa: E402
import lock_tests  # noqa: E402
import online_tests  # noqa: E402
import terminal_tests  # noqa: E402
import windows_tests  # noqa: E402
from program import Program, make_files  # noqa: E402
from tap import Tap  # noqa: E402


def test_exit_statuses(tap, cudald):
    for status, words in [
        (0, ["./app"]),
        (0, ["explain", "./app"]),
        (0, ["check", "./app"]),
        (1, ["./broken"]),
        (1, ["check", "./broken"]),
        (1, ["tree", "./broken"]),
        (0, ["--fail-on", "never", "./broken"]),
        (0, ["--ignore", "CUD1,CUD2", "./broken"]),
        (0, ["why", "./app", "libtwo.so"]),
        (0, ["why", "./broken", "libgone.so"]),
        (1, ["why", "./app", "libnone.so"]),
        (0, ["tree", "--invert", "libtwo.so", "./app"]),
        (1, ["tree", "--invert", "libnone.so", "./app"]),
        (2, []),
        (2, ["--no-such-option", "./app"]),
        (2, ["explain"]),
        (2, ["--sysroot", "/no/such/folder", "./app"]),
        (1, ["-f", "json", "--separately", "./app", "./broken"]),
        (2, ["-o", "no/such/folder/file", "./app"]),
        (2, ["exlpain", "./app"]),
        (2, ["check", "-"]),
        (3, ["./nothing-here"]),
        (3, ["./text.txt"]),
        (3, ["show", "./nothing-here"]),
        (0, ["show", "--allow-incomplete", "./nothing-here"]),
        (3, ["--separately", "./broken", "./nothing-here"]),
        (1, ["--separately", "--allow-incomplete", "./broken", "./app"]),
        (0, ["--help"]),
        (0, ["-h"]),
        (0, ["--version"]),
        (0, ["rule", "CUD101"]),
    ]:
        ending = cudald.run(*words)
        tap.ok(
            ending.status == status,
            f"cudald {' '.join(words)}: exit status {status}",
            [f"it was {ending.status}", *ending.out.splitlines()[:5], *ending.err.splitlines()[:5]],
        )


def test_streams(tap, cudald):
    for words in [[], ["--sysrot", "x"], ["why", "x"], ["rule", "CUD000"]]:
        ending = cudald.run(*words)
        tap.ok(ending.out == "" and "cudald" in ending.err, f"complaints about {words} go to standard error")
    ending = cudald.run("./nothing-here")
    tap.ok(
        ending.out == "" and re.fullmatch(r"cudald: \./nothing-here: .+\n", ending.err),
        "an unreadable target: one line of complaint",
        [ending.out, ending.err],
    )
    ending = cudald.run("./broken")
    tap.ok(ending.err == "", "a finding is no complaint", [ending.err])
    ending = cudald.run("./nothing-here", "./app")
    tap.ok(
        ending.out.startswith("UNKNOWN  ") and "CUD904" not in ending.out and ending.err.count("\n") == 1,
        "an unreadable target beside a good one is told once",
        [ending.out, ending.err],
    )


def test_suggestions(tap, cudald):
    for words, meant in [
        (["--sysrot", "x"], "`--sysroot`"),
        (["--color=allways", "x"], "`always`"),
        (["exlpain", "./app"], "`explain`"),
        (["rule", "library-not-fuond"], "`library-not-found`"),
        (["completion", "bahs"], "`bash`"),
        (["why", "./app", "libtow.so"], "`libtwo.so`"),
    ]:
        ending = cudald.run(*words)
        tap.ok(
            f"did you mean {meant}?" in ending.err,
            f"cudald {' '.join(words)}: {meant} was meant",
            [ending.err],
        )
    ending = cudald.run("tree", "--all", "./app")
    tap.ok("`why`" in ending.err, "an option of another command is told so", [ending.err])


TESTS = [
    test_exit_statuses,
    test_streams,
    test_suggestions,
    help_tests.test_help,
    help_tests.test_man_page,
    help_tests.test_completions,
    help_tests.test_fish_conditions,
    terminal_tests.test_colour_in_pipes,
    terminal_tests.test_colour_on_terminals,
    terminal_tests.test_marks,
    terminal_tests.test_pager,
    terminal_tests.test_closed_pipe,
    terminal_tests.test_full_disk,
    terminal_tests.test_interrupt,
    answer_tests.test_answers,
    answer_tests.test_messages,
    answer_tests.test_output_file,
    answer_tests.test_targets_from_stdin,
    answer_tests.test_hostile_names,
    gate_tests.test_check_many,
    gate_tests.test_folders,
    gate_tests.test_configuration,
    gate_tests.test_other_documents,
    cuda_tests.test_provides,
    cuda_tests.test_env,
    cuda_tests.test_diff,
    cuda_tests.test_messages,
    knowledge_tests.test_knowledge,
    knowledge_tests.test_other_tables,
    knowledge_tests.test_schema_of_tables,
]


def main():
    tap = Tap()
    if len(sys.argv) != 3:
        tap.bail_out("usage: run.py CUDALD SOURCE_ROOT")
    if shutil.which("cc") is None:
        tap.bail_out("cc is needed to make the files that cudald is asked about")
    with tempfile.TemporaryDirectory(prefix="cudald-cli-") as name:
        folder = Path(name)
        make_files(folder)
        cudald = Program(sys.argv[1], folder)
        for test in TESTS:
            test(tap, cudald)
        answer_tests.test_wheels(tap, cudald, Path(sys.argv[2]))
        answer_tests.test_json(tap, cudald, Path(sys.argv[2]))
        gate_tests.test_schemas(tap, cudald, Path(sys.argv[2]))
        lock_tests.test_real_locks(tap, cudald, Path(sys.argv[2]))
        lock_tests.test_wheels_at_hand(tap, cudald)
        lock_tests.test_conda_locks(tap, cudald)
        lock_tests.test_environment(tap, cudald)
        lock_tests.test_described_machine(tap, cudald)
        lock_tests.test_what_is_no_lock(tap, cudald, Path(sys.argv[2]))
        online_tests.test_online(tap, cudald)
        import_tests.test_imports(tap, cudald, Path(sys.argv[2]))
        import_tests.test_conda_prefix(tap, cudald)
        windows_tests.test_windows(tap, cudald, Path(sys.argv[2]))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
