#include "binary/pe/pe_resources.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "binary/pe/manifest.h"

namespace cudald {
namespace {

// Microsoft's "PE Format", The .rsrc Section; winuser.h.
constexpr std::uint32_t type_version = 16, type_manifest = 24;
constexpr std::uint32_t folder_bit = 0x80000000;
constexpr std::size_t most_folder_entries = 4096;  // of one folder
constexpr std::size_t most_resources = 16;         // of our types; a file has one or two
constexpr std::uint32_t most_manifest_bytes = 1 << 20;

/// The tree has three levels: type, id, language. Only numbered entries are looked at: those of ours are.
class ResourceReader {
 public:
  ResourceReader(PeMemory& memory, std::uint32_t root, PeFacts& pe, std::vector<Defect>& defects)
      : memory_(memory), root_(root), pe_(pe), defects_(defects) {}

  void read() {
    for (const auto& type : folder(0, folder_bit)) {
      if (type.id != type_version && type.id != type_manifest) continue;
      for (const auto& resource : folder(1, type.place)) {
        if (faulty_ || ++resources_ > most_resources) {
          defect("there are more manifests and versions than are read", true);
          return;
        }
        // One of each language; all say the same.
        const auto languages = folder(2, resource.place);
        const auto data = languages.empty() ? std::vector<std::byte>() : data_at(languages.front().place);
        if (data.empty()) continue;
        if (type.id == type_version) read_version(data);
        if (type.id == type_manifest) read_manifest(resource.id, data);
      }
    }
  }

 private:
  struct Entry {
    std::uint32_t id, place;
  };

  void defect(std::string message, bool limit = false) {
    if (!std::exchange(faulty_, true)) defects_.push_back({std::move(message), std::nullopt, limit});
  }

  std::vector<Entry> folder(int level, std::uint32_t place) {
    const auto at = std::uint64_t{root_} + (place & ~folder_bit);
    const auto named = memory_.number<std::uint16_t>(at + 12), numbered = memory_.number<std::uint16_t>(at + 14);
    std::vector<Entry> entries;
    if ((place & folder_bit) == 0 || !named || !numbered) {
      defect("a directory of the resources is outside their section");
      return entries;
    }
    // A resource may have a name; a type and a language of ours has a number.
    const std::size_t first = level == 1 ? 0 : *named;
    const std::size_t count = std::size_t{*named} + *numbered;
    if (count > most_folder_entries) defect("a directory of the resources has more entries than are read", true);
    for (std::size_t i = first; i < std::min(count, most_folder_entries); ++i) {
      const auto id = memory_.number<std::uint32_t>(at + 16 + 8 * i),
                 next = memory_.number<std::uint32_t>(at + 20 + 8 * i);
      if (!id || !next) {
        defect("a directory of the resources runs past the end of its section");
        break;
      }
      entries.push_back({*id, *next});
    }
    return entries;
  }

  std::vector<std::byte> data_at(std::uint32_t place) {
    const auto at = std::uint64_t{root_} + place;
    const auto address = memory_.number<std::uint32_t>(at), size = memory_.number<std::uint32_t>(at + 4);
    if ((place & folder_bit) != 0 || !address || !size || memory_.mapped(*address) < *size) {
      defect("a resource is outside the sections");
      return {};
    }
    return memory_.bytes(*address, std::min(*size, most_manifest_bytes));
  }

  // verrsrc.h: VS_VERSIONINFO, and in it VS_FIXEDFILEINFO behind the key "VS_VERSION_INFO" in UTF-16.
  void read_version(std::span<const std::byte> data) {
    constexpr std::uint64_t fixed_at = 40;
    const ByteReader bytes(data, ByteOrder::little);
    if (pe_.file_version) return;
    if (!bytes.holds(fixed_at, 24) || bytes.unchecked<std::uint32_t>(fixed_at) != 0xfeef04bd) {
      defect("the version resource is not what its type says");
      return;
    }
    const auto version_at = [&bytes](std::uint64_t at) {
      const auto high = bytes.unchecked<std::uint32_t>(at), low = bytes.unchecked<std::uint32_t>(at + 4);
      return fmt::format("{}.{}.{}.{}", high >> 16, high & 0xffff, low >> 16, low & 0xffff);
    };
    pe_.file_version = version_at(fixed_at + 8);
    pe_.product_version = version_at(fixed_at + 16);
  }

  void read_manifest(std::uint32_t id, std::span<const std::byte> data) {
    auto manifest = parse_manifest({reinterpret_cast<const char*>(data.data()), data.size()});
    manifest.id = id;
    pe_.manifests.push_back(std::move(manifest));
  }

  PeMemory& memory_;
  std::uint32_t root_;
  PeFacts& pe_;
  std::vector<Defect>& defects_;
  bool faulty_ = false;
  std::size_t resources_ = 0;
};

}  // namespace

void read_pe_resources(PeMemory& memory, std::uint32_t address, PeFacts& pe, std::vector<Defect>& defects) {
  ResourceReader(memory, address, pe, defects).read();
}

}  // namespace cudald
