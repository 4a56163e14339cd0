"""A part of many cases, for what runs at every change; the suite `full` takes all of them.

The name of a case decides whether it is in the part, so that a new case exchanges none of the others.
"""

import zlib


def add_every(parser):
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only one of N cases, chosen by their names")


def in_sample(name, every):
    """Whether the case of this name is in the part; of 1 all are."""
    return zlib.crc32(name.encode()) % every == 0
