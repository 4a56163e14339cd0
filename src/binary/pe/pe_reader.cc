#include "binary/pe/pe_reader.h"

#include <elf.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cudald/image.h>

#include "binary/pe/pe_memory.h"
#include "binary/pe/pe_resources.h"

namespace cudald {
namespace {

// Microsoft's "PE Format".
constexpr std::uint32_t pe_signature = 0x00004550;  // "PE\0\0"
constexpr std::uint16_t magic_pe32 = 0x10b, magic_pe32_plus = 0x20b;
constexpr std::size_t file_header_size = 20, section_header_size = 40;
enum DirectoryNumber : std::size_t {
  exports = 0,
  imports = 1,
  resources = 2,
  load_configuration = 10,
  delay_imports = 13,
  clr_header = 14
};
constexpr std::size_t directory_count = 16;

constexpr std::size_t longest_dll_name = 32767;      // characters of a UNICODE_STRING, in which the loader keeps it
constexpr std::size_t most_imported_dlls = 1 << 12;  // large programs import some hundreds
constexpr std::size_t most_text = 16 << 20;          // of all DLL names together: many entries may share one long name
constexpr std::size_t cost_of_a_bad_name = 4096;     // it may have been followed a long way

/// The number that ELF has for a machine; EM_NONE if there is none.
std::uint16_t elf_machine(std::uint16_t machine) {
  switch (machine) {
    case 0x014c: return EM_386;
    case 0x01c4: return EM_ARM;
    case 0x0200: return EM_IA_64;
    case 0x5064: return EM_RISCV;
    case 0x8664: return EM_X86_64;
    case 0xaa64: return EM_AARCH64;
    default: return EM_NONE;
  }
}

struct Directory {
  std::uint32_t address = 0, size = 0;
};

class PeReader {
 public:
  PeReader(const File& file, Budget& budget)
      : file_(file), budget_(budget), window_(file, ByteOrder::little, &budget) {}

  std::shared_ptr<Image> read() {
    image_->file_size = file_.status().size;
    image_->has_mz_magic = true;
    if (!read_headers()) return image_;
    check_sections();
    memory_.emplace(file_, pe(), &budget_);
    // In the order in which linkers lay them out: an archive's member is inflated once, from its start.
    read_load_configuration();
    read_export_directory();
    read_imports();
    read_delay_imports();
    if (const auto* directory = present(resources, "resource"))
      read_pe_resources(*memory_, directory->address, pe(), image_->defects);
    pe().managed = present(clr_header, "CLR header") != nullptr;
    return image_;
  }

 private:
  PeFacts& pe() { return *image_->pe; }

  void defect(std::string message, std::optional<std::uint64_t> offset = std::nullopt, bool limit = false) {
    image_->defects.push_back({std::move(message), offset, limit});
  }

  /// False if this is no PE file, or one of which nothing further can be read.
  bool read_headers() {
    const auto signature_at = window_.number<std::uint32_t>(0x3c);
    if (!signature_at || window_.number<std::uint32_t>(*signature_at) != pe_signature) {
      defect("no PE header where the DOS header points: a program for DOS, or a file that was cut short",
             signature_at ? std::optional<std::uint64_t>(*signature_at) : std::nullopt);
      return false;
    }
    const std::uint64_t file_header_at = std::uint64_t{*signature_at} + 4,
                        optional_at = file_header_at + file_header_size;
    const auto file_header = window_.bytes(file_header_at, file_header_size);
    const ByteReader header(file_header, ByteOrder::little);
    const auto magic = window_.number<std::uint16_t>(optional_at);
    if (!header.holds(0, file_header_size) || !magic) {
      defect("the PE header runs past the end of the file", file_header_at);
      return false;
    }
    if (*magic != magic_pe32 && *magic != magic_pe32_plus) {
      defect(fmt::format("the optional header is of the unknown kind {:#x}", *magic), optional_at);
      return false;
    }
    const bool wide = *magic == magic_pe32_plus;
    const auto optional_size = header.unchecked<std::uint16_t>(16);
    const auto optional_header = window_.bytes(optional_at, optional_size);
    const ByteReader optional(optional_header, ByteOrder::little);
    const std::uint64_t directories_at = wide ? 112 : 96;
    if (!optional.holds(0, directories_at)) {
      defect("the optional header is too short, or runs past the end of the file", optional_at);
      return false;
    }

    image_->format = wide ? Format::pe32_plus : Format::pe32;
    image_->pe.emplace();
    pe().machine = header.unchecked<std::uint16_t>(0);
    pe().timestamp = header.unchecked<std::uint32_t>(4);
    pe().characteristics = header.unchecked<std::uint16_t>(18);
    pe().linker_major = optional.unchecked<std::uint8_t>(2);
    pe().linker_minor = optional.unchecked<std::uint8_t>(3);
    pe().image_base = wide ? optional.unchecked<std::uint64_t>(24) : optional.unchecked<std::uint32_t>(28);
    pe().section_alignment = optional.unchecked<std::uint32_t>(32);
    pe().file_alignment = optional.unchecked<std::uint32_t>(36);
    pe().image_size = optional.unchecked<std::uint32_t>(56);
    pe().headers_size = optional.unchecked<std::uint32_t>(60);
    pe().subsystem = optional.unchecked<std::uint16_t>(68);
    pe().dll_characteristics = optional.unchecked<std::uint16_t>(70);
    image_->machine = elf_machine(pe().machine);
    image_->type = (pe().characteristics & pe_dll) != 0                ? FileType::shared
                   : (pe().characteristics & pe_executable_image) != 0 ? FileType::executable
                                                                       : FileType::other;
    const auto count = std::min<std::size_t>(optional.unchecked<std::uint32_t>(directories_at - 4), directory_count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = directories_at + 8 * i;
      if (!optional.holds(at, 8)) {
        defect("the optional header says it has more data directories than fit into it", optional_at + at);
        break;
      }
      directories_[i] = {optional.unchecked<std::uint32_t>(at), optional.unchecked<std::uint32_t>(at + 4)};
    }
    read_sections(optional_at + optional_size, header.unchecked<std::uint16_t>(2));
    return true;
  }

  void read_sections(std::uint64_t at, std::size_t count) {
    const auto table = window_.bytes(at, count * section_header_size);
    const ByteReader bytes(table, ByteOrder::little);
    if (table.size() != count * section_header_size) defect("the section headers run past the end of the file", at);
    for (at = 0; bytes.holds(at, section_header_size); at += section_header_size) {
      PeSection section;
      const std::string_view name(reinterpret_cast<const char*>(table.data()) + at, 8);
      section.name = name.substr(0, name.find('\0'));
      section.memory_size = bytes.unchecked<std::uint32_t>(at + 8);
      section.address = bytes.unchecked<std::uint32_t>(at + 12);
      section.file_size = bytes.unchecked<std::uint32_t>(at + 16);
      section.offset = bytes.unchecked<std::uint32_t>(at + 20);
      section.flags = bytes.unchecked<std::uint32_t>(at + 36);
      pe().sections.push_back(std::move(section));
    }
  }

  /// The first fault of each kind. Windows refuses sections that are out of order in memory
  /// (STATUS_INVALID_IMAGE_FORMAT); the same bytes of the file in two of them are only suspect.
  void check_sections() {
    std::uint64_t memory_end = 0;
    bool overlap = false, cut = false;
    std::vector<std::pair<std::uint64_t, const PeSection*>> in_file;
    for (const auto& section : pe().sections) {
      if (section.address < memory_end && !std::exchange(overlap, true))
        defect(fmt::format("the section {} overlaps the one before it in memory", section.name), section.offset);
      memory_end = std::uint64_t{section.address} + section.memory_size;
      if (section.offset == 0 || section.file_size == 0) continue;
      in_file.push_back({section.offset, &section});
      if (std::uint64_t{section.offset} + section.file_size > image_->file_size && !std::exchange(cut, true))
        defect(fmt::format("the section {} runs past the end of the file: it was cut short", section.name),
               section.offset);
    }
    std::sort(in_file.begin(), in_file.end());
    for (std::size_t i = 1; i < in_file.size(); ++i) {
      const auto& [offset, section] = in_file[i - 1];
      if (offset + section->file_size <= in_file[i].first) continue;
      defect(fmt::format("the sections {} and {} share bytes of the file", section->name, in_file[i].second->name),
             in_file[i].first);
      return;
    }
  }

  /// The directory if it is there and mapped; a size that cannot be true is told, but does not count.
  const Directory* present(std::size_t number, std::string_view name) {
    const auto& directory = directories_[number];
    if (directory.address == 0) return nullptr;
    const auto mapped = memory_->mapped(directory.address);
    if (mapped == 0) {
      defect(fmt::format("the {} directory is outside the sections (at {:#x})", name, directory.address));
      return nullptr;
    }
    if (directory.size > mapped)
      defect(fmt::format("the {} directory says it has {} bytes, but only {} are mapped there", name, directory.size,
                         mapped));
    return &directory;
  }

  // winnt.h, IMAGE_LOAD_CONFIG_DIRECTORY. It says its own size, as older linkers wrote fewer fields.
  void read_load_configuration() {
    const auto* directory = present(load_configuration, "load configuration");
    if (directory == nullptr) return;
    const std::uint64_t flags_at = image_->format == Format::pe32_plus ? 78 : 54;
    const auto size = memory_->number<std::uint32_t>(directory->address);
    if (!size || *size < flags_at + sizeof(std::uint16_t)) return;
    pe().dependent_load_flags = memory_->number<std::uint16_t>(directory->address + flags_at).value_or(0);
  }

  void read_export_directory() {
    const auto* directory = present(exports, "export");
    if (directory == nullptr) return;
    const auto name_at = memory_->number<std::uint32_t>(directory->address + std::uint64_t{12});
    const auto names = memory_->number<std::uint32_t>(directory->address + std::uint64_t{24});
    if (!name_at || memory_->bytes(directory->address, 40).size() != 40) {
      defect("the export directory runs past the end of its section");
      return;
    }
    pe().exports_at = directory->address;
    pe().exports_size = directory->size;
    pe().export_names = *names;
    if (*name_at == 0) return;
    image_->soname = memory_->string(*name_at, longest_dll_name);
    if (!image_->soname) defect("the DLL's own name in the export directory is outside the sections or has no end");
  }

  // Windows ends at the first entry without a name or without an address table (LdrpWalkImportDescriptor). It passes
  // over one whose address table is empty: the DLL is not even loaded (ReactOS dll/ntdll/ldr/ldrpe.c,
  // LdrpHandleOneOldFormatImportDescriptor; wine dlls/ntdll/loader.c, import_dll).
  void read_imports() {
    const auto* directory = present(imports, "import");
    if (directory == nullptr) return;
    std::vector<bool> empty;
    read_dlls("import", directory->address, 20, [this, &empty](std::uint64_t at) -> std::optional<ImportedDll> {
      const auto names = memory_->number<std::uint32_t>(at), name = memory_->number<std::uint32_t>(at + 12),
                 addresses = memory_->number<std::uint32_t>(at + 16);
      if (!names || !name || !addresses) return cut_table();
      if (*name == 0 || *addresses == 0) return std::nullopt;
      // A table of names inside the headers is none (LdrpSnapIAT).
      auto dll = dll_at(*name, {"", false, *names < pe().headers_size ? *addresses : *names, false});
      // The table of addresses often lies far before that of the names.
      if (!dll.name.empty()) empty.push_back(is_zero_at(dll.names_at) && is_zero_at(*addresses));
      return dll;
    });
    std::size_t index = 0;
    std::erase_if(pe().imports, [&](const ImportedDll&) { return empty[index++]; });
  }

  /// Whether a word of the process is zero; what cannot be read is not.
  bool is_zero_at(std::uint64_t address) {
    if (image_->format == Format::pe32_plus) return memory_->number<std::uint64_t>(address) == std::uint64_t{0};
    return memory_->number<std::uint32_t>(address) == std::uint32_t{0};
  }

  // delayimp.h, ImgDelayDescr; __delayLoadHelper2 is in the file itself, so the first entry without a name ends it.
  void read_delay_imports() {
    const auto* directory = present(delay_imports, "delay-import");
    if (directory == nullptr) return;
    read_dlls("delay-import", directory->address, 32, [this](std::uint64_t at) -> std::optional<ImportedDll> {
      const auto attributes = memory_->number<std::uint32_t>(at), name = memory_->number<std::uint32_t>(at + 4),
                 names = memory_->number<std::uint32_t>(at + 16);
      if (!attributes || !name || !names) return cut_table();
      if (*name == 0) return std::nullopt;
      const bool absolute = (*attributes & 1) == 0;
      const auto base = absolute ? static_cast<std::uint32_t>(pe().image_base) : 0;
      return dll_at(*name - base, {"", true, *names - base, absolute});
    });
  }

  template <typename EntryAt>
  void read_dlls(std::string_view name, std::uint64_t at, std::uint64_t entry_size, EntryAt entry_at) {
    cut_ = false;
    std::size_t bad = 0;
    for (std::size_t count = 0;; ++count, at += entry_size) {
      auto dll = entry_at(at);
      if (cut_) {
        defect(fmt::format("the {} table has no end inside its section", name));
        break;
      }
      if (!dll) break;
      text_size_ += dll->name.empty() ? cost_of_a_bad_name : dll->name.size();
      if (count == most_imported_dlls || text_size_ > most_text) {
        defect(fmt::format("the {} table names more DLLs, or longer ones, than are read", name), std::nullopt, true);
        break;
      }
      if (dll->name.empty())
        ++bad;
      else
        pe().imports.push_back(std::move(*dll));
    }
    if (bad != 0)
      defect(fmt::format("{} names of DLLs in the {} table are empty, are outside the sections or have no end", bad,
                         name));
  }

  std::optional<ImportedDll> cut_table() {
    cut_ = true;
    return std::nullopt;
  }

  ImportedDll dll_at(std::uint32_t name_at, ImportedDll dll) {
    dll.name = memory_->string(name_at, longest_dll_name).value_or("");
    return dll;
  }

  const File& file_;
  Budget& budget_;
  FileWindow window_;
  std::shared_ptr<Image> image_ = std::make_shared<Image>();
  std::array<Directory, directory_count> directories_;
  std::optional<PeMemory> memory_;
  bool cut_ = false;
  std::size_t text_size_ = 0;
};

}  // namespace

std::shared_ptr<Image> read_pe_image(const File& file, Budget& budget) { return PeReader(file, budget).read(); }

}  // namespace cudald
