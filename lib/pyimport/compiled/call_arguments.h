#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "binary/machine_code/function_code.h"

namespace cudald::python {

// The registers of the first three arguments (System V ABI for AMD64, 3.2.3).
inline constexpr std::uint8_t rdi = 7, rsi = 6, rdx = 2;

/// What the argument in this register of the call at `at` is, or the text that it was made of: an address, or what is
/// loaded. nullptr if that is not seen.
const CodeStep* source_of_argument(const std::vector<CodeStep>& steps, std::size_t at, std::uint8_t wanted);

/// The address that the argument is.
std::optional<std::uint64_t> address_argument(const std::vector<CodeStep>& steps, std::size_t at, std::uint8_t wanted);

/// The text that the argument is.
std::optional<std::string_view> text_argument(const FunctionCode&, const std::vector<CodeStep>& steps, std::size_t at,
                                              std::uint8_t wanted);

/// Whether it is a function that imports the module of which it is given the name.
bool imports_module(std::string_view function);

}  // namespace cudald::python
