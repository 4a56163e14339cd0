"""check --online where a setting of pip or uv says that a keyring knows the login: a staged `keyring` is run exactly as
the installers run it, which are asked as well where they are at hand, and never without the setting."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from index_server import SECRET, basic
from pinned import tool_folder

PIP, UV = ("pip", "26.2.1"), ("uv", "0.13.9")
LIMIT = 60  # seconds that a keyring has

# What it was asked is noted. It knows the login of what $KNOWN says; $KEYRING is how it behaves.
SCRIPT = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
password={secret}
case $KEYRING in
wrong) password=other ;;
hangs) sleep 600 ;;
blabs) echo $password; echo "cannot unlock $password" >&2; exit 1 ;;
odd) echo '{{"username": 3}}'; exit 0 ;;
dies) kill -SEGV $$ ;;
asks) read answer < /dev/tty || {{ echo "nobody to ask" >&2; exit 1; }} ;;
old) case "$*" in *--mode*) echo "keyring: error: unrecognized arguments: --mode=creds" >&2; exit 2 ;; esac ;;
esac
case "$*" in
*"get $KNOWN"|*"get $KNOWN "*) ;;
*) echo 'No password was found' >&2; exit 1 ;;
esac
case "$*" in
*--output=json*) echo '{{"username": "me", "password": "'$password'"}}' ;;
*"--mode creds") printf 'me\\n%s\\n' $password ;;
*) echo $password ;;
esac
"""


class Keyring:
    """A program `keyring` in a folder of its own."""

    def __init__(self, folder):
        self.folder, self.log = folder, folder / "asked"
        folder.mkdir(exist_ok=True)
        program = folder / "keyring"
        program.write_text(SCRIPT.format(log=self.log, secret=SECRET))
        program.chmod(0o755)

    def variables(self, known, behaves="", **more):
        self.log.write_text("")
        return {"PATH": f"{self.folder}:{os.environ['PATH']}", "KNOWN": known, "KEYRING": behaves, **more}

    def asked(self):
        return self.log.read_text().splitlines()


def begin(index):
    index.renew()
    index.server.logins = ["me:" + SECRET]


def silent(tap, index, told, name):
    kept = [path for path in index.cache.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    tap.ok(SECRET not in told and not kept, f"{name}: the password is neither told nor kept", [told, kept])


def settings(index):
    """As whom it is asked: variables without a user, with one, and what it is asked for both."""
    url, host = index.address(), index.server.url.split("//")[1]
    creds = "--mode=creds --output=json get"
    return [
        ("pip", {"PIP_INDEX_URL": url}, [f"{creds} {url}", f"{creds} {host}"]),
        ("pip, a user", {"PIP_INDEX_URL": index.address("me")}, [f"{creds} {url} me", f"{creds} {host} me"]),
        ("pip, no slash", {"PIP_INDEX_URL": index.address("me")[:-1]}, [f"{creds} {url} me", f"{creds} {host} me"]),
        ("uv", {"UV_DEFAULT_INDEX": url}, []),
        ("uv, a user", {"UV_DEFAULT_INDEX": index.address("me")},
         [f"get {url} me", f"get {host} me", f"get http://{host} me"]),
        ("uv, no slash", {"UV_DEFAULT_INDEX": index.address("me")[:-1]},
         [f"get {url[:-1]} me", f"get {host} me", f"get http://{host} me"]),
        ("uv, a user in a variable", {"UV_INDEX": "mine=" + url, "UV_INDEX_MINE_USERNAME": "me"},
         [f"get {url} me", f"get {host} me", f"get http://{host} me"]),
    ]


def provider(name):
    return {"PIP_KEYRING_PROVIDER": "subprocess"} if name.startswith("pip") else {"UV_KEYRING_PROVIDER": "subprocess"}


def test_questions(tap, index, keyring):
    """What is asked where none is known, and that each of the names will do."""
    for row in range(len(settings(index))):
        begin(index)
        name, variables, wanted = settings(index)[row]
        given = {"PIP_INDEX_URL": "", **variables, **provider(name)}
        _, told, status = index.ask(**keyring.variables("nothing", **given))
        tap.ok(keyring.asked() == wanted, f"{name}: what a keyring is asked", keyring.asked())
        reason = "uv asks a keyring for a user" if not wanted else "exit status 1: No password was found"
        tap.ok(status == 3 and f"status 401; {reason if not wanted else '`keyring` has no login: ' + reason}" in
               " ".join(told.split()), f"{name}: that it has none is told", [told])
        for at, question in enumerate(wanted):
            begin(index)
            given = {"PIP_INDEX_URL": "", **settings(index)[row][1], **provider(name)}
            wanted = settings(index)[row][2]
            known = wanted[at].split("get ")[1].split(" ")[0]
            told = index.reads(f"{name}: {question.split('get ')[1].split(':')[0]}, name {at + 1}",
                               **keyring.variables(known, **given))
            tap.ok(keyring.asked() == wanted[:at + 1], "it is asked once, and no further", keyring.asked())
            silent(tap, index, told, name)
            tap.ok(not name.startswith("uv") or all(login == basic("me:" + SECRET)
                                                    for _, login, _ in index.server.told),
                   "uv's way: the server is asked with that login alone", index.server.told)


def test_files(tap, index, keyring):
    """Settings in files, and authenticate = "always"."""
    begin(index)
    conf = index.cudald.folder / "my pip.conf"
    conf.write_text("[global]\nkeyring-provider = subprocess\n")
    index.reads("pip.conf", **keyring.variables(index.address(), PIP_CONFIG_FILE=str(conf)))
    tap.ok(len(keyring.asked()) == 1, "pip.conf: the keyring is asked", keyring.asked())
    for name, table in (("uv.toml", ""), ("pyproject.toml", "tool.uv.")):
        begin(index)
        head = f"[{table[:-1]}]\n" if table else ""
        project = index.cudald.folder / name
        project.write_text(f'{head}keyring-provider = "subprocess"\n[[{table}index]]\nurl = "{index.address()}"\n'
                           'authenticate = "always"\n')
        told = index.reads(name, **keyring.variables(index.address(), PIP_INDEX_URL=""))
        tap.ok(keyring.asked() == [f"get {index.address()} --mode creds"], f"{name}: it tells the user as well",
               keyring.asked())
        silent(tap, index, told, name)
        index.ask(**keyring.variables(index.address(), PIP_INDEX_URL="", UV_KEYRING_PROVIDER="disabled"))
        tap.ok(keyring.asked() == [], f"{name}: the variable counts more", keyring.asked())
        project.unlink()


def test_not_asked(tap, index, keyring):
    """When it is not run."""
    for name, variables in (("nothing", {}), ("auto", {"PIP_KEYRING_PROVIDER": "auto"}),
                            ("disabled", {"PIP_KEYRING_PROVIDER": "disabled"}),
                            ("a word of uv", {"UV_KEYRING_PROVIDER": "subprocess"}),
                            ("uv, nothing", {"PIP_INDEX_URL": "", "UV_DEFAULT_INDEX": index.address("me")})):
        begin(index)
        given = {"PIP_INDEX_URL": index.address("me"), **variables}
        if "UV_DEFAULT_INDEX" in given:
            given["UV_DEFAULT_INDEX"] = index.address("me")
        _, told, status = index.ask(**keyring.variables(index.address(), **given))
        tap.ok(status == 3 and "status 401\n" in told and keyring.asked() == [], f"{name}: no keyring is run",
               [told, keyring.asked()])
    on = {"PIP_KEYRING_PROVIDER": "subprocess"}
    begin(index)
    index.reads("a password is known", **keyring.variables(index.address(), PIP_INDEX_URL=index.address("me:" + SECRET),
                                                           **on))
    tap.ok(keyring.asked() == [], "and the keyring is not asked", keyring.asked())
    index.renew()
    index.reads("the server wants no login", **keyring.variables(index.address(), **on))
    tap.ok(keyring.asked() == [], "and pip's keyring is not asked", keyring.asked())
    netrc = index.cudald.folder / "keyring.netrc"
    netrc.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    for name, given in (("PIP_INDEX_URL", on), ("UV_DEFAULT_INDEX", {"UV_KEYRING_PROVIDER": "subprocess"})):
        begin(index)
        index.reads(f"netrc, {name}", **keyring.variables(index.address(), NETRC=str(netrc),
                                                          **{name: index.address("me")}, **given))
        tap.ok(keyring.asked() == [], "netrc counts more", keyring.asked())
    begin(index)
    shutil.copy(keyring.folder / "keyring", index.cudald.folder / "keyring")
    for path in ("/usr/bin:/bin:", ".:/usr/bin:/bin"):
        given = {**keyring.variables(index.address(), **on), "PATH": path}
        _, told, status = index.ask(**given)
        tap.ok(status == 3 and "no program `keyring` in PATH" in told and keyring.asked() == [],
               f"PATH={path}: what is in the current folder is not run", [told, keyring.asked()])
    (index.cudald.folder / "keyring").unlink()
    begin(index)
    given = keyring.variables(index.address(), UV_KEYRING_PROVIDER="subprocess",
                              UV_DEFAULT_INDEX=index.address("--keyring-backend=evil.Backend"))
    _, told, status = index.ask(**given)
    tap.ok(status == 3 and "begins with a hyphen" in told and keyring.asked() == [],
           "what would be an option is not handed to it", [told, keyring.asked()])


def test_faults(tap, index, keyring):
    on = {"PIP_KEYRING_PROVIDER": "subprocess"}
    rows = [
        ("wrong", "status 401; it does not accept the login that `keyring` has"),
        ("blabs", "`keyring` has no login: exit status 1"),
        ("odd", "what `keyring` answers is not a login"),
        ("dies", "`keyring` was ended by signal 11"),
        ("asks", "nobody to ask"),
        ("old", "it must be at least 25.2.1"),
    ]
    for behaves, wanted in rows:
        begin(index)
        _, told, status = index.ask(**keyring.variables(index.address(), behaves, **on))
        tap.ok(status == 3 and wanted in " ".join(told.split()), f"{behaves}: {wanted}", [status, told])
        silent(tap, index, told, behaves)
        index.server.logins = None
        index.reads(f"{behaves}, later")
    begin(index)
    index.reads("an old keyring where the user is known",
                **keyring.variables(index.address(), "old", PIP_INDEX_URL=index.address("me"), **on))
    begin(index)
    given = keyring.variables(index.address(), PIP_KEYRING_PROVIDER="import")
    _, told, status = index.ask(**given)
    tap.ok(status == 3 and "PIP_KEYRING_PROVIDER is import: cudald runs no Python" in " ".join(told.split()) and
           keyring.asked() == [], "import: what to type is told", [told])
    for name, value in (("PIP_KEYRING_PROVIDER", "x"), ("UV_KEYRING_PROVIDER", "import")):
        index.renew()
        _, told, status = index.ask(**keyring.variables("", **{name: value, "UV_DEFAULT_INDEX": index.address()
                                                               if name.startswith("UV") else ""}))
        tap.ok(status == 2 and f"{name} is {value}: " in told, f"{name}={value} is refused", [told, status])
    index.renew()
    index.server.files_at = index.other.url
    index.server.logins = ["me:" + SECRET]
    index.reads("files elsewhere", **keyring.variables(index.address(), **on))
    tap.ok(index.other.told and not any(told for _, told, _ in index.other.told), "which are told no login",
           index.other.told)


def begin_hanging(index, keyring):
    """A question whose keyring never answers, and when it was asked: it is waited for at the end of all tests."""
    begin(index)
    given = {"PIP_INDEX_URL": index.address(), "PIP_KEYRING_PROVIDER": "subprocess", "LC_ALL": "C.UTF-8",
             **keyring.variables("nothing", "hangs")}
    process = subprocess.Popen([index.cudald.path, "check", "--online", "--no-cache", "requirements.txt"],
                               cwd=index.cudald.folder, env=given, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    server, index.server = index.server, None
    index.renew()
    return process, server, time.monotonic()


def end_hanging(tap, hanging):
    process, server, began = hanging
    out, err = process.communicate(timeout=4 * LIMIT)
    took = time.monotonic() - began
    server.close()
    tap.ok(process.returncode == 3 and f"`keyring` did not end within {LIMIT} s" in " ".join(err.split()),
           "a keyring that hangs is ended and told", [process.returncode, out, err])
    tap.ok(took >= LIMIT - 1, "after a minute", [took])


def installer(name, folder):
    """The command that resolves alpha, and where it may write."""
    if name.startswith("pip"):
        return [sys.executable, "-m", "pip", "download", "--no-input", "--no-deps", "--no-cache-dir", "-d", folder,
                "alpha==1.0"]
    words = f"uv pip compile --no-deps --no-cache --python {sys.executable} -"
    return ["sh", "-c", f"echo alpha==1.0 | {words}"]


def test_installers(tap, index, keyring):
    """pip and uv themselves ask the same, and take the same login."""
    folders = {}
    for (project, version), proof in ((PIP, "pip/__init__.py"), (UV, "bin/uv")):
        folder, reason = tool_folder(project, version, proof, "CUDALD_OFFLINE" in os.environ)
        if folder is None:
            tap.skip(f"what {project} asks a keyring", reason)
        folders[project] = folder
    for row, (name, _, _) in enumerate(settings(index)):
        folder = folders["pip" if name.startswith("pip") else "uv"]
        if folder is None:
            continue
        for known in ("nothing", "HOST"):
            begin(index)
            _, variables, wanted = settings(index)[row]
            known = known.replace("HOST", index.server.url.split("//")[1])
            given = keyring.variables(known, HOME=str(index.cudald.folder), PYTHONPATH=folder,
                                      PIP_DISABLE_PIP_VERSION_CHECK="1", **variables, **provider(name))
            given["PATH"] = given["PATH"].replace(":", f":{folder}/bin:", 1)
            with tempfile.TemporaryDirectory() as target:
                done = subprocess.run(installer(name, target), env=given, cwd=target, capture_output=True, text=True,
                                      timeout=240, check=False)
            reached = bool(wanted) and known != "nothing"
            let_in = any(path == "/simple/alpha/" and login == basic("me:" + SECRET)
                         for path, login, _ in index.server.told)
            tap.ok(keyring.asked() == wanted[:2 if reached else None] and let_in == reached,
                   f"{name}, a keyring that knows {'the host' if reached else 'nothing'}: the installer asks the same",
                   [keyring.asked(), done.stdout, done.stderr])
