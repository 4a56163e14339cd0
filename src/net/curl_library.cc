#include "net/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace cudald {
namespace {

Error fault(const std::string& what) {
  return {ErrorCode::unreadable, "libcurl cannot be loaded: " + what + " (Debian, Ubuntu: apt-get install libcurl4)"};
}

std::string last_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "no reason is told" : text;
}

Result<CurlLibrary> load() {
  void* handle = nullptr;
  std::string first;
  // The same functions over another TLS, where a system has only that.
  for (const auto* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (handle == nullptr) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr && first.empty()) first = last_error();
  }
  if (handle == nullptr) return fault(first);
  CurlLibrary library;
  const auto take = [handle](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    return function != nullptr;
  };
  const bool whole =
      take(library.global_init, "curl_global_init") && take(library.easy_init, "curl_easy_init") &&
      take(library.easy_reset, "curl_easy_reset") && take(library.easy_cleanup, "curl_easy_cleanup") &&
      take(library.easy_perform, "curl_easy_perform") && take(library.easy_setopt, "curl_easy_setopt") &&
      take(library.easy_getinfo, "curl_easy_getinfo") && take(library.easy_strerror, "curl_easy_strerror") &&
      take(library.slist_append, "curl_slist_append") && take(library.slist_free_all, "curl_slist_free_all");
  if (!whole) return fault(last_error());
  if (library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return fault("its initialisation failed");
  return library;
}

}  // namespace

const Result<CurlLibrary>& CurlLibrary::get() {
  static const Result<CurlLibrary> loaded = load();
  return loaded;
}

}  // namespace cudald
