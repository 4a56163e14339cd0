#include "binary/pe/pe_memory.h"

#include <algorithm>

namespace cudald {
namespace {

constexpr std::uint64_t page_size = 4096, sector_size = 512;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

// How sections are mapped: Microsoft's "PE Format", Section Table; offsets are rounded down to the sector, and with a
// section alignment below the page the file is mapped as it is (Windows Research Kernel, ntos/mm/creasect.c).
PeMemory::PeMemory(const File& file, const PeFacts& facts, Budget* budget) : window_(file, ByteOrder::little, budget) {
  if (facts.section_alignment < page_size) {
    add(0, facts.image_size, 0, facts.image_size);
    return;
  }
  add(0, facts.headers_size, 0, facts.headers_size);
  for (const auto& section : facts.sections) {
    const auto size = round_up(section.memory_size != 0 ? section.memory_size : section.file_size, page_size);
    add(section.address, size, section.offset / sector_size * sector_size, section.offset == 0 ? 0 : section.file_size);
  }
  std::stable_sort(regions_.begin(), regions_.end(),
                   [](const Region& a, const Region& b) { return a.address < b.address; });
}

void PeMemory::add(std::uint64_t address, std::uint64_t size, std::uint64_t offset, std::uint64_t file_size) {
  const auto left = window_.file_size() - std::min(offset, window_.file_size());
  regions_.push_back({address, size, offset, std::min({size, file_size, left})});
}

std::optional<PeMemory::Place> PeMemory::find(std::uint64_t address) const {
  auto region = std::upper_bound(regions_.begin(), regions_.end(), address,
                                 [](std::uint64_t value, const Region& entry) { return value < entry.address; });
  if (region == regions_.begin()) return std::nullopt;
  --region;
  const auto skip = address - region->address;
  if (skip >= region->size) return std::nullopt;
  return Place{region->size - skip, region->offset + skip, region->file_size - std::min(skip, region->file_size)};
}

std::uint64_t PeMemory::mapped(std::uint64_t address) const {
  auto end = address;
  for (auto place = find(address); place; place = find(end)) end += place->mapped;
  return end - address;
}

std::optional<std::string> PeMemory::string(std::uint64_t address, std::size_t longest) {
  const auto place = find(address);
  if (!place) return std::nullopt;
  if (auto text = window_.string(place->offset, place->offset + place->in_file, longest)) return text;
  if (place->in_file > longest || place->in_file == place->mapped) return std::nullopt;
  // The zeros behind the file's bytes end it.
  const auto some = window_.bytes(place->offset, place->in_file);
  return std::string(reinterpret_cast<const char*>(some.data()), some.size());
}

std::vector<std::byte> PeMemory::bytes(std::uint64_t address, std::uint64_t length) {
  const auto place = find(address);
  if (!place) return {};
  auto result = window_.bytes(place->offset, std::min(length, place->in_file));
  result.resize(std::min(length, place->mapped));
  return result;
}

}  // namespace cudald
