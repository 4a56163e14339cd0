#include "common/pe_builder.h"

#include <algorithm>

#include "common/elf_builder.h"

namespace cudald {
namespace {

constexpr std::uint32_t headers_size = 0x400, section_address = 0x1000, optional_at = 0x40 + 24;

class PeBuilder {
 public:
  explicit PeBuilder(const PeSpec& spec) : spec_(spec) {}

  BuiltPe build() {
    directories_at_ = optional_at + (spec_.wide ? 112 : 96);
    put_headers();
    put_imports(false);
    put_imports(true);
    if (spec_.name || !spec_.exports.empty()) put_exports();
    if (spec_.dependent_load_flags) put_load_configuration();
    if (!spec_.resources.empty()) put_resources();
    if (spec_.clr_header) {
      enter(14, here(), 72);
      bytes().append(72, '\0');
    }
    built_.at["constants"] = bytes().size();
    bytes() += spec_.constants;
    const auto size = bytes().size() - headers_size;
    bytes().resize(headers_size + (size + 511) / 512 * 512);
    poke(bytes(), sections_at_ + 8, static_cast<std::uint32_t>(size + spec_.more_memory));
    poke(bytes(), sections_at_ + 16, static_cast<std::uint32_t>(bytes().size() - headers_size));
    poke(bytes(), optional_at + 56,
         static_cast<std::uint32_t>(section_address + size + spec_.more_memory + 4095) / 4096 * 4096);
    return std::move(built_);
  }

 private:
  std::string& bytes() { return built_.bytes; }
  std::uint32_t here() { return BuiltPe::address(bytes().size()); }
  std::uint32_t word() const { return spec_.wide ? 8 : 4; }
  void enter(std::size_t directory, std::uint32_t address, std::uint32_t size) {
    poke(bytes(), directories_at_ + 8 * directory, address);
    poke(bytes(), directories_at_ + 8 * directory + 4, size);
  }
  std::uint32_t put_text(const std::string& text) {
    const auto at = here();
    bytes() += text + '\0';
    return at;
  }
  void align() { bytes().resize((bytes().size() + 15) / 16 * 16); }

  void put_headers() {
    bytes() = "MZ";
    bytes().resize(headers_size);
    poke(bytes(), 0x3c, std::uint32_t{0x40});
    bytes().replace(0x40, 4, std::string("PE\0\0", 4));
    poke(bytes(), 0x44, spec_.machine);
    poke(bytes(), 0x46, std::uint16_t{1});
    const auto optional_size = static_cast<std::uint16_t>(directories_at_ + 128 - optional_at);
    poke(bytes(), 0x54, optional_size);
    poke(bytes(), 0x56, spec_.characteristics);
    poke(bytes(), optional_at, static_cast<std::uint16_t>(spec_.wide ? 0x20b : 0x10b));
    if (spec_.wide)
      poke(bytes(), optional_at + 24, spec_.image_base);
    else
      poke(bytes(), optional_at + 28, static_cast<std::uint32_t>(spec_.image_base));
    poke(bytes(), optional_at + 32, std::uint32_t{4096});
    poke(bytes(), optional_at + 36, std::uint32_t{512});
    poke(bytes(), optional_at + 60, headers_size);
    poke(bytes(), optional_at + 68, spec_.subsystem);
    poke(bytes(), optional_at + 70, spec_.dll_characteristics);
    poke(bytes(), directories_at_ - 4, std::uint32_t{16});
    sections_at_ = optional_at + optional_size;
    bytes().replace(sections_at_, 6, ".rdata");
    poke(bytes(), sections_at_ + 12, section_address);
    poke(bytes(), sections_at_ + 20, headers_size);
    built_.at = {{"optional header", optional_at}, {"directories", directories_at_}, {"sections", sections_at_}};
  }

  void put_imports(bool delayed) {
    const std::uint32_t size = delayed ? 32 : 20;
    const auto base = delayed && spec_.absolute_delay_addresses ? static_cast<std::uint32_t>(spec_.image_base) : 0;
    std::vector<PeImportSpec> dlls;
    std::copy_if(spec_.imports.begin(), spec_.imports.end(), std::back_inserter(dlls),
                 [delayed](const PeImportSpec& dll) { return dll.delayed == delayed; });
    if (dlls.empty()) return;
    align();
    const auto table = bytes().size();
    const auto table_size = static_cast<std::uint32_t>((dlls.size() + 1) * size);
    built_.at[delayed ? "delay imports" : "imports"] = table;
    enter(delayed ? 13 : 1, here(), table_size);
    bytes().append(table_size, '\0');
    for (std::size_t i = 0; i < dlls.size(); ++i) {
      const auto name = put_text(dlls[i].dll);
      std::vector<std::uint64_t> entries;
      for (const auto& function : dlls[i].functions) {
        entries.push_back(function.name.empty() ? (std::uint64_t{1} << (8 * word() - 1)) | function.ordinal
                                                : here() + base);
        if (function.name.empty()) continue;
        append(bytes(), std::uint16_t{0});
        put_text(function.name);
      }
      align();
      const auto names = here();
      for (const auto entry : entries) put_word(entry);
      put_word(0);
      const auto entry = table + i * size;
      if (delayed) {
        poke(bytes(), entry, std::uint32_t{spec_.absolute_delay_addresses ? 0U : 1U});
        poke(bytes(), entry + 4, name + base);
        poke(bytes(), entry + 16, names + base);
      } else {
        poke(bytes(), entry, names);
        poke(bytes(), entry + 12, name);
        poke(bytes(), entry + 16, put_addresses(names, dlls[i]));
      }
    }
  }

  /// The table of addresses of one DLL: that of its names, or one of its own if that is empty.
  std::uint32_t put_addresses(std::uint32_t names, const PeImportSpec& dll) {
    if (!dll.functions.empty() || dll.empty) return names;
    const auto addresses = here();
    put_word(1);
    put_word(0);
    return addresses;
  }

  void put_load_configuration() {
    align();
    const std::uint32_t size = spec_.wide ? 112 : 72;
    enter(10, here(), size);
    const auto at = bytes().size();
    built_.at["load configuration"] = at;
    bytes().append(size, '\0');
    poke(bytes(), at, size);
    poke(bytes(), at + (spec_.wide ? 78 : 54), *spec_.dependent_load_flags);
  }

  void put_word(std::uint64_t value) {
    if (spec_.wide)
      append(bytes(), value);
    else
      append(bytes(), static_cast<std::uint32_t>(value));
  }

  void put_exports() {
    align();
    const auto directory = bytes().size();
    built_.at["exports"] = directory;
    bytes().append(40, '\0');
    std::uint32_t functions = 0;
    for (const auto& function : spec_.exports)
      functions = std::max(functions, function.ordinal - spec_.ordinal_base + 1);
    std::vector<std::uint32_t> addresses(functions), names;
    std::vector<std::uint16_t> indexes;
    for (const auto& function : spec_.exports) {
      const auto index = function.ordinal - spec_.ordinal_base;
      addresses[index] = function.forwarder.empty() ? 0x10 : put_text(function.forwarder);
      if (function.name.empty()) continue;
      names.push_back(put_text(function.name));
      indexes.push_back(static_cast<std::uint16_t>(index));
    }
    poke(bytes(), directory + 12, spec_.name ? put_text(*spec_.name) : 0);
    poke(bytes(), directory + 16, spec_.ordinal_base);
    poke(bytes(), directory + 20, functions);
    poke(bytes(), directory + 24, static_cast<std::uint32_t>(names.size()));
    put_table("export addresses", directory + 28, addresses);
    put_table("export names", directory + 32, names);
    put_table("export ordinals", directory + 36, indexes);
    enter(0, BuiltPe::address(directory), static_cast<std::uint32_t>(bytes().size() - directory));
  }

  template <typename T>
  void put_table(const char* name, std::uint64_t entered_at, const std::vector<T>& numbers) {
    align();
    built_.at[name] = bytes().size();
    poke(bytes(), entered_at, here());
    for (const auto number : numbers) append(bytes(), number);
  }

  // Three levels: type, id, language. Each resource gets a type of its own, so that equal types make a file that no
  // tool writes.
  void put_resources() {
    align();
    const auto root = bytes().size();
    built_.at["resources"] = root;
    put_folder(spec_.resources.size());
    for (std::size_t i = 0; i < spec_.resources.size(); ++i) {
      const auto& resource = spec_.resources[i];
      put_entry(root, i, resource.type, folder_place(root));
      const auto ids = bytes().size();
      put_folder(1);
      put_entry(ids, 0, resource.id, folder_place(root));
      const auto languages = bytes().size();
      put_folder(1);
      put_entry(languages, 0, 1033, static_cast<std::uint32_t>(bytes().size() - root));
      built_.at["data of resource " + std::to_string(i)] = bytes().size();
      append(bytes(), here() + 16);
      append(bytes(), static_cast<std::uint32_t>(resource.bytes.size()));
      append(bytes(), std::uint64_t{0});
      bytes() += resource.bytes;
      align();
    }
    enter(2, BuiltPe::address(root), static_cast<std::uint32_t>(bytes().size() - root));
  }

  std::uint32_t folder_place(std::uint64_t root) {
    return static_cast<std::uint32_t>(bytes().size() - root) | 0x80000000;
  }

  void put_folder(std::size_t entries) {
    bytes().append(14, '\0');
    append(bytes(), static_cast<std::uint16_t>(entries));
    bytes().append(8 * entries, '\0');
  }

  void put_entry(std::uint64_t folder, std::size_t index, std::uint32_t id, std::uint32_t place) {
    poke(bytes(), folder + 16 + 8 * index, id);
    poke(bytes(), folder + 20 + 8 * index, place);
  }

  const PeSpec& spec_;
  BuiltPe built_;
  std::uint64_t directories_at_ = 0, sections_at_ = 0;
};

}  // namespace

BuiltPe build_pe(const PeSpec& spec) { return PeBuilder(spec).build(); }

std::string pe(const PeSpec& spec) { return build_pe(spec).bytes; }

std::string version_resource(std::uint64_t file_version, std::uint64_t product_version) {
  std::string bytes;
  append(bytes, std::uint16_t{92});
  append(bytes, std::uint16_t{52});
  append(bytes, std::uint16_t{0});
  for (const char c : std::string("VS_VERSION_INFO")) (bytes += c) += '\0';
  bytes.resize(40);
  append(bytes, std::uint32_t{0xfeef04bd});
  append(bytes, std::uint32_t{0x10000});
  for (const auto version : {file_version, product_version}) {
    append(bytes, static_cast<std::uint32_t>(version >> 32));
    append(bytes, static_cast<std::uint32_t>(version));
  }
  bytes.resize(92);
  return bytes;
}

}  // namespace cudald
