#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cudald/file_system.h>

#include "archive/compressing_stream.h"
#include "archive/member_file.h"

namespace cudald {

/// A member of a tar as its header says (POSIX ustar).
struct TarEntry {
  std::string name, data;
  char type = '0';
  std::string link;
  unsigned mode = 0644;
};

inline std::string octal(std::uint64_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (auto place = text.rbegin(); place != text.rend(); ++place, value /= 8)
    *place = static_cast<char>('0' + value % 8);
  return text;
}

/// Puts the sum of its bytes into a header, its own place counted as blanks.
inline void sum_up(std::string& header) {
  header.replace(148, 8, "        ");
  std::uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  header.replace(148, 8, octal(sum, 6) + std::string("\0 ", 2));
}

inline std::string tar_header(const TarEntry& entry) {
  std::string header(512, '\0');
  header.replace(0, entry.name.size(), entry.name);
  header.replace(100, 7, octal(entry.mode, 7));
  header.replace(108, 7, octal(0, 7));
  header.replace(116, 7, octal(0, 7));
  header.replace(124, 11, octal(entry.data.size(), 11));
  header.replace(136, 11, octal(0, 11));
  header[156] = entry.type;
  header.replace(157, entry.link.size(), entry.link);
  header.replace(257, 8, std::string("ustar\00000", 8));
  sum_up(header);
  return header;
}

inline std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 511) / 512 * 512, '\0');
  return bytes;
}

/// Without the two blocks of zeros that end a tar.
inline std::string open_tar_of(const std::vector<TarEntry>& entries) {
  std::string tar;
  for (const auto& entry : entries) {
    // Names that are too long for the header stand in a member of their own in front (GNU).
    const auto put_long = [&tar](const std::string& text, char type) {
      if (text.size() > 100) {
        const TarEntry in_front{"././@LongLink", text + '\0', type, "", 0644};
        tar += tar_header(in_front) + padded(in_front.data);
      }
      return text.substr(0, 100);
    };
    auto shown = entry;
    shown.link = put_long(entry.link, 'K');
    shown.name = put_long(entry.name, 'L');
    tar += tar_header(shown) + padded(entry.data);
  }
  return tar;
}

/// A sparse file of GNU tar's own kind: where its bytes lie in it, and how long it is.
inline std::string sparse_member(const std::string& name, const std::vector<SparseExtent>& extents, std::uint64_t size,
                                 const std::string& bytes) {
  auto header = tar_header({.name = name, .data = bytes, .type = 'S'});
  header.replace(257, 8, std::string("ustar  \0", 8));
  for (std::size_t i = 0; i < extents.size(); ++i) {
    header.replace(386 + 24 * i, 11, octal(extents[i].offset, 11));
    header.replace(386 + 24 * i + 12, 11, octal(extents[i].length, 11));
  }
  header.replace(483, 11, octal(size, 11));
  sum_up(header);
  return header + padded(bytes);
}

inline std::string tar_of(const std::vector<TarEntry>& entries) {
  return open_tar_of(entries) + std::string(1024, '\0');
}

inline std::string zstd_of(const std::string& bytes) {
  auto result = compressed(bytes, Compression::zstd);
  REQUIRE(result.has_value());
  return *result;
}

/// All bytes of a file of a tree; what is wrong with it, if it cannot be read.
inline std::string text_at(const FileSystem& files, const std::string& path) {
  const auto file = files.open(path);
  if (!file) return "error: " + file.error().message;
  std::string text((*file)->status().size, '\0');
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  if (!got) return "error: " + got.error().message;
  text.resize(*got);
  return text;
}

}  // namespace cudald
