#pragma once

#include <string_view>

namespace cudald {

/// Whether a file's name says that it is an extension module for the stable ABI of Python: "_C.abi3.so"; since 3.15
/// "_C.abi3t.so", too, which a Python without the global lock loads as well, and "_C.abi3-x86_64-linux-gnu.so".
/// Source: PEP 803; CPython 3.15 importlib.machinery.EXTENSION_SUFFIXES.
inline bool has_stable_abi_suffix(std::string_view file) {
  constexpr std::string_view ending = ".so";
  if (!file.ends_with(ending)) return false;
  file.remove_suffix(ending.size());
  const auto tag = file.substr(file.rfind('.') + 1);
  const auto abi = tag.substr(0, tag.find('-'));
  return tag.size() < file.size() && (abi == "abi3" || abi == "abi3t");
}

/// Whether its name says that it is an extension module of any Python; "_C.so" says nothing.
inline bool has_python_suffix(std::string_view file) {
  return file.find(".cpython-") != std::string_view::npos || has_stable_abi_suffix(file);
}

}  // namespace cudald
