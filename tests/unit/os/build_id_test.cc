#include "os/build_id.h"

#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

using namespace cudald;

TEST_CASE("the number that the linker gave the program stands in its file") {
  const auto id = own_build_id();
  REQUIRE(id.size() >= 16);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(own_build_id() == id);
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  // Source: elf.h, a note of type 3 with the name "GNU".
  std::string note("\x04\0\0\0", 4);
  note += static_cast<char>(id.size() / 2);
  note += std::string("\0\0\0\x03\0\0\0GNU\0", 11);
  for (std::size_t i = 0; i < id.size(); i += 2) note += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
  CHECK(bytes.find(note) != std::string::npos);
}
