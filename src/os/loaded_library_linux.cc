#include "os/loaded_library.h"

#include <dlfcn.h>

namespace cudald {
namespace {

std::string last_loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "no reason given" : text;
}

}  // namespace

Result<LoadedLibrary> LoadedLibrary::load(const std::vector<std::string>& names) {
  std::string first;
  for (const auto& name : names) {
    if (auto* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return LoadedLibrary(handle);
    auto why = last_loader_error();
    if (first.empty()) first = std::move(why);
  }
  return Error{ErrorCode::unreadable, first};
}

void* LoadedLibrary::address_of(const char* name) {
  auto* address = ::dlsym(handle_, name);
  if (address == nullptr && fault_.empty()) fault_ = last_loader_error();
  return address;
}

}  // namespace cudald
