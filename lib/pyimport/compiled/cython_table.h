#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "binary/machine_code/function_code.h"

namespace cudald::python {

/// Strings of a module by how many variables stand between that of each and that of "__main__".
using StringTable = std::map<std::int64_t, std::string_view>;

/// Those of a module that Cython 3.0 or 3.1 compiled, if the function leads to them, whose `steps` these are; else
/// none. 3.1 has them in an array, 3.0 in code that makes one. One that is too long to be a name is empty.
StringTable cython_table(const FunctionCode&, std::uint64_t function, const std::vector<CodeStep>& steps, Budget&);

/// How long the strings of Cython 3.2 and later are, if the function writes that on its stack: numbers of 32 bits as
/// they would stand in the file, with one that is no length where something else stands between them.
std::string cython_lengths(const FunctionCode&, std::uint64_t function, const std::vector<CodeStep>& steps, Budget&);

}  // namespace cudald::python
