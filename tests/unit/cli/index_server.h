#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/loopback_server.h"

namespace cudald {

/// An index on this machine: what it has is told by its path, of all else that it is not there.
class IndexServer {
 public:
  struct Page {
    std::string body, headers;
    int status = 200;
  };

  IndexServer() { forget_proxies(); }

  std::string url(const std::string& path, const std::string& login = "") const {
    return "http://" + (login.empty() ? "" : login + "@") + server_.host + path;
  }
  void add(const std::string& path, Page page) {
    const std::lock_guard lock(mutex_);
    pages_[path] = std::move(page);
  }
  /// The page of a project, with links to files that are called so; what stands behind a `#` is the hash.
  void add_project(const std::string& name, const std::vector<std::string>& files, const std::string& headers = "") {
    std::string links;
    for (const auto& file : files)
      links += "<a href=\"/files/" + file + "\">" + file.substr(0, file.find('#')) + "</a>\n";
    add("/simple/" + name + "/", {links, headers});
  }
  /// Without a login everything is refused.
  void wants_login() {
    const std::lock_guard lock(mutex_);
    wants_login_ = true;
  }
  /// The first lines of what it was asked since this was asked last, without their ends.
  std::vector<std::string> asked() {
    std::vector<std::string> lines;
    const std::lock_guard lock(mutex_);
    for (const auto& request : requests_) lines.push_back(request.substr(0, request.find(" HTTP/")));
    requests_.clear();
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  /// The whole of the first request since then.
  std::string first_request() {
    const std::lock_guard lock(mutex_);
    return requests_.empty() ? "" : requests_.front();
  }

  /// With the port.
  const std::string& host() const { return server_.host; }

 private:
  std::string answer_to_request(const std::string& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    const auto begin = request.find(' ') + 1;
    const auto page = pages_.find(request.substr(begin, request.find(' ', begin) - begin));
    Page answer = page == pages_.end() ? Page{"", "", 404} : page->second;
    if (wants_login_ && request.find("\r\nAuthorization: ") == std::string::npos) answer = {"", "", 401};
    return "HTTP/1.1 " + std::to_string(answer.status) + " X\r\nContent-Length: " + std::to_string(answer.body.size()) +
           "\r\nConnection: close\r\n" + answer.headers + "\r\n" + answer.body;
  }

  std::mutex mutex_;
  std::map<std::string, Page> pages_;
  std::vector<std::string> requests_;
  bool wants_login_ = false;
  LoopbackServer server_{[this](const std::string& request) { return answer_to_request(request); }};
};

}  // namespace cudald
