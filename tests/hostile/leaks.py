#!/usr/bin/env python3
"""Asks cudald about packages, locks and settings that try to show a planted secret in the report.

    leaks.py CUDALD

The secret lies in files and variables of this machine. Each wheel's code reads it in another way and hands it to an
error, the loader or an import; no output in any format may hold it. That the same ways work for what a package may
read is asked as well, so that the test cannot pass by a mistake. Output is TAP.
"""

import os
import stat
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap, first  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

SECRET = "hunter2secret"
FORMATS = ["text", "json", "ndjson", "sarif", "junit", "github", "markdown", "html", "dot", "mermaid", "cyclonedx"]

# How code comes by a text; FILE, FOLDER and NAME stand for where the secret is.
WAYS = {
    "environ": "text = os.environ['NAME']",
    "environ get": "text = os.environ.get('NAME', '')",
    "getenv": "text = os.getenv('NAME')",
    "environ pop": "text = os.environ.pop('NAME')",
    "environ setdefault": "text = os.environ.setdefault('NAME', 'x')",
    "environ copy": "text = os.environ.copy()['NAME']",
    "environ items": "text = [v for k, v in os.environ.items() if k == 'NAME'][0]",
    "environb": "text = os.environb[b'NAME'].decode()",
    "expandvars": "text = os.path.expandvars('$NAME')",
    "open": "text = open('FILE').read()",
    "open lines": "text = open('FILE').readlines()[0].strip()",
    "open loop": "for line in open('FILE'): text = line.strip()",
    "with open": "with open('FILE') as file:\n    text = file.read()",
    "io.open": "import io\ntext = io.open('FILE').read()",
    "read_text": "import pathlib\ntext = pathlib.Path('FILE').read_text()",
    "path open": "import pathlib\ntext = pathlib.Path('FILE').open().read()",
    "upwards": "text = open(os.path.dirname(__file__) + '/../../../../../../../../..' + 'FILE').read()",
    "resources": "import importlib.resources\n"
                 "text = importlib.resources.read_text('PACKAGE', '../../../../../../../..FILE')",
    "json": "import json\ntext = json.load(open('FOLDER/secret.json'))['a']",
    "json text": "import json\ntext = json.loads(open('FOLDER/secret.json').read())['a']",
    "listdir": "text = os.listdir('FOLDER/names')[0]",
    "iterdir": "import pathlib\ntext = list(pathlib.Path('FOLDER/names').iterdir())[0]",
    "glob": "import glob\ntext = glob.glob('FOLDER/names/*')[0]",
    "path glob": "import pathlib\ntext = list(pathlib.Path('FOLDER/names').glob('*'))[0]",
    "module": "import sys\nsys.path.insert(0, 'FOLDER')\nfrom settings import word as text",
    "module of file": "import importlib.util\n"
                      "spec = importlib.util.spec_from_file_location('s', 'FOLDER/settings.py')\n"
                      "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\n"
                      "text = module.word",
    "exec": "exec(open('FOLDER/settings.py').read())\ntext = word",
    "proc": "text = open('/proc/self/environ').read()",
    "environ dict": "text = dict(os.environ)['NAME']",
    "environ spread": "text = {**os.environ}['NAME']",
    "environ or": "text = (os.environ | {})['NAME']",
    "environ values": "text = ' '.join(os.environ.values())",
    "environ repr": "text = repr(os.environ)",
    "environ import": "from os import environ as e\ntext = f\"{e['NAME']}\"",
    "posix": "import posix\ntext = posix.environ[b'NAME'].decode()",
    "subprocess": "import subprocess\ntext = subprocess.check_output(['cat', 'FILE']).decode()",
    "popen": "text = os.popen('cat FILE').read()",
    "linecache": "import linecache\ntext = linecache.getline('FILE', 1)",
    "fileinput": "import fileinput\ntext = list(fileinput.input('FILE'))[0]",
    "tokenize": "import tokenize\ntext = tokenize.open('FILE').read()",
    "runpy": "import runpy\ntext = runpy.run_path('FOLDER/settings.py')['word']",
    "tomllib": "import tomllib\ntext = tomllib.load(open('FOLDER/secret.toml', 'rb'))['a']",
    "configparser": "import configparser\nc = configparser.ConfigParser()\nc.read('FOLDER/secret.ini')\n"
                    "text = c['a']['b']",
    "csv": "import csv\ntext = next(csv.reader(open('FILE')))[0]",
    "pkgutil": "import pkgutil\ntext = pkgutil.get_data('PACKAGE', '../../../../../../../../..FILE').decode()",
    "resource files": "import importlib.resources as r\n"
                      "text = r.files('PACKAGE').joinpath('../../../../../../../../..FILE').read_text()",
    "metadata": "import importlib.metadata as m\n"
                "text = m.distribution('PACKAGE').read_text('../../../../../../../../../..FILE')",
    "descriptor": "text = os.read(os.open('FILE', os.O_RDONLY), 100).decode()",
    "io.FileIO": "import io\ntext = io.FileIO('FILE').readall().decode()",
    "codecs": "import codecs\ntext = codecs.open('FILE').read()",
    "scandir": "text = [e.name for e in os.scandir('FOLDER/names')][0]",
    "walk": "text = [f for _, _, f in os.walk('FOLDER/names')][0][0]",
    "rglob": "import pathlib\ntext = str(list(pathlib.Path('FOLDER').rglob('hunter*'))[0])",
    "readlink": "text = os.readlink('FOLDER/link')",
    "realpath": "text = os.path.realpath('FOLDER/link')",
    "resolve": "import pathlib\ntext = str(pathlib.Path('FOLDER/link').resolve())",
    "through /usr": "text = open('/usr/lib/../..FILE').read()",
    "through Python": "text = open(os.path.dirname(os.__file__) + '/../../..FILE').read()",
    "names through /usr": "text = os.listdir('/usr/..FOLDER/names')[0]",
    "names through /dev": "text = os.listdir('/dev/fd/../../..FOLDER/names')[0]",
    "proc root": "text = open('/proc/self/root' + 'FILE').read()",
    "proc cwd": "text = open('/proc/self/cwd/home/secret.txt').read()",
    "relative": "text = open('home/secret.txt').read()",
    "chdir": "os.chdir('FOLDER')\ntext = open('secret.txt').read()",
    "home": "text = open(os.path.expanduser('~/secret.txt')).read()",
    "loader": "import importlib.machinery as m\n"
              "text = m.SourceFileLoader('s', 'FOLDER/settings.py').load_module().word",
    "loader data": "text = __loader__.get_data('FILE').decode()",
    "source loader": "import importlib.machinery as m\n"
                     "text = m.SourceFileLoader('s', 'FOLDER/settings.py').get_source('s')",
    "zipimport": "import zipimport\ntext = zipimport.zipimporter('FOLDER/secret.zip').get_source('z')",
    "path hook": "import sys\nsys.path.append('FOLDER/secret.zip')\nfrom z import word as text",
    "package path": "__path__.append('FOLDER')\nfrom PACKAGE.settings import word as text",
    "meta path": "import sys, site\nsite.addsitedir('FOLDER')\nfrom settings import word as text",
    "glob and open": "import glob\ntext = open(glob.glob('/proc/self/root' + 'FOLDER/*.txt')[0]).read()",
    "eval": "text = eval(open('FOLDER/secret.txt').read().join(['\"', '\"']))",
    "inspect": "import inspect, sys\nsys.path.insert(0, 'FOLDER')\nimport settings\ntext = inspect.getsource(settings)",
    "link of the package": "text = open(os.path.dirname(__file__) + '/link').read()",
    "link to a directory": "text = open(os.path.dirname(__file__) + '/up/secret.txt').read()",
    "module by a link": "from PACKAGE.up.settings import word as text",
    "module that is a link": "from PACKAGE.linked import word as text",
}
# What code does with it.
USES = {
    "raise": "raise ImportError('x ' + text)\n",
    "load": "import ctypes\nctypes.CDLL('/x/' + text)\n",
    "load handled": "import ctypes\ntry:\n    ctypes.CDLL('/x/' + text)\nexcept OSError: pass\n",
    "import": "import importlib\nimportlib.import_module(text)\n",
}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Asker:
    def __init__(self, cudald, folder):
        self.cudald, self.folder = os.path.abspath(cudald), folder

    def ask(self, words, cwd=None):
        environment = {"PATH": "/usr/bin:/bin", "HOME": os.path.join(self.folder, "home"), "LC_ALL": "C.UTF-8",
                       "AWS_SECRET": SECRET, "NVIDIA_API_KEY": SECRET, "MODE": SECRET, "CUDA_MODE": "opensecret"}
        run = subprocess.run([self.cudald, *words], cwd=cwd or self.folder, env=environment, capture_output=True,
                             stdin=subprocess.DEVNULL, timeout=120)
        return run.stdout.decode(errors="replace") + run.stderr.decode(errors="replace")


def leaks_of(asker, words, formats, cwd=None):
    return [f"{' '.join(words)} -f {form}" for form in formats if SECRET in asker.ask([*words, "-f", form], cwd)]


def code_of(way, use, folder, name="AWS_SECRET"):
    code = "import os\n" + WAYS[way] + "\n" + USES[use]
    return code.replace("FILE", f"{folder}/home/secret.txt").replace("FOLDER", f"{folder}/home").replace("NAME", name)


def add_links(wheel, links):
    """Members that are symbolic links, as zip archives of Unix can have them."""
    with zipfile.ZipFile(wheel, "a") as archive:
        for name, target in links.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, target)


def wheels(tap, asker):
    folder = asker.folder
    for number, way in enumerate(WAYS):
        leaks = []
        for use in USES:
            package = f"leak{number}{use.replace(' ', '')}"
            code = code_of(way, use, folder, ["AWS_SECRET", "NVIDIA_API_KEY", "MODE"][number % 3])
            wheel = write_wheel(folder, f"{package}-1.0-cp311-cp311-linux_x86_64.whl",
                                {f"{package}/__init__.py": code.replace("PACKAGE", package)})
            add_links(wheel, {f"{package}/link": f"{folder}/home/secret.txt", f"{package}/up": f"{folder}/home",
                              f"{package}/linked.py": f"{folder}/home/settings.py"})
            formats = FORMATS if use == "raise" else ["json", "html"]
            leaks += leaks_of(asker, ["check", "--no-cache", wheel], formats)
            leaks += leaks_of(asker, ["explain", "-v", "--no-cache", "--host", "here", wheel], ["text"])
        tap.ok(not leaks, f"a wheel that reads by {way} shows no secret", first(leaks))
    # The way itself works, where it is open.
    wheel = write_wheel(folder, "openly-1.0-cp311-cp311-linux_x86_64.whl",
                        {"openly/__init__.py": "import os\nraise ImportError('x ' + os.environ['CUDA_MODE'])\n"})
    tap.ok("opensecret" in asker.ask(["check", "--no-cache", wheel]), "a variable about CUDA is followed")
    wheel = write_wheel(folder, "own-1.0-cp311-cp311-linux_x86_64.whl",
                        {"own/__init__.py": "import os\n"
                                            "raise ImportError(open(os.path.dirname(__file__) + '/t').read())\n",
                         "own/t": "of its own"})
    tap.ok("of its own" in asker.ask(["check", "--no-cache", wheel]), "a file of the package is followed")
    stated = asker.ask(["check", "--no-cache", "--env", "AWS_SECRET=stated",
                        os.path.join(folder, "leak0raise-1.0-cp311-cp311-linux_x86_64.whl")])
    tap.ok("stated" in stated and SECRET not in stated, "a variable that the user states is followed")


def paths_of_packages(tap, asker):
    folder = asker.folder
    leaks = []
    for name, members in {
        "pth": {"x.pth": f"{folder}/home\n", "pth/__init__.py": "from settings import word\nraise ImportError(word)\n"},
        "line": {"x.pth": f"import os; os.environ['Y'] = open('{folder}/home/secret.txt').read()\n",
                 "line/__init__.py": "import os\nraise ImportError(os.environ['Y'])\n"},
        "data": {"data/__init__.py": f"open('{folder}/home/secret.txt')\n", "../../../home/x": "x"},
    }.items():
        wheel = write_wheel(folder, f"{name}-1.0-cp311-cp311-linux_x86_64.whl", members)
        leaks += leaks_of(asker, ["check", "--no-cache", wheel], ["text", "json", "html", "sarif"])
    tap.ok(not leaks, "a wheel with .pth files and odd paths shows no secret", first(leaks))


def locks(tap, asker):
    folder = asker.folder
    secret = f"{folder}/home/secret.txt"
    made = {
        "requirements.txt": [f"-r {secret}\n", f"-c {secret}\nx\n", f"-f {folder}/home/names\nx==1\n", f"{secret}\n",
                             f"--requirement={secret}\n", f"x @ file://{secret}\n", f"-e {secret}\n"],
        "pylock.toml": [f'lock-version = "1.0"\n[[packages]]\nname = "x"\nversion = "1"\n[[packages.wheels]]\nname = '
                        f'"x-1-py3-none-any.whl"\npath = "{secret}"\nhashes = {{}}\n'],
        "uv.lock": [f'version = 1\n[[package]]\nname = "x"\nversion = "1"\nsource = {{ path = "{secret}" }}\n'],
        "cudald.toml": [f'{key} = "{secret}"\n'
                        for key in ("host", "baseline", "sysroot", "prefix", "tables", "config")],
    }
    for name, texts in made.items():
        leaks = []
        for number, text in enumerate(texts):
            place = os.path.join(folder, "locks", f"{name}{number}")
            write(os.path.join(place, name), text)
            target = "/bin/ls" if name == "cudald.toml" else name
            leaks += leaks_of(asker, ["check", "--no-cache", target], ["text", "json", "sarif", "html"], place)
        tap.ok(not leaks, f"a {name} that names a secret file does not show it", first(leaks))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/home/secret.txt", SECRET + "\n")
        write(f"{folder}/home/secret.json", f'{{"a": "{SECRET}"}}')
        write(f"{folder}/home/settings.py", f"word = '{SECRET}'\n")
        write(f"{folder}/home/secret.toml", f"a = '{SECRET}'\n")
        write(f"{folder}/home/secret.ini", f"[a]\nb = {SECRET}\n")
        write(f"{folder}/home/names/{SECRET}", "")
        os.symlink(SECRET, f"{folder}/home/link")
        with zipfile.ZipFile(f"{folder}/home/secret.zip", "w") as archive:
            archive.writestr("z.py", f"word = '{SECRET}'\n")
        asker = Asker(sys.argv[1], folder)
        wheels(tap, asker)
        paths_of_packages(tap, asker)
        locks(tap, asker)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
