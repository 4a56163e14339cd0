#include "machine/ld_so_cache.h"

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "base/byte_reader.h"

namespace cudald {
namespace {

constexpr std::string_view new_magic = "glibc-ld.so.cache1.1";
constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::size_t new_header_size = 48, new_entry_size = 24;
constexpr std::size_t old_header_size = 16, old_entry_size = 12;
constexpr std::uint32_t extension_magic = 0xeaa42174;
constexpr std::uint32_t extension_glibc_hwcaps = 1;
constexpr std::uint32_t isa_level_mask = 0x3ff;
constexpr std::uint64_t legacy_tls_bit = std::uint64_t{1} << 63;
constexpr std::uint64_t legacy_platform_bits = std::uint64_t{0xf} << 48;

ByteReader reader(const std::string& bytes) { return {std::as_bytes(std::span(bytes)), ByteOrder::little}; }

// The extension bit is bit 62; below it, in the upper half, stands the ISA level.
bool names_hwcap(std::uint64_t hwcap) { return ((hwcap >> 32) & ~std::uint64_t{isa_level_mask}) == 1U << 30; }

}  // namespace

int compare_cache_names(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  const auto at = [](std::string_view text, std::size_t k) { return k < text.size() ? text[k] : '\0'; };
  const auto number = [](std::string_view text, std::size_t& k) {
    std::uint32_t value = 0;
    for (; k < text.size() && is_digit(text[k]); ++k) value = value * 10 + static_cast<std::uint32_t>(text[k] - '0');
    return static_cast<std::int32_t>(value);
  };
  while (i < a.size()) {
    const char p = a[i], q = at(b, j);
    if (is_digit(p)) {
      if (!is_digit(q)) return 1;
      const auto left = number(a, i), right = number(b, j);
      if (left != right) return left < right ? -1 : 1;
    } else if (is_digit(q)) {
      return -1;
    } else if (p != q) {
      return p < q ? -1 : 1;
    } else {
      ++i;
      ++j;
    }
  }
  return j < b.size() ? -1 : 0;
}

namespace {

/// Whether the loader takes two names for the same. Most differ where neither has a digit, which needs no numbers.
bool is_same_name(std::string_view a, std::string_view b) {
  const auto [p, q] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (p != a.end() && q != b.end() && !is_digit(*p) && !is_digit(*q)) return false;
  return compare_cache_names(a, b) == 0;
}

}  // namespace

Result<LdSoCache> LdSoCache::parse(std::string bytes) {
  LdSoCache cache;
  cache.bytes_ = std::move(bytes);
  const auto in = reader(cache.bytes_);
  const std::string_view text = cache.bytes_;
  const auto malformed = [](const char* message) { return Error{ErrorCode::malformed, message}; };

  std::size_t new_at = 0;
  if (text.starts_with(old_magic)) {
    const std::uint64_t count = in.number<std::uint32_t>(12).value_or(0);
    if (!in.holds(old_header_size, count * old_entry_size)) return malformed("its table runs past its end");
    cache.entries_at_ = old_header_size;
    cache.entry_size_ = old_entry_size;
    cache.count_ = count;
    cache.strings_at_ = old_header_size + count * old_entry_size;
    new_at = (cache.strings_at_ + 7) & ~std::size_t{7};
  }
  if (text.substr(std::min(new_at, text.size())).starts_with(new_magic)) {
    if (!in.holds(new_at, new_header_size)) return malformed("shorter than its own header");
    const std::uint64_t count = in.unchecked<std::uint32_t>(new_at + 20);
    const auto byte_order = in.unchecked<std::uint8_t>(new_at + 28) & 3;
    if (byte_order == 3) return malformed("written for big-endian machines");
    if (!in.holds(new_at + new_header_size, count * new_entry_size)) return malformed("its table runs past its end");
    cache.entries_at_ = new_at + new_header_size;
    cache.entry_size_ = new_entry_size;
    cache.count_ = count;
    cache.strings_at_ = new_at;
    cache.extension_at_ = in.unchecked<std::uint32_t>(new_at + 32);
    if (cache.extension_at_ != 0) cache.extension_at_ += new_at;
  } else if (cache.entry_size_ == 0) {
    return malformed("neither glibc-ld.so.cache1.1 nor ld.so-1.7.0");
  }
  if (auto error = cache.beyond_limits()) return std::move(*error);
  return cache;
}

// Entries may share a long name, or all be equal by its digits, and each look-up goes through those that are equal.
std::optional<Error> LdSoCache::beyond_limits() const {
  constexpr std::size_t most_equal = 1024;
  constexpr std::uint64_t most_compared = 64 << 20;
  const auto error = [](const char* message) { return Error{ErrorCode::limit, message}; };
  if (hwcap_names().size() == most_hwcap_names)
    return error("it names more directories of hwcaps than ldconfig writes");
  std::size_t run = 0;
  std::uint64_t compared = 0;
  std::optional<Entry> before;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto here = entry(i);
    if (here && (here->key.size() > longest_name || here->value.size() > longest_name))
      return error("it has names longer than a path can be");
    run = here && before && is_same_name(before->key, here->key) ? run + 1 : 0;
    compared += here ? here->key.size() + here->value.size() : longest_name / 64;
    if (run > most_equal) return error("it has one name more often than ldconfig writes it");
    if (compared > most_compared) return error("its names are longer together than is read");
    before = here;
  }
  return std::nullopt;
}

std::optional<std::string_view> LdSoCache::string_at(std::uint32_t offset) const {
  const auto at = strings_at_ + std::uint64_t{offset};
  if (at >= bytes_.size()) return std::nullopt;
  // One that is too long is known by its size.
  const auto rest = std::string_view(bytes_).substr(at, longest_name + 2);
  const auto end = rest.find('\0');
  if (end == std::string_view::npos && rest.size() <= longest_name) return std::nullopt;
  return rest.substr(0, end);
}

std::optional<LdSoCache::Entry> LdSoCache::entry(std::size_t index) const {
  const auto in = reader(bytes_);
  const auto at = entries_at_ + index * entry_size_;
  const auto key = string_at(in.unchecked<std::uint32_t>(at + 4));
  const auto value = string_at(in.unchecked<std::uint32_t>(at + 8));
  if (!key || !value) return std::nullopt;
  return Entry{in.unchecked<std::uint32_t>(at), *key, *value,
               entry_size_ == new_entry_size ? in.unchecked<std::uint64_t>(at + 16) : 0};
}

std::vector<std::string_view> LdSoCache::hwcap_names() const {
  std::vector<std::string_view> names;
  const auto in = reader(bytes_);
  if (extension_at_ == 0 || in.number<std::uint32_t>(extension_at_) != extension_magic) return names;
  const auto sections = in.number<std::uint32_t>(extension_at_ + 4).value_or(0);
  for (std::uint64_t i = 0; i < sections && names.size() < most_hwcap_names && in.holds(extension_at_ + 8 + i * 16, 16);
       ++i) {
    const auto at = extension_at_ + 8 + i * 16;
    if (in.unchecked<std::uint32_t>(at) != extension_glibc_hwcaps) continue;
    const auto offset = in.unchecked<std::uint32_t>(at + 8), size = in.unchecked<std::uint32_t>(at + 12);
    for (std::uint64_t k = 0; k + 4 <= size && in.holds(strings_at_ + offset + k, 4) && names.size() < most_hwcap_names;
         k += 4)
      names.push_back(string_at(in.unchecked<std::uint32_t>(strings_at_ + offset + k)).value_or(""));
  }
  return names;
}

std::string LdSoCache::bytes_of(const std::vector<Entry>& entries, const std::vector<std::string_view>& hwcap_names) {
  std::string strings;
  const auto strings_at = new_header_size + entries.size() * new_entry_size;
  const auto place_of = [&](std::string_view text) {
    const auto at = strings_at + strings.size();
    (strings += text) += '\0';
    return static_cast<std::uint32_t>(at);
  };
  const auto number = [](std::string& into, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) into += static_cast<char>(value >> (8 * i) & 0xff);
  };
  std::string table;
  for (const auto& entry : entries) {
    number(table, entry.flags, 4);
    number(table, place_of(entry.key), 4);
    number(table, place_of(entry.value), 4);
    number(table, 0, 4);  // osversion
    number(table, entry.hwcap, 8);
  }
  std::string names, extension;
  for (const auto name : hwcap_names) number(names, place_of(name), 4);
  const auto names_at = strings_at + strings.size(), extension_at = names_at + names.size();
  for (const std::uint64_t value :
       {std::uint64_t{extension_magic}, std::uint64_t{1}, std::uint64_t{extension_glibc_hwcaps}, std::uint64_t{0},
        std::uint64_t{names_at}, std::uint64_t{names.size()}})
    number(extension, value, 4);
  std::string header(new_magic);
  number(header, entries.size(), 4);
  number(header, strings.size(), 4);
  number(header, 2, 4);  // little-endian
  number(header, names.empty() ? 0 : extension_at, 4);
  header.resize(new_header_size);
  return header + table + strings + (names.empty() ? "" : names + extension);
}

std::optional<std::string> LdSoCache::find(std::string_view name, const Wanted& wanted) const {
  // The same binary search as the loader's: in a badly sorted cache it must miss what the loader misses.
  // Entries are sorted downwards.
  auto first = count_;
  for (std::int64_t left = 0, right = static_cast<std::int64_t>(count_) - 1; left <= right;) {
    const auto middle = (left + right) / 2;
    const auto here = entry(static_cast<std::size_t>(middle));
    if (!here) return std::nullopt;
    const auto order = compare_cache_names(name, here->key);
    if (order == 0) {
      first = static_cast<std::size_t>(middle);
      break;
    }
    if (order < 0) {
      left = middle + 1;
    } else {
      right = middle - 1;
    }
  }
  if (first == count_) return std::nullopt;
  const auto has_name = [&](std::size_t index) {
    const auto here = entry(index);
    return here && compare_cache_names(name, here->key) == 0;
  };
  while (first > 0 && has_name(first - 1)) --first;

  std::optional<std::string> best;
  std::size_t best_priority = 0;
  std::optional<std::vector<std::string_view>> names;
  for (auto index = first; index < count_ && has_name(index); ++index) {
    const auto here = *entry(index);
    const bool is_unmarked = wanted.unmarked_flags != 0 && here.flags == wanted.unmarked_flags;
    if (here.flags != wanted.flags && !is_unmarked) continue;
    if (names_hwcap(here.hwcap)) {
      const auto level = static_cast<int>((here.hwcap >> 32) & isa_level_mask);
      if (level > 0 && level + 1 > wanted.x86_64_level) continue;
      if (!names) names = hwcap_names();
      const auto which = static_cast<std::uint32_t>(here.hwcap);
      if (which >= names->size()) continue;
      const auto place = std::find(wanted.hwcaps.begin(), wanted.hwcaps.end(), (*names)[which]);
      if (place == wanted.hwcaps.end()) continue;
      const auto priority = static_cast<std::size_t>(place - wanted.hwcaps.begin());
      if (best && priority >= best_priority) continue;
      best = here.value;
      best_priority = priority;
      continue;
    }
    if (best) break;
    const auto legacy_bits = here.hwcap & ~legacy_tls_bit;
    if (here.hwcap != 0 && !wanted.legacy_folders) continue;
    if ((legacy_bits & ~legacy_platform_bits & ~wanted.legacy_hwcap) != 0) continue;
    if ((legacy_bits & legacy_platform_bits) != 0) continue;  // a platform folder of another processor
    return std::string(here.value);
  }
  return best;
}

}  // namespace cudald
