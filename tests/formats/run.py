#!/usr/bin/env python3
"""Gives what cudald writes to tools of others: SARIF to its schema and sarif-tools, JUnit to junitparser, CycloneDX to
its library, DOT to Graphviz, Mermaid to Mermaid, HTML to html5lib and a browser. Writes TAP.

run.py CUDALD [--screenshots FOLDER]
"""

import argparse
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
sys.path.insert(0, HERE)

from browser import Browser, browser_path  # noqa: E402
from elf_writer import write_elf  # noqa: E402
from program import Program  # noqa: E402
from tap import Tap  # noqa: E402
from tools import mermaid_script, python_with_tools  # noqa: E402

FORMATS = ("sarif", "junit", "github", "markdown", "html", "dot", "mermaid", "cyclonedx", "json")
HARM = (b"li\x1b[31m<script>alert(1)<b>]]>\"';::error::x\n::add-mask::a%0A`|**b** @all #1 \\N -->}%%{"
        b"\xe2\x80\xae\xff\xc3(")


def make_graph(folder, count):
    """A program that needs a library, that needs two, and so on, `count` in all; the last ones need what is nowhere."""
    folder.mkdir()
    names = [f"liblayer{i:03}.so" for i in range(count)]
    for i, name in enumerate(names):
        below = [names[j] for j in (2 * i + 1, 2 * i + 2, 7 * i + 5) if j < count]
        if i == count - 1:
            below.append("libnowhere.so.1")
        write_elf(folder / name, soname=name, needed=below, runpath="$ORIGIN")
    write_elf(folder / "app", needed=names[:1], runpath="$ORIGIN", program=True)
    return folder / "app"


def make_hostile(folder):
    folder.mkdir()
    library = HARM.replace(b"/", b"") + b".so"
    write_elf(os.path.join(os.fsencode(folder), library), soname=library, needed=[b"gone" + HARM], runpath="$ORIGIN")
    app = os.path.join(os.fsencode(folder), b"app" + HARM)
    write_elf(app, needed=[library], runpath="$ORIGIN", program=True)
    return os.fsdecode(app)


def write_all(cudald, folder, *targets):
    folder.mkdir(exist_ok=True)
    words = [word for name in FORMATS for word in ("-o", f"{name}={folder}/answer.{name}")]
    ending = cudald.run("check", *words, *map(str, targets))
    return ending, {name: folder / f"answer.{name}" for name in FORMATS}


def ask_tools(python, files):
    asked = [f"{name}={path}" for name, path in files.items() if name not in ("github", "dot", "mermaid")]
    done = subprocess.run([python, os.path.join(HERE, "ask_tools.py"), *asked], capture_output=True, text=True,
                          check=False, timeout=300)
    if done.returncode != 0:
        return {"all": {"fault": done.stderr[-500:]}}
    return json.loads(done.stdout)


def without_command(page):
    """Without the line of a page that says which command made it."""
    return re.sub(rb"<code>[^<]* cudald check [^<]*</code>", b"", page)


def test_one_run(tap, cudald, folder, app):
    ending, files = write_all(cudald, folder / "one", app)
    tap.ok(ending.status == 1 and "CUD101" in ending.out, "-o FORMAT=FILE leaves the text and the exit status",
           [ending.out, ending.err])
    for name, path in files.items():
        alone = subprocess.run([cudald.path, "check", "-f", name, str(app)], cwd=cudald.folder, capture_output=True,
                               check=False).stdout
        tap.ok(without_command(path.read_bytes()) == without_command(alone),
               f"-o {name}=FILE is what -f {name} writes", [alone[:300]])
    for words, said in [
        (["check", "-o", "sarif=", "x"], "names no file"),
        (["tree", "-o", "sarif=x", "x"], "`tree` does not write sarif"),
        (["check", "-o", "sarif=no/such/folder/x", str(app)], "cannot write"),
        (["show", "-o", "json=a", "-o", "json=b", str(app)], "writes one file"),
    ]:
        ending = cudald.run(*words)
        tap.ok(ending.status == 2 and said in ending.err, f"{words[2]}: {said}", [ending.err])
    tap.ok(not list(folder.glob("**/answer.*.??????")), "no unfinished file is left")


def test_tools(tap, python, files, name, hostile):
    answers = ask_tools(python, files)
    for form, answer in answers.items():
        tap.ok("fault" not in answer, f"{name}: {form} is accepted by a tool of others", [answer])
    if any("fault" in answer for answer in answers.values()):
        return
    read = {form: answer["read"] for form, answer in answers.items()}
    tap.ok(any(record.startswith("CUD101") for record in read["sarif"]), f"{name}: sarif-tools reads the findings",
           read["sarif"])
    tap.ok(any("CUD101" in case and "Failure" in case for case in read["junit"]),
           f"{name}: junitparser reads the failure", read["junit"])
    tap.ok(read["html"] == ["1 script"], f"{name}: one script, and nothing from outside", read["html"])
    allowed = {"strong_open", "<pre>", "</pre>"}
    tap.ok(set(read["markdown"]) <= allowed, f"{name}: Markdown has no markup but ours", read["markdown"])
    if hostile:
        for form, path in files.items():
            data = path.read_bytes()
            clean = not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xe2\x80\xae", data)
            data.decode("utf-8")
            tap.ok(clean, f"{name}: {form} holds no control character")
        lines = files["github"].read_text().splitlines()
        ours = re.compile(r"cudald: |::(error|warning|notice) file=[^:]*,title=CUD\d+ [a-z-]+::")
        tap.ok(all(ours.match(line) for line in lines), f"{name}: every line for GitHub is ours", lines)


def test_dot(tap, path, name):
    if shutil.which("dot") is None:
        tap.skip(f"{name}: Graphviz reads DOT", "graphviz is not installed")
        return
    done = subprocess.run(["dot", "-Tplain", path], capture_output=True, text=True, check=False, timeout=120)
    tap.ok(done.returncode == 0 and not done.stderr and "node" in done.stdout, f"{name}: Graphviz reads DOT",
           [done.stderr])


def test_page(tap, browser, path, name, screenshots):
    for dark in (False, True):
        browser.open(path, dark)
        tap.ok(not browser.complaints(), f"{name}: no complaint of the browser, no request", browser.complaints())
        back = browser.value("getComputedStyle(document.body).backgroundColor")
        tap.ok((back == "rgb(255, 255, 255)") != dark, f"{name}: the page is {'dark' if dark else 'light'}", [back])
        if screenshots:
            browser.screenshot(os.path.join(screenshots, f"{name}-{'dark' if dark else 'light'}.png"))
            browser.value("document.querySelector('.scroll').scrollIntoView()")
            browser.screenshot(os.path.join(screenshots, f"{name}-graph-{'dark' if dark else 'light'}.png"))
    rows = "document.querySelectorAll('[data-row]:not(.hidden)').length"
    before = browser.value(rows)
    search = "document.getElementById('find').value = '%s'; input.dispatchEvent(new Event('input'))"
    browser.value(search % "zzz nothing")
    tap.ok(browser.value(rows) == 0, f"{name}: a search for nothing finds nothing")
    browser.value(search % "")
    tap.ok(browser.value(rows) == before > 0, f"{name}: without a search all is there", [before])
    near = browser.value(
        "document.querySelector('g.node.missing').dispatchEvent(new MouseEvent('click', {bubbles: true}));"
        "document.querySelectorAll('g.near').length + ' ' + document.querySelectorAll('path.near.lost').length")
    tap.ok(near == "2 1", f"{name}: a click on what is missing shows who asks for it", [near])
    if screenshots:
        browser.screenshot(os.path.join(screenshots, f"{name}-picked.png"))
    tap.ok(not browser.complaints(), f"{name}: scripts run without errors", browser.complaints())


def test_mermaid(tap, browser, folder, path, name):
    page = folder / f"mermaid-{name}.html"
    page.write_text("<!DOCTYPE html><meta charset=utf-8><body><script>" + mermaid_script() + "</script></body>")
    browser.open(page)
    text = json.dumps(path.read_text(encoding="utf-8"))
    drawn = browser.value(
        "mermaid.initialize({startOnLoad: false});"
        f"mermaid.render('g', {text}).then((r) => 'drawn ' + r.svg.length, (e) => String(e).slice(0, 300))")
    tap.ok(drawn.startswith("drawn "), f"{name}: Mermaid draws it", [drawn])
    tap.ok(browser.value("document.querySelectorAll('script').length") == 1, f"{name}: Mermaid made no script of it")


def test_script_hash(tap, page):
    text = page.read_text(encoding="utf-8")
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    tap.ok(f"script-src 'sha256-{digest}'" in text, "the page allows exactly its own script", [digest])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cudald")
    parser.add_argument("--screenshots")
    words = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cudald-formats-") as name:
        folder = Path(name)
        cudald = Program(words.cudald, folder)
        cases = {
            "3 libraries": make_graph(folder / "few", 3),
            "300 libraries": make_graph(folder / "many", 300),
            "hostile names": make_hostile(folder / "hostile"),
        }
        test_one_run(tap, cudald, folder, cases["3 libraries"])
        python, missing = python_with_tools()
        written = {}
        for case, app in cases.items():
            ending, files = write_all(cudald, folder / case.replace(" ", "-"), app)
            tap.ok(ending.status == 1, f"{case}: exit status 1", [ending.out[-500:], ending.err])
            written[case] = files
            test_dot(tap, files["dot"], case)
            if missing:
                tap.skip(f"{case}: tools of others", missing)
            else:
                test_tools(tap, python, files, case, case == "hostile names")
        test_script_hash(tap, written["3 libraries"]["html"])
        if browser_path() is None:
            tap.skip("pages in a browser", "chromium is not installed")
            return tap.finish()
        with Browser() as browser:
            for case, files in written.items():
                test_page(tap, browser, files["html"], case.replace(" ", "-"), words.screenshots)
                if not missing:
                    test_mermaid(tap, browser, folder, files["mermaid"], case)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
