#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "archive/zip_bytes.h"
#include "archive/zip_directory.h"

namespace cudald {

class BytesFile final : public File {
 public:
  explicit BytesFile(std::string bytes) : bytes_(std::move(bytes)) {
    status_.kind = FileKind::regular;
    status_.size = bytes_.size();
  }
  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    largest_read = std::max(largest_read, into.size());
    if (offset >= bytes_.size()) return std::size_t{0};
    const auto length = std::min<std::size_t>(into.size(), bytes_.size() - offset);
    std::memcpy(into.data(), bytes_.data() + offset, length);
    bytes_read += length;
    return length;
  }
  void shrink(std::size_t size) { bytes_.resize(size); }

  mutable std::size_t largest_read = 0, bytes_read = 0;

 private:
  std::string bytes_;
  FileStatus status_;
};

template <std::unsigned_integral T>
inline std::string number(T value) {
  std::string text;
  for (std::size_t i = 0; i < sizeof(T); ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

inline std::string n16(std::size_t value) { return number(static_cast<std::uint16_t>(value)); }

inline std::string n32(std::size_t value) { return number(static_cast<std::uint32_t>(value)); }

inline std::string n64(std::size_t value) { return number(static_cast<std::uint64_t>(value)); }

inline std::string extra_field(std::size_t id, const std::string& content) {
  return n16(id) + n16(content.size()) + content;
}

/// What the two headers of a member say; the same in both unless told otherwise.
struct ZipEntry {
  std::string name, data = "data";
  std::uint16_t method = 0, flags = 0;
  std::uint32_t mode = 0100644;
  std::string extra = {}, local_extra = {};  // NOLINT(readability-redundant-member-init)
  std::optional<std::size_t> size = std::nullopt, compressed_size = std::nullopt, offset = std::nullopt;
  std::string behind = {};  // NOLINT(readability-redundant-member-init): bytes behind the data
};

constexpr std::uint32_t any_crc = 0x12345678;

struct BuiltZip {
  std::string bytes;
  std::vector<std::size_t> local, central;
  std::size_t directory = 0, end = 0;

  void put(std::size_t at, const std::string& text) { bytes.replace(at, text.size(), text); }
};

inline BuiltZip archive_of(const std::vector<ZipEntry>& entries, const std::string& comment = {},
                           const std::string& before_end = {}) {
  BuiltZip archive;
  auto& out = archive.bytes;
  for (const auto& entry : entries) {
    archive.local.push_back(out.size());
    out += "PK\3\4" + n16(20) + n16(entry.flags) + n16(entry.method) + n32(0) + n32(any_crc);
    out += n32(entry.compressed_size.value_or(entry.data.size())) + n32(entry.size.value_or(entry.data.size()));
    out += n16(entry.name.size()) + n16(entry.local_extra.size()) + entry.name + entry.local_extra;
    out += entry.data + entry.behind;
  }
  archive.directory = out.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    archive.central.push_back(out.size());
    out += "PK\1\2" + n16(0x314) + n16(20) + n16(entry.flags) + n16(entry.method) + n32(0) + n32(any_crc);
    out += n32(entry.compressed_size.value_or(entry.data.size())) + n32(entry.size.value_or(entry.data.size()));
    out += n16(entry.name.size()) + n16(entry.extra.size()) + n16(0) + n16(0) + n16(0);
    out += n32(entry.mode << 16) + n32(entry.offset.value_or(archive.local[i])) + entry.name + entry.extra;
  }
  const auto size = out.size() - archive.directory;
  out += before_end;
  archive.end = out.size();
  out += "PK\5\6" + n16(0) + n16(0) + n16(entries.size()) + n16(entries.size()) + n32(size);
  out += n32(archive.directory) + n16(comment.size()) + comment;
  return archive;
}

inline BuiltZip two_members() { return archive_of({{.name = "pkg/a.so"}, {.name = "pkg/b.so", .method = 8}}); }

inline ZipDirectory directory_of(const File& file, const InflateLimits& limits = {}) {
  auto directory = read_zip_directory(file, limits);
  REQUIRE(directory.has_value());
  return std::move(*directory);
}

inline ZipProblems problems_of(const std::string& bytes) {
  const BytesFile file(bytes);
  const auto directory = directory_of(file);
  auto problems = directory.problems();
  const auto local = check_local_headers(file, directory);
  REQUIRE(local.has_value());
  problems.add(*local);
  return problems;
}

inline std::string words(const ZipProblems& problems) {
  std::string text;
  for (const auto& problem : problems.kept())
    text += std::string(to_string(problem.kind)) + ": " + problem.message + "\n";
  return text;
}

/// What is told with its kind, whether it is fatal, of which member, and where.
inline std::string placed(const ZipProblems& problems) {
  std::string text;
  for (const auto& problem : problems.kept())
    text += std::string(to_string(problem.kind)) + (problem.fatal ? "!" : "") +
            (problem.member ? " of " + std::to_string(*problem.member) : "") + " at " + std::to_string(problem.offset) +
            "\n";
  return text;
}

inline std::string zip64_end(std::size_t count, std::size_t size, std::size_t offset, std::size_t length = 44) {
  return "PK\6\6" + n64(length) + n16(45) + n16(45) + n32(0) + n32(0) + n64(count) + n64(count) + n64(size) +
         n64(offset);
}

inline std::string zip64_locator(std::size_t offset) { return "PK\6\7" + n32(0) + n64(offset) + n32(1); }

/// Two members, and an end in zip64.
inline BuiltZip zip64_archive(std::size_t length = 44, std::size_t locator_shift = 0) {
  const auto plain = two_members();
  const auto size = plain.end - plain.directory;
  auto archive = archive_of({{.name = "pkg/a.so"}, {.name = "pkg/b.so", .method = 8}}, {},
                            zip64_end(2, size, plain.directory, length) + zip64_locator(plain.end + locator_shift));
  archive.put(archive.end + 8, n16(0xffff) + n16(0xffff) + n32(0xffffffff) + n32(0xffffffff));
  return archive;
}

struct ZipFault {
  std::string name;
  std::function<std::string()> bytes;
  ZipProblemKind kind;
  std::string said;  // part of the message
  bool fatal = false;
};

inline std::string patched(BuiltZip archive, std::size_t at, const std::string& text) {
  archive.put(at, text);
  return archive.bytes;
}

inline std::string named(const std::string& name, std::uint16_t flags = 0) {
  return archive_of({{.name = "pkg/a.so"}, {.name = name, .flags = flags}}).bytes;
}

/// Each archive has the problem that its row names.
inline void check_zip_faults(const std::vector<ZipFault>& faults) {
  for (const auto& fault : faults) {
    CAPTURE(fault.name);
    const auto problems = problems_of(fault.bytes());
    CAPTURE(words(problems));
    CHECK(problems.count(fault.kind) > 0);
    CHECK(problems.any_fatal() == fault.fatal);
    CHECK(std::any_of(problems.kept().begin(), problems.kept().end(), [&](const ZipProblem& problem) {
      return problem.kind == fault.kind && problem.message.find(fault.said) != std::string::npos;
    }));
    // What is only said of one thing must not bring others with it; a lie about sizes or places may.
    if (!fault.fatal) CHECK(problems.kept().size() <= 4);
  }
}

}  // namespace cudald
