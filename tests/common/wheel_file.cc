#include "common/wheel_file.h"

#include <cstdint>

#include "common/elf_builder.h"

namespace cudald {
namespace {

/// As in a zip archive (ISO 3309), bit by bit.
std::uint32_t crc32(const std::string& data) {
  std::uint32_t crc = ~0U;
  for (const char each : data) {
    const auto byte = static_cast<unsigned char>(each);
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}

}  // namespace

std::string wheel_file(std::vector<std::pair<std::string, std::string>> members, const std::string& metadata,
                       const std::string& distribution, const std::string& tag, const std::string& version) {
  const std::string dist_info = distribution + "-" + version + ".dist-info/";
  members.emplace_back(dist_info + "METADATA",
                       "Metadata-Version: 2.1\nName: " + distribution + "\nVersion: " + version + "\n" + metadata);
  members.emplace_back(dist_info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: " + tag + "\n");
  std::string record = dist_info + "RECORD,,\n";
  for (const auto& [name, data] : members) record += name + ",sha256=unchecked," + std::to_string(data.size()) + "\n";
  members.emplace_back(dist_info + "RECORD", record);

  std::string bytes, directory;
  const auto n16 = [](std::string& into, std::size_t value) { append(into, static_cast<std::uint16_t>(value)); };
  const auto n32 = [](std::string& into, std::size_t value) { append(into, static_cast<std::uint32_t>(value)); };
  for (const auto& [name, data] : members) {
    std::string common;
    for (const int value : {20, 0, 0, 0, 0x21}) n16(common, static_cast<std::size_t>(value));  // stored, of 1980
    for (const std::size_t value : {std::size_t{crc32(data)}, data.size(), data.size()}) n32(common, value);
    n16(common, name.size());
    n16(common, 0);
    directory += "PK\1\2";
    n16(directory, 0x314);
    directory += common;
    for (int i = 0; i < 3; ++i) n16(directory, 0);
    n32(directory, std::size_t{0100755} << 16);
    n32(directory, bytes.size());
    directory += name;
    bytes += "PK\3\4" + common + name + data;
  }
  const auto start = bytes.size();
  bytes += directory + "PK\5\6";
  for (const std::size_t value : {std::size_t{0}, std::size_t{0}, members.size(), members.size()}) n16(bytes, value);
  n32(bytes, directory.size());
  n32(bytes, start);
  n16(bytes, 0);
  return bytes;
}

}  // namespace cudald
