// In the place of curl_transport.cc where the headers of libcurl were missing.

#include "net/http.h"

namespace cudald {

Result<std::unique_ptr<HttpTransport>> make_http_transport(const HttpSettings&) {
  return Error{ErrorCode::unreadable, "this cudald was built without libcurl (-Donline=enabled)"};
}

}  // namespace cudald
