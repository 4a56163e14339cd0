#include "pyimport/run/builtin_names.h"

#include <algorithm>
#include <utility>

namespace cudald::python {
namespace {

/// Source: dir(builtins) of CPython 3.8 to 3.13; the last ones of Lib/site.py, and of other programs and versions.
constexpr std::string_view functions[] = {"Ellipsis",     "False",      "None",        "NotImplemented",
                                          "True",         "abs",        "aiter",       "all",
                                          "anext",        "any",        "ascii",       "bin",
                                          "bool",         "breakpoint", "bytearray",   "bytes",
                                          "callable",     "chr",        "classmethod", "compile",
                                          "complex",      "delattr",    "dict",        "dir",
                                          "divmod",       "enumerate",  "eval",        "exec",
                                          "filter",       "float",      "format",      "frozenset",
                                          "frozendict",   "getattr",    "globals",     "hasattr",
                                          "hash",         "hex",        "id",          "input",
                                          "int",          "isinstance", "issubclass",  "iter",
                                          "len",          "list",       "locals",      "map",
                                          "max",          "memoryview", "min",         "next",
                                          "object",       "oct",        "open",        "ord",
                                          "pow",          "print",      "property",    "range",
                                          "repr",         "reversed",   "round",       "sentinel",
                                          "set",          "setattr",    "slice",       "sorted",
                                          "staticmethod", "str",        "sum",         "super",
                                          "tuple",        "type",       "vars",        "zip",
                                          "WindowsError", "copyright",  "credits",     "exit",
                                          "__import__",   "help",       "license",     "quit",
                                          "display",      "profile",    "reveal_type", "reveal_locals"};

/// Each with the class that it is derived from. Source: CPython 3.13 Doc/library/exceptions.rst, hierarchy.
constexpr std::pair<std::string_view, std::string_view> exceptions[] = {
    {"ArithmeticError", "Exception"},
    {"AssertionError", "Exception"},
    {"AttributeError", "Exception"},
    {"BaseException", ""},
    {"BaseExceptionGroup", "BaseException"},
    {"BlockingIOError", "OSError"},
    {"BrokenPipeError", "ConnectionError"},
    {"BufferError", "Exception"},
    {"BytesWarning", "Warning"},
    {"ChildProcessError", "OSError"},
    {"ConnectionAbortedError", "ConnectionError"},
    {"ConnectionError", "OSError"},
    {"ConnectionRefusedError", "ConnectionError"},
    {"ConnectionResetError", "ConnectionError"},
    {"DeprecationWarning", "Warning"},
    {"EOFError", "Exception"},
    {"EncodingWarning", "Warning"},
    {"EnvironmentError", "OSError"},
    {"Exception", "BaseException"},
    {"ExceptionGroup", "BaseExceptionGroup"},
    {"FileExistsError", "OSError"},
    {"FileNotFoundError", "OSError"},
    {"FloatingPointError", "ArithmeticError"},
    {"FutureWarning", "Warning"},
    {"GeneratorExit", "BaseException"},
    {"IOError", "OSError"},
    {"ImportError", "Exception"},
    {"ImportWarning", "Warning"},
    {"IndentationError", "SyntaxError"},
    {"IndexError", "LookupError"},
    {"InterruptedError", "OSError"},
    {"IsADirectoryError", "OSError"},
    {"KeyError", "LookupError"},
    {"KeyboardInterrupt", "BaseException"},
    {"LookupError", "Exception"},
    {"MemoryError", "Exception"},
    {"ModuleNotFoundError", "ImportError"},
    {"NameError", "Exception"},
    {"NotADirectoryError", "OSError"},
    {"NotImplementedError", "RuntimeError"},
    {"OSError", "Exception"},
    {"OverflowError", "ArithmeticError"},
    {"PackageNotFoundError", "ModuleNotFoundError"},  // importlib.metadata's
    {"PendingDeprecationWarning", "Warning"},
    {"PermissionError", "OSError"},
    {"ProcessLookupError", "OSError"},
    {"PythonFinalizationError", "RuntimeError"},
    {"RecursionError", "RuntimeError"},
    {"ReferenceError", "Exception"},
    {"ResourceWarning", "Warning"},
    {"RuntimeError", "Exception"},
    {"RuntimeWarning", "Warning"},
    {"StopAsyncIteration", "Exception"},
    {"StopIteration", "Exception"},
    {"SyntaxError", "Exception"},
    {"SyntaxWarning", "Warning"},
    {"SystemError", "Exception"},
    {"SystemExit", "BaseException"},
    {"TabError", "IndentationError"},
    {"TimeoutError", "OSError"},
    {"TypeError", "Exception"},
    {"UnboundLocalError", "NameError"},
    {"UnicodeDecodeError", "UnicodeError"},
    {"UnicodeEncodeError", "UnicodeError"},
    {"UnicodeError", "ValueError"},
    {"UnicodeTranslateError", "UnicodeError"},
    {"UnicodeWarning", "Warning"},
    {"UserWarning", "Warning"},
    {"ValueError", "Exception"},
    {"Warning", "Exception"},
    {"ZeroDivisionError", "ArithmeticError"}};

/// Of a name that is none, the end of the table.
auto find_exception(std::string_view name) {
  return std::find_if(std::begin(exceptions), std::end(exceptions), [&](const auto& one) { return one.first == name; });
}

std::string_view canonical_exception(std::string_view name) {
  return name == "EnvironmentError" || name == "IOError" ? "OSError" : name;
}

}  // namespace

bool is_builtin_name(std::string_view name) {
  return is_builtin_exception(name) ||
         std::find(std::begin(functions), std::end(functions), name) != std::end(functions);
}

bool is_builtin_exception(std::string_view name) {
  return name != "PackageNotFoundError" && find_exception(name) != std::end(exceptions);
}

bool is_kind_of(std::string_view kind, std::string_view handled) {
  if (const auto dot = handled.rfind('.'); dot != std::string_view::npos) handled.remove_prefix(dot + 1);
  if (handled == kind || handled == "BaseException") return true;
  handled = canonical_exception(handled);
  kind = canonical_exception(kind);
  if (find_exception(kind) == std::end(exceptions)) return handled == "Exception";  // a class of a package
  for (; !kind.empty(); kind = find_exception(kind)->second)
    if (kind == handled) return true;
  return false;
}

}  // namespace cudald::python
