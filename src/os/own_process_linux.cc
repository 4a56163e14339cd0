#include "os/own_process.h"

#include <limits.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

extern char** environ;  // NOLINT: the C library's own name

namespace cudald {

std::vector<std::string> own_words(int count, char** words) { return {words + (count > 0 ? 1 : 0), words + count}; }

std::map<std::string, std::string> own_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string own_directory() {
  char directory[PATH_MAX];
  return ::getcwd(directory, sizeof directory) == nullptr ? "" : directory;
}

std::pair<std::uint32_t, std::uint32_t> own_user() { return {::geteuid(), ::getegid()}; }

std::uint64_t own_random(std::size_t which) {
  std::uint64_t number = 0x9e3779b97f4a7c15;
  if (const auto* bytes = reinterpret_cast<const std::uint64_t*>(::getauxval(AT_RANDOM)))
    std::memcpy(&number, bytes + which, sizeof(number));
  return number;
}

std::string own_kernel() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

unsigned long own_number() { return static_cast<unsigned long>(::getpid()); }

}  // namespace cudald
