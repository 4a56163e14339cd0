#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>

#include <cudald/file_system.h>

namespace cudald::python {

using SourceText = std::shared_ptr<const std::string>;

/// What a source is known by: its text, or the file that this can be read from again.
struct SourceIdentity {
  std::string path;
  SourceText text;  ///< nullptr if it is not kept
  FileStatus file;  ///< then this is known
  std::uint64_t size() const { return text != nullptr ? text->size() : file.size; }
  bool operator==(const SourceIdentity&) const;
};

/// Reads the source files of an import. Most texts are needed once, to make trees of their statements: those of files
/// on a disk are not kept, but for the last ones.
class SourceTexts {
 public:
  static constexpr std::size_t most_recent = 16;

  explicit SourceTexts(const FileSystem& files) : files_(files) {}
  SourceTexts(const SourceTexts&) = delete;
  SourceTexts& operator=(const SourceTexts&) = delete;

  Result<SourceIdentity> read(const File&, const std::string& path, std::uint64_t limit);
  /// nullptr if the file is another one by now.
  SourceText text(const SourceIdentity&);

 private:
  struct Recent {
    SourceIdentity of;
    SourceText text;
  };
  SourceText keep(const SourceIdentity&, std::string text);

  const FileSystem& files_;
  std::map<std::string, std::size_t> hashes_;  ///< of texts that may be read anew, by their paths
  std::list<Recent> recent_;                   ///< the last one first
};

}  // namespace cudald::python
