#include "os/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>

#include <fmt/format.h>

namespace cudald {
namespace {

struct SoughtId {
  ElfW(Addr) address = 0;  ///< of something in the object whose number is sought
  std::string id = {};
};

std::string id_in_notes(std::span<const std::byte> notes) {
  constexpr std::size_t alignment = 4;
  const auto padded = [](std::size_t size) { return (size + alignment - 1) / alignment * alignment; };
  ElfW(Nhdr) head;
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    const auto name = sizeof head, description = name + padded(head.n_namesz);
    const auto end = description + padded(head.n_descsz);
    if (end > notes.size()) break;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0) {
      std::string id;
      for (const auto byte : notes.subspan(description, head.n_descsz))
        id += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
      return id;
    }
    notes = notes.subspan(end);
  }
  return "";
}

int look_at_object(dl_phdr_info* object, std::size_t, void* data) {
  auto& sought = *static_cast<SoughtId*>(data);
  const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
  bool is_it = false;
  for (const auto& header : headers)
    is_it = is_it || (header.p_type == PT_LOAD && sought.address - object->dlpi_addr - header.p_vaddr < header.p_memsz);
  if (!is_it) return 0;
  for (const auto& header : headers)
    if (header.p_type == PT_NOTE && sought.id.empty())
      sought.id = id_in_notes({reinterpret_cast<const std::byte*>(object->dlpi_addr + header.p_vaddr),
                               static_cast<std::size_t>(header.p_memsz)});
  return 1;
}

}  // namespace

std::string own_build_id() {
  static const char here = 0;
  SoughtId sought{reinterpret_cast<ElfW(Addr)>(&here)};
  ::dl_iterate_phdr(look_at_object, &sought);
  return sought.id;
}

}  // namespace cudald
