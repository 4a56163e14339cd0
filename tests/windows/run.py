#!/usr/bin/env python3
"""Loads small DLLs, made by mingw-w64, with cudald and with wine's loader: one answer.

    run.py CUDALD [--only GLOB]

Each case is named after its rule. Where wine differs from Windows, the case says so and cites the source that is
followed; without wine the answers of the cases still bind cudald. Output is TAP.
"""

import argparse
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap  # noqa: E402

SEARCH_ORDER = 'Microsoft, "Dynamic-link library search order"'
LOAD_LIBRARY = "Microsoft, LoadLibraryExW"
PE_FORMAT = 'Microsoft, "PE Format"'
DEPENDENT_FLAGS = "Microsoft, /DEPENDENTLOADFLAG"
DEFAULT_FOLDERS = "Microsoft, SetDefaultDllDirectories"
ASSEMBLIES = 'Microsoft, "Assembly Searching Sequence"; wine dlls/ntdll/actctx.c'
PYTHON = "CPython Python/dynload_win.c"
SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

LOADER = r"""
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
/* f:FLAGS, s:FLAGS for SetDefaultDllDirectories, d:FOLDER for AddDllDirectory, ?NAME for where it is loaded; else
   LoadLibraryEx. */
int main(int count, char **words) {
  DWORD flags = 0;
  SetErrorMode(SEM_FAILCRITICALERRORS);
  for (int i = 1; i < count; i++) {
    const char *word = words[i];
    char path[600] = "none";
    wchar_t wide[600];
    if (!strncmp(word, "f:", 2)) { flags = strtoul(word + 2, 0, 0); continue; }
    if (!strncmp(word, "s:", 2)) { SetDefaultDllDirectories(strtoul(word + 2, 0, 0)); continue; }
    if (!strncmp(word, "d:", 2)) { MultiByteToWideChar(CP_ACP, 0, word + 2, -1, wide, 600); AddDllDirectory(wide);
    continue; } HMODULE module = *word == '?' ? GetModuleHandleA(word + 1) : LoadLibraryExA(word, 0, flags);
    DWORD error = GetLastError();
    if (module) GetModuleFileNameA(module, path, 600);
    if (module || *word == '?') printf("%s\n", path); else printf("error %lu\n", error);
    fflush(stdout);
  }
  return 0;
}
"""


class Builder:
    """Makes PE files; the tools are those of mingw-w64."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.count = 0

    def tool(self, name, machine="x86_64"):
        return f"{machine}-w64-mingw32-{name}"

    def run(self, *words):
        subprocess.run(words, check=True, capture_output=True)

    def file(self, suffix, text=""):
        self.count += 1
        path = os.path.join(self.scratch, f"{self.count}{suffix}")
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
        return path

    def program(self, path, machine="x86_64"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.run(self.tool("gcc", machine), "-o", path, self.file(".c", LOADER))

    def manifest(self, assembly, version, machine):
        """An object file with a manifest that asks for an assembly."""
        identity = f'type="win32" name="{assembly}" version="{version}" processorArchitecture="*"'
        if assembly.startswith("Microsoft.Windows."):
            identity += ' publicKeyToken="6595b64144ccf1df" language="*"'
        xml = self.file(".xml", '<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0"><dependency>'
                                f"<dependentAssembly><assemblyIdentity "
                                f"{identity}/></dependentAssembly></dependency></assembly>")
        made = self.file(".o")
        self.run(self.tool("windres", machine), self.file(".rc", f'2 24 "{xml}"\n'), made)
        return made

    def dll(self, path, exports=("f",), imports=(), delayed=(), machine="x86_64", assembly=None, load_flags=0,
            emptied=()):
        """`exports`: lines of a .def file; `imports` and `delayed`: (DLL, line of a .def file for a function);
        `load_flags`: DependentLoadFlags; `emptied`: imported DLLs that lose their functions afterwards."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        names = [line.split()[0] for line in exports if "=" not in line]
        wanted = [line.split()[0] for _, line in (*imports, *delayed)]
        source = "".join(f"int {name}(void);\n" for name in wanted if name not in names)
        source += "".join(f"int {name}(void) {{ return 1; }}\n" for name in names)
        source += "int use_all(void) { return 0" + "".join(f" + {name}()" for name in wanted) + "; }\n"
        if load_flags:
            # IMAGE_LOAD_CONFIG_DIRECTORY64 has the flags at 78.
            source += (f'__attribute__((section(".config"))) const unsigned short configuration[64] = '
                       f"{{[0] = 128, [39] = {load_flags:#x}}};\n")
        if delayed:
            source += '__attribute__((section(".delayed"))) const char table[64] = {1};\n'
        libraries = []
        for group, option in ((imports, "-l"), (delayed, "-y")):
            for dll, line in group:
                library = self.file(".a")
                definition = self.file(".def", f"LIBRARY {dll}\nEXPORTS\n{line}\n")
                self.run(self.tool("dlltool", machine), "-d", definition, option, library)
                libraries.append(library)
        definition = self.file(".def", f"LIBRARY {os.path.basename(path)}\nEXPORTS\n" + "\n".join(exports) + "\n")
        plain = [] if delayed else ["-nostdlib", "-Wl,-e,0"]
        # The linker would add a suffix to a name that has none.
        made = self.file(".dll")
        self.run(self.tool("gcc", machine), "-shared", "-O0", *plain, "-o", made, self.file(".c", source), definition,
                 *libraries, *(["-ldelayimp"] if delayed else []),
                 *([self.manifest(*assembly, machine)] if assembly else []))
        edited = PeFile(made)
        for dll in emptied:
            edited.empty_import(dll)
        if load_flags:
            edited.set_directory(10, ".config", 128)
        if delayed:
            # The linker makes the row of a DLL, of which no header tells.
            named = subprocess.run([self.tool("nm", machine), made], check=True, capture_output=True, text=True).stdout
            at = re.search(r"([0-9a-f]+) T __DELAY_IMPORT_DESCRIPTOR", named)
            edited.copy(int(at[1], 16) - edited.base(), ".delayed", 32)
            edited.set_directory(13, ".delayed", 64)
        edited.write()
        shutil.move(made, path)


class PeFile:
    """A file of the linker's, for what the linker cannot be told."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.data = bytearray(file.read())
        header = self.word(0x3c)
        self.optional = header + 24
        first = self.optional + int.from_bytes(self.data[header + 20:header + 22], "little")
        self.sections = [first + 40 * number for number in range(self.data[header + 6])]

    def word(self, at):
        return int.from_bytes(self.data[at:at + 4], "little")

    def text(self, at):
        return self.data[at:self.data.index(0, at)].decode()

    def offset(self, address):
        for at in self.sections:
            if self.word(at + 12) <= address < self.word(at + 12) + self.word(at + 16):
                return address - self.word(at + 12) + self.word(at + 20)
        raise ValueError(f"{address:#x} is not mapped")

    def empty_import(self, dll):
        """Takes the functions of one DLL away, as linkers leave it that drop what is not used."""
        at = self.offset(self.word(self.optional + 112 + 8))
        while self.word(at + 12):
            if self.text(self.offset(self.word(at + 12))) == dll:
                for table in (self.word(at), self.word(at + 16)):
                    self.data[self.offset(table):self.offset(table) + 8] = bytes(8)
            at += 20

    def set_directory(self, number, section, size):
        """Of the headers: the directory is a section of that name."""
        place = self.optional + 112 + 8 * number
        self.data[place:place + 8] = self.word(self.section(section) + 12).to_bytes(4, "little") + size.to_bytes(
            4, "little")

    def section(self, name):
        return next(at for at in self.sections if self.data[at:at + 8].rstrip(b"\0").decode() == name)

    def copy(self, address, section, size):
        """To the beginning of that section."""
        start, to = self.offset(address), self.word(self.section(section) + 20)
        self.data[to:to + size] = self.data[start:start + size]

    def base(self):
        return int.from_bytes(self.data[self.optional + 24:self.optional + 32], "little")

    def write(self):
        with open(self.path, "wb") as file:
            file.write(self.data)


class Case:
    """What a rule's name says. `files` makes them below the case's folder; `calls` are words for the loader, in which
    @ is that folder; `answers` are paths there, `System32/NAME`, `none`, or `error N`."""

    def __init__(self, name, source, files, calls, answers, path=(), differs="", python="", machine="x86_64"):
        self.name, self.source, self.files, self.calls, self.answers = name, source, files, calls, answers
        self.path, self.differs, self.python, self.machine = path, differs, python, machine


def text(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as out:
        out.write(content)


def files(*steps):
    """Steps are (path, options for Builder.dll) or (path, text)."""

    def make(build, folder):
        for path, options in steps:
            place = os.path.join(folder, path)
            if isinstance(options, str):
                text(place, options)
            else:
                build.dll(place, **options)

    return make


def manifest(name="Mine", depends="", has=""):
    """Of an assembly, or of a program that depends on one."""
    identity = '<assemblyIdentity type="win32" name="{}" version="1.0.0.0" processorArchitecture="amd64"/>'
    parts = [identity.format(name if has else "Program")]
    if has:
        parts.append(f'<file name="{has}"/>')
    if depends:
        parts.append(f"<dependency><dependentAssembly>{identity.format(depends)}</dependentAssembly></dependency>")
    return f'<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">{"".join(parts)}</assembly>'


NEEDS_B = {"imports": [("b.dll", "g")]}
B = {"exports": ("g",)}
STUBS = "wine puts a stub in the place of a function that is missing"

CASES = [
    Case("application-folder-comes-before-path", SEARCH_ORDER, files(("app/a.dll", {}), ("p/a.dll", {})),
         ["a.dll"], ["app/a.dll"], ["p"]),
    Case("path-is-searched-in-its-order", SEARCH_ORDER, files(("p/x.txt", ""), ("q/a.dll", {}), ("r/a.dll", {})),
         ["a.dll"], ["q/a.dll"], ["p", "q", "r"]),
    Case("system-folder-comes-before-path", SEARCH_ORDER, files(("p/version.dll", {})),
         ["version.dll"], ["System32/version.dll"], ["p"]),
    Case("system-folder-comes-before-the-current-folder", SEARCH_ORDER, files(("cwd/version.dll", {})),
         ["version.dll"], ["System32/version.dll"]),
    Case("current-folder-comes-before-path", SEARCH_ORDER, files(("cwd/a.dll", {}), ("p/a.dll", {})),
         ["a.dll"], ["cwd/a.dll"], ["p"]),
    Case("missing-dll-is-error-126", LOAD_LIBRARY, files(), ["a.dll"], ["error 126"]),
    Case("name-of-a-loaded-dll-answers", SEARCH_ORDER, files(("app/a.dll", {}), ("b/a.dll", {})),
         ["@/b/a.dll", "a.dll"], ["b/a.dll", "b/a.dll"]),
    Case("full-path-loads-a-second-copy", SEARCH_ORDER, files(("app/a.dll", {}), ("b/a.dll", {})),
         ["a.dll", "@/b/a.dll"], ["app/a.dll", "b/a.dll"]),
    Case("case-of-a-name-does-not-count", SEARCH_ORDER, files(("app/a.dll", {})), ["A.Dll"], ["app/a.dll"]),
    Case("extension-is-added", LOAD_LIBRARY, files(("app/a.dll", {})), ["a"], ["app/a.dll"]),
    Case("dot-at-the-end-means-no-extension", LOAD_LIBRARY, files(("app/a", {}), ("app/a.dll", {})), ["a."], ["app/a"]),
    Case("known-dll-is-not-taken-from-the-application-folder", SEARCH_ORDER, files(("app/normaliz.dll", {})),
         ["normaliz.dll"], ["System32/normaliz.dll"], differs="wine has no list of known DLLs"),
    Case("api-set-leads-to-its-host", 'Microsoft, "Windows API sets"', files(),
         ["api-ms-win-core-file-l1-1-0.dll"], ["System32/kernelbase.dll"]),
    Case("last-number-of-an-api-set-does-not-count", 'Microsoft, "Windows API sets"', files(),
         ["api-ms-win-core-file-l1-1-9.dll"], ["System32/kernelbase.dll"], differs="wine 8 compares the whole name"),
    Case("unknown-api-set-is-looked-for-as-a-file", 'Microsoft, "Windows API sets"',
         files(("app/api-ms-none-l1-1-0.dll", {})),
         ["api-ms-none-l1-1-0.dll", "api-ms-none-l1-2-0.dll"], ["app/api-ms-none-l1-1-0.dll", "error 126"]),
    Case("dll-for-another-machine-is-passed-over", "wine dlls/ntdll/loader.c, search_dll_file",
         files(("app/a.dll", {"machine": "i686"}), ("p/a.dll", {})), ["a.dll"], ["p/a.dll"], ["p"]),
    Case("dll-for-another-machine-alone-is-error-193", "wine dlls/ntdll/loader.c, search_dll_file",
         files(("app/a.dll", {"machine": "i686"})), ["a.dll"], ["error 193"]),
    Case("text-file-ends-the-search", "wine dlls/ntdll/loader.c, search_dll_file",
         files(("app/a.dll", "no DLL"), ("p/a.dll", {})), ["a.dll"], ["error 193"], ["p"]),
    Case("import-is-loaded", SEARCH_ORDER, files(("app/a.dll", NEEDS_B), ("app/b.dll", B)),
         ["a.dll", "?b.dll"], ["app/a.dll", "app/b.dll"]),
    Case("missing-import-is-error-126", SEARCH_ORDER, files(("app/a.dll", NEEDS_B)), ["a.dll"], ["error 126"]),
    Case("import-for-another-machine-is-error-193", SEARCH_ORDER,
         files(("app/a.dll", NEEDS_B), ("app/b.dll", {"machine": "i686"})),
         ["a.dll"], ["error 193"], differs="wine says 126 of whatever fails below the file that was asked for"),
    Case("imports-in-a-circle-are-loaded", SEARCH_ORDER,
         files(("app/a.dll", NEEDS_B), ("app/b.dll", {"exports": ("g",), "imports": [("a.dll", "f")]})),
         ["a.dll", "?b.dll"], ["app/a.dll", "app/b.dll"]),
    Case("failed-load-leaves-nothing-behind", LOAD_LIBRARY,
         files(("app/a.dll", {"imports": [("b.dll", "g"), ("c.dll", "h")]}), ("app/b.dll", B)),
         ["a.dll", "?b.dll"], ["error 126", "none"], differs="wine keeps what a failed load has brought in"),
    Case("imports-of-a-dll-are-not-looked-for-beside-it", LOAD_LIBRARY, files(("s/a.dll", NEEDS_B), ("s/b.dll", B)),
         ["@/s/a.dll"], ["error 126"]),
    Case("imports-of-imports-follow-the-same-call", LOAD_LIBRARY,
         files(("app/a.dll", NEEDS_B), ("p/b.dll", {"exports": ("g",), "imports": [("c.dll", "h")]}),
               ("p/c.dll", {"exports": ("h",)})),
         ["a.dll", "?c.dll"], ["app/a.dll", "p/c.dll"], ["p"]),
    Case("delay-import-may-be-missing", "Microsoft, \"Linker support for delay-loaded DLLs\"",
         files(("app/a.dll", {"delayed": [("b.dll", "g")]})), ["a.dll", "?b.dll"], ["app/a.dll", "none"]),
    Case("forwarder-loads-the-dll-it-names", PE_FORMAT,
         files(("app/a.dll", NEEDS_B), ("app/b.dll", {"exports": ("g = c.h", "x")}),
               ("app/c.dll", {"exports": ("h",)})),
         ["a.dll", "?c.dll"], ["app/a.dll", "app/c.dll"]),
    Case("forwarder-to-a-missing-dll-is-an-error", PE_FORMAT,
         files(("app/a.dll", NEEDS_B), ("app/b.dll", {"exports": ("g = c.h", "x")})), ["a.dll"], ["error 127"],
         differs=STUBS),
    Case("forwarder-that-nobody-imports-does-no-harm", PE_FORMAT,
         files(("app/b.dll", {"exports": ("g = c.h", "x")})), ["b.dll"], ["app/b.dll"]),
    Case("forwarders-in-a-circle-end", PE_FORMAT,
         files(("app/a.dll", NEEDS_B), ("app/b.dll", {"exports": ("g = c.g", "x")}),
               ("app/c.dll", {"exports": ("g = b.g", "y")})),
         ["a.dll"], ["error 127"], differs=STUBS),
    Case("missing-function-is-error-127", LOAD_LIBRARY,
         files(("app/a.dll", NEEDS_B), ("app/b.dll", {"exports": ("other",)})),
         ["a.dll"], ["error 127"], differs=STUBS),
    Case("missing-ordinal-is-error-182", 'Microsoft, "System Error Codes", ERROR_INVALID_ORDINAL',
         files(("app/a.dll", {"imports": [("b.dll", "g @7 NONAME")]}), ("app/b.dll", {"exports": ("g @5 NONAME",)})),
         ["a.dll"], ["error 182"], differs=STUBS),
    Case("import-of-no-function-loads-nothing", "ReactOS, LdrpHandleOneOldFormatImportDescriptor",
         files(("app/a.dll", {"imports": [("b.dll", "g"), ("c.dll", "h"), ("none.dll", "n")],
                              "emptied": ("b.dll", "none.dll")}),
               ("app/b.dll", B), ("app/c.dll", {"exports": ("h",)})),
         ["a.dll", "?b.dll", "?c.dll"], ["app/a.dll", "none", "app/c.dll"]),
    Case("dependent-load-flags-limit-the-search-for-imports", DEPENDENT_FLAGS,
         files(("app/a.dll", {**NEEDS_B, "load_flags": 0x800}), ("app/b.dll", B)), ["a.dll"], ["error 126"],
         differs="wine 8 does not read them"),
    Case("dependent-load-flags-leave-other-files-alone", DEPENDENT_FLAGS,
         files(("app/a.dll", {**NEEDS_B, "load_flags": 0x200}),
               ("app/b.dll", {"exports": ("g",), "imports": [("c.dll", "h")]}), ("p/c.dll", {"exports": ("h",)})),
         ["a.dll", "?c.dll"], ["app/a.dll", "p/c.dll"], ["p"]),
    Case("default-dll-directories-take-path-out-of-the-search", DEFAULT_FOLDERS, files(("p/a.dll", {})),
         ["s:0x1000", "a.dll"], ["error 126"], ["p"]),
    Case("default-dll-directories-count-for-added-folders", DEFAULT_FOLDERS, files(("d/a.dll", {}), ("p/a.dll", {})),
         ["s:0x1000", "d:@/d", "a.dll"], ["d/a.dll"], ["p"]),
    Case("default-dll-directories-may-leave-the-application-folder-out", DEFAULT_FOLDERS, files(("app/a.dll", {})),
         ["s:0x800", "a.dll"], ["error 126"]),
    Case("default-dll-directories-count-for-imports", DEFAULT_FOLDERS, files(("s/a.dll", NEEDS_B), ("p/b.dll", B)),
         ["s:0x1000", "@/s/a.dll"], ["error 126"], ["p"]),
    Case("flags-of-a-load-count-for-more-than-default-dll-directories", DEFAULT_FOLDERS,
         files(("s/m.pyd", NEEDS_B), ("s/b.dll", B)), ["s:0x800", "@/s/m.pyd", "?b.dll"], ["s/m.pyd", "s/b.dll"],
         python="3.11"),
    Case("altered-search-path-keeps-its-folder-with-default-dll-directories", "wine dlls/ntdll/loader.c, LdrGetDllPath",
         files(("s/m.pyd", {"imports": [("b.dll", "g"), ("c.dll", "h")]}), ("s/b.dll", B),
               ("d/c.dll", {"exports": ("h",)}), ("p/b.dll", B)),
         ["s:0x1000", "d:@/d", "@/s/m.pyd", "?b.dll", "?c.dll"], ["s/m.pyd", "s/b.dll", "d/c.dll"], ["p"],
         python="3.7"),
    Case("function-is-found-by-its-ordinal", LOAD_LIBRARY,
         files(("app/a.dll", {"imports": [("b.dll", "g @5 NONAME")]}), ("app/b.dll", {"exports": ("g @5 NONAME",)})),
         ["a.dll"], ["app/a.dll"]),
    Case("process-of-32-bit-takes-32-bit-dlls", SEARCH_ORDER,
         files(("app/a.dll", {}), ("p/a.dll", {"machine": "i686"})), ["a.dll"], ["p/a.dll"], ["p"],
         differs="a wine for 64 bit alone runs no program of 32 bit", machine="i686"),
    Case("missing-side-by-side-assembly-is-error-14001", 'Microsoft, "Assembly Searching Sequence"',
         files(("app/a.dll", {"assembly": ("No.Such.Assembly", "1.0.0.0")})), ["a.dll"], ["error 14001"],
         differs="wine loads a DLL whose assembly is missing"),
    Case("side-by-side-assembly-of-windows-is-there", 'Microsoft, "Supported Microsoft Side-by-side Assemblies"',
         files(("app/a.dll", {"assembly": ("Microsoft.Windows.Common-Controls", "6.0.0.0")})), ["a.dll"],
         ["app/a.dll"]),
    Case("manifest-beside-the-program-redirects-to-a-private-assembly", ASSEMBLIES,
         files(("app/loader.exe.manifest", manifest(depends="Mine")), ("app/Mine/Mine.manifest", manifest(has="b.dll")),
               ("app/Mine/b.dll", B), ("app/b.dll", B), ("app/a.dll", NEEDS_B)),
         ["a.dll", "?b.dll"], ["app/a.dll", "app/Mine/b.dll"]),
    Case("private-assembly-may-lie-in-the-folder-of-the-program", ASSEMBLIES,
         files(("app/loader.exe.manifest", manifest(depends="Mine")), ("app/Mine.manifest", manifest(has="b.dll")),
               ("app/b.dll", B), ("p/b.dll", B)),
         ["b.dll"], ["app/b.dll"], ["p"]),
    Case("assembly-comes-before-a-loaded-dll", ASSEMBLIES,
         files(("app/loader.exe.manifest", manifest(depends="Mine")), ("app/Mine/Mine.manifest", manifest(has="b.dll")),
               ("app/Mine/b.dll", B), ("s/b.dll", B), ("app/a.dll", NEEDS_B)),
         ["@/s/b.dll", "b.dll"], ["s/b.dll", "app/Mine/b.dll"]),
    Case("manifest-of-a-dll-redirects-what-it-imports", ASSEMBLIES,
         files(("app/a.dll", {**NEEDS_B, "assembly": ("Mine", "1.0.0.0")}),
               ("app/Mine/Mine.manifest", manifest(has="b.dll")), ("app/Mine/b.dll", B), ("app/b.dll", B)),
         ["a.dll", "?b.dll", "b.dll"], ["app/a.dll", "app/Mine/b.dll", "app/Mine/b.dll"]),
    Case("manifest-of-a-dll-counts-for-imports-of-its-imports", ASSEMBLIES,
         files(("app/a.dll", {"imports": [("c.dll", "h")], "assembly": ("Mine", "1.0.0.0")}),
               ("app/c.dll", {"exports": ("h",), **NEEDS_B}),
               ("app/Mine/Mine.manifest", manifest(has="b.dll")), ("app/Mine/b.dll", B), ("app/b.dll", B)),
         ["a.dll", "?b.dll"], ["app/a.dll", "app/Mine/b.dll"]),
    Case("manifest-beside-a-dll-counts-as-its-own", 'Microsoft, "Manifests"',
         files(("app/a.dll", NEEDS_B), ("app/a.dll.2.manifest", manifest(depends="Mine")),
               ("app/Mine/Mine.manifest", manifest(has="b.dll")), ("app/Mine/b.dll", B), ("app/b.dll", B)),
         ["a.dll", "?b.dll"], ["app/a.dll", "app/Mine/b.dll"],
         differs="wine 8 reads it of DLLs alone that have a manifest among their resources as well"),
    Case("missing-assembly-of-a-manifest-beside-a-dll-is-error-14001", 'Microsoft, "Manifests"',
         files(("app/a.dll", {}), ("app/a.dll.2.manifest", manifest(depends="Mine"))), ["a.dll"], ["error 14001"],
         differs="wine loads a DLL whose assembly is missing"),
    Case("assembly-that-lacks-its-file-hides-the-others", ASSEMBLIES,
         files(("app/loader.exe.manifest", manifest(depends="Mine")), ("app/Mine/Mine.manifest", manifest(has="b.dll")),
               ("app/b.dll", B)),
         ["b.dll"], ["error 126"]),
    Case("assembly-may-depend-on-another-one", ASSEMBLIES,
         files(("app/loader.exe.manifest", manifest(depends="Mine")),
               ("app/Mine/Mine.manifest", manifest(depends="Other", has="c.dll")),
               ("app/Other/Other.manifest", manifest(name="Other", has="b.dll")), ("app/Other/b.dll", B)),
         ["b.dll"], ["app/Other/b.dll"]),
    # Extension modules of Python, by the flags that CPython gives.
    Case("extension-module-finds-dlls-beside-it", PYTHON, files(("s/m.pyd", NEEDS_B), ("s/b.dll", B)),
         ["@/s/m.pyd", "?b.dll"], ["s/m.pyd", "s/b.dll"], python="3.11"),
    Case("extension-module-does-not-search-path", PYTHON, files(("s/m.pyd", NEEDS_B), ("p/b.dll", B)),
         ["@/s/m.pyd"], ["error 126"], ["p"], python="3.11"),
    Case("extension-module-does-not-search-the-current-folder", PYTHON, files(("s/m.pyd", NEEDS_B), ("cwd/b.dll", B)),
         ["@/s/m.pyd"], ["error 126"], python="3.11"),
    Case("extension-module-searches-added-folders", PYTHON, files(("s/m.pyd", NEEDS_B), ("d/b.dll", B)),
         ["d:@/d", "@/s/m.pyd", "?b.dll"], ["s/m.pyd", "d/b.dll"], python="3.11"),
    Case("folder-of-the-module-serves-imports-of-its-imports", PYTHON,
         files(("s/m.pyd", NEEDS_B), ("d/b.dll", {"exports": ("g",), "imports": [("c.dll", "h")]}),
               ("s/c.dll", {"exports": ("h",)})),
         ["d:@/d", "@/s/m.pyd", "?c.dll"], ["s/m.pyd", "s/c.dll"], python="3.11"),
    Case("extension-module-of-python-3.7-searches-path", PYTHON, files(("s/m.pyd", NEEDS_B), ("p/b.dll", B)),
         ["@/s/m.pyd", "?b.dll"], ["s/m.pyd", "p/b.dll"], ["p"], python="3.7"),
    Case("extension-module-of-python-3.7-ignores-added-folders", PYTHON, files(("s/m.pyd", NEEDS_B), ("d/b.dll", B)),
         ["d:@/d", "@/s/m.pyd"], ["error 126"], python="3.7"),
]


class Wine:
    """wine's own loader, in a prefix that is made for this run."""

    def __init__(self, scratch):
        self.program = shutil.which("wine")
        self.environment = {**os.environ, "WINEPREFIX": os.path.join(scratch, "wine"), "WINEDEBUG": "-all",
                            "WINEDLLOVERRIDES": "mscoree,mshtml=", "DISPLAY": ""}
        if self.program and subprocess.run(["wineboot", "-i"], env=self.environment, **SILENT).returncode:
            self.program = None
        # A prompt that waits: while one program runs, so do wine's services. Else each program started them, they held
        # its pipes for 2 seconds after its end, and whoever read from it waited for them.
        self.kept = None
        if self.program:
            self.kept = subprocess.Popen([self.program, "cmd"], env=self.environment, stdin=subprocess.PIPE, **SILENT)

    def run(self, words, folder, path):
        """The lines that a program writes; `path` are folders for its PATH."""
        environment = {**self.environment, "WINEPATH": ";".join("Z:" + each.replace("/", "\\") for each in path)}
        done = subprocess.run([self.program, *words], env=environment, cwd=folder, capture_output=True, timeout=120)
        return [line for line in done.stdout.decode().split("\r\n") if line]

    def answers(self, case, folder):
        flags = {"": "0", "3.7": "8"}.get(case.python, "0x1100")
        calls = [call.replace("@", "Z:" + folder).replace("/", "\\") for call in case.calls]
        lines = self.run([os.path.join(folder, "app/loader.exe"), "f:" + flags, *calls], os.path.join(folder, "cwd"),
                         [os.path.join(folder, p) for p in case.path])
        return [shown(line, folder) for line in lines]

    def stop(self):
        if self.kept:
            self.kept.stdin.close()
            self.kept.wait(60)
            subprocess.run(["wineserver", "-k"], env=self.environment, **SILENT)


def shown(path, folder):
    """A path of Windows or of this system, in the words of the cases."""
    path = path.replace("\\", "/")
    if path.lower().startswith("c:/windows/system32/"):
        return "System32/" + path.rsplit("/", 1)[1].lower()
    path = path.removeprefix("Z:")
    return os.path.relpath(path, folder) if path.startswith(folder) else path


def same_paths(some, others):
    return [path.lower() for path in some] == [path.lower() for path in others]


def error_of(words):
    for number, text_of in (("126", "module could not be found"), ("127", "procedure could not be found"),
                            ("182", "system cannot run"), ("193", "not a valid Win32"), ("14001", "side-by-side")):
        if text_of in words:
            return "error " + number
    return words


def simulated(cudald, case, folder):
    command = [cudald, "explain", "-f", "json", "--cwd", os.path.join(folder, "cwd")]
    for place in case.path:
        command += ["--dll-path", os.path.join(folder, place)]
    loads = []
    for call in case.calls:
        call = call.replace("@", folder)
        if call.startswith("d:"):
            command += ["--add-dll-directory", call[2:]]
        elif call.startswith("s:"):
            command += ["--default-dll-directories", call[2:]]
        elif not call.startswith("?"):
            loads.append(call)
    if case.python:
        command += ["--python", case.python, *loads]
    else:
        for load in loads:
            command += ["--dlopen", "Z:" + load.replace("/", "\\") if load.startswith("/") else load]
        command.append(os.path.join(folder, "app/loader.exe"))
    done = subprocess.run(command, capture_output=True, timeout=60)
    report = json.loads(done.stdout)
    targets = [t for t in report["targets"] if re.sub(r"^Z:", "", t["given"]).replace("\\", "/") in loads]
    answers = []
    for call in case.calls:
        if call.startswith("?"):
            at = [o["path"] for o in report["objects"] if o["path"].replace("\\", "/").rsplit("/", 1)[1] == call[1:]
                  and o.get("mapped", True)]
            answers.append(shown(at[0], folder) if at else "none")
        elif not call.startswith(("d:", "s:")):
            target = targets.pop(0)
            answers.append(error_of(target["error"]) if target["error"]
                           else shown(report["objects"][target["object"]]["path"], folder))
    return answers, done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cudald")
    parser.add_argument("--only", default="*")
    options = parser.parse_args()
    tap = Tap()
    cases = [case for case in CASES if fnmatch.fnmatch(case.name, options.only)]
    if not shutil.which("x86_64-w64-mingw32-gcc") or not shutil.which("i686-w64-mingw32-gcc"):
        tap.skip("the loader of Windows", "mingw-w64 is not installed (Debian: gcc-mingw-w64)")
        return tap.finish()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = os.path.realpath(scratch)
        build = Builder(scratch)
        for machine in ("x86_64", "i686"):
            build.program(os.path.join(scratch, f"loader-{machine}.exe"), machine)
        wine = Wine(scratch)
        for case in cases:
            folder = os.path.join(scratch, case.name)
            for name in ("app", "cwd"):
                os.makedirs(os.path.join(folder, name))
            shutil.copy(os.path.join(scratch, f"loader-{case.machine}.exe"), os.path.join(folder, "app/loader.exe"))
            case.files(build, folder)
            answers, done = simulated(options.cudald, case, folder)
            tap.ok(answers == case.answers, case.name,
                   [case.source, f"expected {case.answers}", f"cudald   {answers}",
                    *done.stderr.decode().splitlines()[:5]])
            if not wine.program:
                tap.skip(f"{case.name}: wine", f"not run: no wine here; {case.source}")
            elif case.differs:
                tap.skip(f"{case.name}: wine", f"{case.differs}; {case.source}")
            else:
                # wine spells a file as it was asked for. It is asked twice at most: once, on a loaded machine, it gave
                # another answer than in thousands of other runs.
                real = [wine.answers(case, folder)]
                if not same_paths(real[0], case.answers):
                    real.append(wine.answers(case, folder))
                tap.ok(same_paths(real[-1], case.answers), f"{case.name}: wine",
                       [f"expected {case.answers}", *(f"wine     {answers}" for answers in real)])
        wine.stop()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
