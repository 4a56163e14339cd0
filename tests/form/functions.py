"""Where the functions of a C or C++ file begin and end, by its braces. The files are formatted, and no macro has
any."""

import re

_LITERALS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*~?)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL
)
_DIRECTIVES = re.compile(r"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.MULTILINE)
_ARGUMENTS = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*=[^\]]*\]|operator\s*[=!<>+\-*/|&^]+")
_TEMPLATE = re.compile(r"template\s*<[^{}]*?>\s*(?=[a-z])")


def _blank(text):
    """The text without comments, literals and directives, with its lines kept."""
    lines = _LITERALS.sub(lambda found: "\n" * found[0].count("\n"), text)
    return _DIRECTIVES.sub(lambda found: "\n" * found[0].count("\n"), lines)


def _kind(head):
    """What a brace outside functions opens, by what stands before it."""
    head = _TEMPLATE.sub("", head.strip())
    if re.match(r"(inline )?(namespace|extern)\b", head):
        return "scope"
    if re.search(r"\b(class|struct|union|enum)\b", head.split("(")[0]) and "(" not in head.split(":")[0]:
        return "scope"
    is_value = re.search(r"(?<![=!<>+\-*/|&^])=(?!=)", _ARGUMENTS.sub("", head))
    return "function" if "(" in head and not is_value else "value"


def functions(text):
    """First line, last line and head of each function; a lambda belongs to the function around it."""
    open_braces = []
    head, first, line = "", None, 1
    for character in _blank(text):
        if character == "\n":
            line += 1
        if character == "{":
            inside = any(kind in ("function", "value") for kind, _, _ in open_braces)
            open_braces.append(("block" if inside else _kind(head), first or line, " ".join(head.split())))
            head, first = "", None
        elif character == "}":
            kind, begin, name = open_braces.pop()
            if kind == "function":
                yield begin, line, name
            head, first = "", None
        elif character == ";":
            head, first = "", None
        else:
            head += character
            if first is None and not character.isspace():
                first = line
