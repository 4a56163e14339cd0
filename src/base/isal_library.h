#pragma once

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

namespace cudald {

/// What is used of ISA-L.
#define CUDALD_OF_ISAL(function)                                                                            \
  function(crc32_gzip_refl) function(isal_inflate_init) function(isal_inflate_reset) function(isal_inflate) \
      function(isal_inflate_stateless) function(isal_deflate_stateless_init) function(isal_deflate_stateless)

/// Where these functions are: in libisal.so.2, which is loaded when something is first decompressed or summed up; where
/// libraries are linked statically, in the program itself.
struct IsalLibrary {
#define CUDALD_POINTER(name) decltype(&::name) name = nullptr;
  CUDALD_OF_ISAL(CUDALD_POINTER)
#undef CUDALD_POINTER

  /// Loaded once, for ever. Throws MissingLibrary: the program is installed together with it.
  static const IsalLibrary& get();
};

}  // namespace cudald
