#include "net/curl_library.h"

#include <string>

#include "os/loaded_library.h"

namespace cudald {
namespace {

Error curl_fault(const std::string& what) {
  return {ErrorCode::unreadable, "libcurl cannot be loaded: " + what + " (Debian, Ubuntu: apt-get install libcurl4)"};
}

Result<CurlLibrary> load_curl() {
  // The same functions over another TLS, where a system has only that.
  auto loaded = LoadedLibrary::load({"libcurl.so.4", "libcurl-gnutls.so.4"});
  if (!loaded) return curl_fault(loaded.error().message);
  CurlLibrary library;
  loaded->take(library.global_init, "curl_global_init");
  loaded->take(library.easy_init, "curl_easy_init");
  loaded->take(library.easy_reset, "curl_easy_reset");
  loaded->take(library.easy_cleanup, "curl_easy_cleanup");
  loaded->take(library.easy_perform, "curl_easy_perform");
  loaded->take(library.easy_setopt, "curl_easy_setopt");
  loaded->take(library.easy_getinfo, "curl_easy_getinfo");
  loaded->take(library.easy_strerror, "curl_easy_strerror");
  loaded->take(library.slist_append, "curl_slist_append");
  loaded->take(library.slist_free_all, "curl_slist_free_all");
  if (!loaded->fault().empty()) return curl_fault(loaded->fault());
  if (library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return curl_fault("its initialisation failed");
  return library;
}

}  // namespace

const Result<CurlLibrary>& CurlLibrary::get() {
  static const Result<CurlLibrary> loaded = load_curl();
  return loaded;
}

}  // namespace cudald
