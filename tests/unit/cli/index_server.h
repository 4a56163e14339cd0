#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace cudald {

/// An index on this machine: what it has is told by its path, of all else that it is not there.
class IndexServer {
 public:
  struct Page {
    std::string body, headers;
    int status = 200;
  };

  IndexServer() {
    // libcurl takes proxies from the variables of the process.
    for (const auto* variable : {"http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}) ::unsetenv(variable);
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* place = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, place, size) != 0 || ::listen(socket_, 16) != 0 || ::getsockname(socket_, place, &size) != 0)
      throw std::runtime_error("no server can be started");
    host = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~IndexServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  IndexServer(const IndexServer&) = delete;
  IndexServer& operator=(const IndexServer&) = delete;

  std::string url(const std::string& path, const std::string& login = "") const {
    return "http://" + (login.empty() ? "" : login + "@") + host + path;
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

  std::string host;  ///< with the port

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

  void serve() {
    for (;;) {
      const int connection = ::accept(socket_, nullptr, nullptr);
      if (connection < 0) return;
      std::string request;
      char buffer[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const auto got = ::recv(connection, buffer, sizeof(buffer), 0);
        if (got <= 0) break;
        request.append(buffer, static_cast<std::size_t>(got));
      }
      const auto answer = answer_to_request(request);
      for (std::string_view rest = answer; !rest.empty();) {
        const auto sent = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(sent));
      }
      ::close(connection);
    }
  }

  int socket_ = -1;
  std::thread thread_;
  std::mutex mutex_;
  std::map<std::string, Page> pages_;
  std::vector<std::string> requests_;
  bool wants_login_ = false;
};

}  // namespace cudald
