#!/usr/bin/env python3
"""check --online of packages that an index names, as pip and uv have indexes: in both forms, behind logins and proxies,
and from servers that are busy, slow or wrong. What goes wrong is told, retried or refused; it never makes a verdict,
and never leaves in the cache what another run would believe. Writes TAP.

index.py CUDALD
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import index_server  # noqa: E402
import keyring_tests  # noqa: E402
from index_server import SECRET, IndexServer, basic  # noqa: E402
from lock_tests import make_wheel  # noqa: E402
from program import Program, make_files  # noqa: E402
from schema import Schema  # noqa: E402
from tap import Tap  # noqa: E402

WHEEL = "alpha-1.0-py3-none-manylinux_2_17_x86_64.whl"


class Index:
    """cudald, a server with one wheel, and the questions that all tests ask."""

    def __init__(self, tap, cudald):
        self.tap, self.cudald = tap, cudald
        library = (cudald.folder / "lib" / "libtwo.so").read_bytes()
        make_wheel(cudald.folder / "served", "alpha", "1.0", {
            "alpha/__init__.py": "", "alpha/ballast.bin": os.urandom(300_000), "alpha/libone.so": library,
            "alpha/more.bin": os.urandom(300_000)})
        self.content = (cudald.folder / "served" / WHEEL).read_bytes()
        self.server = self.other = None
        self.renew()

    def renew(self):
        self.close()
        self.server, self.other = IndexServer({WHEEL: self.content}), IndexServer({WHEEL: self.content})
        (self.cudald.folder / "requirements.txt").write_text(
            f"alpha==1.0 --hash=sha256:{hashlib.sha256(self.content).hexdigest()}\n")
        shutil.rmtree(self.cache, ignore_errors=True)

    def close(self):
        for server in (self.server, self.other):
            if server is not None:
                server.close()

    @property
    def cache(self):
        return self.cudald.folder / "cache of indexes"

    def address(self, login="", server=None):
        return (server or self.server).url.replace("://", f"://{login}@" if login else "://") + "/simple/"

    def ask(self, *words, **variables):
        """The document, the complaints and the exit status, with a cache of this test's own."""
        given = {"PIP_INDEX_URL": self.address(), "XDG_CACHE_HOME": str(self.cache), **variables}
        document = self.cudald.folder / "answer.json"
        document.write_text("{}")
        ending = self.cudald.run("check", "-v", "--online", "-o", f"json={document}", *words, "requirements.txt",
                                 **given)
        return json.loads(document.read_text()), ending.out + ending.err, ending.status

    def reads(self, name, **variables):
        """The wheel is found and read."""
        document, told, status = self.ask(**variables)
        self.tap.ok(document.get("verdict") == "loads" and status == 0 and
                    document["packages"][0]["state"] == "read", f"{name}: the wheel is read", [document, told])
        return told

    def fails_and_recovers(self, name, wanted, **variables):
        """It is told, and claims nothing. Once the server keeps to its word, so does the next run with that cache."""
        document, told, status = self.ask(**variables)
        flat = " ".join(told.split())
        self.tap.ok(document["verdict"] == "unknown" and status == 3 and wanted in flat,
                    f"{name}: told, and nothing is claimed", [document["headline"], status, told])
        self.server.faults.clear()
        self.server.logins = None
        self.server.files[WHEEL] = self.content
        self.reads(f"{name}, later")


def test_forms(tap, index):
    for form in ("json", "html"):
        index.renew()
        index.server.form = form
        index.reads(f"an index in {form}")
        accepted = index.server.accepted[0]
        tap.ok("vnd.pypi.simple.v1+json" in accepted and "text/html" in accepted, "both forms are asked for",
               [accepted])
        asked = len(index.server.requests)
        index.reads(f"an index in {form}, again")
        tap.ok(len(index.server.requests) == asked, f"an index in {form}: the second answer asks nobody")
        index.renew()
        index.server.form = form
        index.server.files_at = index.other.url
        index.reads(f"an index in {form} whose files lie elsewhere")
        tap.ok(any(path.startswith("/ok/") for path, _ in index.other.requests), "they are read there",
               index.other.requests)
    index.renew()
    index.server.form = "html"
    index.cudald.folder.joinpath("requirements.txt").write_text(f"alpha==1.0 --hash=sha256:{'0' * 64}\n")
    document, told, status = index.ask()
    tap.ok(status == 3 and "no wheel of version 1.0 with one of the hashes" in told,
           "a wheel of another hash is not taken", [told])


def test_metadata(tap, index):
    """PEP 658: of a wheel that cannot be read, what it requires is known."""
    for form, wrong in (("json", False), ("html", False), ("json", True)):
        index.renew()
        index.server.form = form
        index.server.metadata_hash = "0" * 64 if wrong else None
        index.server.faults["/ok/"] = index_server.unless_metadata(index_server.sends(b"", 403))
        document, told, status = index.ask()
        missing = document["packages"][0]["missing"]
        tap.ok(document["verdict"] == "unknown" and missing == ([] if wrong else ["absent>=3"]),
               f"metadata in {form} {'with a wrong hash' if wrong else ''}: {missing}", [document["headline"], told])
        tap.ok(("its SHA-256 is not the one that the index states" in " ".join(told.split())) == wrong,
               "and a wrong hash is told", [told])
    index.renew()
    index.reads("a wheel that can be read")
    tap.ok(not any(path.endswith(".metadata") for path, _ in index.server.requests), "needs no metadata beside it",
           index.server.requests)


def secrets_kept(index):
    """Files of the cache in which the password stands."""
    forms = [SECRET.encode(), basic("me:" + SECRET).encode()]
    return [path for path in index.cache.rglob("*") if path.is_file() and any(f in path.read_bytes() for f in forms)]


def ask_for_login(index):
    index.renew()
    index.server.logins = ["me:" + SECRET]


def told_no_login(tap, index, name):
    """Whether the other server was asked, and never with a login."""
    tap.ok(index.other.told and not any(told for _, told, _ in index.other.told), name, index.other.told)


def test_logins(tap, index):
    for form in ("json", "html"):
        index.renew()
        index.server.form = form
        index.server.logins = ["me:" + SECRET]
        told = index.reads(f"a login in the address, {form}", PIP_INDEX_URL=index.address("me:" + SECRET))
        tap.ok(SECRET not in told and not secrets_kept(index), "it is neither told nor kept", [told])
    ask_for_login(index)
    index.server.files_at = index.other.url
    index.reads("a login for the index, files elsewhere", PIP_INDEX_URL=index.address("me:" + SECRET))
    told_no_login(tap, index, "the other server is told no login")
    ask_for_login(index)
    index.server.faults["/simple/alpha/"] = lambda server, request: request.path.endswith("/alpha/") and \
        index_server.moves("again?login")(server, request)
    index.server.faults["/simple/alpha/again"] = lambda server, request: server.send_page(request, "alpha") or True
    index.reads("a redirect on the same server", PIP_INDEX_URL=index.address("me:" + SECRET))
    ask_for_login(index)
    index.server.faults["/ok/"] = index_server.moves(lambda path: index.other.url + path)
    index.server.faults["/simple/"] = index_server.moves(lambda path: index.other.url + path)
    index.other.files_at = index.server.url
    index.reads("redirects to another server", PIP_INDEX_URL=index.address("me:" + SECRET))
    told_no_login(tap, index, "which is told no login")
    ask_for_login(index)
    index.fails_and_recovers("a wrong login", "status 401", PIP_INDEX_URL=index.address("me:wrong"))
    index.renew()
    index.server.faults["/ok/"] = index_server.moves(
        lambda path: index.other.url.replace("://", f"://me:{SECRET}@") + path)
    index.fails_and_recovers("a redirect with a login in it", "an address with a login in it")
    tap.ok(index.other.requests == [], "is not followed", index.other.requests)


def test_netrc(tap, index):
    home = index.cudald.folder / "home"
    home.mkdir(exist_ok=True)
    elsewhere = index.cudald.folder / "my.netrc"
    for place, variables in ((home / ".netrc", {"HOME": str(home)}), (elsewhere, {"NETRC": str(elsewhere)})):
        index.renew()
        place.write_text(f"machine 127.0.0.1\nlogin me\npassword {SECRET}\n")
        index.server.logins = ["me:" + SECRET]
        index.server.files_at = index.other.url.replace("127.0.0.1", "localhost")
        told = index.reads(f"a login from {place.name}", **variables)
        tap.ok(SECRET not in told and not secrets_kept(index), "it is neither told nor kept", [told])
        tap.ok(index.other.told and not any(told for _, told, _ in index.other.told), "it is for that host alone",
               index.other.told)
        index.renew()
        index.server.logins = ["you:other"]
        index.reads("a login in the address goes before netrc", PIP_INDEX_URL=index.address("you:other"), **variables)
        place.unlink()


def test_proxies(tap, index):
    somewhere = "http://index.invalid/simple/"
    for variables in ({"PIP_PROXY": ""}, {"http_proxy": ""}, {"HTTP_PROXY": ""}):
        index.renew()
        index.server.files_at = "http://files.invalid"
        given = {name: index.server.url for name in variables}
        index.reads(f"a proxy of {', '.join(given)}", PIP_INDEX_URL=somewhere, **given)
        hosts = {host for _, _, host in index.server.told}
        tap.ok(hosts == {"index.invalid", "files.invalid"}, "it is asked for all", hosts)
    index.renew()
    index.reads("a server that needs no proxy", HTTP_PROXY="http://127.0.0.1:9", NO_PROXY="127.0.0.1")
    index.renew()
    index.server.files_at = index.server.url
    document, told, status = index.ask(PIP_PROXY="http://127.0.0.1:9")
    tap.ok(document["verdict"] == "unknown" and status == 3 and "connect" in told, "a proxy that is not there is told",
           [told])
    index.reads("without it, later")
    index.renew()
    index.server.faults["/simple/"] = index_server.sends(b"", 407, [("Proxy-Authenticate", "Basic")])
    index.fails_and_recovers("a proxy that wants a login", "status 407", PIP_PROXY=index.server.url)
    login = f"me:{SECRET}@"
    index.renew()
    told = index.reads("a proxy with a login", PIP_PROXY=index.server.url.replace("://", "://" + login))
    tap.ok(SECRET not in told and not secrets_kept(index), "it is neither told nor kept", [told])


def make_certificate(folder, host):
    """A file of a certificate and its key, made out by itself to `host`; None without openssl."""
    if not shutil.which("openssl"):
        return None
    path, key = folder / f"{host}.pem", folder / f"{host}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
                    "-keyout", str(key), "-out", str(path)], check=True, stderr=subprocess.DEVNULL)
    path.write_bytes(path.read_bytes() + key.read_bytes())
    return path


def test_tls(tap, index):
    """https with a certificate of one's own, through a proxy that sees nothing of it but the name of the host."""
    certificate = make_certificate(index.cudald.folder, "index.invalid")
    if certificate is None:
        tap.skip("https", "there is no openssl")
        return
    index.renew()
    server = IndexServer({WHEEL: index.content}, certificate)
    tunnel = index_server.Tunnel(server.http.server_port)
    server.logins = ["me:" + SECRET]
    given = {"PIP_INDEX_URL": f"https://me:{SECRET}@index.invalid/simple/", "PIP_CERT": str(certificate)}
    proxy = tunnel.url.replace("://", "://you:pass@")
    for name, variables in (("https_proxy", {"https_proxy": proxy}), ("HTTPS_PROXY", {"HTTPS_PROXY": proxy}),
                            ("PIP_PROXY", {"PIP_PROXY": proxy})):
        shutil.rmtree(index.cache, ignore_errors=True)
        tunnel.asked.clear()
        told = index.reads(f"https through {name}", **given, **variables)
        tap.ok(tunnel.asked and set(tunnel.asked) == {("index.invalid:443", basic("you:pass"))},
               "the proxy is told the host and its own login", tunnel.asked)
        tap.ok(SECRET not in told and not secrets_kept(index), "no login is told or kept", [told])
    shutil.rmtree(index.cache, ignore_errors=True)
    document, told, status = index.ask(**{**given, "PIP_CERT": ""}, https_proxy=tunnel.url)
    tap.ok(document["verdict"] == "unknown" and status == 3 and "certificate" in told,
           "a certificate that nobody vouches for is told, and nothing is claimed", [told])
    document, told, status = index.ask(**{**given, "PIP_INDEX_URL": "https://other.invalid/simple/"},
                                       https_proxy=tunnel.url)
    tap.ok(document["verdict"] == "unknown" and status == 3 and "certificate" in told,
           "so is one of another host", [told])
    tunnel.close()
    server.close()


def test_several(tap, index):
    """Several indexes, HERE with a wheel and THERE with one of a local version: pip asks all and installs the newest,
    uv the first that knows the package."""
    newer = WHEEL.replace("1.0", "1.0+cu1")

    def ask(lines, **variables):
        index.renew()
        index.other.files = {newer: index.content}

        def placed(text):
            return text.replace("THERE", index.address(server=index.other)).replace("HERE", index.address())

        index.cudald.folder.joinpath("requirements.txt").write_text(placed("\n".join([*lines, "alpha==1.0\n"])))
        return index.ask(**{name: placed(value) for name, value in {"PIP_INDEX_URL": "", **variables}.items()})

    for lines, variables, wanted in (
            ([], {"PIP_INDEX_URL": "HERE"}, WHEEL),
            ([], {"PIP_INDEX_URL": "HERE", "PIP_EXTRA_INDEX_URL": "THERE"}, newer),
            ([], {"PIP_INDEX_URL": "THERE", "PIP_EXTRA_INDEX_URL": "HERE"}, newer),
            ([], {"UV_DEFAULT_INDEX": "THERE", "UV_INDEX": "HERE"}, WHEEL),
            ([], {"UV_DEFAULT_INDEX": "HERE", "UV_INDEX": "THERE"}, newer),
            ([], {"UV_DEFAULT_INDEX": "THERE", "UV_INDEX": "HERE", "UV_INDEX_STRATEGY": "unsafe-best-match"}, newer),
            (["--extra-index-url THERE"], {"PIP_INDEX_URL": "HERE"}, newer),
            (["--index-url HERE"], {"PIP_INDEX_URL": "THERE", "PIP_EXTRA_INDEX_URL": "THERE"}, WHEEL)):
        document, told, _ = ask(lines, **variables)
        file = document["packages"][0]["file"] if "packages" in document else ""
        tap.ok(file == wanted, f"{' '.join(lines)} {variables}: {wanted}", [file, told])
    document, told, status = ask(["--no-index"], PIP_INDEX_URL="HERE")
    tap.ok(status == 2 and "no index is named" in told, "--no-index in the file: none is asked", [told])
    index.renew()
    index.other.faults["/simple/"] = index_server.sends(b"", 403)
    document, told, status = index.ask(PIP_EXTRA_INDEX_URL=index.address(server=index.other))
    tap.ok(document["verdict"] == "unknown" and status == 3 and "status 403" in told,
           "what an index may have that cannot be asked is not passed over", [told])
    index.other.faults["/simple/"] = index_server.sends(b"", 404)
    index.reads("an index that does not know the package", PIP_EXTRA_INDEX_URL=index.address(server=index.other))


def test_named_logins(tap, index):
    """Logins in variables: of a file of requirements, and of uv's indexes by their names."""
    ask_for_login(index)
    requirements = index.cudald.folder / "requirements.txt"
    requirements.write_text(f"--index-url {index.address('me:${TOKEN}')}\n" + requirements.read_text())
    told = index.reads("a login in a variable of the file", PIP_INDEX_URL="", TOKEN=SECRET)
    tap.ok(SECRET not in told and not secrets_kept(index), "it is neither told nor kept", [told])
    login = {"UV_INDEX_MY_OWN_USERNAME": "me", "UV_INDEX_MY_OWN_PASSWORD": SECRET}
    ask_for_login(index)
    told = index.reads("a login of a named index", UV_INDEX=f"my-own={index.address()}", **login)
    tap.ok(SECRET not in told and not secrets_kept(index), "it is neither told nor kept", [told])
    ask_for_login(index)
    project = index.cudald.folder / "pyproject.toml"
    project.write_text(f'[[tool.uv.index]]\nname = "my.own"\nurl = "{index.address()}"\n')
    index.reads("a login of an index that the project names", PIP_INDEX_URL="", **login)
    project.write_text("[[tool.uv.index]\n")
    document, told, status = index.ask()
    tap.ok(status == 2 and "pyproject.toml: line 1" in " ".join(told.split()),
           "a file of settings that is broken is told", [told])
    project.unlink()


def test_busy(tap, index):
    page, wheel = "/simple/", "/ok/"
    for where in (page, wheel):
        for status in (429, 503):
            index.renew()
            index.server.faults[where] = index_server.refuses(status, 2, "0")
            index.reads(f"{where} answers {status} twice")
        index.renew()
        index.server.faults[where] = index_server.refuses(429, 1, "1")
        began = time.monotonic()
        index.reads(f"{where} asks to wait a second")
        tap.ok(time.monotonic() - began >= 1, "it is waited for")
        for wait in ("3600", "Fri, 31 Dec 2100 23:59:59 GMT"):
            index.renew()
            index.server.faults[where] = index_server.refuses(429, 1000, wait)
            began = time.monotonic()
            index.fails_and_recovers(f"{where} asks to wait until {wait}", "asks to retry in")
            tap.ok(time.monotonic() - began < 5, "it is not waited for")


def test_wrong(tap, index):
    page, wheel = "/simple/", "/ok/"
    rows = [
        (page, index_server.sends(b"<html><form action=/login>Please log in</form></html>"), "no wheel of version 1.0"),
        (page, index_server.sends(b"please log in"), "neither in JSON nor in HTML"),
        (page, index_server.sends(b'{"files": [{"filename": "alpha-1.0-py3'), ""),
        (page, index_server.sends(b'{"projects": []}'), "PEP 691"),
        (page, index_server.moves("/simple/alpha/"), "again and again"),
        (wheel, index_server.sends(b"<html>Please log in</html>"), WHEEL),
        (wheel, index_server.sends(b""), WHEEL),
        (wheel, index_server.moves("ftp://127.0.0.1/x"), "something other than HTTP"),
    ]
    for where, fault, told in rows:
        index.renew()
        index.server.faults[where] = fault
        index.fails_and_recovers(f"{where} with a wrong answer", told)


def test_lines(tap, index):
    """Slow lines and those that end early."""
    page, wheel = "/simple/", "/ok/"
    whole = b'{"files": []}'
    for where, fault in ((page, index_server.trickles), (page, index_server.cut_short(whole)),
                         (wheel, index_server.cut_short(b"PK"))):
        index.renew()
        index.server.faults[where] = fault
        index.fails_and_recovers(f"{where} on a bad line", "", UV_HTTP_TIMEOUT="1")


def test_changing(tap, index):
    """A file that changes between requests, and a server that does not say so: the checksums do."""
    other = bytearray(index.content)
    start = other.find(b"\x7fELF")
    other[start + 64] ^= 0xff
    index.renew()
    index.server.faults["/ok/"] = index_server.another_file([index.content, bytes(other)])
    document, told, status = index.ask()
    tap.ok(document["verdict"] == "unknown" and status == 3, "a file that is another one each time makes no verdict",
           [document["headline"], told])
    index.server.faults.clear()
    index.reads("a file that was another one each time, later")
    index.renew()
    index.server.faults["/ok/"] = index_server.another_file([bytes(other)])
    document, told, status = index.ask()
    tap.ok(status == 3 and "its SHA-256 on the server is" in " ".join(told.split()),
           "another file under that name, that comes whole, is refused by its hash", [told])
    index.server.faults["/ok/"] = index_server.another_file([index.content + b"x"])
    document, told, status = index.ask()
    tap.ok(status == 3 and "are stated" in " ".join(told.split()), "a file of another size is refused", [told])
    index.server.faults.clear()
    index.reads("another file under that name, later")


def test_provides(tap, index):
    """provides --online: what a package has that no table knows, and which library is in it."""
    index.renew()
    schema = Schema(json.loads(index.cudald.run("schema", "provides").out))

    def ask(*words, **variables):
        given = {"PIP_INDEX_URL": index.address(), "XDG_CACHE_HOME": str(index.cache), **variables}
        ending = index.cudald.run("provides", "-f", "json", *words, **given)
        document = json.loads(ending.out) if ending.out else {}
        tap.ok(not document or not schema.problems(document), f"provides {words}: the document fits its schema",
               [document])
        return document, ending

    document, ending = ask("--online", "Alpha", "libone.so")
    package, library = document["packages"][0], document["libraries"][0]
    tap.ok(ending.status == 0 and (package["name"], package["version"], package["file"]) == ("alpha", "1.0", WHEEL) and
           package["libraries"] == [{"name": "libone.so", "folder": "site-packages/alpha"}], "a package on the index",
           [package])
    tap.ok(library["pip"][0]["requirement"] == "alpha==1.0" and library["source"].startswith(WHEEL),
           "a library that is in it", [library])
    text = index.cudald.run("provides", "--online", "alpha", PIP_INDEX_URL=index.address()).out
    tap.ok("carries     libone.so  in site-packages/alpha" in text, "as text", [text])
    document, ending = ask("--online", "alpha", "libtwo.so")
    tap.ok(ending.status == 1 and document["libraries"][0]["pip"] == [], "a library that is not in it", [document])
    for word, told in (("beta", "no wheels of a package of that name"), ("alpha==2.0", "no wheel of version 2.0")):
        document, ending = ask("--online", word)
        tap.ok(ending.status == 1 and told in document["packages"][0]["error"], f"{word}: {told}", [document])
    document, ending = ask("--online", "--platform", "linux-aarch64", "alpha")
    tap.ok(ending.status == 1 and "fits this platform" in document["packages"][0]["error"], "for another machine",
           [document])
    index.server.requests.clear()
    ask("alpha")
    document, ending = ask("--online", "nvidia-cublas-cu12", "libcublas.so.12")
    tap.ok(ending.status == 0 and "libcublas.so.12" in [each["name"] for each in document["packages"][0]["libraries"]],
           "a package that the tables know", [document])
    tap.ok(index.server.requests == [], "nobody is asked without --online, nor about what the tables know",
           index.server.requests)
    tap.ok(ask("--online", "alpha", PIP_INDEX_URL="")[1].status == 2, "an index must be named")
    index.renew()
    index.server.faults["/ok/"] = index_server.unless_metadata(index_server.sends(b"", 403))
    document, ending = ask("--online", "alpha")
    package = document["packages"][0]
    tap.ok(ending.status == 3 and "status 403" in package["error"] and package["requires"] == ["absent>=3"],
           "a wheel that cannot be read: what it requires is known", [package])
    index.server.faults["/simple/"] = index_server.sends(b"please log in")
    document, ending = ask("--online", "alpha")
    tap.ok(ending.status == 3 and "neither in JSON nor in HTML" in document["packages"][0]["error"],
           "an index that answers something else", [document])


def test_installs(tap, index):
    """explain --online: of an import that fails, commands that install packages are tried."""
    index.renew()
    served = index.cudald.folder / "served"
    make_wheel(served, "alpha", "0.9", {"alpha/__init__.py": "gone = 1\n"})
    (older,) = served.glob("alpha-0.9-*.whl")
    index.server.files[older.name] = older.read_bytes()
    venv = index.cudald.folder / "venv"
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", venv], check=True)
    site = next(venv.glob("lib/python3.*/site-packages"))
    for name, version, code in (("alpha", "1.0", ""), ("user", "1.0", "from alpha import gone\n")):
        info = site / f"{name}-{version}.dist-info"
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(code)
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "RECORD").write_text(f"{name}/__init__.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")

    def ask(*words, **variables):
        given = {"PIP_INDEX_URL": index.address(), "XDG_CACHE_HOME": str(index.cache), **variables}
        return index.cudald.run("explain", *words, "--prefix", venv, "py:user", **given)

    before = ask()
    tap.ok(before.status == 1 and "with alpha 0.9" not in before.out and index.server.requests == [],
           "without --online nobody is asked", [before.out])
    tried = ask("--online")
    tap.ok(tried.status == 1 and "with alpha 0.9 the import works" in " ".join(tried.out.split()) and
           "pip install 'alpha<1.0'" in tried.out, "the release that helps is found", [tried.out, tried.err])
    tap.ok(not (site / "alpha-0.9.dist-info").exists(), "and is not installed")
    tap.ok(ask("--online", PIP_INDEX_URL="").status == 2, "an index must be named")
    index.server.faults["/simple/"] = index_server.sends(b"please log in")
    refused = ask("--online")
    tap.ok(refused.status == 1 and "the import works" not in refused.out and "alpha<1.0" in refused.out,
           "where the index cannot be asked, nothing is proven", [refused.out, refused.err])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cudald-index-") as name:
        make_files(Path(name))
        cudald = Program(sys.argv[1], Path(name))
        index = Index(tap, cudald)
        if "libcurl" in index.ask()[1]:
            tap.skip("reading from servers", "this cudald has no libcurl")
            return tap.finish()
        try:
            keyring = keyring_tests.Keyring(Path(name) / "with a keyring")
            hanging = keyring_tests.begin_hanging(index, keyring_tests.Keyring(Path(name) / "that hangs"))
            for test in (test_forms, test_metadata, test_logins, test_netrc, test_named_logins,
                         test_proxies, test_tls, test_several, test_busy, test_wrong,
                         test_lines, test_changing, test_provides, test_installs):
                test(tap, index)
            for test in (keyring_tests.test_questions, keyring_tests.test_files, keyring_tests.test_not_asked,
                         keyring_tests.test_faults, keyring_tests.test_installers):
                test(tap, index, keyring)
            keyring_tests.end_hanging(tap, hanging)
        finally:
            index.close()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
