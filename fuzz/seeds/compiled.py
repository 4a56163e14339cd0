"""ELF and PE files of the kinds that readers tell apart, and who compiles them."""

import pathlib
import subprocess

import places  # noqa: F401
import elf_file
from elf_writer import elf_bytes
from pe_writer import PeFile, sample

# What systemd's libraries say that they open, and which kernel a file wants. Source: UAPI group, "ELF Dlopen Metadata".
NOTES = r"""
asm(".section .note.dlopen,\"a\",@note\n .long 4, 2f-1f, 0x407c0c0a\n .asciz \"FDO\"\n"
    "1: .asciz \"[{\\\"soname\\\":[\\\"liba.so.1\\\"],\\\"feature\\\":\\\"a\\\",\\\"priority\\\":\\\"required\\\"}]\"\n"
    "2: .balign 4\n .previous\n"
    ".section .note.ABI-tag,\"a\",@note\n .long 4, 16, 1\n .asciz \"GNU\"\n .long 0, 3, 2, 0\n .previous");
"""
LIBRARY = """
#include <stddef.h>
extern void *dlopen(const char *, int); extern void *malloc(size_t); extern int answer(void) __attribute__((weak));
__thread int local = 3; int table[64] = {1}; static int hidden; int counted[300];
const char *const names[] = {"libother.so.1", "/usr/lib/libcuda.so.1", "libplain.so"};
__attribute__((constructor)) static void begin(void) { hidden++; }
static void *chosen(void) { return 0; }
void *picked(void) __attribute__((ifunc("choose")));
static void *choose(void) { return (void *)chosen; }
NOTES
int f(int *p) { if (p != 0) *p = 12040; return 0; }
int g(int *p) { int *q = malloc(8); local += hidden; return f(p) + (answer ? answer() : 0) + *q + table[*p]; }
void *open_it(int i) { return dlopen(i > 1 ? "libopened.so.2" : names[i], 2); }
"""
OTHER = "int answer(void) { return 42; } int table[64] = {2};"
EXTENSION = """
typedef struct Object Object;
extern Object *PyModule_Create2(void *, int), *PyImport_ImportModule(const char *); extern int PyErr_Occurred(void);
extern void *PyModule_GetDict(Object *); extern Object *PyErr_SetString(Object *, const char *);
extern Object *PyExc_ImportError;
static char definition[104] = "m";
static Object *need(void) { return PyImport_ImportModule("numpy.core._multiarray_umath"); }
static int more(void) { return PyImport_ImportModule("other") ? 0 : -1; }
Object *PyInit__C(void) {
  Object *self = PyModule_Create2(definition, 1013);
  if (!need() || more() || PyErr_Occurred()) { PyErr_SetString(PyExc_ImportError, "no other"); return 0; }
  return PyModule_GetDict(self) ? self : 0;
}
"""
RUNTIME = """
int cudaRuntimeGetVersion(int *p) { if (p) *p = 12040; return 0; }
int cudaDriverGetVersion(int *p) { if (p) *p = 12040; return 0; }
int cudaMalloc(void **p, unsigned long n) { return 0; } int cudaGetDeviceCount(int *p) { return 100; }
void **__cudaRegisterFatBinary(void *p) { return 0; }
"""
CUDNN = (
    "unsigned long cudnnGetVersion(void) { return 8907; } unsigned long cudnnGetCudartVersion(void) { return 12020; }"
)
DRIVER = """
int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *p) { if (p) *p = 12020; return 0; }
const char *const known = "nvidia-application-profiles-535.104.05";
"""
LOADER = r"""
const char words[] = "ld.so (Debian GLIBC 2.36-9) stable release version 2.36.\n"
  "\0/lib/x86_64-linux-gnu/\0/usr/lib/x86_64-linux-gnu/\0/lib/\0/usr/lib/\0\0/etc/ld.so.cache\0/etc/ld.so.preload\0";
void *get(void) { return (void *)words; }
"""
PROGRAM = "extern int g(int *); void _start(void) { int x = 0; g(&x); for (;;) ; }"
VERSIONS = "V1 { global: f; g; picked; open_it; local; table; local: *; }; V2 { global: counted; } V1;"


class Maker:
    """Compiles and archives in a folder of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "versions").write_text(VERSIONS)

    def build(self, name, source, *options):
        """The bytes of a shared library; empty if the compiler does not make it."""
        code = self.folder / f"{name}.c"
        code.write_text(source)
        out = self.folder / name
        done = subprocess.run(
            ["cc", "-O1", "-fPIC", "-shared", "-nostdlib", "-Wl,-z,noseparate-code", "-w", "-o", out, code, *options],
            cwd=self.folder,
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            print(f"# not made: {name}: {done.stderr.decode().splitlines()[-1:]}")
            return b""
        return out.read_bytes()

    def run(self, *command, given=b""):
        return subprocess.run(command, cwd=self.folder, input=given, stdout=subprocess.PIPE, check=True).stdout


def libraries(maker):
    """ELF and PE files by name, of all kinds that readers tell apart."""
    other = maker.build("libother.so.1", OTHER, "-Wl,-soname,libother.so.1", "-s")
    linked = ["libother.so.1", "-Wl,--no-as-needed", "-Wl,-soname,libx.so"]
    library = LIBRARY.replace("NOTES", NOTES)
    made = {
        "other": other,
        "full": maker.build(
            "libx.so",
            library,
            *linked,
            "-Wl,-z,x86-64-v3",
            "-Wl,--version-script=versions",
            "-Wl,-rpath,$ORIGIN/../lib",
        ),
        "stripped": maker.build("libs.so", library, *linked, "-s", "-Wl,--hash-style=sysv", "-Wl,-z,now"),
        "relative": maker.build("libr.so", library, *linked, "-Wl,-z,pack-relative-relocs", "-s"),
        "separate": maker.build("libsep.so", OTHER, "-Wl,-z,separate-code", "-Wl,-z,relro", "-s"),
        "stack": maker.build("libstack.so", OTHER, "-Wl,-z,execstack", "-s"),
        "old_path": maker.build("libp.so", OTHER, "-Wl,--disable-new-dtags", "-Wl,-rpath,/opt/a:/opt/b", "-s"),
        "filter": maker.build("libf.so", OTHER, "-Wl,-f,libother.so.1", "-Wl,-z,nodelete", "-Wl,-z,origin", "-s"),
        "extension": maker.build("_C.so", EXTENSION, "-Wl,--eh-frame-hdr", "-funwind-tables"),
        "runtime": maker.build("libcudart.so.12", RUNTIME, "-Wl,-soname,libcudart.so.12", "-s"),
        "cudnn": maker.build("libcudnn.so.8", CUDNN, "-Wl,-soname,libcudnn.so.8", "-s"),
        "large_bss": maker.build("libb.so", OTHER + "int large[1 << 20];", "-s"),
        "newer_runtime": maker.build(
            "libcudart.so.13", RUNTIME.replace("12040", "12080"), "-Wl,-soname,libcudart.so.12"
        ),
        "newer_cudnn": maker.build(
            "libcudnn_ops.so.9", CUDNN.replace("8907", "91002"), "-Wl,-soname,libcudnn_ops.so.9"
        ),
        "stub": maker.build("libcudas.so.1", "int cuInit(unsigned f) { return 34; }", "-Wl,-soname,libcuda.so.1", "-s"),
        "driver": maker.build("libcuda.so.1", DRIVER, "-Wl,-soname,libcuda.so.1", "-s"),
        "loader": maker.build("ld.so", LOADER, "-Wl,-soname,ld-linux-x86-64.so.2", "-s"),
        "program": maker.build(
            "program",
            PROGRAM,
            "-pie",
            "libx.so",
            "-Wl,-rpath,/opt/lib",
            "-Wl,--no-as-needed",
            "-Wl,--dynamic-linker=/lib64/ld-linux-x86-64.so.2",
            "-Wl,--allow-shlib-undefined",
        ),
        "small": elf_bytes(needed=["libc.so.6", "libother.so.1"], soname="libsmall.so", runpath="$ORIGIN"),
        "narrow": elf_bytes(needed=["libc.so.6"], bits=32, machine=elf_file.EM_386),
        "arm": elf_bytes(needed=["libc.so.6"], machine=elf_file.EM_AARCH64, auxiliaries=["liba.so"]),
        "starter": elf_bytes(needed=["libx.so"], program=True, rpath="/opt/$LIB:$ORIGIN"),
        "sample.dll": sample(),
        "with_context.dll": dll_with_context(),
    }
    return {name: data for name, data in made.items() if data}


def dll_with_context():
    """A DLL whose manifest asks for an assembly, with a version resource."""
    pe = PeFile()
    pe.imports([(b"api-ms-win-core-file-l1-1-0.dll", [b"CreateFileW"]), (b"VCRUNTIME140.dll", [b"memcpy", 3])])
    pe.exports(b"x.dll", [(b"PyInit__C", None), (b"fwd", b"other.#3")])
    pe.resource(
        24,
        2,
        b"<?xml version='1.0'?>\n<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'>"
        b"<file name='a.dll'/><dependency><dependentAssembly><assemblyIdentity type='win32' name='Microsoft.VC90"
        b".CRT' version='9.0.21022.8' processorArchitecture='amd64' publicKeyToken='1fc8b3b9a1e18e3b'/>"
        b"</dependentAssembly></dependency></assembly>",
    )
    return pe.finish()
