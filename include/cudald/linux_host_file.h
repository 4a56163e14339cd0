#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>
#include <cudald/knowledge.h>
#include <cudald/library_texts.h>
#include <cudald/result.h>

namespace cudald {

struct CudaLibrary;  // cuda_library.h
struct GpuCode;      // gpu_code.h
struct Image;        // image.h
class SymbolTable;   // not public

/// A dynamic loader of glibc, and what is built into it.
struct HostLoader {
  std::string path;                  ///< as programs name it
  std::string version;               ///< "2.36"; empty: its files do not tell
  std::vector<std::string> folders;  ///< its system folders; empty: its file does not tell
};

/// A file that a loader can find.
struct HostLibrary {
  std::vector<std::string> paths;      ///< without links; more than one if it has several names
  std::shared_ptr<const Image> image;  ///< as far as loaders ask
  bool set_user_id = false;
  LibraryTexts texts;
  std::shared_ptr<const GpuCode> gpu;          ///< nullptr: it has none
  std::shared_ptr<const CudaLibrary> cuda;     ///< nullptr: it is none
  std::shared_ptr<const SymbolTable> symbols;  ///< nullptr: it is taken to have every function
  std::string start;                           ///< the first bytes of a file that is no ELF file
};

/// A machine with Linux as `cudald env --save` describes it (schema cudald/host 1.1): all that its loaders consult and
/// can find, so that a program can be judged there from anywhere.
struct LinuxHostFile {
  std::string name;            ///< of the file that it was read from
  std::string sha256;          ///< of its bytes; empty: it was read from none
  std::string platform, libc;  ///< "linux-x86_64", "glibc-2.36"; empty: no loader is there
  std::optional<Cpu> cpu;
  bool tells_driver = true;   ///< else a driver is taken to be there; where it tells, its libraries have it or not
  bool with_symbols = false;  ///< else its libraries are taken to have every function
  std::map<std::string, std::string> variables;
  std::vector<HostLoader> loaders;
  std::map<std::string, std::string> texts;  ///< path -> content of the small files that loaders read
  std::set<std::string> folders;
  std::set<std::string> noexec;  ///< directories on file systems that do not allow execution, and mount points
  std::map<std::string, std::string> links;  ///< path -> target; empty: it leads to nothing
  std::vector<HostLibrary> libraries;
  std::vector<std::string> limits;  ///< what was left out when it was described, one sentence each
};

/// Looks at everything that the loaders of a tree can find. With symbols, its libraries' symbol tables are read as
/// well: what they define, by hashes, and what they refer to.
LinuxHostFile describe_linux_host(const FileSystem&, const Environment&, bool with_symbols, const Knowledge&);

/// Error{usage}, with what is wrong, for a text that is no such description.
Result<LinuxHostFile> read_linux_host(std::string_view json);

}  // namespace cudald
