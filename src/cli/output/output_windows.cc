#include "cli/output/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "os/own_file.h"

namespace cudald {
namespace {

constexpr int standard_output = 1;

Error system_error_at(const std::string& path, int error) {
  return {ErrorCode::usage, std::strerror(error), path, std::nullopt, error};
}

}  // namespace

Output::Output(int fd, std::string path, std::string temporary, bool nameless)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      nameless_(nameless),
      fd_(fd),
      buffer_(fd),
      stream_(&buffer_) {}

Result<std::unique_ptr<Output>> Output::open(const std::string& path) {
  if (path.empty()) return std::unique_ptr<Output>(new Output(standard_output, "", ""));
  auto made = make_file_beside(path);
  if (made.descriptor < 0) return system_error_at(path, made.fault);
  return std::unique_ptr<Output>(new Output(made.descriptor, path, std::move(made.path)));
}

Output::~Output() { finish(); }

// There is no pager to be counted on: `more` knows neither colours nor UTF-8.
std::ostream& Output::stream() { return stream_; }

void Output::page_through(const std::string&) {}

void Output::discard() {
  if (fd_ >= 0 && fd_ != standard_output) close_own_file(std::exchange(fd_, -1));
  if (!temporary_.empty()) remove_file(std::exchange(temporary_, ""));
  finish();
}

bool Output::reader_is_gone() const { return buffer_.system_error() == EPIPE; }

std::optional<Error> Output::finish() {
  if (fd_ < 0) return std::nullopt;
  stream_.flush();
  int error = buffer_.system_error();
  if (fd_ != standard_output && !close_own_file(fd_) && error == 0) error = EIO;
  fd_ = -1;
  if (!temporary_.empty() && error == 0 && !rename_file(temporary_, path_)) error = EACCES;
  if (!temporary_.empty() && error != 0) remove_file(temporary_);
  if (error == 0 || error == EPIPE) return std::nullopt;
  return system_error_at(path_.empty() ? "standard output" : path_, error);
}

std::ostream& standard_error() {
  static FdBuffer buffer(2);
  static std::ostream stream(&buffer);
  stream.setf(std::ios::unitbuf);
  return stream;
}

void take_standard_descriptors() {}

// The console ends the process on Ctrl+C; an unfinished file stays beside the one it was to become.
void prepare_signals() {}

}  // namespace cudald
