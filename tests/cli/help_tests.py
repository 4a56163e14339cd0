"""Help, man page and completions: they come from one table, and must be whole."""

import re
import shutil
import subprocess

from program import TIME_LIMIT

COMMANDS = ["explain", "check", "repair", "tree", "why", "show", "env", "diff", "provides", "rule", "config", "cache",
            "schema", "completion", "help"]


def options_in_help(cudald):
    text = cudald.run("--help").out
    return sorted(set(re.findall(r"^  (?:-., )?--([a-z-]+)", text, re.MULTILINE)))


def test_help(tap, cudald):
    options = options_in_help(cudald)
    tap.ok(len(options) > 25, "the long help lists the options", [options])
    short = cudald.run("-h").out
    lines = short.splitlines()
    tap.ok(len(lines) <= 40 and max(map(len, lines)) <= 100, "-h fits one screen", lines)
    examples = [line.split("  ")[1] for line in lines if line.startswith("  cudald ")]
    tap.ok(len(examples) == 4, "-h has four examples", examples)
    headings = [line for line in cudald.run("--help").out.splitlines() if re.fullmatch(r"[A-Z][a-z]+", line)]
    tap.ok(len(headings) == len(set(headings)), "--help has each group of options once", headings)
    for command in COMMANDS:
        tap.ok(re.search(rf"^  {command} ", short, re.MULTILINE), f"-h has the command {command}")
        pages = [cudald.run("help", command), cudald.run(command, "--help"), cudald.run(command, "-h")]
        good = all(page.status == 0 and page.out.startswith(f"Usage cudald {command}") for page in pages)
        tap.ok(good and pages[0].out == pages[1].out, f"help of {command}", [page.err for page in pages])
    tap.ok("--depth" in cudald.run("help", "tree").out, "help of a command has its options")
    tap.ok("--depth" not in cudald.run("help", "why").out, "and not those of others")
    widest = max(len(line) for line in cudald.run("--help", "--width", "60").out.splitlines())
    tap.ok(widest <= 80, "help is wrapped", [widest])


def test_man_page(tap, cudald):
    page = cudald.run("help", "man").out
    for option in options_in_help(cudald):
        tap.ok("\\-\\-" + option.replace("-", "\\-") + "\\fR" in page, f"the man page has --{option}")
    for command in COMMANDS:
        tap.ok(f"cudald {command}" in page, f"the man page has the command {command}")
    for code in re.findall(r"^(CUD\d+)", cudald.run("rule").out, re.MULTILINE):
        tap.ok(code in page, f"the man page has {code}")
    tap.ok("%" not in page, "no mark of the template is left", re.findall(r".*%.*", page))
    for tool in (["mandoc", "-Tlint", "-W", "warning"], ["groff", "-man", "-ww", "-Tutf8"]):
        if shutil.which(tool[0]) is None:
            tap.skip(f"{tool[0]} has no complaint", f"{tool[0]} is not installed")
            continue
        done = subprocess.run(tool, input=page.encode(), capture_output=True, timeout=TIME_LIMIT)
        complaint = done.stderr.decode() + (done.stdout.decode() if tool[0] == "mandoc" else "")
        tap.ok(
            done.returncode == 0 and complaint == "", f"{tool[0]} has no complaint", complaint.splitlines()
        )


def test_fish_conditions(tap, cudald):
    """Without a command it is explain: its options are offered there, and not after commands that lack them."""
    lines = cudald.run("completion", "fish").out.splitlines()

    def condition(option):
        line = next(line for line in lines if f" -l {option} " in line)
        return re.search("-n '(.*?)'", line)[1].split() if " -n " in line else []

    tap.ok(condition("help") == [], "fish: --help is offered everywhere", [str(condition("help"))])
    symbols, shard = condition("symbols"), condition("shard")
    tap.ok(symbols[:2] == ["not", "__fish_seen_subcommand_from"] and "schema" in symbols and "check" not in symbols,
           "fish: --symbols is offered without a command, and not after one that lacks it", [str(symbols)])
    tap.ok(shard == ["__fish_seen_subcommand_from", "scan"], "fish: --shard is offered after scan alone", [str(shard)])


def test_completions(tap, cudald):
    for shell, check in [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"]),
                         ("powershell", ["-NoProfile", "-File"])]:
        script = cudald.run("completion", shell).out
        path = cudald.folder / f"completion.{'ps1' if shell == 'powershell' else shell}"
        path.write_text(script)
        for option in options_in_help(cudald):
            tap.ok(re.search(rf"(--|-l ){option}\b", script), f"the completion for {shell} has --{option}")
        program = "pwsh" if shell == "powershell" else shell
        if shutil.which(program) is None:
            tap.skip(f"{shell} reads its completion", f"{program} is not installed")
            continue
        done = subprocess.run([program, *check, str(path)], capture_output=True, timeout=TIME_LIMIT)
        tap.ok(done.returncode == 0, f"{shell} reads its completion", done.stderr.decode().splitlines())
    for words, wanted in [
        (["cudald", "tree", "--dep"], "--depth"),
        (["cudald", "--cpu", "x86-64-v2"], "x86-64-v2"),
        (["cudald", "rule", "CUD10"], "CUD101"),
        (["cudald", "comp"], "completion"),
        (["cudald", "show", "text"], "text.txt"),
        (["cudald", "why", "--sel"], ""),
    ]:
        script = (
            'source ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
            '_cudald; echo "${COMPREPLY[*]}"'
        )
        done = subprocess.run(
            ["bash", "-c", script, "bash", *words], cwd=cudald.folder, capture_output=True, timeout=TIME_LIMIT
        )
        offered = done.stdout.decode().split()
        tap.ok(
            (wanted in offered) if wanted else not offered,
            f"bash completes {' '.join(words)}",
            [offered, done.stderr.decode()],
        )
