#include "image/constant_texts.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "image/file_window.h"
#include "image/sections.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_read = std::uint64_t{256} << 20;
constexpr std::uint64_t window_size = 1 << 20;
constexpr std::size_t longest_name = 128;

bool is_read_only_data(std::string_view name) {
  return name == ".rodata" || name.starts_with(".rodata.") || name == ".lrodata" || name == ".rdata";
}

/// Hands out the read-only data in pieces that overlap by `overlap` bytes, with the offset of each, until told to stop.
void for_each_window(const File& file, const Image& image, std::size_t overlap,
                     const std::function<bool(std::string_view, std::uint64_t)>& visit) {
  FileWindow window(file, image.byte_order);
  std::uint64_t budget = most_read;
  for (const auto& section : image.is_pe() ? pe_sections(window) : elf_sections(window, image)) {
    if (!is_read_only_data(section.name) || section.offset >= file.status().size) continue;
    const auto end = section.offset + std::min({section.size, file.status().size - section.offset, budget});
    budget -= end - section.offset;
    for (auto at = section.offset; at < end;) {
      const auto length = std::min(window_size, end - at);
      const auto bytes = window.bytes(at, length);
      if (bytes.empty() || !visit({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, at)) return;
      if (at + length >= end) break;
      at += length - overlap;
    }
  }
}

bool is_name_character(unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '+' || c == '.'; }

/// "libX.so" with numbers behind it at most.
bool is_soname(std::string_view text) {
  const auto so = text.rfind(".so");
  if (!text.starts_with("lib") || so == std::string_view::npos || so == 3) return false;
  const auto rest = text.substr(so + 3);
  return rest.empty() || (rest.size() > 1 && rest.front() == '.' && rest.back() != '.' &&
                          rest.find_first_not_of(".0123456789") == std::string_view::npos);
}

bool is_dll_name(std::string_view text) { return text.size() > 4 && text.ends_with(".dll"); }

}  // namespace

std::optional<std::uint64_t> find_constant_text(const File& file, const Image& image, std::string_view text) {
  const auto wanted = std::string(1, '\0') + std::string(text) + std::string(1, '\0');
  std::optional<std::uint64_t> found;
  for_each_window(file, image, wanted.size(), [&](std::string_view bytes, std::uint64_t offset) {
    if (const auto at = bytes.find(wanted); at != std::string_view::npos) found = offset + at + 1;
    return !found;
  });
  return found;
}

std::vector<ConstantText> constant_library_names(const File& file, const Image& image) {
  const std::string_view mark = image.is_pe() ? ".dll" : ".so";
  std::vector<ConstantText> names;
  std::set<std::string, std::less<>> known;
  for_each_window(file, image, longest_name + 2, [&](std::string_view bytes, std::uint64_t offset) {
    for (auto at = bytes.find(mark); at != std::string_view::npos; at = bytes.find(mark, at + 1)) {
      auto begin = at, end = at;
      while (begin > 0 && at - begin < longest_name && is_name_character(static_cast<unsigned char>(bytes[begin - 1]))) --begin;
      while (end < bytes.size() && end - at < longest_name && is_name_character(static_cast<unsigned char>(bytes[end]))) ++end;
      // The first byte of a section may begin a text; a window's own first byte was seen by the one before.
      if ((begin > 0 && bytes[begin - 1] != '\0') || end >= bytes.size() || bytes[end] != '\0') continue;
      const auto text = bytes.substr(begin, end - begin);
      if (!(image.is_pe() ? is_dll_name(text) : is_soname(text)) || known.contains(text)) continue;
      known.emplace(text);
      names.push_back({std::string(text), offset + begin});
    }
    return true;
  });
  return names;
}

}  // namespace cudald
