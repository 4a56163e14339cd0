#include "os/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace cudald {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::size_t columns_of_terminal(int descriptor) {
  struct winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::optional<bool> terminals_show_utf8() { return std::nullopt; }

void enter_console() {}
void leave_console() {}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

}  // namespace cudald
