"""check --online: wheels that are read where they lie, from servers that keep to their word and from others."""

import hashlib
import json
import os
import signal
import subprocess
import time
import zipfile

from asker import entries_of, is_import
from lock_tests import answer, make_wheel
from wheel_server import WheelServer

LOCK = """lock-version = "1.0"
[[packages]]
name = "alpha"
version = "1.0"
[[packages.wheels]]
name = "{name}"
url = "{url}"
hashes = {{ sha256 = "{hash}" }}
"""


def is_built_without(cudald):
    text = LOCK.format(name="a-1-py3-none-any.whl", url="http://127.0.0.1:1/a", hash="")
    (cudald.folder / "pylock.toml").write_text(text)
    return "libcurl" in cudald.run("check", "--online", "pylock.toml").err


def write_lock(cudald, server, mode, name, content):
    (cudald.folder / "pylock.toml").write_text(
        LOCK.format(name=name, url=f"{server.url}/{mode}/{name}", hash=hashlib.sha256(content).hexdigest()))


def test_online(tap, cudald):
    if is_built_without(cudald):
        tap.skip("reading from servers", "this cudald has no libcurl")
        return
    wheels = cudald.folder / "served"
    library = (cudald.folder / "lib" / "libtwo.so").read_bytes()
    ballast = os.urandom(1_500_000)
    make_wheel(wheels, "alpha", "1.0", {"alpha/ballast.bin": ballast, "alpha/__init__.py": "",
                                        "alpha/libone.so": library, "alpha/more.bin": ballast})
    name = next(wheels.iterdir()).name
    content = (wheels / name).read_bytes()
    server = WheelServer({name: content})
    try:
        test_servers(tap, cudald, server, name, content)
        test_cache(tap, cudald, server, name, content)
        test_bytes(tap, cudald, server)
        server.files[name] = content
        test_index(tap, cudald, server, name)
        test_kept_index(tap, cudald, server, content)
        test_hashes(tap, cudald, server, name, content)
    finally:
        server.close()


def test_servers(tap, cudald, server, name, content):
    """Each kind of server, without a cache: what it comes to, and what is told."""
    rows = [
        ("ok", "read", ""),
        ("moved", "read", ""),
        ("whole", "read", ""),
        ("nosuffix", "read", ""),
        ("limited", "read", ""),
        ("busy", "unknown", "the server answers with status 503, 4 times"),
        ("login", "unknown", "a login in it"),
        ("changing", "unknown", "has changed while it was read"),
        ("short", "unknown", "were asked for"),
        ("gone/", "unknown", "status 404"),
        ("slow", "unknown", ""),
        ("cut", "unknown", ""),
    ]
    for mode, state, told in rows:
        server.requests.clear()
        server.sent = 0
        write_lock(cudald, server, mode, name, content)
        ending = cudald.run("check", "--online", "--no-cache", "-v", "pylock.toml", UV_HTTP_TIMEOUT="1")
        document, status = answer(cudald, "--online", "--no-cache", "pylock.toml", UV_HTTP_TIMEOUT="1")
        found = document["packages"][0]["state"]
        good = found == state or (state == "unknown" and document["verdict"] == "unknown")
        tap.ok(good and told in " ".join(ending.out.split()), f"{mode}: {told or state}",
               [found, ending.out, ending.err])
        wanted = "loads" if state == "read" else "unknown"
        tap.ok((status == 0) == (state == "read") and document["verdict"] == wanted,
               f"{mode}: the verdict claims no more than was read", [status, document["headline"]])
        if mode == "ok":
            tap.ok(server.sent < 2 * 200_000, "what nobody asks for is not fetched", [server.sent, server.requests])
    server.requests.clear()
    cudald.run("check", "pylock.toml")
    tap.ok(server.requests == [], "without --online nothing is contacted", server.requests)


def test_cache(tap, cudald, server, name, content):
    cache = cudald.folder / "cache"
    write_lock(cudald, server, "ok", name, content)
    first, _ = answer(cudald, "--online", "pylock.toml", XDG_CACHE_HOME=str(cache))
    server.requests.clear()
    began = time.monotonic()
    second, _ = answer(cudald, "--online", "pylock.toml", XDG_CACHE_HOME=str(cache))
    took = time.monotonic() - began
    tap.ok(server.requests == [] and first["together"] == second["together"],
           "the second time nothing is asked, and the answer is the same", server.requests)
    tap.ok(took < 0.5, "and it takes less than half a second", [took])
    kept = [entry for entry in entries_of(cache) if not is_import(entry)]
    tap.ok(len(kept) == 1 and kept[0].stat().st_size < 200_000, "what is kept is what was read",
           [(path.name, path.stat().st_size) for path in kept])
    shown = cudald.run("cache", "show", XDG_CACHE_HOME=str(cache))
    tap.ok(": 2 files, " in shown.out, "cache show: what was read of the wheel, and its import", [shown.out])
    kept[0].write_bytes(kept[0].read_bytes()[:-10])
    third, _ = answer(cudald, "--online", "pylock.toml", XDG_CACHE_HOME=str(cache))
    tap.ok(third["verdict"] == "loads" and server.requests != [], "half an entry is none, and is read again", [third])
    for delay in (0.02, 0.05, 0.1, 0.2):
        cudald.run("cache", "clear", XDG_CACHE_HOME=str(cache))
        process = subprocess.Popen([cudald.path, "check", "--online", "pylock.toml"], cwd=cudald.folder,
                                   env={**os.environ, "XDG_CACHE_HOME": str(cache)}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        again, _ = answer(cudald, "--online", "pylock.toml", XDG_CACHE_HOME=str(cache))
        tap.ok(again["verdict"] == "loads", f"killed after {delay} s: the next run reads what it needs", [again])
    cleared = cudald.run("cache", "clear", XDG_CACHE_HOME=str(cache))
    tap.ok(": 0 files, " in cleared.out, "cache clear", [cleared.out])


def deflated_wheel(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
        info = "alpha-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: alpha\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-manylinux_2_17_x86_64\n")
        wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in members))


def bytes_that_matter(path):
    """Of the directory, of the headers that are held against it, of the libraries, and of texts that are read."""
    with zipfile.ZipFile(path) as wheel:
        directory = path.stat().st_size - wheel.start_dir
        headers = sum(30 + len(info.filename) for info in wheel.infolist())
        members = sum(info.compress_size for info in wheel.infolist()
                      if info.filename.endswith((".so", ".py")) or ".dist-info/" in info.filename)
    return directory + headers + members


def test_bytes(tap, cudald, server):
    """What is fetched of a wheel: its directory with the headers, its libraries, and the texts that tell of it."""
    library = (cudald.folder / "lib" / "libtwo.so").read_bytes()
    large, noise = library + os.urandom(400_000), os.urandom(900_000)
    shapes = {
        "a library between large files": {"alpha/__init__.py": "", "alpha/a.bin": noise, "alpha/libtwo.so": large,
                                          "alpha/z.bin": noise},
        "many libraries": {"alpha/__init__.py": "", "alpha/0.bin": noise,
                           **{f"alpha/lib{i}.so": large + bytes([i]) for i in range(6)}, "alpha/9.bin": noise},
        "no library": {"alpha/__init__.py": "", "alpha/a.bin": noise, "alpha/b.bin": noise},
        "a long directory": {"alpha/__init__.py": "", "alpha/a.bin": noise,
                             **{f"alpha/{'x' * 120}{i}.txt": b"" for i in range(1500)}, "alpha/libtwo.so": large},
    }
    # The end is asked for before it is known how long the directory is.
    end = 68 << 10
    # Where a header is wanted, so much is asked for.
    around = 32 << 10
    for shape, members in shapes.items():
        name = "alpha-1.0-py3-none-manylinux_2_17_x86_64.whl"
        path = cudald.folder / name
        deflated_wheel(path, members)
        server.files[name] = path.read_bytes()
        write_lock(cudald, server, "ok", name, server.files[name])
        server.sent = 0
        server.requests.clear()
        document, _ = answer(cudald, "--online", "--no-cache", "pylock.toml")
        skipped = sum(not member.endswith(".so") and len(content) > around for member, content in members.items())
        most = bytes_that_matter(path) + end + skipped * around
        tap.ok(document["packages"][0]["state"] == "read" and server.sent <= most,
               f"{shape}: {server.sent} bytes are fetched, at most {most}", server.requests)


def test_index(tap, cudald, server, name):
    (cudald.folder / "requirements.txt").write_text("alpha==1.0\n")
    ending = cudald.run("check", "--online", "requirements.txt")
    tap.ok(ending.status == 2 and "no index is named" in ending.err, "an index must be named", [ending.err])
    document, _ = answer(cudald, "--online", "--no-cache", "requirements.txt", PIP_INDEX_URL=server.url + "/simple/")
    tap.ok(document["packages"][0]["file"] == name and document["verdict"] == "loads", "the index names the wheel",
           [document])
    (cudald.folder / "requirements.txt").write_text("alpha==2.0\n")
    ending = cudald.run("check", "--online", "requirements.txt", PIP_INDEX_URL=server.url + "/simple/")
    tap.ok("no wheel of version 2.0" in ending.err and ending.status == 3, "a version that it does not have",
           [ending.err])


def test_kept_index(tap, cudald, server, content):
    """Whether the index is asked a second time, of a package with hashes and of one without."""
    cache = cudald.folder / "index cache"

    def ask():
        server.requests.clear()
        document, _ = answer(cudald, "--online", "requirements.txt", PIP_INDEX_URL=server.url + "/simple/",
                             XDG_CACHE_HOME=str(cache))
        return document["verdict"], [path for path, _ in server.requests]

    pinned = f"alpha==1.0 --hash=sha256:{hashlib.sha256(content).hexdigest()}\n"
    (cudald.folder / "requirements.txt").write_text(pinned)
    verdict, asked = ask()
    tap.ok(verdict == "loads" and "/simple/alpha/" in asked, "a package with hashes is asked for", [verdict, asked])
    tap.ok(ask() == ("loads", []), "once", [asked])
    (cudald.folder / "requirements.txt").write_text("alpha==1.0\n")
    ask()
    tap.ok(ask() == ("loads", ["/simple/alpha/"]), "without hashes the index is asked again, and the wheel is not")
    for headers, times in [([("Cache-Control", "max-age=600, public")], []),
                           ([("Cache-Control", "max-age=600"), ("Age", "600")], ["/simple/alpha/"]),
                           ([("Cache-Control", "no-cache, max-age=600")], ["/simple/alpha/"])]:
        cudald.run("cache", "clear", XDG_CACHE_HOME=str(cache))
        server.page_headers = headers
        ask()
        tap.ok(ask() == ("loads", times), f"an index that says {headers}: asked {len(times)} times more")
    server.page_headers = []


def test_hashes(tap, cudald, server, name, content):
    write_lock(cudald, server, "ok", name, content)
    ending = cudald.run("check", "--online", "--no-cache", "--verify-hashes", "pylock.toml")
    tap.ok(ending.status == 0, "a wheel whose hash is that of the lock", [ending.err])
    write_lock(cudald, server, "ok", name, content + b"x")
    ending = cudald.run("check", "--online", "--no-cache", "--verify-hashes", "pylock.toml")
    tap.ok(ending.status == 2 and "its SHA-256 is" in ending.err, "another one is refused", [ending.err])
    ending = cudald.run("check", "--verify-hashes", "--wheels", "served", "pylock.toml")
    tap.ok(ending.status == 2 and "its SHA-256 is" in ending.err, "and so is a wheel at hand", [ending.err])
