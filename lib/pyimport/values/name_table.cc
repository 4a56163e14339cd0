#include "pyimport/values/name_table.h"

#include <cstring>

#include <sys/auxv.h>

namespace cudald::python {
namespace {

/// Both halves of a product: each bit of it hangs on all of both numbers.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const auto product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Of 16 random bytes that the system gives each process.
std::uint64_t random_number(std::size_t which) {
  std::uint64_t number = 0x9e3779b97f4a7c15;
  if (const auto* bytes = reinterpret_cast<const std::uint64_t*>(::getauxval(AT_RANDOM)))
    std::memcpy(&number, bytes + which, sizeof(number));
  return number | 1;
}

}  // namespace

std::uint32_t hash_of_name(std::string_view name) {
  static const std::uint64_t start = random_number(0), factor = random_number(1);
  auto hash = start ^ name.size();
  for (; name.size() > sizeof(hash); name.remove_prefix(sizeof(hash))) {
    std::uint64_t part = 0;
    std::memcpy(&part, name.data(), sizeof(part));
    hash = mixed(hash ^ part, factor);
  }
  std::uint64_t last = 0;
  std::memcpy(&last, name.data(), name.size());
  return static_cast<std::uint32_t>(mixed(hash ^ last, factor));
}

}  // namespace cudald::python
