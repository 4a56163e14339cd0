#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cudald/result.h>

namespace cudald {

/// What is used of libarchive, without the archive_ in front.
#define CUDALD_OF_LIBARCHIVE(function)                                                                                \
  function(entry_filetype) function(entry_free) function(entry_hardlink) function(entry_new) function(entry_pathname) \
      function(entry_perm) function(entry_set_filetype) function(entry_size) function(entry_sparse_count)             \
          function(entry_sparse_next) function(entry_sparse_reset) function(entry_symlink) function(error_string)     \
              function(filter_bytes) function(read_data_block) function(read_free) function(read_header_position)     \
                  function(read_new) function(read_next_header) function(read_open) function(read_open1)              \
                      function(read_set_callback_data) function(read_set_read_callback)                               \
                          function(read_set_skip_callback) function(read_support_filter_bzip2)                        \
                              function(read_support_filter_xz) function(read_support_filter_zstd)                     \
                                  function(read_support_format_raw) function(read_support_format_tar)                 \
                                      function(write_add_filter_gzip) function(write_add_filter_zstd)                 \
                                          function(write_close) function(write_data) function(write_free)             \
                                              function(write_header) function(write_new) function(write_open)         \
                                                  function(write_set_bytes_in_last_block)                             \
                                                      function(write_set_filter_option) function(write_set_format_raw)

/// Where these functions are: in libarchive.so.13, which is loaded when a tar or a compressed stream is first met, as
/// it brings a dozen libraries along; where libraries are linked statically, in the program itself.
struct ArchiveLibrary {
#define CUDALD_POINTER(name) decltype(&archive_##name) name = nullptr;
  CUDALD_OF_LIBARCHIVE(CUDALD_POINTER)
#undef CUDALD_POINTER

  /// Loaded once, for ever. Error: unreadable, with what the loader says.
  static const Result<ArchiveLibrary>& get();
};

}  // namespace cudald
