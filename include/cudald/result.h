#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace cudald {

/// What kind of thing went wrong; each kind leads to one documented finding or exit status.
enum class ErrorCode {
  usage,       ///< the question itself is wrong (unknown option value, no such sysroot)
  absent,      ///< no such file or folder (ENOENT, ENOTDIR)
  unreadable,  ///< it exists and cannot be read (EACCES, EIO, not a regular file)
  malformed,   ///< the bytes contradict their own format
  limit,       ///< a stated limit was reached, so nothing is claimed beyond it
};

/// A fault of the input, as a value. The library never prints, and nothing that is in a file makes it throw across its
/// border.
struct Error {
  ErrorCode code = ErrorCode::malformed;
  std::string message;                  ///< one line without the path, fit for a terminal after escaping
  std::string path;                     ///< the file concerned; empty if none
  std::optional<std::uint64_t> offset;  ///< file offset in bytes, where it helps
  int system_error = 0;                 ///< errno of the failed call, 0 if none
};

/// Either a value or an Error; the names are those of std::expected.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  const T& operator*() const {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace cudald
