"""All hostile inputs, by family.

A case names what is wrong, and builds it in a folder of its own. It returns the files to ask
about: first the odd file itself, then, mostly, a healthy program that needs it.
"""

import itertools

import headers
import names
import tables
import whole_files
import worlds

FAMILIES = [
    whole_files.cut_short,
    whole_files.filled,
    whole_files.special_files,
    headers.headers,
    headers.segments,
    headers.segment_sets,
    tables.dynamic,
    tables.versions,
    tables.hashes,
    tables.symbols,
    tables.notes,
    names.names,
    names.graphs,
    worlds.environments,
    worlds.sysroots,
]


def all_cases(samples):
    """Every case, in a fixed order."""
    return list(itertools.chain.from_iterable(family(samples) for family in FAMILIES))
