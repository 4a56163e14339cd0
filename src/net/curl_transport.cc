#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/path.h"
#include "base/trimmed.h"
#include "net/curl_library.h"
#include "net/http.h"

namespace cudald {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// CURLOPT_PROTOCOLS_STR, which libcurl has since 7.85, and CURLOPT_PROTOCOLS for older ones.
constexpr auto protocols_by_name = static_cast<CURLoption>(CURLOPTTYPE_OBJECTPOINT + 318);
constexpr auto protocols_by_number = static_cast<CURLoption>(CURLOPTTYPE_LONG + 181);

/// One transfer while it runs.
struct Transfer {
  HttpAnswer answer;
  std::uint64_t most_bytes = 0;
  std::string last_modified;
  bool too_large = false;
};

/// "bytes 0-99/1234"
void read_content_range(std::string_view value, HttpAnswer& answer) {
  if (!value.starts_with("bytes ")) return;
  value.remove_prefix(6);
  const auto dash = value.find('-'), slash = value.find('/');
  if (slash == std::string_view::npos) return;
  answer.total = number(value.substr(slash + 1));
  if (dash < slash) answer.first = number(value.substr(0, dash));
}

std::optional<std::chrono::seconds> seconds(std::string_view text) {
  const auto value = number(text);
  if (!value) return std::nullopt;
  return std::chrono::seconds(std::min<std::uint64_t>(*value, 1'000'000));
}

/// "max-age=600, public". Source: RFC 9111, 5.2.2.
void read_cache_control(std::string_view value, HttpAnswer& answer) {
  bool kept = true;
  for (auto word : split(value, ",")) {
    word = trimmed(word, " \t");
    if (word == "no-store" || word == "no-cache") kept = false;
    if (word.starts_with("max-age=")) answer.max_age = seconds(word.substr(8)).value_or(answer.max_age);
  }
  if (!kept) answer.max_age = {};
}

void read_header(std::string_view line, Transfer& transfer) {
  // Of each answer the headers begin with this; those of an earlier one, as of a proxy, do not count.
  if (line.starts_with("HTTP/")) {
    transfer.answer = {};
    transfer.last_modified.clear();
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto value = trimmed(line.substr(colon + 1), " \t\r\n");
  auto& answer = transfer.answer;
  if (name == "etag" && !value.starts_with("W/")) answer.etag = value;
  if (name == "location") answer.location = value;
  if (name == "last-modified") transfer.last_modified = value;
  if (name == "content-range") read_content_range(value, answer);
  if (name == "retry-after") answer.retry_after = seconds(value);
  if (name == "cache-control") read_cache_control(value, answer);
  if (name == "age") answer.age = seconds(value).value_or(answer.age);
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  read_header({data, size * count}, *static_cast<Transfer*>(user));
  return size * count;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const auto bytes = size * count;
  if (transfer.answer.body.size() + bytes > transfer.most_bytes) {
    transfer.too_large = true;
    return 0;  // ends the transfer
  }
  transfer.answer.body.append(data, bytes);
  return bytes;
}

/// What no second attempt mends is a fault of what was asked.
ErrorCode error_code_of(CURLcode code) {
  const bool for_ever = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
                        code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT;
  return for_ever ? ErrorCode::usage : ErrorCode::unreadable;
}

class CurlTransport final : public HttpTransport {
 public:
  CurlTransport(const CurlLibrary& curl, const HttpSettings& settings) : curl_(curl), settings_(settings) {}
  ~CurlTransport() override {
    for (auto* handle : idle_) curl_.easy_cleanup(handle);
  }

  Result<HttpAnswer> transfer(const HttpRequest& request) override {
    const auto too_long = Error{ErrorCode::limit, fmt::format("the server takes longer than {} s for one answer",
                                                              settings_.longest_transfer.count())};
    if (is_too_slow(request.url)) return too_long;
    auto* handle = take();
    if (handle == nullptr) return Error{ErrorCode::unreadable, "libcurl cannot be used"};
    Transfer transfer;
    transfer.most_bytes = request.most_bytes;
    auto* headers = set_up(handle, request, transfer);
    const auto begun = std::chrono::steady_clock::now();
    const auto code = curl_.easy_perform(handle);
    const bool timed_out =
        code == CURLE_OPERATION_TIMEDOUT && std::chrono::steady_clock::now() - begun >= settings_.longest_transfer;
    long status = 0;
    curl_.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    // Also where the server names a day.
    curl_off_t pause = 0;
    if (curl_.easy_getinfo(handle, CURLINFO_RETRY_AFTER, &pause) == CURLE_OK && pause > 0)
      transfer.answer.retry_after = std::chrono::seconds(pause);
    transfer.answer.status = static_cast<int>(status);
    if (transfer.answer.etag.empty()) transfer.answer.etag = transfer.last_modified;
    curl_.slist_free_all(headers);
    give_back(handle);
    if (transfer.too_large)
      return Error{ErrorCode::limit, fmt::format("the server sends more than {} bytes", request.most_bytes)};
    if (timed_out) {
      note_too_slow(request.url);
      return too_long;
    }
    if (code != CURLE_OK) return Error{error_code_of(code), curl_.easy_strerror(code)};
    return std::move(transfer.answer);
  }

  void add_login(const std::string& origin, const Login& login) override { logins_.try_emplace(origin, login); }

 private:
  curl_slist* set_up(CURL* handle, const HttpRequest& request, Transfer& transfer) const {
    curl_.easy_reset(handle);
    curl_.easy_setopt(handle, CURLOPT_URL, request.url.c_str());
    if (curl_.easy_setopt(handle, protocols_by_name, "http,https") == CURLE_UNKNOWN_OPTION)
      curl_.easy_setopt(handle, protocols_by_number, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    curl_.easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_.easy_setopt(handle, CURLOPT_USERAGENT, "cudald/" CUDALD_VERSION);
    curl_.easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(settings_.connect_timeout.count()));
    curl_.easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1024L);
    curl_.easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(settings_.stalled_after.count()));
    curl_.easy_setopt(handle, CURLOPT_TIMEOUT_MS,
                      static_cast<long>(std::chrono::milliseconds(settings_.longest_transfer).count()));
    set_login(handle, request);
    if (!settings_.proxy.empty())
      curl_.easy_setopt(handle, CURLOPT_PROXY, settings_.proxy.c_str());
    else if (!settings_.plain_proxy.empty() && request.url.starts_with("http://"))
      curl_.easy_setopt(handle, CURLOPT_PROXY, settings_.plain_proxy.c_str());
    if (!settings_.ca_file.empty()) curl_.easy_setopt(handle, CURLOPT_CAINFO, settings_.ca_file.c_str());
    curl_.easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
    curl_.easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
    curl_.easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    curl_.easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
    if (const auto& range = request.range)
      curl_.easy_setopt(handle, CURLOPT_RANGE,
                        (range->from_end ? fmt::format("-{}", range->length)
                                         : fmt::format("{}-{}", range->offset, range->offset + range->length - 1))
                            .c_str());
    curl_slist* headers = nullptr;
    if (!request.if_range.empty()) headers = curl_.slist_append(headers, ("If-Range: " + request.if_range).c_str());
    if (!request.accept.empty()) headers = curl_.slist_append(headers, ("Accept: " + request.accept).c_str());
    curl_.easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    return headers;
  }

  void set_login(CURL* handle, const HttpRequest& request) const {
    auto login = request.login;
    if (const auto known = logins_.find(origin_of(request.url)); !login && known != logins_.end())
      login = known->second;
    if (login) {
      curl_.easy_setopt(handle, CURLOPT_USERNAME, login->user.c_str());
      curl_.easy_setopt(handle, CURLOPT_PASSWORD, login->password.c_str());
      return;
    }
    curl_.easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    if (!settings_.netrc_file.empty()) curl_.easy_setopt(handle, CURLOPT_NETRC_FILE, settings_.netrc_file.c_str());
  }

  /// A run asks one index for many packages: one that sends a little for ever must not hold it for each.
  bool is_too_slow(const std::string& url) {
    const std::lock_guard lock(mutex_);
    return too_slow_.contains(origin_of(url));
  }
  void note_too_slow(const std::string& url) {
    const std::lock_guard lock(mutex_);
    too_slow_.insert(origin_of(url));
  }

  /// Handles are kept, as each holds its connections open.
  CURL* take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return curl_.easy_init();
    auto* handle = idle_.back();
    idle_.pop_back();
    return handle;
  }

  void give_back(CURL* handle) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  }

  const CurlLibrary& curl_;
  HttpSettings settings_;
  std::map<std::string, Login> logins_;
  std::mutex mutex_;
  std::vector<CURL*> idle_;
  std::set<std::string> too_slow_;  ///< origins
};

}  // namespace

Result<std::unique_ptr<HttpTransport>> make_http_transport(const HttpSettings& settings) {
  const auto& curl = CurlLibrary::get();
  if (!curl) return curl.error();
  return std::unique_ptr<HttpTransport>(std::make_unique<CurlTransport>(*curl, settings));
}

}  // namespace cudald
