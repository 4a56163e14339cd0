// In the place of curl_transport.cc where there is no libcurl.

#include "net/http.h"

namespace cudald {

std::unique_ptr<HttpTransport> make_http_transport(const HttpSettings&) { return nullptr; }

}  // namespace cudald
