#include "image/lief_adapter.h"

#include <exception>
#include <span>

#include <LIEF/ELF.hpp>
#include <LIEF/logging.hpp>

#include "base/byte_reader.h"

namespace cudald {
namespace {

// <elf.h> cannot be included beside LIEF: its macros have the names of LIEF's enumerators.
enum : std::uint64_t {
  tag_needed = 1,
  tag_strtab = 5,
  tag_soname = 14,
  tag_rpath = 15,
  tag_symbolic = 16,
  tag_bind_now = 24,
  tag_runpath = 29,
  tag_flags = 30,
  tag_depaudit = 0x6ffffefb,
  tag_audit = 0x6ffffefc,
  tag_flags_1 = 0x6ffffffb,
  tag_auxiliary = 0x7ffffffd,
  tag_filter = 0x7fffffff,
};
constexpr std::uint64_t flag_symbolic = 2, flag_bind_now = 8, flag_static_tls = 16, flag_1_now = 1;
constexpr std::uint16_t version_flag_base = 1, version_flag_weak = 2;

class Adapter {
 public:
  Adapter(const std::vector<std::uint8_t>& excerpt, Image& image)
      : bytes_(std::as_bytes(std::span(excerpt)), image.byte_order), image_(image) {}

  void take_dynamic_entries(const LIEF::ELF::Binary& binary) {
    for (const auto& entry : binary.dynamic_entries())
      if (static_cast<std::uint64_t>(entry.tag()) == tag_strtab) strings_at_ = entry.value();
    for (const auto& entry : binary.dynamic_entries()) take(static_cast<std::uint64_t>(entry.tag()), entry.value());
  }

  void take_versions(const LIEF::ELF::Binary& binary) {
    for (const auto& requirement : binary.symbols_version_requirement()) {
      VersionNeed need;
      need.file = requirement.name();
      for (const auto& version : requirement.auxiliary_symbols())
        need.versions.push_back({version.name(), version.hash(), static_cast<std::uint16_t>(version.other() & 0x7fff),
                                 (version.flags() & version_flag_weak) != 0, (version.other() & 0x8000) != 0});
      image_.version_needs.push_back(std::move(need));
    }
    for (const auto& definition : binary.symbols_version_definition()) {
      std::string name;
      for (const auto& version : definition.symbols_aux()) {
        name = version.name();
        break;
      }
      image_.version_definitions.push_back(
          {std::move(name), definition.hash(), definition.ndx(), (definition.flags() & version_flag_base) != 0});
    }
  }

  std::size_t strings_taken() const { return strings_taken_; }

 private:
  void take(std::uint64_t tag, std::uint64_t value) {
    switch (tag) {
      case tag_needed: image_.needed.push_back({NeededTag::needed, text(value)}); break;
      case tag_filter: image_.needed.push_back({NeededTag::filter, text(value)}); break;
      case tag_auxiliary: image_.needed.push_back({NeededTag::auxiliary, text(value)}); break;
      case tag_audit: image_.audit.push_back(text(value)); break;
      case tag_depaudit: image_.depaudit.push_back(text(value)); break;
      case tag_soname: image_.soname = text(value); break;
      case tag_rpath: image_.rpath = text(value); break;
      case tag_runpath: image_.runpath = text(value); break;
      case tag_symbolic: image_.symbolic = true; break;
      case tag_bind_now: image_.bind_now = true; break;
      case tag_flags:
        image_.symbolic |= (value & flag_symbolic) != 0;
        image_.bind_now |= (value & flag_bind_now) != 0;
        image_.static_tls = (value & flag_static_tls) != 0;
        break;
      case tag_flags_1:
        image_.flags_1 = static_cast<std::uint32_t>(value);
        image_.bind_now |= (value & flag_1_now) != 0;
        break;
      default: break;
    }
  }

  std::string text(std::uint64_t offset) {
    ++strings_taken_;
    return std::string(bytes_.string(strings_at_ + offset).value_or(std::string_view()));
  }

  ByteReader bytes_;
  Image& image_;
  std::uint64_t strings_at_ = 0;
  std::size_t strings_taken_ = 0;
};

}  // namespace

void take_over_from_lief(const std::vector<std::uint8_t>& excerpt, const ExcerptCounts& expected, Image& image) {
  LIEF::logging::disable();
  const auto fell_short = [&image](const char* what) {
    image.defects.push_back({std::string("LIEF did not read all ") + what + " of this file", std::nullopt, true});
  };
  try {
    const auto binary = LIEF::ELF::Parser::parse(excerpt);
    if (!binary) {
      fell_short("tables");
      return;
    }
    Adapter adapter(excerpt, image);
    adapter.take_dynamic_entries(*binary);
    adapter.take_versions(*binary);
    if (adapter.strings_taken() != expected.strings) fell_short("dynamic entries");
    if (image.version_needs.size() != expected.version_needs ||
        image.version_definitions.size() != expected.version_definitions)
      fell_short("version tables");
  } catch (const std::exception&) {
    fell_short("tables");
  }
}

}  // namespace cudald
