// A file of bytecode begins with the number of the format that its Python has, and two fixed bytes.
// Source: CPython, Lib/importlib/_bootstrap_external.py and Include/internal/pycore_magic_number.h, MAGIC_NUMBER;
// importlib.util.MAGIC_NUMBER of 3.6 to 3.13; of 2.7 Python/import.c.
#include "pyimport/bytecode.h"

#include <cstdint>

namespace cudald {
namespace {

struct Bytecode {
  std::uint16_t number;
  const char* python;
};

constexpr Bytecode known_bytecode[] = {{62211, "2.7"}, {3379, "3.6"},  {3394, "3.7"},  {3413, "3.8"},  {3425, "3.9"},
                                       {3439, "3.10"}, {3495, "3.11"}, {3531, "3.12"}, {3571, "3.13"}, {3627, "3.14"}};

}  // namespace

std::string python_of_bytecode(std::string_view first_bytes) {
  if (first_bytes.size() < 4 || first_bytes.substr(2, 2) != "\r\n") return "";
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(first_bytes[at]); };
  for (const auto& one : known_bytecode)
    if (one.number == (byte(0) | byte(1) << 8)) return one.python;
  return "";
}

}  // namespace cudald
