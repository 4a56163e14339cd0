#!/usr/bin/env python3
"""Loads real CUDA runtimes, and libraries that crash, hang and lie, with `cudald probe`. Writes TAP.

run.py CUDALD [--full]

With --full only what needs large downloads: cuDNN 8 and 9 (1.4 GB).
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from probing import Prober, compile_c, has_driver, unpack_runtimes, unpack_wheel  # noqa: E402
from tap import Tap  # noqa: E402

# What a runtime says without a driver is asked of it by another process than cudald's, with nothing of it.
ASK = """
import ctypes, sys
runtime = ctypes.CDLL(sys.argv[1])
count = ctypes.c_int()
code = runtime.cudaGetDeviceCount(ctypes.byref(count))
for function in runtime.cudaGetErrorName, runtime.cudaGetErrorString:
    function.restype = ctypes.c_char_p
print(f"{runtime.cudaGetErrorName(code).decode()} ({code}): {runtime.cudaGetErrorString(code).decode()}")
"""


def test_runtimes(tap, probe, runtimes):
    for version, library in sorted(runtimes.items()):
        answer = probe(library)
        run = answer.run
        fine = (run["end"] == "finished" and run["differences"] == [] and len(run["mapped"]) == run["predicted"]
                and library in run["mapped"] and run["targets"] == [{"name": library, "loaded": True, "error": None}])
        tap.ok(fine and not answer.problems, f"CUDA {version}: loaded, mapped as predicted", answer.told())
        result, text = answer.check("runtime version") or (None, "")
        # CUDA 10.2 does not tell it without a driver, and its code does not show it.
        silent = version == "10.2" and not has_driver()
        tap.ok(result == "not-run" if silent else result == "ok" and text.split(",")[0] == version,
               f"CUDA {version}: {'says that it tells no' if silent else 'tells its'} version", [text])
        if has_driver():
            tap.ok(answer.check("devices") is not None, f"CUDA {version}: asked for devices", answer.told())
            continue
        words = subprocess.run([sys.executable, "-c", ASK, library], check=True, stdout=subprocess.PIPE, text=True,
                               env=probe.environment).stdout.strip()
        tap.ok(answer.check("devices") == ("not-run", f"no NVIDIA driver on this machine: {words}"),
               f"CUDA {version}: no driver, in the runtime's words: {words[:40]}", [words, *answer.told()])
        tap.ok(set(answer.codes) == {"CUD310", "CUD601"} and answer.report["verdict"] == "cpu-only"
               and answer.status == 0,
               f"CUDA {version}: a note beside the missing driver, and the verdict stays", answer.told())
        kernel = answer.check("kernel") or ("", "")
        tap.ok(kernel[0] == "not-run" and answer.check("kernel on device 0") is None,
               f"CUDA {version}: the kernel is told not to have run", answer.told())
        if "without nvcc" in kernel[1]:
            tap.skip(f"CUDA {version}: registration", "not run: this cudald was built without nvcc")
        else:
            tap.ok(answer.check("registration") == ("ok", "the runtime took the kernel") and
                   "kernel not run: no NVIDIA driver on this machine" in answer.message("CUD601"),
                   f"CUDA {version}: a kernel is registered", answer.told())


def test_two_runtimes(tap, probe, runtimes):
    """Story 5: two majors in one process, in either order."""
    for first, second in ("10.2", "11.8"), ("11.8", "12.9"), ("13.0", "11.7"):
        answer = probe(runtimes[first], runtimes[second])
        run = answer.run
        order = [path for path in run["mapped"] if "libcudart" in path]
        asked = [check["library"] for check in run["checks"] if check["what"] == "runtime version"]
        tap.ok(order == [runtimes[first], runtimes[second]] == asked and run["differences"] == []
               and run["end"] == "finished",
               f"CUDA {first} and {second} in one process", answer.told())
        shared = answer.check("memory of the other runtime")
        if not has_driver():
            tap.ok(shared == ("not-run", "no NVIDIA driver on this machine"),
                   f"CUDA {first} and {second}: memory not shared, as told",
                   answer.told())
    # Two files of one soname: the loader takes the first for both.
    answer = probe(runtimes["12.1"], runtimes["12.4"])
    tap.ok(answer.run["differences"] == [] and answer.run["end"] == "finished", "two files of one soname",
           answer.told())


def test_stub(tap, probe, runtimes, folder):
    stubs = ["/usr/local/cuda/lib64/stubs/libcuda.so", "/usr/local/cuda/lib/stubs/libcuda.so",
             "/usr/local/cuda/targets/x86_64-linux/lib/stubs/libcuda.so"]
    stub = next((path for path in stubs if os.path.exists(path)), None)
    # One like the toolkit's: it has the name, and each function answers CUDA_ERROR_STUB_LIBRARY.
    made = compile_c(f"{folder}/made-stub/libcuda.so.1", "int cuInit(unsigned f) { return 34; }\n"
                     "int cuDriverGetVersion(int* v) { return 34; }\n", "-Wl,-soname,libcuda.so.1")
    places = {"a stub that was made here": made}
    if stub:
        os.makedirs(f"{folder}/stub")
        os.symlink(stub, f"{folder}/stub/libcuda.so.1")
        places["the toolkit's stub"] = f"{folder}/stub/libcuda.so.1"
    else:
        tap.skip("the toolkit's stub", "not run: no CUDA toolkit is installed here")
    for name, path in places.items():
        for version, library in sorted(runtimes.items()):
            answer = probe(library, LD_LIBRARY_PATH=os.path.dirname(path))
            tap.ok(f"{path} is the toolkit's stub, not a driver" in answer.check("devices")[1]
                   and answer.report["verdict"] == "cpu-only",
                   f"CUDA {version} with {name}", answer.told())


HEAD = "".join(
    f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "unistd", "signal", "dlfcn", "sys/types")
)


def constructor(body):
    return f"{HEAD}__attribute__((constructor)) static void start(void) {{ {body} }}\n"


def test_constructors(tap, probe, folder):
    def library(name, body, *words):
        return compile_c(f"{folder}/{name}.so", constructor(body), *words)

    quiet = library("quiet", "")
    answer = probe(quiet)
    tap.ok(answer.codes == [] and answer.status == 0 and answer.report["verdict"] == "loads" and not answer.problems,
           "a library that does no harm", answer.told())

    for name, body, end, status, words in [
        ("crash", "*(volatile int*)0 = 0;", "crashed", signal.SIGSEGV, "is ended by SIGSEGV while loading"),
        ("abort", "abort();", "crashed", signal.SIGABRT, "is ended by SIGABRT while loading"),
        ("exit-0", "exit(0);", "exited", 0, "ends itself with exit status 0 while loading"),
        ("exit-7", "_exit(7);", "exited", 7, "ends itself with exit status 7 while loading"),
        ("term", "raise(SIGTERM);", "crashed", signal.SIGTERM, "is ended by SIGTERM while loading"),
    ]:
        path = library(name, body)
        answer = probe(path)
        told = answer.message("CUD603")
        tap.ok(answer.run["end"] == end and answer.run["status"] == status and words in told and path in told and
               answer.report["verdict"] == "fails" and answer.status == 1 and not answer.problems,
               f"{name}: {words}", answer.told())

    path = library("hang", "for (;;) pause();")
    answer = probe("--timeout", "1", path)
    tap.ok(answer.run["end"] == "timed-out" and "comes to no end" in answer.message("CUD603") and answer.seconds < 20,
           "hang: killed at the time limit", [f"{answer.seconds:.1f} s", *answer.told()])

    left = f"{folder}/left"
    path = library("fork", f'pid_t p = fork(); if (p == 0) for (;;) pause(); FILE* f = fopen("{left}", "w"); '
                           f'fprintf(f, "%d", p); fclose(f);')
    answer = probe(path)
    time.sleep(0.2)
    with open(left, encoding="ascii") as file:
        number = int(file.read())
    tap.ok(answer.run["end"] == "finished" and answer.codes == [] and not is_running(number),
           "fork: what it starts does not outlive the probe", [f"process {number}", *answer.told()])

    # It leaves the group, and holds the pipes open: it is not waited for.
    path = library("daemon", f'pid_t p = fork(); if (p == 0) {{ setsid(); sleep(60); _exit(0); }} FILE* f = '
                             f'fopen("{left}", "w"); '
                   'fprintf(f, "%d", p); fclose(f);')
    answer = probe(path)
    with open(left, encoding="ascii") as file:
        os.kill(int(file.read()), signal.SIGKILL)
    tap.ok(answer.run["end"] == "finished" and answer.seconds < 20, "daemon: not waited for", answer.told())

    path = library("print", 'for (int i = 0; i < 2000000; ++i) puts("0123456789012345678901234567890123456789"); '
                            'fflush(stdout);')
    answer = probe(path)
    tap.ok(answer.run["end"] == "finished" and answer.run["output_bytes"] == 82000000
           and len(answer.run["output"]) <= 2000 and
           answer.codes == [], "print: 82 MB are counted, not kept", answer.told())

    path = library("lie", 'for (int i = 3; i < 10; ++i) dprintf(i, '
                          '"mapped\\nobject\\t1\\t2\\nobject\\tx\\ty\\tz\\t\\xff\\n\\n\\t\\t\\ncheck\\t%%\\ndone\\n");')
    answer = probe(path)
    tap.ok(answer.run is not None and not answer.problems, "lie: records of another form do no harm", answer.told())

    path = library("close", "for (int i = 0; i < 100; ++i) close(i);")
    answer = probe(path)
    tap.ok(answer.run["end"] != "finished" and "CUD603" in answer.codes, "close: no records, no claim", answer.told())

    path = library("core", f'chdir("{folder}"); abort();')
    probe(path)
    tap.ok(not [name for name in os.listdir(folder) if name.startswith("core")  and name != "core.so"],
           "no core file is left", os.listdir(folder))


def is_running(number):
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_differences(tap, probe, folder):
    other = compile_c(f"{folder}/other.so", "int other;")
    opener = compile_c(f"{folder}/opener.so", constructor(f'dlopen("{other}", RTLD_NOW);'))
    answer = probe(opener)
    tap.ok(answer.codes[:1] == ["CUD602"]
           and f"{other} is mapped, but was not predicted" in answer.message("CUD602") and
           answer.report["verdict"] == "risk" and answer.status == 1, "a constructor that opens another library",
           answer.told())

    # The first target replaces the file of the second: another one is loaded than was read for the simulation.
    victim, new = f"{folder}/victim.so", compile_c(f"{folder}/new.so", "int fresh;")
    compile_c(victim, "int old;")
    swapper = compile_c(f"{folder}/swapper.so", constructor(f'rename("{new}", "{victim}");'))
    answer = probe(swapper, victim)
    tap.ok("CUD602" in answer.codes and f"{victim} is another file by now" in answer.message("CUD602"),
           "a file that is replaced",
           answer.told())

    victim = compile_c(f"{folder}/gone.so", "int old;")
    remover = compile_c(f"{folder}/remover.so", constructor(f'unlink("{victim}");'))
    answer = probe(remover, victim)
    evidence = str(answer.report["findings"][:1])
    tap.ok(answer.codes[:1] == ["CUD602"] and "was predicted to load, and does not" in evidence and
           f"{victim} was predicted, but is not mapped" in evidence and answer.report["verdict"] == "fails",
           "a file that goes", answer.told())

    # A variable that a constructor sets comes too late for the loader; one that is set before counts for both.
    compile_c(f"{folder}/deep/libdeep.so", "int deep;", "-Wl,-soname,libdeep.so")
    needy = compile_c(f"{folder}/needy.so", "extern int deep; int* use(void) { return &deep; }",
                      f"{folder}/deep/libdeep.so")
    answer = probe(needy)
    tap.ok(answer.codes == ["CUD101"] and answer.run["differences"] == []
           and answer.run["targets"][0]["loaded"] is False and
           "libdeep.so: cannot open shared object file" in answer.run["targets"][0]["error"]
           and answer.report["verdict"] == "fails",
           "a library that is missing: the real loader says the same", answer.told())
    answer = probe(needy, LD_LIBRARY_PATH=f"{folder}/deep")
    tap.ok(answer.codes.count("CUD602") == 0 and answer.run["targets"][0]["loaded"]
           and f"{folder}/deep/libdeep.so" in answer.run["mapped"],
           "LD_LIBRARY_PATH counts", answer.told())
    answer = probe("--clear-env", "--env", f"LD_LIBRARY_PATH={folder}/deep", needy, LD_LIBRARY_PATH="/nowhere")
    tap.ok(answer.run["targets"][0]["loaded"] and answer.run["differences"] == [], "--env and --clear-env count",
           answer.told())
    answer = probe("--preload", other, needy, LD_LIBRARY_PATH=f"{folder}/deep", LD_PRELOAD=f"{folder}/quiet.so")
    tap.ok(answer.run["differences"] == [] and answer.run["mapped"][1:3] == [other, f"{folder}/quiet.so"],
           "--preload goes before LD_PRELOAD",
           answer.told())
    answer = probe("--cwd", f"{folder}/deep", "./libdeep.so")
    tap.ok(answer.run["targets"][0]["loaded"] and answer.run["differences"] == [], "--cwd counts", answer.told())

    lacking = compile_c(f"{folder}/lacking.so",
                        "extern int nowhere_defined(void); int call(void) { return nowhere_defined(); }")
    answer = probe(lacking)
    tap.ok(answer.run["differences"] == []
           and "undefined symbol: nowhere_defined" in (answer.run["targets"][0]["error"] or ""),
           "a function that is missing: the real loader says the same", answer.told())
    answer = probe(other, "--dlopen", f"{needy},global", LD_LIBRARY_PATH=f"{folder}/deep")
    tap.ok(answer.run["differences"] == [] and [target["name"] for target in answer.run["targets"]] == [other, needy],
           "--dlopen after a target", answer.told())


def test_environment_is_exact(tap, probe, folder):
    seen = f"{folder}/seen"
    path = compile_c(f"{folder}/look.so", f"{HEAD}extern char** environ;\n"
                     f'__attribute__((constructor)) static void look(void) {{ FILE* f = fopen("{seen}", "w"); '
                     'for (char** e = environ; *e; ++e) fprintf(f, "%s\\n", *e); char d[4096]; fprintf(f, "cwd %s\\n", '
                     'getcwd(d, sizeof d)); '
                     'fprintf(f, "group %d\\n", getpgrp() == getpid()); fclose(f); }')
    probe("--clear-env", "--env", "ONE=a b=c", "--cwd", "/usr", path)
    with open(seen, encoding="utf-8") as file:
        lines = file.read().splitlines()
    tap.ok(lines == ["ONE=a b=c", "cwd /usr", "group 1"], "the environment and folder are those of the question", lines)


def test_programs(tap, probe, folder):
    mark = f"{folder}/ran"
    library = compile_c(f"{folder}/libmark.so", constructor(f'fclose(fopen("{mark}", "w"));') + "int mark;",
                        "-Wl,-soname,libmark.so")
    for name, words in ("program", []), ("fixed", ["-no-pie"]):
        program = compile_c(f"{folder}/{name}",
                            f'{HEAD}extern int mark; int main(void) {{ fclose(fopen("{mark}", "w")); return mark; }}',
                            library, f"-Wl,-rpath,{folder}", *words, shared=False)
        answer = probe(program)
        tap.ok(answer.run["way"] == "list" and answer.run["differences"] == [] and library in answer.run["mapped"] and
               answer.codes.count("CUD602") == 0 and not os.path.exists(mark),
               f"a {name} is mapped, and nothing of it runs", answer.told())
    os.makedirs(f"{folder}/elsewhere")
    compile_c(f"{folder}/origin", "extern int mark; int main(void) { return mark; }", library, "-Wl,-rpath,$ORIGIN",
              shared=False)
    os.symlink(f"{folder}/origin", f"{folder}/elsewhere/link")
    answer = probe(f"{folder}/elsewhere/link")
    tap.ok(answer.run["differences"] == [] and library in answer.run["mapped"],
           "a program by a link: $ORIGIN is the file's own", answer.told())
    os.rename(library, library + ".away")
    answer = probe(program)
    tap.ok(answer.run["differences"] == [] and "libmark.so: cannot open" in answer.run["targets"][0]["error"] and
           answer.report["verdict"] == "fails" and "CUD603" not in answer.codes, "a program that lacks a library",
           answer.told())
    static = compile_c(f"{folder}/static", "int main(void) { return 0; }", "-static", shared=False)
    answer = probe(static)
    tap.ok(answer.run is None and "statically linked" in answer.message("CUD601"), "a static program", answer.told())
    answer = probe("/bin/ls", f"{folder}/quiet.so")
    tap.ok(answer.run["differences"] == [] and "nothing of it runs" in answer.message("CUD601"),
           "what follows a program is left out",
           answer.told())


def test_modules(tap, probe, folder):
    python = "/usr/bin/python3"
    if not os.path.exists(python):
        tap.skip("imports", "not run: the system has no Python")
        return
    answer = probe("--prefix", "/usr", "py:ssl", "py:decimal")
    tap.ok(answer.run["way"] == "import" and answer.run["differences"] == [] and
           [target["name"] for target in answer.run["targets"]] == ["ssl", "decimal"] and answer.codes == [],
           "import ssl, decimal: mapped as predicted", answer.told())
    for name, source, end, words in [
        ("fails", "import no_such_module_here", "finished", "ModuleNotFoundError"),
        ("leaves", "import os; os._exit(3)", "exited", "ends itself with exit status 3 while importing leaves"),
        ("hangs", "while True: pass", "timed-out", "comes to no end"),
    ]:
        with open(f"{folder}/{name}.py", "w", encoding="ascii") as file:
            file.write(source)
        answer = probe("--timeout", "2", "--prefix", "/usr", "--cwd", folder, f"py:{name}")
        told = answer.message("CUD603") + str(answer.run and answer.run["targets"])
        tap.ok(answer.run is not None and answer.run["end"] == end and words in told, f"a module that {name}",
               answer.told())
    # One that another thread uses the loader in, and one that cannot stand to be probed.
    with open(f"{folder}/busy.py", "w", encoding="ascii") as file:
        file.write("import ctypes, threading\ndef use():\n  while True: ctypes.CDLL('libm.so.6')\n"
                   "threading.Thread(target=use, daemon=True).start()\n")
    answer = probe("--timeout", "20", "--prefix", "/usr", "--cwd", folder, "py:busy")
    tap.ok(answer.run["end"] == "finished" and answer.run["mapped_all"], "a module whose thread opens libraries",
           answer.told())
    with open(f"{folder}/shy.py", "w", encoding="ascii") as file:
        file.write("import sys\nwhile len(sys.argv) > 1: pass\n")
    answer = probe("--timeout", "2", "--prefix", "/usr", "--env", f"PYTHONPATH={folder}", "py:shy")
    tap.ok(answer.run["plain_works"] and answer.codes == ["CUD601"] and answer.report["verdict"] == "loads",
           "a module that only hangs under the probe is not said to hang", answer.told())
    tap.ok(not os.path.exists(f"{folder}/__pycache__"), "nothing is compiled beside the modules")


def test_not_run(tap, probe, folder):
    quiet = f"{folder}/quiet.so"
    for words, reason in [
        (["--sysroot", folder, "/quiet.so"], "is not the root of this machine"),
        (["--libc", "glibc-2.31", quiet], "the C library is stated"),
        (["--cpu", "x86-64-v1", quiet], "another processor"),
        (["--secure", quiet], "set-user-ID"),
        (["--env", f"LD_PRELOAD={folder}/lacking.so", "--env", "LD_BIND_NOW=1", quiet],
         "not even the program that would load it starts"),
        ([f"{folder}/nothing.so"], "is not available for loading"),
    ]:
        answer = probe(*words)
        tap.ok(answer.run is None and reason in answer.message("CUD601") and answer.codes.count("CUD601") == 1,
               f"not run, and said: {reason}", answer.told())
    if shutil.which("musl-gcc"):
        path = f"{folder}/musl.so"
        subprocess.run(["musl-gcc", "-shared", "-fPIC", "-o", path, "-x", "c", "-"], input=b"int x;", check=True)
        answer = probe(path)
        tap.ok(answer.run is None and "made for musl" in answer.message("CUD601"), "not run, and said: made for musl",
               answer.told())
    else:
        tap.skip("not run, and said: made for musl", "not run: musl-gcc is not installed")
    if shutil.which("x86_64-w64-mingw32-gcc"):
        path = f"{folder}/w.dll"
        subprocess.run(["x86_64-w64-mingw32-gcc", "-shared", "-o", path, "-x", "c", "-"], input=b"int x;", check=True)
        answer = probe(path)
        tap.ok(answer.run is None and "made for Windows" in answer.message("CUD601"),
               "not run, and said: made for Windows", answer.told())
    else:
        tap.skip("not run, and said: made for Windows", "not run: mingw is not installed")


def test_words(tap, probe, folder):
    status, text = probe.text(f"{folder}/quiet.so")
    tap.ok(status == 0 and text.startswith("LOADS  quiet.so loads") and "; verified: real load matches\n" in text and
           "set and order match" in text, "the verdict goes first", text.splitlines())
    answer = probe("--verify", f"{folder}/quiet.so", command="explain")
    tap.ok(answer.run is not None and answer.run["differences"] == [], "explain --verify probes as well", answer.told())


def test_links(tap, probe):
    """Nothing of CUDA is a link-time dependency; of the child, nothing but the C library."""
    folder = os.path.dirname(probe.cudald)
    for name in "cudald", "cudald-probe-child":
        text = subprocess.run(["readelf", "-dW", os.path.join(folder, name)], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        needed = [line.split("[")[1].rstrip("]") for line in text.splitlines() if "(NEEDED)" in line]
        bad = [library for library in needed if "cu" in library
               or (name.endswith("child") and not library.startswith(("libc.so", "libdl.so")))]
        paths = name.endswith("child") and ("(RUNPATH)" in text or "(RPATH)" in text)
        tap.ok(needed and not bad and not paths, f"{name} needs {len(needed)} libraries, none of CUDA", needed)


def test_cudnn(tap, probe, folder):
    """cuDNN 8 and 9 with all their parts, and beside a runtime."""
    for pattern, pins, version, cuda in [
        ("nvidia_cudnn_cu11-8.9.6.50-*", "pins-gpu.txt", "8.9.6", "11.8"),
        ("nvidia_cudnn_cu12-9.10.2.21-*", "pins.txt", "9.10.2", "12.9"),
    ]:
        files, reason = unpack_wheel(pattern, os.path.join(folder, version), pins)
        libraries = sorted(path for path in files if "/libcudnn" in path)
        if reason:
            tap.skip(f"cuDNN {version}", f"not run: {reason}")
            continue
        answer = probe(*libraries)
        run = answer.run
        tap.ok(run["differences"] == [] and len(libraries) >= 7 and set(libraries) <= set(run["mapped"]) and
               all(target["loaded"] for target in run["targets"]),
               f"cuDNN {version}: {len(libraries)} parts, mapped as predicted", answer.told())
        tap.ok(answer.check("cuDNN version") == ("ok", version) and answer.check("built for CUDA") == ("ok", cuda),
               f"cuDNN {version}: tells its version", answer.told())
        tap.ok(answer.check("convolution") == ("not-run", "no CUDA runtime is loaded"),
               f"cuDNN {version}: no convolution without a runtime",
               answer.told())


def main():
    tap = Tap()
    probe = Prober(sys.argv[1])
    if "--full" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            test_cudnn(tap, probe, os.path.realpath(folder))
        return tap.finish()
    test_links(tap, probe)
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        test_constructors(tap, probe, folder)
        test_differences(tap, probe, folder)
        test_environment_is_exact(tap, probe, folder)
        test_programs(tap, probe, folder)
        test_modules(tap, probe, folder)
        test_not_run(tap, probe, folder)
        test_words(tap, probe, folder)
        runtimes, reason = unpack_runtimes(folder)
        if reason:
            tap.skip("CUDA runtimes", f"not run: {reason}")
        else:
            test_runtimes(tap, probe, runtimes)
            test_two_runtimes(tap, probe, runtimes)
            test_stub(tap, probe, runtimes, folder)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
