"""Writes small wheels that are whole: with METADATA, WHEEL and a RECORD that holds the hash and size of each member."""

import base64
import hashlib
import os
import re
import zipfile


def record_of(member, data):
    """A member's line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{member},sha256={digest},{len(data)}\n"


def write_wheel(folder, name, members, compression=zipfile.ZIP_DEFLATED, metadata=""):
    """The path of a wheel in FOLDER; its file name says what it is called and which tags it has. `members`: name ->
    text or bytes; `metadata`: further lines of METADATA."""
    path = os.path.join(folder, name)
    project, version, tags = re.fullmatch(r"([^-]+)-([^-]+)-(.+)\.whl", name).groups()
    info = f"{project}-{version}.dist-info"
    members = {**members, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n"
               + metadata,
               f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tags}\n"}
    record = ""
    with zipfile.ZipFile(path, "w", compression) as out:
        for member, data in members.items():
            data = data.encode() if isinstance(data, str) else data
            record += record_of(member, data)
            out.writestr(member, data)
        out.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return path
