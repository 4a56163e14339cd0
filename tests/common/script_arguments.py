"""The arguments of scripts that hold cudald against files fetched from the package index."""

import argparse
import os


def script_arguments(doc, more, more_help, only_help):
    """`doc` is the script's own text; `more` the option that asks for more than CI does, `--full` or `--real`."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument(more, action="store_true", help=more_help)
    parser.add_argument("--only", default="*", metavar="GLOB", help=only_help)
    parser.add_argument("--offline", action="store_true", help="fetch nothing")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)
    return options
