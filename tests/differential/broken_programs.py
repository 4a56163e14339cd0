"""Small programs whose symbols do not fit their libraries, built with the system's compiler.

Each function below builds one case in a folder of its own and returns the program. A library is
first built as the program's author had it, to link against, and then replaced by what the user has.
The programs do nothing: their calls are behind a condition that is never true.
"""

import os
import struct
import subprocess

from elf_file import DT_STRTAB, DT_VERNEED, ElfFile

NEVER = "int main(int argc, char **argv) { (void)argv; if (argc > 1000) { %s } return 0; }\n"


class Builder:
    """Compiles into one folder. Programs and libraries there find each other by RUNPATH."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def library(self, name, source, *flags, versions=None, libs=(), language="c"):
        if versions is not None:
            script = self.path(name + ".map")
            with open(script, "w", encoding="utf-8") as file:
                file.write(versions)
            flags += (f"-Wl,--version-script={script}",)
        return self._compile(
            name, source, language, "-shared", "-fPIC", f"-Wl,-soname,{name}", *flags, libs=libs
        )

    def program(self, source, *flags, libs=(), language="c"):
        return self._compile("program", source, language, *flags, libs=libs)

    def _compile(self, name, source, language, *flags, libs):
        out = self.path(name)
        command = [
            "g++" if language == "c++" else "gcc",
            "-x",
            language,
            "-",
            "-o",
            out,
            "-w",
            "-O0",
            "-Wl,-z,lazy",
        ]
        command += [
            "-Wl,--no-as-needed",
            "-Wl,--enable-new-dtags,-rpath,$ORIGIN",
            "-Wl,--allow-shlib-undefined",
        ]
        command += [*flags, "-L" + self.folder, *("-l:" + lib for lib in libs)]
        run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {run.stderr}")
        return out


def missing_at_once(b):
    b.library("libf.so", "int f; int g;")
    program = b.program("extern int f; void *p; " + NEVER % "p = &f;", "-fPIC", libs=["libf.so"])
    b.library("libf.so", "int g;")
    return program


def missing_lazily(b):
    b.library("libf.so", "void f(void) {}")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libf.so", "void g(void) {}")
    return program


def missing_lazily_but_bound_now(b):
    b.library("libf.so", "void f(void) {}")
    program = b.program("void f(void); " + NEVER % "f();", "-Wl,-z,now", libs=["libf.so"])
    b.library("libf.so", "void g(void) {}")
    return program


def missing_in_static_data(b):
    b.library("libf.so", "void f(void) {}")
    program = b.program("void f(void); void (*p)(void) = f; " + NEVER % "p();", libs=["libf.so"])
    b.library("libf.so", "void g(void) {}")
    return program


def missing_weak(b):
    b.library("libf.so", "void g(void) {}")
    source = "void f(void) __attribute__((weak)); " + NEVER % "if (f) f();"
    return b.program(source, libs=["libf.so"])


def missing_thread_local(b):
    b.library("libf.so", "__thread int f; int g;")
    program = b.program("extern __thread int f; " + NEVER % "f = 1;", libs=["libf.so"])
    b.library("libf.so", "int g;")
    return program


def missing_in_a_dependency(b):
    b.library("libg.so", "void g(void) {}")
    b.library("libf.so", "void g(void); void f(void) { g(); }", libs=["libg.so"])
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libg.so", "void h(void) {}")
    return program


def missing_library(b):
    b.library("libf.so", "void f(void) {} int data;")
    program = b.program(
        "void f(void); extern int data; " + NEVER % "f(); data = 1;", "-fPIC", libs=["libf.so"]
    )
    os.remove(b.path("libf.so"))
    return program


def now_hidden(b):
    b.library("libf.so", "void f(void) {}")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libf.so", '__attribute__((visibility("hidden"))) void f(void) {} void g(void) { f(); }')
    return program


def defined_by_nobody(b):
    b.library("libf.so", "void unheard_of(void); void f(void) { unheard_of(); }")
    return b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])


def version_missing(b):
    b.library("libf.so", "void f(void) {}", versions="V2 { global: f; };")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libf.so", "void f(void) {}", versions="V1 { global: f; };")
    return program


def two_versions_missing(b):
    versions = "V1 { global: e; }; V2 { global: f; } V1; V3 { global: g; } V2;"
    b.library("libf.so", "void e(void) {} void f(void) {} void g(void) {}", versions=versions)
    program = b.program(
        "void e(void); void f(void); void g(void); " + NEVER % "e(); f(); g();", libs=["libf.so"]
    )
    b.library("libf.so", "void e(void) {}", versions="V1 { global: e; };")
    return program


def version_missing_but_weak(b):
    program = version_missing(b)
    _edit_verneed(program, "V2", flags=2)  # VER_FLG_WEAK
    return program


def version_of_libc_missing(b):
    program = b.program("int puts(const char *); " + NEVER % 'puts("");')
    _rename_version(program, "GLIBC_2.2.5", "GLIBC_9.9.9")
    return program


def symbol_moved_to_another_version(b):
    versions = "V1 { global: e; f; }; V2 { global: g; } V1;"
    b.library("libf.so", "void e(void) {} void f(void) {} void g(void) {}", versions=versions)
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    versions = "V1 { global: e; }; V2 { global: f; g; } V1;"
    b.library("libf.so", "void e(void) {} void f(void) {} void g(void) {}", versions=versions)
    return program


def symbol_left_its_version(b):
    b.library("libf.so", "void e(void) {} void f(void) {}", versions="V1 { global: e; f; };")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libf.so", "void e(void) {}", versions="V1 { global: e; };")
    return program


def symbol_moved_to_another_library(b):
    b.library("libf.so", "void e(void) {} void f(void) {}", versions="V1 { global: e; f; };")
    b.library("libg.so", "void g(void) {}", versions="V1 { global: g; };")
    source = "void f(void); void g(void); " + NEVER % "f(); g();"
    program = b.program(source, libs=["libf.so", "libg.so"])
    b.library("libf.so", "void e(void) {}", versions="V1 { global: e; };")
    b.library("libg.so", "void f(void) {} void g(void) {}", versions="V1 { global: f; g; };")
    return program


def versions_wanted_where_none_are(b):
    b.library("libf.so", "void f(void) {}", versions="V1 { global: f; };")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    # It needs versions of libc, so it has a version table, but defines none.
    b.library("libf.so", 'int puts(const char *); void f(void) { puts(""); }')
    return program


def versions_wanted_where_no_table_is(b):
    b.library("libf.so", "void f(void) {}", versions="V1 { global: f; };")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libf.so", "void f(void) {}", "-nostdlib")
    return program


def versions_wanted_and_a_library_without_table_in_front(b):
    b.library("libg.so", "void g(void) {}")
    b.library("libf.so", "void f(void) {}", versions="V1 { global: f; };")
    program = b.program("void f(void); void g(void); " + NEVER % "f(); g();", libs=["libg.so", "libf.so"])
    b.library("libg.so", "void f(void) {} void g(void) {}", "-nostdlib")
    return program


def base_definition_for_a_version(b):
    b.library("libf.so", "void e(void) {} void f(void) {}", versions="V1 { global: e; f; };")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    # `f` is not in the script: it stays in the base version.
    b.library("libf.so", "void e(void) {} void f(void) {}", versions="V1 { global: e; };")
    return program


TWO_VERSIONS = """
__asm__(".symver f_old, f@V1"); __asm__(".symver f_new, f@@V2");
void f_old(void) {} void f_new(void) {}
"""


def default_version_for_no_version(b):
    b.library("libf.so", "void f(void) {}")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libf.so", TWO_VERSIONS, versions="V1 { global: f; local: *; }; V2 { global: f; } V1;")
    return program


def old_version_of_two(b):
    b.library("libf.so", "void f(void) {}", versions="V1 { global: f; };")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    b.library("libf.so", TWO_VERSIONS, versions="V1 { global: f; local: *; }; V2 { global: f; } V1;")
    return program


def one_hidden_version_for_no_version(b):
    b.library("libf.so", "void f(void) {}")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    source = '__asm__(".symver f_old, f@V1"); void f_old(void) {} void g(void) {}'
    b.library("libf.so", source, versions="V1 { global: f; g; local: *; };")
    return program


TWO_HIDDEN_VERSIONS = """
__asm__(".symver f_1, f@V1"); __asm__(".symver f_2, f@V2");
void f_1(void) {} void f_2(void) {} void g(void) {}
"""


def two_hidden_versions_for_no_version(b):
    b.library("libf.so", "void f(void) {}")
    program = b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])
    versions = "V1 { global: g; local: *; }; V2 { global: g2; } V1; V3 { global: g3; } V2;"
    b.library("libf.so", TWO_HIDDEN_VERSIONS, versions=versions)
    return program


def interposed_by_an_earlier_library(b):
    b.library("liba.so", "void f(void) {}")
    b.library("libb.so", "void f(void) {} void g(void) { f(); }")
    source = "void f(void); void g(void); " + NEVER % "f(); g();"
    return b.program(source, libs=["liba.so", "libb.so"])


def interposed_by_the_program(b):
    b.library("libf.so", "void f(void) {} void g(void) { f(); }")
    return b.program("void g(void); void f(void) {} " + NEVER % "g();", "-rdynamic", libs=["libf.so"])


def weak_definition_in_front_of_a_strong_one(b):
    b.library("liba.so", "__attribute__((weak)) void f(void) {}")
    b.library("libb.so", "void f(void) {}")
    return b.program("void f(void); " + NEVER % "f();", libs=["liba.so", "libb.so"])


def bound_inside_by_symbolic(b):
    b.library("liba.so", "void f(void) {}")
    b.library("libb.so", "void f(void) {} void (*p)(void) = f; void g(void) { f(); }", "-Wl,-Bsymbolic")
    # The linker binds the calls inside itself; a reference by name is left only by hand.
    source = "void f(void); void g(void); " + NEVER % "f(); g();"
    return b.program(source, libs=["liba.so", "libb.so"])


def symbolic_flag_set_afterwards(b):
    b.library("liba.so", "void f(void) {}")
    library = b.library("libb.so", "void f(void) {} void g(void) { f(); }", "-Wl,-z,now")
    _edit_dynamic(library, 30, lambda value: value | 2)  # DT_FLAGS, DF_SYMBOLIC
    source = "void f(void); void g(void); " + NEVER % "f(); g();"
    return b.program(source, libs=["liba.so", "libb.so"])


def protected_definition(b):
    b.library("liba.so", "void f(void) {}")
    source = '__attribute__((visibility("protected"))) void f(void) {} void g(void) { f(); }'
    b.library("libb.so", source)
    source = "void f(void); void g(void); " + NEVER % "f(); g();"
    return b.program(source, libs=["libb.so", "liba.so"])


UNIQUE = "template <class T> struct S { static int v; }; template <class T> int S<T>::v; "


def unique_in_two_libraries(b):
    b.library("liba.so", UNIQUE + 'extern "C" int *a() { return &S<int>::v; }', language="c++")
    b.library("libb.so", UNIQUE + 'extern "C" int *b() { return &S<int>::v; }', language="c++")
    source = 'extern "C" int *a(); extern "C" int *b(); ' + NEVER % "*a() = *b();"
    return b.program(source, libs=["liba.so", "libb.so"], language="c++")


def copy_relocated(b):
    b.library("libf.so", "int f = 1; int *g(void) { return &f; }")
    source = "extern int f; int *g(void); " + NEVER % "f = *g();"
    return b.program(source, "-no-pie", "-fno-pie", libs=["libf.so"])


def copy_relocated_and_gone(b):
    b.library("libf.so", "int f = 1; int g;")
    program = b.program("extern int f; " + NEVER % "f = 1;", "-no-pie", "-fno-pie", libs=["libf.so"])
    b.library("libf.so", "int g;")
    return program


def address_of_a_function_in_a_fixed_program(b):
    # The program's own undefined symbol has an address, that of its PLT entry: all others use that.
    b.library("libf.so", "void f(void) {} void *g(void) { return f; }")
    source = "void f(void); void *g(void); " + NEVER % "return f == g();"
    return b.program(source, "-no-pie", "-fno-pie", libs=["libf.so"])


def indirect_function(b):
    picked = "static void f_1(void) {} static void *pick(void) { return f_1; } "
    b.library("libf.so", picked + 'void f(void) __attribute__((ifunc("pick")));')
    return b.program("void f(void); " + NEVER % "f();", libs=["libf.so"])


def only_a_sysv_hash(b):
    return _one_hash_style(b, "sysv")


def only_a_gnu_hash(b):
    return _one_hash_style(b, "gnu")


def _one_hash_style(b, style):
    b.library("libf.so", "void f(void) {} void g(void) {}")
    program = b.program("void f(void); void g(void); " + NEVER % "f(); g();", libs=["libf.so"])
    b.library("libf.so", "void f(void) {}", f"-Wl,--hash-style={style}")
    return program


CASES = [
    missing_at_once,
    missing_lazily,
    missing_lazily_but_bound_now,
    missing_in_static_data,
    missing_weak,
    missing_thread_local,
    missing_in_a_dependency,
    missing_library,
    now_hidden,
    defined_by_nobody,
    version_missing,
    two_versions_missing,
    version_missing_but_weak,
    version_of_libc_missing,
    symbol_moved_to_another_version,
    symbol_left_its_version,
    symbol_moved_to_another_library,
    versions_wanted_where_none_are,
    versions_wanted_where_no_table_is,
    versions_wanted_and_a_library_without_table_in_front,
    base_definition_for_a_version,
    default_version_for_no_version,
    old_version_of_two,
    one_hidden_version_for_no_version,
    two_hidden_versions_for_no_version,
    interposed_by_an_earlier_library,
    interposed_by_the_program,
    weak_definition_in_front_of_a_strong_one,
    bound_inside_by_symbolic,
    symbolic_flag_set_afterwards,
    protected_definition,
    unique_in_two_libraries,
    copy_relocated,
    copy_relocated_and_gone,
    address_of_a_function_in_a_fixed_program,
    indirect_function,
    only_a_sysv_hash,
    only_a_gnu_hash,
]


def _edit_dynamic(path, tag, change):
    elf = ElfFile(path)
    value = struct.pack("<Q", change(elf.value(tag)))
    _overwrite(path, elf.entry_offset(tag) + 8, value)


def _edit_verneed(path, version, flags):
    offset = _find_vernaux(path, version)
    _overwrite(path, offset + 4, struct.pack("<H", flags))


def _rename_version(path, old, new):
    """Changes the name in the string table, and the hash by which the loader compares."""
    offset = _find_vernaux(path, old)
    elf = ElfFile(path)
    with open(path, "rb") as file:
        file.seek(offset)
        name = struct.unpack("<IHHII", file.read(16))[3]
    _overwrite(path, offset, struct.pack("<I", _elf_hash(new)))
    _overwrite(path, elf.file_offset(elf.value(DT_STRTAB)) + name, new.encode())


def _find_vernaux(path, version):
    """File offset of the Elf64_Vernaux of a version."""
    elf = ElfFile(path)
    with open(path, "rb") as file:
        data = file.read()
    strings = elf.file_offset(elf.value(DT_STRTAB))
    need = elf.file_offset(elf.value(DT_VERNEED))
    while True:
        _, count, _, aux_step, need_step = struct.unpack_from("<HHIII", data, need)
        aux = need + aux_step
        for _ in range(count):
            name, step = struct.unpack_from("<II", data, aux + 8)
            if data[strings + name :].split(b"\0", 1)[0] == version.encode():
                return aux
            aux += step
        if not need_step:
            raise ValueError(f"{path} needs no version {version}")
        need += need_step


def _elf_hash(name):
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & 0xFFFFFFFF
    return value


def _overwrite(path, offset, data):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)
