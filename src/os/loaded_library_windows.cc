#include "os/loaded_library.h"

#include <windows.h>

#include <fmt/format.h>

#include "os/wide_text_windows.h"

namespace cudald {

/// From System32 or the program's own directory: PATH may name directories of others.
Result<LoadedLibrary> LoadedLibrary::load(const std::vector<std::string>& names) {
  DWORD first = 0;
  for (const auto& name : names) {
    constexpr DWORD places = LOAD_LIBRARY_SEARCH_APPLICATION_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32;
    if (auto* const module = LoadLibraryExW(wide(name).c_str(), nullptr, places)) return LoadedLibrary(module);
    if (first == 0) first = GetLastError();
  }
  return Error{ErrorCode::unreadable, fmt::format("error {} of Windows", first)};
}

void* LoadedLibrary::address_of(const char* name) {
  auto* const address = reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
  if (address == nullptr && fault_.empty()) fault_ = fmt::format("it has no {}", name);
  return address;
}

}  // namespace cudald
