#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include <elf.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "binary/bytes/file_window.h"
#include "binary/bytes/readers.h"
#include "binary/bytes/stepping_file.h"
#include "binary/elf/elf_dynamic.h"
#include "binary/elf/elf_layout.h"
#include "binary/elf/sections.h"
#include "binary/gpu/fatbin.h"

namespace cudald {
namespace {

/// Of a file without section headers: what its wrappers lead to, by which the runtime finds the fatbins. They stand in
/// the writable data: magic 0x466243b1, u32 version, address of a container, another address. Whether that container is
/// of relocatable code is not told.
class WrapperReader {
 public:
  WrapperReader(FileWindow& window, const Image& image, GpuCode& code) : window_(window), image_(image), code_(code) {}

  void read() {
    // Segments may share bytes: the limit is one for all of them.
    auto left = most_data;
    for (const auto& segment : image_.elf.load_segments) {
      if (!segment.writable) continue;
      const auto size = std::min(segment.file_size, left);
      search(segment.offset, size);
      left -= size;
    }
    if (without_address_)
      code_.defects.push_back(
          {"there are no section headers, and the addresses of fatbins are only known when it is "
           "loaded: its GPU code is unknown",
           std::nullopt, true});
  }

 private:
  static constexpr std::uint32_t magic = 0x466243b1, newest_version = 2;
  static constexpr std::uint64_t wrapper_size = 24, block_size = std::uint64_t{1} << 20;
  static constexpr std::size_t most_wrappers = 100'000;
  static constexpr std::uint64_t most_data = std::uint64_t{256} << 20;

  /// A segment begins at a multiple of the page's size away from its address, so wrappers lie at multiples of 8.
  void search(std::uint64_t offset, std::uint64_t size) {
    if (offset >= image_.file_size) return;  // and rounding it up may wrap
    const auto end = offset + std::min(size, image_.file_size - offset);
    for (auto at = (offset + 7) / 8 * 8; at < end; at += block_size - wrapper_size) {
      const auto block = window_.bytes(at, std::min(block_size, end - at));
      const ByteReader bytes(block, image_.byte_order);
      // The next block begins with what is too late in this one for a whole wrapper.
      for (std::uint64_t i = 0; bytes.holds(i, wrapper_size) && i < block_size - wrapper_size; i += 8)
        if (bytes.unchecked<std::uint32_t>(i) == magic && bytes.unchecked<std::uint32_t>(i + 4) <= newest_version)
          follow(bytes.unchecked<std::uint64_t>(i + 8));
    }
  }

  void follow(std::uint64_t address) {
    code_.registered = true;
    if (followed_.size() == most_wrappers || !followed_.insert(address).second) return;
    if (!window_.budget()->step(image_.elf.load_segments.size())) return;
    const auto range = range_at_address(image_, address);
    if (address == 0 || !range) {
      without_address_ = true;
    } else if (code_.defects.empty()) {
      read_fatbin(window_, range->offset, range->offset + range->size, code_);
    }
  }

  FileWindow& window_;
  const Image& image_;
  GpuCode& code_;
  std::set<std::uint64_t> followed_;
  bool without_address_ = false;
};

bool is_any_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// PE files have eight letters for a name.
bool holds_fatbins(const Section& section) { return is_any_of(section.name, {".nv_fatbin", ".nv_fatb"}); }
bool holds_relocatable(const Section& section) { return is_any_of(section.name, {"__nv_relfatbin", "__nv_rel"}); }

std::vector<Section> sections_of(FileWindow& window, const Image& image) {
  return image.is_elf() ? elf_sections(window, image) : pe_sections(window);
}

}  // namespace

bool has_gpu_code(const File& file, const Image& image) {
  Budget budget(limits_of_one_file);
  FileWindow window(file, image.byte_order, &budget);
  const auto sections = sections_of(window, image);
  return std::any_of(sections.begin(), sections.end(), holds_fatbins);
}

void note_gpu_code(const File& file, Budget& budget, Image& image) {
  FileWindow window(file, image.byte_order, &budget);
  const auto sections = sections_of(window, image);
  const auto any = [&](auto holds) { return std::any_of(sections.begin(), sections.end(), holds); };
  image.has_gpu_code = any(holds_fatbins);
  image.lacks_gpu_code = !sections.empty() && !budget.exhausted() && !image.has_gpu_code && !any(holds_relocatable);
}

GpuCode read_gpu_code(const File& file, const Image& image, const MetFatbins& met) {
  Budget budget(limits_of_one_file);
  return read_gpu_code(file, image, met, budget);
}

GpuCodeReading read_gpu_code_at_cost(const File& file, const Image& image) {
  Budget budget(limits_of_one_file);
  auto code = read_gpu_code(file, image, {}, budget);
  return {std::move(code), budget.cost()};
}

GpuCode read_gpu_code(const File& file, const Image& image, const MetFatbins& met, Budget& budget) {
  GpuCode code;
  const SteppingFile stepping(file);
  FileWindow window(file.is_at_hand() ? stepping : file, image.byte_order, &budget);
  const auto sections = sections_of(window, image);
  if (sections.empty()) {
    if (image.format == Format::elf64) WrapperReader(window, image, code).read();
    tell_limit(budget, code.defects);
    return code;
  }
  for (const auto& section : sections)
    if (holds_fatbins(section)) read_fatbins(window, section.offset, section.size, met, code);
  if (code.empty())
    for (const auto& section : sections)
      if (holds_relocatable(section)) read_fatbins(window, section.offset, section.size, met, code);
  code.registered = std::any_of(sections.begin(), sections.end(), [](const Section& section) {
    return is_any_of(section.name, {".nvFatBinSegment", ".nvFatBi"});
  });
  tell_limit(budget, code.defects);
  return code;
}

}  // namespace cudald
