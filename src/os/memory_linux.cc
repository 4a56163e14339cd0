#include "os/memory.h"

#include <string.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cudald {

void give_memory_back() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

std::size_t find_in_memory(std::string_view bytes, std::string_view part) {
  const auto* found = static_cast<const char*>(::memmem(bytes.data(), bytes.size(), part.data(), part.size()));
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(found - bytes.data());
}

char* take_zeros(std::size_t size) {
  constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  auto* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

void release_zeros(char* zeros, std::size_t size) { ::munmap(zeros, size); }

}  // namespace cudald
