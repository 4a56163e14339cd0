"""Small PE files, built with MinGW: exports by name, alias, ordinal and forwarder; imports by name and ordinal, delay
imports; a version resource and a manifest."""

import os
import struct
import subprocess

COMPILERS = ["x86_64-w64-mingw32", "i686-w64-mingw32"]

BASE_C = (
    "int by_name(void) {return 1;} int by_ordinal(void) {return 2;} "
    "int late(void) {return 3;} int later(void) {return 4;}"
)
BASE_DEF = """LIBRARY base.dll
EXPORTS
  by_name @3
  alias = by_name @12
  by_ordinal @7 NONAME
  late @9
  later @21 NONAME
  forwarded = KERNEL32.GetLastError
"""
USER_C = """
__declspec(dllimport) int by_name(void);
__declspec(dllimport) int by_ordinal(void);
__declspec(dllimport) int late(void);
__declspec(dllimport) int later(void);
__declspec(dllexport) int use(void) {return by_name() + by_ordinal() + late() + later();}
int main(void) {return use();}
unsigned delay_table[16] = {1};
"""
USER_RC = """
1 VERSIONINFO FILEVERSION 6,14,11,12080 PRODUCTVERSION 12,8,0,0 BEGIN END
%d 24 "user.manifest"
"""
MANIFEST = """<?xml version='1.0' encoding='UTF-8'?>
<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'>
  <assemblyIdentity name='own' version='1.0.0.0' type='win32'/>
  <dependency><dependentAssembly>
    <assemblyIdentity type='win32' name='Microsoft.VC90.CRT' version='9.0.21022.8' processorArchitecture='amd64'/>
  </dependentAssembly></dependency>
</assembly>
"""
DELAY_DIRECTORY = 13


def build(folder, prefix):
    """The paths of base.dll, user.dll and user.exe, built by `prefix`-gcc."""

    def write(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(tool, *arguments):
        done = subprocess.run([f"{prefix}-{tool}", *arguments], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout

    write("base.c", BASE_C)
    write("base.def", BASE_DEF)
    write("user.c", USER_C)
    write("user.manifest", MANIFEST)
    write("now.def", "LIBRARY base.dll\nEXPORTS\n  by_name\n  by_ordinal @7 NONAME\n")
    write("late.def", "LIBRARY base.dll\nEXPORTS\n  late\n  later @21 NONAME\n")
    run("gcc", "-shared", "-nostdlib", "-Wl,-e,0", "base.c", "base.def", "-o", "base.dll")
    run("dlltool", "-d", "now.def", "-l", "libnow.a")
    run("dlltool", "-d", "late.def", "-y", "liblate.a")
    libraries = ["libnow.a", "liblate.a", "-ldelayimp"]
    for name, options, manifest in (("user.dll", ["-shared"], 2), ("user.exe", [], 1)):
        write("user.rc", USER_RC % manifest)
        run("windres", "user.rc", "user.o")
        run("gcc", *options, "user.c", "user.o", *libraries, "-o", name)
        path = os.path.join(folder, name)
        symbols = [line.split() for line in run("nm", path).splitlines()]
        places = [
            next(int(s[0], 16) for s in symbols if word in s[-1]) for word in ("DELAY_IMPORT_DESCRIPTOR", "delay_table")
        ]
        enter_delay_directory(path, *places)
    return [os.path.join(folder, name) for name in ("base.dll", "user.dll", "user.exe")]


def enter_delay_directory(path, descriptor, table):
    """What GNU ld leaves out: it links the delay import, but makes no table of it and no entry in the header."""
    with open(path, "r+b") as file:
        data = file.read()
        pe = struct.unpack_from("<I", data, 0x3C)[0]
        sections, optional_size = struct.unpack_from("<6xH12xH", data, pe)
        header = pe + 24
        wide = struct.unpack_from("<H", data, header)[0] == 0x20B
        base = struct.unpack_from("<Q", data, header + 24)[0] if wide else struct.unpack_from("<I", data,
                                                                                              header + 28)[0]

        def offset(address):
            for i in range(sections):
                size, start, _, place = struct.unpack_from("<4I", data, header + optional_size + 40 * i + 8)
                if start <= address - base < start + size:
                    return place + address - base - start
            raise ValueError(f"{path}: {address:#x} is in no section")

        file.seek(offset(table))
        file.write(data[offset(descriptor) : offset(descriptor) + 32])
        file.seek(header + (112 if wide else 96) + 8 * DELAY_DIRECTORY)
        file.write(struct.pack("<II", table - base, 64))
