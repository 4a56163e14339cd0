// Versions as the package packaging compares them, by PEP 440. Its own code takes them apart by patterns of `re`.

#include "package/version.h"

#include <algorithm>
#include <charconv>

#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

/// Whether a text that was not read as a version certainly is none: numbers that are too long to be read could be one.
bool is_no_version(Heap& heap, const std::string& text) {
  constexpr std::size_t longest = 50;
  std::size_t digits = 0, most = 0;
  for (const char c : text) most = std::max(most, digits = c >= '0' && c <= '9' ? digits + 1 : 0);
  constexpr std::size_t most_digits = 18;
  return text.size() <= longest && most <= most_digits && is_ascii(heap, text) &&
         text.find_first_of("'\\\n\r\t") == std::string::npos;
}

/// Source: packaging 25.0, src/packaging/version.py, class Version; class InvalidVersion is a ValueError.
Value make_version(const KnownCall& call) {
  const auto* text = call.text(0, "version");
  if (text == nullptr || call.arguments.size() != 1) return Unknown{};
  if (parse_version(*text)) return Thing(ThingKind::version, *text);
  if (!is_no_version(call.python.heap, *text)) return Unknown{};
  PythonError error{"InvalidVersion", "Invalid version: '" + *text + "'"};
  error.type = "packaging.version.InvalidVersion";
  error.bases = {"ValueError", "Exception"};
  call.python.doubt.raise_if_certain(call.frame, std::move(error));
  return Unknown{};
}

constexpr KnownFunction version_rows[] = {{"packaging.version.Version", make_version}};

/// The numbers before any suffix, zeros at the end included, and what stands before them.
std::vector<Value> release_of(std::string_view text, std::string_view& base) {
  const auto begin = text.find_first_of("0123456789");
  const auto epoch = text.find('!');
  auto at = epoch == std::string_view::npos ? begin : epoch + 1;
  std::vector<Value> numbers;
  while (at < text.size()) {
    long long number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) break;
    numbers.emplace_back(number);
    at = static_cast<std::size_t>(end - text.data());
    base = text.substr(begin, at - begin);
    if (at + 1 >= text.size() || text[at] != '.' || text[at + 1] < '0' || text[at + 1] > '9') break;
    ++at;
  }
  return numbers;
}

}  // namespace

std::span<const KnownFunction> known_versions() { return version_rows; }

Value version_attribute(Heap& heap, std::string_view text, std::string_view name) {
  const auto version = parse_version(text);
  if (!version) return Unknown{};
  std::string_view base;
  auto release = release_of(text, base);
  const auto part = [&](std::size_t i) { return i < release.size() ? release[i] : Value(0LL); };
  if (name == "major") return part(0);
  if (name == "minor") return part(1);
  if (name == "micro") return part(2);
  if (name == "release") return heap.list(std::move(release));
  if (name == "base_version") return std::string(base);
  if (name == "is_prerelease") return version->is_prerelease();
  if (name == "is_devrelease") return version->dev != UINT64_MAX;
  if (name == "is_postrelease") return version->post != 0;
  if (name == "local" && version->local.empty()) return None{};
  return Unknown{};
}

}  // namespace cudald::python
