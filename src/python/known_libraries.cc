#include "python/known_functions.h"

namespace cudald::python {
namespace {

/// Source: CPython Lib/ctypes/__init__.py, CDLL.__init__; since 3.8 the caller may give the flags of LoadLibraryEx.
Value open_library(const KnownCall& call) {
  const auto* mode = call.argument(1, "mode");
  const auto* number = mode == nullptr ? nullptr : mode->get<long long>();
  const auto* named = mode == nullptr ? nullptr : mode->get<Named>();
  const bool global =
      (number != nullptr && (*number & 0x100) != 0) || (named != nullptr && named->name.ends_with("RTLD_GLOBAL"));
  const auto* library = call.argument(0, "name");
  const auto* flags = call.argument(5, "winmode");
  const auto* flag_number = flags == nullptr ? nullptr : flags->get<long long>();
  return call.python.load_library(
      call.frame, library == nullptr ? Value() : *library, global,
      flag_number == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(*flag_number)));
}

/// The libraries of the C library itself are always in the loader's cache; for others it would have to be asked.
Value find_library(const KnownCall& call) {
  const auto* library = call.text(0);
  if (library == nullptr) return Unknown{};
  if (*library == "c" || *library == "m") return "lib" + *library + ".so.6";
  if (*library == "dl") return std::string("libdl.so.2");
  if (*library == "rt") return std::string("librt.so.1");
  if (*library == "pthread") return std::string("libpthread.so.0");
  return Unknown{};
}

/// Source: torch 2.9.1 torch/_ops.py, _Ops.load_library.
Value load_operators(const KnownCall& call) {
  const auto* path = call.argument(0, "path");
  return call.python.load_library(call.frame, path == nullptr ? Value() : *path, false);
}

constexpr KnownFunction rows[] = {{"ctypes.CDLL", open_library},
                                  {"ctypes.util.find_library", find_library},
                                  {"torch._ops._Ops.load_library", load_operators},
                                  {"torch.ops.load_library", load_operators},
                                  {"torch.classes.load_library", load_operators},
                                  {"torch._classes._Classes.load_library", load_operators}};

}  // namespace

std::span<const KnownFunction> known_libraries() { return rows; }

}  // namespace cudald::python
