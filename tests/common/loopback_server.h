#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace cudald {

/// libcurl takes proxies from the variables of the process.
inline void forget_proxies() {
  for (const auto* variable : {"http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}) ::unsetenv(variable);
}

/// A server on this machine that answers a request on each of its connections, and takes only so many of them. It calls
/// `answer` in a thread of its own until it goes, so that it has to go first.
class LoopbackServer {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  explicit LoopbackServer(Answer answer, std::size_t connections = SIZE_MAX)
      : answer_(std::move(answer)), connections_(connections) {
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
  ~LoopbackServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string host;  ///< with the port

 private:
  void serve() {
    for (std::size_t i = 0; i < connections_; ++i) {
      const int connection = ::accept(socket_, nullptr, nullptr);
      if (connection < 0) return;
      send(connection, answer_(request_on(connection)));
      ::close(connection);
    }
  }

  static std::string request_on(int connection) {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const auto got = ::recv(connection, buffer, sizeof(buffer), 0);
      if (got <= 0) break;
      request.append(buffer, static_cast<std::size_t>(got));
    }
    return request;
  }

  static void send(int connection, std::string_view rest) {
    while (!rest.empty()) {
      const auto sent = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  Answer answer_;
  std::size_t connections_;
  int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  std::thread thread_;
};

}  // namespace cudald
