#include "image/constant_text.h"

#include <algorithm>
#include <functional>

#include "image/file_window.h"
#include "image/sections.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_read = std::uint64_t{256} << 20;
constexpr std::uint64_t window_size = 1 << 20;

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

}  // namespace cudald
