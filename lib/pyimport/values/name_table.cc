#include "pyimport/values/name_table.h"

#include <cstring>

#include "os/own_process.h"

namespace cudald::python {
namespace {

/// Both halves of a product: each bit of it hangs on all of both numbers.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const auto product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint32_t hash_of_name(std::string_view name) {
  static const std::uint64_t start = own_random(0) | 1, factor = own_random(1) | 1;
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
