#pragma once

// Newer headers check the types of options in macros around the functions.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo

#include <cudald/result.h>

namespace cudald {

/// The functions of libcurl.so.4 that are used. It is loaded when a server is first asked, and not with the program: it
/// brings some thirty libraries along, and what asks no server starts without them, also where there is no libcurl.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;

  /// Loaded once, for ever. Error: unreadable, with what the loader says.
  static const Result<CurlLibrary>& get();
};

}  // namespace cudald
