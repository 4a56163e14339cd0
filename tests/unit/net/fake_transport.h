#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "net/http.h"

namespace cudald {

/// A server in memory, of one file, which notes what it is asked for.
class FakeTransport final : public HttpTransport {
 public:
  explicit FakeTransport(std::string content) : file(std::move(content)) {}

  Result<HttpAnswer> transfer(const HttpRequest& request) override {
    requests.push_back(request);
    if (answer) return answer(request);
    return usual(request);
  }

  void add_login(const std::string& origin, const Login& login) override { logins.try_emplace(origin, login); }

  /// As a server answers that knows ranges.
  HttpAnswer usual(const HttpRequest& request) const {
    HttpAnswer result;
    result.etag = etag;
    if (!request.range || (!request.if_range.empty() && request.if_range != etag)) {
      result.status = 200;
      result.body = file;
      return result;
    }
    auto begin = request.range->from_end ? file.size() - std::min<std::size_t>(file.size(), request.range->length)
                                         : static_cast<std::size_t>(request.range->offset);
    result.status = 206;
    result.first = begin;
    result.total = file.size();
    result.body = file.substr(begin, static_cast<std::size_t>(request.range->length));
    return result;
  }

  std::string file, etag = "\"1\"";
  std::function<Result<HttpAnswer>(const HttpRequest&)> answer;
  std::vector<HttpRequest> requests;
  std::map<std::string, Login> logins;
};

inline HttpAnswer status_answer(int status, std::string location = "") {
  HttpAnswer answer;
  answer.status = status;
  answer.location = std::move(location);
  return answer;
}

}  // namespace cudald
