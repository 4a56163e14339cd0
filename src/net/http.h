#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <cudald/result.h>

#include "net/address.h"

namespace cudald {

/// A part of a file on a server.
struct ByteRange {
  std::uint64_t offset = 0, length = 0;
  bool from_end = false;  ///< the last `length` bytes
};

struct HttpRequest {
  std::string url;  ///< of fetch() it may hold a login
  std::optional<ByteRange> range = {};
  std::string if_range = {};  ///< the ETag of the file of which a range is asked for
  std::string accept = {};
  std::optional<Login> login = {};                     ///< before those that were added
  std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< of the body; more is an error
};

/// What a server answers to one request.
struct HttpAnswer {
  int status = 0;
  std::string body;
  std::string etag;      ///< a strong one, or the date of the last change; empty if it gives neither
  std::string location;  ///< where a redirect leads, as the server wrote it
  std::string remark;    ///< why there is no better login, where it wants one
  std::optional<std::uint64_t> first, total;  ///< of Content-Range
  std::optional<std::chrono::seconds> retry_after;
  std::chrono::seconds max_age{0}, age{0};  ///< for how long it stays good, and how long ago the server itself had it
};

/// Makes one transfer, of one address. Several threads may use it at once. Errors: unreadable; usage where the
/// address or a certificate is wrong; limit if the body is larger than was allowed.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  virtual Result<HttpAnswer> transfer(const HttpRequest&) = 0;
  /// The login of a server, by its origin_of(), unless one is known; for others netrc counts. Not while another thread
  /// uses it.
  virtual void add_login(const std::string& origin, const Login&) = 0;
};

struct HttpSettings {
  std::string proxy;        ///< empty: as the variables http_proxy and the like say
  std::string plain_proxy;  ///< for http where there is no other one
  std::string ca_file;      ///< empty: that of the system
  std::string netrc_file;   ///< empty: the one in the user's home
  std::chrono::seconds connect_timeout{15};
  std::chrono::seconds stalled_after{30};  ///< without a kilobyte in each second
  /// Of one transfer, however steadily it goes. A server that takes longer is not asked again.
  std::chrono::seconds longest_transfer{300};
};

/// Error{unreadable} if cudald was built without libcurl, or if there is none here.
Result<std::unique_ptr<HttpTransport>> make_http_transport(const HttpSettings&);

/// How often and how long it is tried.
struct FetchPolicy {
  int attempts = 4, redirects = 5;
  std::chrono::milliseconds first_pause{500}, longest_pause{20'000};
  std::function<void(std::chrono::milliseconds)> sleep;  ///< for tests; none: the thread sleeps
};

/// The answer with status 200 or 206, at the end of redirects. A server that is busy (429, 503 and its like) and a
/// connection that breaks are tried again, after the pause that the server asks for. Not followed are a redirect that
/// holds a login, and one from https to http; a login is told to the server that it is for and to no other. Errors:
/// unreadable, with what the server said.
Result<HttpAnswer> fetch(HttpTransport&, HttpRequest, const FetchPolicy& = {});

}  // namespace cudald
