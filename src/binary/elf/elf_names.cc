#include <elf.h>

#include <array>

#include <cudald/elf_entries.h>
#include <cudald/format.h>

namespace cudald {
namespace {

struct MachineName {
  std::uint16_t number;
  std::string_view name;
};

constexpr std::array machines = {
    MachineName{EM_X86_64, "x86_64"},   MachineName{EM_AARCH64, "aarch64"}, MachineName{EM_386, "i386"},
    MachineName{EM_ARM, "arm"},         MachineName{EM_PPC64, "ppc64"},     MachineName{EM_PPC, "ppc"},
    MachineName{EM_S390, "s390"},       MachineName{EM_RISCV, "riscv"},     MachineName{EM_MIPS, "mips"},
    MachineName{EM_SPARCV9, "sparcv9"}, MachineName{EM_SPARC, "sparc"},     MachineName{EM_IA_64, "ia64"},
    MachineName{258, "loongarch"},      MachineName{EM_CUDA, "cuda"},
};

}  // namespace

std::string_view to_string(Format format) {
  switch (format) {
    case Format::elf32: return "elf32";
    case Format::elf64: return "elf64";
    case Format::pe32: return "pe32";
    case Format::pe32_plus: return "pe32+";
    case Format::unknown: break;
  }
  return "unknown";
}

std::string_view to_string(DlopenPriority priority) {
  switch (priority) {
    case DlopenPriority::required: return "required";
    case DlopenPriority::recommended: return "recommended";
    case DlopenPriority::suggested: return "suggested";
  }
  return "";
}

std::string machine_name(std::uint16_t machine) {
  for (const auto& entry : machines)
    if (entry.number == machine) return std::string(entry.name);
  return "machine " + std::to_string(machine);
}

std::optional<std::uint16_t> machine_number(std::string_view name) {
  for (const auto& entry : machines)
    if (entry.name == name) return entry.number;
  return std::nullopt;
}

std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    hash ^= (hash >> 24) & 0xf0;
  }
  return hash & 0x0fffffff;
}

std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace cudald
