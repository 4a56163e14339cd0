#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/trimmed.h"
#include "lock/readers.h"

namespace cudald {
namespace {

/// "name: 'torch'" as its key and value.
struct Pair {
  std::string key, value;
};

std::optional<Pair> pair_of(std::string_view line) {
  line = trimmed(line);
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto value = trimmed(line.substr(colon + 1));
  if (value.size() > 1 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return Pair{std::string(trimmed(line.substr(0, colon))), std::string(value)};
}

/// The one form that conda-lock writes: a list below `package:`, each entry with keys of one line, and `dependencies`
/// and `hash` with such keys one level deeper. Source: conda-lock's documentation, "Unified lockfile format".
class CondaLockReader {
 public:
  Result<LockFile> run(std::string_view text) {
    lock_.kind = LockKind::conda_lock;
    if (has_too_many_lines(text)) return lock_error(ErrorCode::limit, 0, "more lines than any such file has");
    for (const auto line : split(text, "\n")) {
      ++number_;
      if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
      if (auto fault = read(line)) return std::move(*fault);
    }
    for (const auto& package : lock_.packages)
      if (package.name.empty() || package.version.empty())
        return lock_error(ErrorCode::malformed, package.line, "a package without a name or version");
    return std::move(lock_);
  }

 private:
  using Fault = std::optional<Error>;

  Fault read(std::string_view line) {
    const auto indent = line.find_first_not_of(' ');
    const bool is_item = line.substr(indent).starts_with("- ");
    if (indent == 0 && !is_item) return read_top(line);
    if (!in_packages_) return std::nullopt;
    if (is_item && (lock_.packages.empty() || indent == item_)) return begin_package(line, indent);
    const auto pair = pair_of(line);
    if (!pair || lock_.packages.empty() || is_item)
      return lock_error(ErrorCode::malformed, number_, "not in the form that conda-lock writes");
    if (indent > item_ + 2)
      take_below(*pair);
    else
      take(*pair);
    return std::nullopt;
  }

  Fault read_top(std::string_view line) {
    const auto pair = pair_of(line);
    in_packages_ = pair && pair->key == "package";
    if (pair && pair->key == "version" && pair->value != "1")
      return lock_error(ErrorCode::malformed, number_, fmt::format("version {} is not known; 1 is", pair->value));
    return std::nullopt;
  }

  Fault begin_package(std::string_view line, std::size_t indent) {
    if (lock_.packages.size() == most_locked_packages)
      return lock_error(ErrorCode::limit, number_, "more packages than any such file has");
    auto& package = lock_.packages.emplace_back();
    package.line = number_;
    package.needs_known = true;
    package.wheels.emplace_back();
    item_ = indent;
    const auto pair = pair_of(line.substr(indent + 1));
    if (!pair) return lock_error(ErrorCode::malformed, number_, "not in the form that conda-lock writes");
    take(*pair);
    return std::nullopt;
  }

  void take(const Pair& pair) {
    auto& package = lock_.packages.back();
    section_ = pair.value.empty() ? pair.key : "";
    if (pair.key == "name") package.name = pair.value;
    if (pair.key == "version") package.version = pair.value;
    if (pair.key == "platform") package.platform = pair.value;
    if (pair.key == "url") {
      package.wheels.front().url = pair.value;
      package.wheels.front().name = file_of_url(pair.value);
    }
  }

  void take_below(const Pair& pair) {
    auto& package = lock_.packages.back();
    if (section_ == "hash" && pair.key == "sha256") package.wheels.front().sha256 = sha256_of(pair.value);
    if (section_ != "dependencies") return;
    LockedNeed need;
    need.name = pair.key;
    package.needs.push_back(std::move(need));
  }

  LockFile lock_;
  std::size_t number_ = 0, item_ = 0;
  bool in_packages_ = false;
  std::string section_;  ///< the key whose values stand one level deeper
};

}  // namespace

Result<LockFile> read_conda_lock(std::string_view text) { return CondaLockReader().run(text); }

}  // namespace cudald
