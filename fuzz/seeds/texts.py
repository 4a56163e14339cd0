"""Locks, pages of indexes, and metadata of packages."""

import json

LOCKS = {
    "report": json.dumps(
        {
            "version": "1",
            "pip_version": "24.0",
            "install": [
                {
                    "metadata": {"name": "m", "version": "1.0", "requires_dist": ["n>1; extra == 'a'"]},
                    "requested": True,
                    "requested_extras": ["a"],
                    "download_info": {
                        "url": "https://example.org/m-1.0-py3-none-any.whl",
                        "archive_info": {"hashes": {"sha256": "00"}},
                    },
                }
            ],
            "environment": {"python_version": "3.11"},
        }
    ),
    "conda.yml": """version: 1
metadata:
  platforms: [linux-64]
package:
- name: m
  version: '1.0'
  manager: conda
  platform: linux-64
  dependencies: {n: '>=1'}
  url: https://example.org/m-1.0-0.conda
  hash: {sha256: '00'}
- name: p
  version: '2'
  manager: pip
  platform: linux-64
  url: https://example.org/p-2-py3-none-any.whl
""",
    "explicit": """# platform: linux-64
@EXPLICIT
https://example.org/linux-64/m-1.0-py311_0.conda#00000000000000000000000000000000
""",
    "pylock": """lock-version = '1.0'
requires-python = '>=3.9'
extras = ['a']
default-groups = ['dev']
[[packages]]
name = 'm'
version = '1.0'
marker = "sys_platform == 'linux' and 'a' in extras"
[[packages.wheels]]
name = 'm-1.0-py3-none-any.whl'
url = 'https://example.org/m.whl'
size = 3
hashes = {sha256 = '00'}
[packages.sdist]
name = 'm-1.0.tar.gz'
path = 'm-1.0.tar.gz'
""",
    "uv": """version = 1
requires-python = '>=3.9'
[[package]]
name = 'root'
version = '0'
source = { virtual = '.' }
dependencies = [{ name = 'm', marker = "python_full_version < '4'", extra = ['x'] }]
[package.optional-dependencies]
a = [{ name = 'n' }]
[package.dev-dependencies]
dev = [{ name = 'n' }]
[[package]]
name = 'm'
version = '1.0'
source = { registry = 'https://example.org/simple' }
sdist = { url = 'https://e/m.tar.gz', hash = 'sha256:00' }
wheels = [{ url = 'https://e/m-1.0-py3-none-any.whl', hash = 'sha256:00', size = 3 }]
[[package]]
name = 'n'
version = '2'
source = { registry = '/w/wheels' }
wheels = [{ path = 'n-2-py3-none-any.whl' }]
""",
    "requirements": """--index-url https://u:p@example.org/simple
--extra-index-url ${URL}
-f ./wheels
-r more.txt
-c c.txt
m[a,b]==1.0 ; python_version < '4' \\
    --hash=sha256:0000000000000000000000000000000000000000000000000000000000000000
n @ https://e/n-2-py3-none-any.whl#sha256=00
./p-3-py3-none-any.whl  # here
o===4.0.post1
""",
}
INDEX = {
    "page.json": json.dumps(
        {
            "meta": {"api-version": "1.1"},
            "name": "m",
            "files": [
                {
                    "filename": f"m-{version}-{tags}.whl",
                    "url": f"../m-{version}.whl",
                    "hashes": {"sha256": "0" * 64},
                    "size": 5,
                    "requires-python": ">=3.8",
                    "yanked": yanked,
                    "core-metadata": {"sha256": "1" * 64},
                }
                for version, tags, yanked in (
                    ("1.0", "py3-none-any", False),
                    ("1.1rc1", "cp311-cp311-linux_x86_64", "bad"),
                    ("2.0", "cp311-abi3-manylinux_2_17_x86_64", True),
                )
            ],
        }
    ),
    "page.html": """<!DOCTYPE html><html><head><base href='https://e/x/'></head><body>
<a href="../m-1.0-py3-none-any.whl#sha256=0000000000000000000000000000000000000000000000000000000000000000"
 data-requires-python="&gt;=3.8" data-yanked='bad' data-core-metadata="sha256=00">m</a><br/>
<a href=m-2.0-cp311-cp311-win_amd64.whl>m &amp; n</a></body></html>""",
    "netrc": """machine example.org login "a b" password c
default login d password e
macdef x

machine f account g
""",
}
METADATA = {
    "full": """Metadata-Version: 2.4
Name: A.b_C
Version: 1!2.0rc1.post3.dev4+cu12.1
Requires-Dist: numpy (>=1.2,~=1.4) ; python_version < '3.9' and (extra == 'a' or sys_platform != 'win32')
Requires-Dist: m[x,y] @ https://e/m.whl ; platform_machine in 'x86_64 aarch64'
Provides-Extra: a
Requires-Python: !=3.0.*,>=3.8
Dynamic: X

Text
""",
    "requirement": "m[x,y]>=1.0,!=1.*,===2.0.dev1,<3,~=2.1.3; python_full_version >= '3.7' or 'linux' in sys_platform",
    "version": "v1.0.0-alpha_3-7+local.5",
    "mangled": "_ZNSt6vectorIiSaIiEE9push_backEOi",
    "record": """m/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0
"a,""b.so",md5=x,1
m/x.pyc,,
""",
}
