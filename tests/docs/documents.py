"""The documents of the project, and the blocks of code in them."""

import re
from pathlib import Path

from pinned import PROJECT


def documents():
    return [Path(PROJECT, "README.md"), *sorted(Path(PROJECT, "docs").glob("**/*.md"))]


def snippets(text):
    """(language, text) of each block of code; indented blocks have no language."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield found[1], found[2]
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for found in re.finditer(r"(?:^    .*\n)+", outside, re.MULTILINE):
        yield "", re.sub(r"^    ", "", found[0], flags=re.MULTILINE)
