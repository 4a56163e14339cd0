#include "os/memory.h"

#include <windows.h>

#include <new>
#include <vector>

namespace cudald {

void give_memory_back() {}

// Knuth, Morris and Pratt: the C library of Windows has no memmem.
std::size_t find_in_memory(std::string_view bytes, std::string_view part) {
  if (part.empty()) return 0;
  std::vector<std::size_t> border(part.size() + 1, 0);
  for (std::size_t at = 1, length = 0; at < part.size(); border[++at] = length) {
    while (length > 0 && part[at] != part[length]) length = border[length];
    if (part[at] == part[length]) ++length;
  }
  for (std::size_t at = 0, length = 0; at < bytes.size(); ++at) {
    while (length > 0 && bytes[at] != part[length]) length = border[length];
    if (bytes[at] == part[length] && ++length == part.size()) return at + 1 - length;
  }
  return std::string_view::npos;
}

char* take_zeros(std::size_t size) {
  auto* const memory = VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

void release_zeros(char* zeros, std::size_t) { VirtualFree(zeros, 0, MEM_RELEASE); }

}  // namespace cudald
