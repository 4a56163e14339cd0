#include "index/cached_wheels.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "cache/cached_text.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Lines of words between tabs: until when it is good (0: for ever), then a wheel each.
std::string write_rows(const std::vector<LockedFile>& wheels, std::uint64_t until) {
  auto text = fmt::format("{}\n", until);
  for (const auto& wheel : wheels)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", wheel.name, wheel.url, wheel.sha256, wheel.size,
                        wheel.has_metadata ? 1 : 0, wheel.metadata_sha256);
  return text;
}

std::optional<std::vector<LockedFile>> read_rows(const std::string& text, std::uint64_t now) {
  auto lines = split(text, "\n");
  const auto until = number(lines.front());
  if (!until || (*until != 0 && *until < now)) return std::nullopt;
  std::vector<LockedFile> wheels;
  for (const auto line : std::span(lines).subspan(1)) {
    if (line.empty()) continue;
    const auto words = split(line, "\t");
    const auto size = words.size() == 6 ? number(words[3]) : std::nullopt;
    if (!size) return std::nullopt;
    wheels.push_back({std::string(words[0]), std::string(words[1]), "", std::string(words[2]), *size, words[4] == "1",
                      std::string(words[5])});
  }
  return wheels;
}

/// Whether it survives being written in a line.
bool is_plain(const LockedFile& wheel) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  return std::none_of(wheel.name.begin(), wheel.name.end(), control) &&
         std::none_of(wheel.url.begin(), wheel.url.end(), control);
}

}  // namespace

KeptWheels::KeptWheels(std::string folder, std::string indexes, Time now)
    : folder_(std::move(folder)), indexes_(std::move(indexes)), now_(now) {}

std::string KeptWheels::key_of(const LockedPackage& package) const {
  auto hashes = package.hashes;
  std::sort(hashes.begin(), hashes.end());
  return fmt::format("wheels\n{}\n{}\n{}\n{}", indexes_, package.name, package.version, fmt::join(hashes, " "));
}

std::optional<std::vector<LockedFile>> KeptWheels::find(const LockedPackage& package) const {
  if (folder_.empty()) return std::nullopt;
  const auto text = kept_text(folder_, key_of(package), most_bytes);
  if (!text) return std::nullopt;
  return read_rows(*text, static_cast<std::uint64_t>(now_.time_since_epoch().count()));
}

void KeptWheels::keep(const LockedPackage& package, std::chrono::seconds fresh_for) const {
  const bool for_ever = !package.hashes.empty();
  if (folder_.empty() || package.wheels.empty() || (!for_ever && fresh_for <= std::chrono::seconds(0))) return;
  if (!std::all_of(package.wheels.begin(), package.wheels.end(), is_plain)) return;
  const auto until = for_ever ? 0 : static_cast<std::uint64_t>((now_ + fresh_for).time_since_epoch().count());
  keep_text(folder_, key_of(package), write_rows(package.wheels, until));
}

}  // namespace cudald
