#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/byte_order.h>
#include <cudald/elf.h>
#include <cudald/file_system.h>
#include <cudald/format.h>
#include <cudald/pe.h>
#include <cudald/result.h>

namespace cudald {

/// How it is known what a file says.
enum class ImageSource {
  file,         ///< its bytes were read
  promise,      ///< a platform tag, or Windows, promises a library of that name
  requirement,  ///< a package that is required is known to bring a library of that name
  driver,       ///< a library of the driver that was stated
  description,  ///< a description of its machine says it
};

/// Whether nothing but its name is known of a file, which is then taken to have every function asked for.
inline bool is_known_by_name(ImageSource source) {
  return source != ImageSource::file && source != ImageSource::description;
}

/// What one file says of itself, in the words of its format, and nothing that depends on a machine.
/// Read once, then shared and never changed.
struct Image {
  ImageSource source = ImageSource::file;
  Format format = Format::unknown;
  std::uint64_t file_size = 0;  ///< bytes
  ByteOrder byte_order = ByteOrder::little;
  std::uint16_t machine = 0;  ///< e_machine; for PE the number that ELF has for the same machine
  FileType type = FileType::none;
  std::optional<std::string> soname;  ///< DT_SONAME; for PE the name in the export directory
  bool has_mz_magic = false;          ///< a PE file, or a program for DOS
  bool has_gpu_code = false;          ///< a section of it, see gpu_code.h
  bool lacks_gpu_code = false;        ///< its sections are known, and none is of GPU code of any kind
  std::vector<Defect> defects;

  ElfFacts elf;               ///< as far as they could be read; of a file that is no ELF file nothing is set
  std::optional<PeFacts> pe;  ///< exactly if is_pe()

  bool is_elf() const { return format == Format::elf32 || format == Format::elf64; }
  bool is_pe() const { return format == Format::pe32 || format == Format::pe32_plus; }
  std::string_view format_name() const { return to_string(format); }
};

/// Reads what resolution needs from an open file; symbol tables are only located. The cost depends on
/// what the loader would look at, not on the file's size. A file that is neither ELF nor PE gives an Image of
/// format `unknown`; a faulty one gives what is healthy, and `defects`. Error only if reading fails.
Result<std::shared_ptr<const Image>> read_image(const File&);

}  // namespace cudald
