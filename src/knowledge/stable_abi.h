#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// What CPython's stable ABI says of a symbol that an extension module takes from Python.
enum class AbiStanding {
  no_python,  ///< it is none of CPython's
  stable,
  later,    ///< part of it only from a later release on
  private_  ///< never part of it
};

struct AbiAnswer {
  AbiStanding standing{};
  std::string since;  ///< "3.10": of what is part of it
};

/// `python`: the oldest release that the module claims to run with, "3.8"; empty: 3.2, the first that has such an ABI.
AbiAnswer abi_standing(std::string_view symbol, std::string_view python);

/// Where that is known from.
std::string stable_abi_source();

}  // namespace cudald
