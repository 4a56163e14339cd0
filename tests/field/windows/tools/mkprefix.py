#!/usr/bin/env python3
"""mkprefix.py DIR MINOR [--conda] [--wheels W...]: a copy of a Python of Windows, its DLLs
made of stubs that export what the wheels' modules import."""

import os, zipfile, argparse, shutil, glob

import mkstub

p = argparse.ArgumentParser()
p.add_argument('dir')
p.add_argument('minor')
p.add_argument('--conda', action='store_true')
p.add_argument('--wheels', nargs='*', default=[])
p.add_argument('--machine', default='x86_64')
p.add_argument('--no-install', action='store_true')
a = p.parse_args()
want = {}
site = os.path.join(a.dir, 'Lib', 'site-packages')
os.makedirs(site, exist_ok=True)
os.makedirs(os.path.join(a.dir, 'DLLs'), exist_ok=True)
os.makedirs(os.path.join(a.dir, 'Scripts'), exist_ok=True)
for w in a.wheels:
    import pefile

    with zipfile.ZipFile(w) as z:
        if not a.no_install:
            z.extractall(site)
        for n in z.namelist():
            if n.lower().endswith(('.pyd', '.dll')):
                try:
                    pe = pefile.PE(data=z.read(n), fast_load=True)
                    pe.parse_data_directories([1])
                except pefile.PEFormatError:
                    continue
                for e in getattr(pe, 'DIRECTORY_ENTRY_IMPORT', []):
                    d = e.dll.decode().lower()
                    if d.startswith(('python', 'vcruntime')):
                        want.setdefault(d, set()).update(i.name.decode() for i in e.imports if i.name)
# data folders of wheels
for d in glob.glob(site + '/*.data'):
    for sub, dst in (('data', a.dir), ('purelib', site), ('platlib', site)):
        s = os.path.join(d, sub)
        if os.path.isdir(s):
            shutil.copytree(s, dst, dirs_exist_ok=True)
    shutil.rmtree(d)


def stub(path, names, extra=()):
    f = path + '.names'
    open(f, 'w').write('\n'.join(sorted(names)))
    mkstub.stub(mkstub.arguments([path, '--machine', a.machine, '--exports', f, *extra]))
    os.remove(f)


main = f'python3{a.minor}.dll'
allpy = want.get(main, set()) | want.get('python3.dll', set()) | {'Py_Main'}
stub(os.path.join(a.dir, main), allpy)
stub(os.path.join(a.dir, 'python3.dll'), want.get('python3.dll', set()) | {'Py_Main'})
for v in ('vcruntime140.dll', 'vcruntime140_1.dll'):
    stub(os.path.join(a.dir, v), want.get(v, set()) | {'memcpy'})
stub(os.path.join(a.dir, 'python.exe'), (), ['--exe', '--imports', f'{main}:Py_Main', 'VCRUNTIME140.dll:memcpy'])
for m in (
    '_ctypes',
    '_socket',
    'select',
    '_ssl',
    '_hashlib',
    '_bz2',
    '_lzma',
    '_decimal',
    'unicodedata',
    '_queue',
    '_elementtree',
    'pyexpat',
    '_asyncio',
    '_overlapped',
    '_multiprocessing',
    '_uuid',
    '_sqlite3',
):
    stub(os.path.join(a.dir, 'DLLs', m + '.pyd'), {'PyInit_' + m}, ['--imports', f'{main}:Py_Main'])
import sysconfig

libs = sorted(glob.glob(f'/usr/lib/python3.{a.minor}')) + [sysconfig.get_paths()['stdlib']]
shutil.copytree(
    libs[0],
    os.path.join(a.dir, 'Lib'),
    dirs_exist_ok=True,
    ignore=shutil.ignore_patterns(
        'site-packages',
        'dist-packages',
        'lib-dynload',
        'test',
        '__pycache__',
        'config-*',
        'idlelib',
        'tkinter',
        'lib2to3',
        'ensurepip',
    ),
)
if a.conda:
    os.makedirs(os.path.join(a.dir, 'conda-meta'), exist_ok=True)
    open(os.path.join(a.dir, 'conda-meta', 'history'), 'w').write('')
