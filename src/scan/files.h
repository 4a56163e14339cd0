#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudald/result.h>

namespace cudald {

// How a state folder is written. Workers on many machines share it through a network file system, without locks: every
// step is one that such systems do as a whole, or does no harm when it is done twice.

/// A name that no other process uses: of the machine, the process and a count.
std::string own_name();
/// The machine's name, fit for a file name.
std::string host_name();

/// Makes a folder and those above it; one that is there is fine.
std::optional<Error> make_folders(const std::string& path);
/// Writes a file beside `path` and renames it, so that there is none or all of it. Of several writers the last wins.
std::optional<Error> write_whole(const std::string& path, std::string_view bytes);
/// The same where the first writer wins: false if the file is there already, and stays as it is.
Result<bool> write_first(const std::string& path, std::string_view bytes);
/// rename(2). False if `from` is not there: somebody else was faster.
Result<bool> move_file(const std::string& from, const std::string& to);
/// Names in a folder, sorted; none if it is not there.
std::vector<std::string> names_in(const std::string& folder);

/// A file in a folder that has no name there, so that nothing of it stays, however the process ends.
class NamelessFile {
 public:
  static Result<NamelessFile> create(const std::string& folder);
  NamelessFile(NamelessFile&&) noexcept;
  NamelessFile& operator=(NamelessFile&&) noexcept;
  ~NamelessFile();

  /// By which this process can open it.
  std::string path() const;

 private:
  explicit NamelessFile(int fd) : fd_(fd) {}

  int fd_;
};

/// An open file that is written at its end only.
class Appender {
 public:
  /// A new file. Error{usage} with system_error EEXIST if it is there.
  static Result<Appender> create(const std::string& path);
  Appender(Appender&&) noexcept;
  Appender& operator=(Appender&&) noexcept;
  ~Appender();

  /// Hands all bytes to the system before it returns.
  std::optional<Error> append(std::string_view bytes);

 private:
  Appender(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

}  // namespace cudald
