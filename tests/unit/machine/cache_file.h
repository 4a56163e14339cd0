#pragma once

#include <string>
#include <vector>

#include "common/elf_builder.h"

namespace cudald {

/// One line of an ld.so.cache to be written.
struct CacheLine {
  std::string key, value;
  std::uint32_t flags = 0x0303;
  std::uint64_t hwcap = 0;
};

/// hwcap of a line in the folder of glibc-hwcaps name number `index`.
constexpr std::uint64_t hwcaps_folder(std::uint32_t index, std::uint64_t isa_level = 0) {
  return std::uint64_t{1} << 62 | isa_level << 32 | index;
}

/// The format since glibc 2.32; lines stay in the order given.
inline std::string new_cache(const std::vector<CacheLine>& lines, const std::vector<std::string>& hwcaps = {}) {
  std::string strings, table;
  const auto strings_at = 48 + lines.size() * 24;
  const auto place = [&](const std::string& text) {
    const auto at = static_cast<std::uint32_t>(strings_at + strings.size());
    (strings += text) += '\0';
    return at;
  };
  for (const auto& line : lines) {
    append(table, line.flags);
    append(table, place(line.key));
    append(table, place(line.value));
    append(table, std::uint32_t{0});
    append(table, line.hwcap);
  }
  std::string names;
  for (const auto& name : hwcaps) append(names, place(name));
  strings.resize((strings.size() + 3) / 4 * 4);
  const auto extension_at = static_cast<std::uint32_t>(strings_at + strings.size());
  std::string extension;
  if (!hwcaps.empty()) {
    append(extension, std::uint32_t{0xeaa42174});
    append(extension, std::uint32_t{2});
    for (const std::uint32_t number : {0U, 0U, extension_at + 40, 0U})
      append(extension, number);  // the generator's name
    for (const std::uint32_t number : {1U, 0U, extension_at + 40, static_cast<std::uint32_t>(names.size())})
      append(extension, number);
    extension += names;
  }
  std::string bytes = "glibc-ld.so.cache1.1";
  append(bytes, static_cast<std::uint32_t>(lines.size()));
  append(bytes, static_cast<std::uint32_t>(strings.size()));
  append(bytes, std::uint32_t{2});  // little endian
  append(bytes, hwcaps.empty() ? std::uint32_t{0} : extension_at);
  bytes.resize(48);
  return bytes + table + strings + extension;
}

/// The format up to glibc 2.1, alone or with the new one after it.
inline std::string old_cache(const std::vector<CacheLine>& lines, const std::string& new_part = "") {
  std::string strings, bytes = "ld.so-1.7.0";
  bytes.resize(12);
  append(bytes, static_cast<std::uint32_t>(lines.size()));
  for (const auto& line : lines) {
    append(bytes, line.flags);
    for (const auto& text : {line.key, line.value}) {
      append(bytes, static_cast<std::uint32_t>(strings.size()));
      (strings += text) += '\0';
    }
  }
  if (new_part.empty()) return bytes + strings;
  // The strings of both stand at the end, and the old offsets count from behind the old table.
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes + new_part;
}

}  // namespace cudald
