"""record.py DIST_INFO PATH...: writes a distribution's RECORD below the current directory, as an installer does."""
import base64
import hashlib
import os
import sys


def files_below(path):
    if os.path.isfile(path):
        yield path
    for folder, _, names in os.walk(path):
        yield from (os.path.join(folder, name) for name in names)


info = sys.argv[1]
with open(os.path.join(info, "RECORD"), "w", encoding="utf-8") as record:
    for path in [*sys.argv[2:], info]:
        for file in files_below(path):
            if os.path.basename(file) == "RECORD" or file.endswith(".pyc") or os.path.islink(file):
                continue
            with open(file, "rb") as opened:
                data = opened.read()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record.write(f"{file},sha256={digest},{len(data)}\n")
    record.write(f"{info}/RECORD,,\n")
