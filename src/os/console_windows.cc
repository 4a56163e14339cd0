#include "os/console.h"

#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "os/wide_text_windows.h"

namespace cudald {
namespace {

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

struct Mode {
  DWORD value = 0;
  bool changed = false;
};

Mode mode_before;

/// Whole characters of UTF-8: a character may be cut where a buffer ends.
std::string unwritten_bytes[3];

std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

int write_to_console(int descriptor, std::string_view text) {
  constexpr std::size_t most_at_once = 8192;
  auto& kept = unwritten_bytes[descriptor];
  kept += text;
  const auto whole = whole_characters(kept);
  const auto words = wide(std::string_view(kept).substr(0, whole));
  kept.erase(0, whole);
  for (std::size_t at = 0; at < words.size();) {
    DWORD written = 0;
    const auto count = static_cast<DWORD>(std::min(most_at_once, words.size() - at));
    if (WriteConsoleW(handle_of(descriptor), words.data() + at, count, &written, nullptr) == 0) return EIO;
    at += written;
  }
  return 0;
}

}  // namespace

bool is_terminal(int descriptor) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(descriptor), &mode) != 0;
}

std::size_t columns_of_terminal(int descriptor) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (GetConsoleScreenBufferInfo(handle_of(descriptor), &info) == 0) return 0;
  return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

// Text goes to a console by WriteConsoleW, whatever its code page; to files and pipes it goes as UTF-8.
std::optional<bool> terminals_show_utf8() { return true; }

void enter_console() {
  for (const int descriptor : {1, 2}) _setmode(descriptor, _O_BINARY);  // a line ends in \n alone
  for (const int descriptor : {1, 2}) {
    auto* const console = handle_of(descriptor);
    if (GetConsoleMode(console, &mode_before.value) == 0) continue;
    mode_before.changed = SetConsoleMode(console, mode_before.value | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
    return;
  }
}

void leave_console() {
  for (const int descriptor : {1, 2})
    if (mode_before.changed && is_terminal(descriptor)) SetConsoleMode(handle_of(descriptor), mode_before.value);
}

int write_all(int descriptor, std::string_view text) {
  if (descriptor <= 2 && is_terminal(descriptor)) return write_to_console(descriptor, text);
  while (!text.empty()) {
    const auto count = static_cast<unsigned>(std::min<std::size_t>(text.size(), 1U << 20));
    const int written = _write(descriptor, text.data(), count);
    if (written < 0) return errno == EINVAL ? EPIPE : errno;  // of a pipe whose reader has gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace cudald
