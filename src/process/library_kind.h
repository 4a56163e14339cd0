#pragma once

#include <string>
#include <string_view>

#include "machine/abi.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Whether a file asks for musl's loader or C library.
bool wants_musl(const Image&);

/// By the suffixes that Python gives extension modules; a bare "x.so" counts unless it is named like a library.
bool is_extension_module(std::string_view path);

/// The dynamic loader's path: the program's own, else the one that its ABI and C library usually have.
std::string interpreter_of(const Image&, const Abi&, bool musl);

/// Whether a library is a runtime that ends the process unless it is the first library of it: AddressSanitizer's, as it
/// has to answer for malloc before others do. Source: LLVM compiler-rt, lib/asan/asan_linux.cpp,
/// AsanCheckDynamicRTPrereqs and IsDynamicRTName; GCC has a copy of it in libsanitizer.
bool has_to_be_first(std::string_view path);

}  // namespace cudald
