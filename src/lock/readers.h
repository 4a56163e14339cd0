#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lock/lock_file.h"

namespace cudald {

// No lock that is known has a tenth of these.
constexpr std::size_t most_locked_packages = 10'000;
constexpr std::size_t most_lock_bytes = std::size_t{32} << 20;
constexpr std::size_t most_lock_lines = 500'000;  // of a file that is read by lines
constexpr std::size_t most_locked_needs = 200'000;

// Each reads one kind of lock, see read_lock().
Result<LockFile> read_pylock(std::string_view text);
Result<LockFile> read_uv_lock(std::string_view text);
Result<LockFile> read_requirements(std::string_view text, const ReadNamed&);
Result<LockFile> read_pip_report(std::string_view text);
Result<LockFile> read_conda_list(std::string_view text);
Result<LockFile> read_conda_lock(std::string_view text);

/// Whether a text has more lines than any lock that is read by lines.
bool has_too_many_lines(std::string_view text);

/// The last part of a path or URL, without a query and a fragment.
std::string file_of_url(std::string_view url);
/// "abc" of "sha256:abc", in lower case; empty if it is another hash or none.
std::string sha256_of(std::string_view hash);

inline Error lock_error(ErrorCode code, std::size_t line, std::string message) {
  return {code, line == 0 ? std::move(message) : fmt::format("line {}: {}", line, message)};
}

}  // namespace cudald
