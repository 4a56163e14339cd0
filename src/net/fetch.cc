#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "net/http.h"

namespace cudald {
namespace {

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// What may be otherwise in a moment.
bool is_passing(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504 || status == 408;
}

std::optional<Error> refused_redirect(const std::string& from, const std::string& to) {
  if (without_login(to).login)
    return Error{ErrorCode::unreadable, "the server redirects to an address with a login in it"};
  const bool plain = to.starts_with("http://"), secure = to.starts_with("https://");
  if (!plain && !secure) return Error{ErrorCode::unreadable, "the server redirects to something other than HTTP"};
  if (plain && from.starts_with("https://"))
    return Error{ErrorCode::unreadable, "the server redirects from https to http"};
  return std::nullopt;
}

/// The same request where the server says.
std::optional<Error> redirect(HttpRequest& request, const std::string& location) {
  if (location.empty()) return Error{ErrorCode::unreadable, "the server redirects without an address"};
  auto to = whole_address(location, request.url);
  if (auto refused = refused_redirect(request.url, to)) return refused;
  if (origin_of(to) != origin_of(request.url)) request.login.reset();
  request.url = std::move(to);
  return std::nullopt;
}

}  // namespace

Result<HttpAnswer> fetch(HttpTransport& transport, HttpRequest request, const FetchPolicy& policy) {
  if (auto plain = without_login(request.url); plain.login) {
    request.url = std::move(plain.url);
    request.login = std::move(plain.login);
  }
  auto pause = policy.first_pause;
  int redirects = 0;
  for (int attempt = 1;; ++attempt) {
    auto answer = transport.transfer(request);
    if (answer && (answer->status == 200 || answer->status == 206)) return answer;
    if (answer && is_redirect(answer->status)) {
      if (++redirects > policy.redirects) return Error{ErrorCode::unreadable, "the server redirects again and again"};
      if (auto refused = redirect(request, answer->location)) return std::move(*refused);
      --attempt;
      continue;
    }
    const bool again = answer ? is_passing(answer->status) : answer.error().code == ErrorCode::unreadable;
    if (!again || attempt >= policy.attempts) {
      if (!answer) return answer;
      return Error{answer->status == 404 ? ErrorCode::absent : ErrorCode::unreadable,
                   fmt::format("the server answers with status {}{}{}{}", answer->status,
                               again ? fmt::format(", {} times", attempt) : "", answer->remark.empty() ? "" : "; ",
                               answer->remark)};
    }
    auto wait = pause;
    if (answer && answer->retry_after) wait = *answer->retry_after;
    if (wait > policy.longest_pause) {
      if (!answer) return answer;
      return Error{ErrorCode::unreadable,
                   fmt::format("the server answers with status {} and asks to retry in {} s", answer->status,
                               std::chrono::duration_cast<std::chrono::seconds>(wait).count())};
    }
    policy.sleep ? policy.sleep(wait) : std::this_thread::sleep_for(wait);
    pause *= 2;
  }
}

}  // namespace cudald
