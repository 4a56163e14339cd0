#pragma once

#include <string_view>

namespace cudald {

/// What the real Python runs: it imports the modules and tells, as the child's records do, what came of it and which
/// files are mapped. Only what Python has loaded anyway takes part before the list of files is taken; ctypes, which
/// then asks the loader for their order, maps files of its own. While it asks, no other thread may get the interpreter:
/// one that opens a library would wait for the loader's lock, which is held until the list is told.
constexpr std::string_view import_script = R"~(
import os, sys
def tell(*fields):
    escaped = ("".join("%%%02X" % ord(c) if c < " " or c == "%" else c for c in str(field)) for field in fields)
    line = "\t".join(escaped) + "\n"
    os.write(int(sys.argv[1]), line.encode("utf-8", "surrogateescape"))
for name in sys.argv[2:]:
    tell("step", "importing " + name)
    try:
        __import__(name)
        tell("opened", name)
    except Exception as error:
        tell("refused", name, type(error).__name__ + ": " + str(error))
        break
with open("/proc/self/maps", "rb") as maps:
    mapped = {line.split()[4] for line in maps}
tell("step", "asking the loader for the order of the files")
import ctypes
class Object(ctypes.Structure):
    _fields_ = [("address", ctypes.c_size_t), ("name", ctypes.c_char_p)]
names = []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Object), ctypes.c_size_t, ctypes.c_void_p)
def visit(each, size, data):
    names.append(each.contents.name or (b"" if names else b"/proc/self/exe"))
    return 0
list_objects = ctypes.PyDLL(None).dl_iterate_phdr
sys.setswitchinterval(3600)
list_objects(visit, None)
sys.setswitchinterval(0.005)
for name in map(os.fsdecode, names):
    try:
        status = os.stat(name)
    except OSError:
        continue
    if str(status.st_ino).encode() in mapped:
        tell("object", status.st_dev, status.st_ino, name, os.path.realpath(name))
tell("mapped")
tell("step", "ending the process")
tell("done")
)~";

}  // namespace cudald
