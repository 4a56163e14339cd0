#include "cli/output/output.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "unit/cli/command_line.h"
#include "unit/tree/scratch_folder.h"

// In place of the C library's, so that a system can be played that has no pipe left, and a machine without /proc.
static bool has_pipes = true, has_proc = true;

extern "C" int pipe2(int* ends, int flags) noexcept {
  if (has_pipes) return static_cast<int>(::syscall(SYS_pipe2, ends, flags));
  errno = EMFILE;
  return -1;
}

extern "C" int access(const char* path, int mode) noexcept {
  if (has_proc || !std::string_view(path).starts_with("/proc/")) return ::faccessat(AT_FDCWD, path, mode, 0);
  errno = ENOENT;
  return -1;
}

namespace cudald {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<Output> opened(const std::string& path) {
  auto output = Output::open(path);
  REQUIRE(output);
  return std::move(*output);
}

std::size_t open_files() { return names_in("/proc/self/fd").size(); }

TEST_CASE("a file appears when it is complete, and stays as it was when it is discarded") {
  for (const bool proc : {true, false}) {
    CAPTURE(proc);
    const ScratchFolder folder;
    const auto before = open_files();
    has_proc = proc;
    for (const std::string text : {"one", "another one"}) {
      const auto output = opened(folder / "out");
      output->stream() << text;
      CHECK(bytes_of(folder / "out") == (text == "one" ? "" : "one"));
      CHECK_FALSE(output->finish());
      CHECK_FALSE(output->finish());
      CHECK(bytes_of(folder / "out") == text);
    }
    const auto discarded = opened(folder / "out");
    discarded->stream() << "never";
    discarded->discard();
    CHECK(bytes_of(folder / "out") == "another one");
    std::filesystem::create_symlink("out", folder / "link");
    opened(folder / "link")->stream() << "by its link";  // finished where it ends
    CHECK(bytes_of(folder / "out") == "by its link");
    CHECK(std::filesystem::is_symlink(folder / "link"));
    has_proc = true;
    CHECK(names_in(folder.path()) == std::vector<std::string>{"link", "out"});
    struct stat status{};
    const auto mask = ::umask(0);
    ::umask(mask);
    CHECK((::stat((folder / "out").c_str(), &status) == 0 && (status.st_mode & 07777) == (0666 & ~mask)));
    CHECK(open_files() == before);
  }
}

TEST_CASE("what cannot be written is told, with the file") {
  const ScratchFolder folder;
  for (const auto& [path, error] : std::vector<std::pair<std::string, int>>{
           {folder / "none/out", ENOENT}, {folder.path(), EISDIR}, {folder / "file/out", ENOTDIR}}) {
    folder.add_file("file", "");
    const auto output = Output::open(path);
    REQUIRE_FALSE(output);
    CHECK(output.error().code == ErrorCode::usage);
    CHECK(output.error().path == path);
    CHECK(output.error().system_error == error);
  }
  const auto full = opened("/dev/full");
  full->stream() << "text";
  const auto error = full->finish();
  REQUIRE(error);
  CHECK(error->path == "/dev/full");
  CHECK(error->system_error == ENOSPC);
  CHECK_FALSE(full->reader_is_gone());
}

TEST_CASE("more than the buffer has room for comes in its order") {
  const ScratchFolder folder;
  std::string text;
  while (text.size() < 200'000) text += std::to_string(text.size()) + " ";
  const auto output = opened(folder / "out");
  for (const char c : text) output->stream().put(c);
  CHECK_FALSE(output->finish());
  CHECK(bytes_of(folder / "out") == text);
}

/// What stands in `to` after a child did that with it as its standard output; the child's status as well.
std::string said_by_child(const std::string& to, const std::function<int()>& act) {
  const auto child = ::fork();
  if (child == 0) {
    const int fd = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(fd, STDOUT_FILENO);
    ::alarm(60);  // a pager that is never told the end would wait for ever
    ::_exit(act());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return bytes_of(to) + " " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

TEST_CASE("standard output is written through the pager, and as it is where there is none") {
  const ScratchFolder folder;
  const auto said = [&](const std::string& pager, bool writes, bool pipes = true) {
    return said_by_child(folder / "stdout", [&] {
      has_pipes = pipes;
      const auto output = opened("");
      output->page_through(pager);
      if (writes) output->stream() << "text";
      if (writes) output->stream() << ", more";
      const bool failed = output->finish().has_value();
      const bool open = ::fcntl(STDOUT_FILENO, F_GETFD) >= 0;
      return (failed ? 1 : 0) + (open ? 2 : 0) + (std::signal(SIGINT, SIG_DFL) == SIG_IGN ? 4 : 0);
    });
  };
  CHECK(said("", true) == "text, more 2");
  CHECK(said("sed 's/^/paged: /'; echo \" $LESS\"", true) == "paged: text, more FRX\n 4");
  // It waits for something to show, and is not started if nothing comes.
  CHECK(said("echo started", false) == " 0");
  CHECK(said("sed 's/^/paged: /'", true, false) == "text, more 2");
}

TEST_CASE("a reader that has gone is no error, and nothing more has to be computed") {
  const auto said = [](bool reads) {
    const ScratchFolder folder;
    return said_by_child(folder / "stdout", [&] {
      prepare_signals();
      int ends[2];
      if (::pipe(ends) != 0) return 64;
      ::dup2(ends[1], STDOUT_FILENO);
      if (!reads) ::close(ends[0]);
      const auto output = opened("");
      output->stream() << "text" << std::flush;
      const bool gone = output->reader_is_gone();
      return (gone ? 1 : 0) + (output->finish() ? 2 : 0);
    });
  };
  CHECK(said(true) == " 0");
  CHECK(said(false) == " 1");
}

TEST_CASE("a signal ends the run with its number, and leaves no unfinished file") {
  for (const int signal : {SIGINT, SIGTERM})
    for (const bool ignored : {false, true}) {
      const ScratchFolder folder;
      const auto said = said_by_child(folder / "stdout", [&] {
        has_proc = false;
        std::signal(signal, ignored ? SIG_IGN : SIG_DFL);
        prepare_signals();
        const auto output = opened(folder / "out"), done = opened(folder / "done");
        output->stream() << "half";
        done->finish();
        ::raise(signal);
        output->discard();
        return 7;
      });
      CHECK(said == (ignored ? " 7" : " " + std::to_string(128 + signal)));
      CHECK(names_in(folder.path()) == std::vector<std::string>{"done", "stdout"});
    }
}

TEST_CASE("a file takes the place of one that is there, though its first name beside that is taken") {
  const ScratchFolder folder;
  const auto beside = "out." + std::to_string(::getpid()) + ".";
  folder.add_file("out", "before");
  folder.add_file(beside + "0", "another's");
  const auto output = opened(folder / "out");
  output->stream() << "text";
  CHECK_FALSE(output->finish());
  CHECK(bytes_of(folder / "out") == "text");
  CHECK(bytes_of(folder / (beside + "0")) == "another's");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"out", beside + "0"});
}

TEST_CASE("where a folder has come into the place of the file that is told, and nothing stays beside it") {
  for (const bool proc : {true, false}) {
    CAPTURE(proc);
    const ScratchFolder folder;
    has_proc = proc;
    const auto output = opened(folder / "out");
    has_proc = true;
    output->stream() << "text";
    std::filesystem::create_directory(folder / "out");
    const auto error = output->finish();
    REQUIRE(error);
    CHECK(error->path == folder / "out");
    CHECK(error->system_error == EISDIR);
    CHECK(error->code == ErrorCode::usage);
    CHECK(names_in(folder.path()) == std::vector<std::string>{"out"});
  }
}

TEST_CASE("more files than a signal could clean up are written as well, and one without a folder in the current one") {
  const ScratchFolder folder;
  has_proc = false;
  std::vector<std::unique_ptr<Output>> outputs;
  for (int i = 10; i < 30; ++i) outputs.push_back(opened(folder / std::to_string(i)));
  has_proc = true;
  for (const auto& output : outputs) output->stream() << "text";
  for (const auto& output : outputs) CHECK_FALSE(output->finish());
  CHECK(names_in(folder.path()).size() == 20);
  CHECK(names_in(folder.path()).front() == "10");
  const auto said = said_by_child(folder / "stdout", [&] {
    if (::chdir(folder.path().c_str()) != 0) return 64;
    const auto output = opened("here");
    output->stream() << "text";
    return output->finish() ? 1 : 0;
  });
  CHECK(said == " 0");
  CHECK(bytes_of(folder / "here") == "text");
}

TEST_CASE("what cannot be written to standard output is told as that") {
  const ScratchFolder folder;
  const auto said = said_by_child(folder / "stdout", [] {
    const int full = ::open("/dev/full", O_WRONLY);
    ::dup2(full, STDOUT_FILENO);
    const auto output = opened("");
    output->stream() << "text";
    const auto error = output->finish();
    return error && error->path == "standard output" && error->system_error == ENOSPC ? 0 : 1;
  });
  CHECK(said == " 0");
}

TEST_CASE("a pager has the settings that the user has made, and ends when its reader is gone") {
  const ScratchFolder folder;
  const auto said = [&](const std::string& pager) {
    return said_by_child(folder / "stdout", [&] {
      ::setenv("LESS", "mine", 1);
      prepare_signals();
      const auto output = opened("");
      output->page_through(pager);
      output->stream() << "text";
      return output->finish() ? 1 : 0;
    });
  };
  CHECK(said("cat; echo \" $LESS\"") == "text mine\n 0");
  CHECK(said("cat; kill -s PIPE $$; echo alive") == "text 0");
}

TEST_CASE("a pipe is waited for as long as it is full") {
  const ScratchFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  const auto output = opened(folder / "pipe");
  struct stat pipe{};
  REQUIRE(::stat((folder / "pipe").c_str(), &pipe) == 0);
  int writers = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    struct stat status{};
    if (fd == reader || ::fstat(fd, &status) != 0 || status.st_ino != pipe.st_ino) continue;
    ++writers;
    CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
  }
  CHECK(writers == 1);
  output->stream() << "text";
  CHECK_FALSE(output->finish());
  char bytes[8]{};
  CHECK(::read(reader, bytes, sizeof(bytes)) == 4);
  ::close(reader);
}

TEST_CASE("a thousand names beside a file are tried, and as many files as a run may write are cleaned up") {
  const ScratchFolder folder;
  const auto beside = "out." + std::to_string(::getpid()) + ".";
  folder.add_file("out", "before");
  for (int number = 0; number < 999; ++number) folder.add_file(beside + std::to_string(number), "");
  const auto output = opened(folder / "out");
  output->stream() << "text";
  CHECK_FALSE(output->finish());
  CHECK(bytes_of(folder / "out") == "text");
  folder.add_file(beside + "999", "");
  const int nameless = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (nameless >= 0) {  // else a file has a name of its own from the beginning
    ::close(nameless);
    const auto error = opened(folder / "out")->finish();
    REQUIRE(error);
    CHECK(error->system_error == EEXIST);
  }
  const ScratchFolder other;
  const auto said = said_by_child(other / "stdout", [&] {
    has_proc = false;
    prepare_signals();
    std::vector<std::unique_ptr<Output>> outputs;
    for (int i = 0; i < 16; ++i) outputs.push_back(opened(other / std::to_string(i)));
    ::raise(SIGTERM);
    return 7;
  });
  CHECK(said == " 143");
  CHECK(names_in(other.path()) == std::vector<std::string>{"stdout"});
}

TEST_CASE("a scan for which the system has no pipe says so") {
  const ScratchFolder folder;
  folder.add_file("out/x.so", "");
  has_pipes = false;
  const auto told = scan_of(folder, {"--state", "state", "out"});
  has_pipes = true;
  CHECK(told.status == 3);
  CHECK(told.answer.empty());
  CHECK(told.complaints == "cudald: out/x.so: no process could be started for it\n");
}

}  // namespace
}  // namespace cudald
