#include "os/sandbox.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

constexpr int no_sandbox = 77;

/// The exit status of a child process that enters a sandbox, as there is no way out of one; no_sandbox where the kernel
/// has not both of its parts.
int in_sandbox(const Sandbox& sandbox, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto state = enter_sandbox(sandbox);
    ::_exit(state.files && state.calls ? work() : no_sandbox);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 0, or the errno of a file that cannot be written.
int write_to(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  return file >= 0 ? 0 : errno;
}

int open_socket() { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : errno; }

int start_program() {
  ::execl("/bin/true", "true", static_cast<char*>(nullptr));
  return errno;
}

TEST_CASE("in a sandbox files are written in the directories that it names alone") {
  const ScratchFolder folder;
  const auto inside = folder.path() + "/inside", beside = folder.path() + "/beside";
  REQUIRE(::mkdir(inside.c_str(), 0700) == 0);
  Sandbox sandbox;
  sandbox.writable = {inside};
  const int refused = in_sandbox(sandbox, [&] { return write_to(beside); });
  if (refused == no_sandbox) {
    MESSAGE("not run: this kernel has no Landlock or no seccomp");
    return;
  }
  CHECK(refused == EACCES);
  CHECK(in_sandbox(sandbox, [&] { return write_to(inside + "/file"); }) == 0);
  CHECK(write_to(beside) == 0);
}

TEST_CASE("in a sandbox there are sockets and programs only if it says so") {
  Sandbox open;
  open.network = open.programs = true;
  const int socket = in_sandbox({}, open_socket);
  if (socket == no_sandbox) {
    MESSAGE("not run: this kernel has no Landlock or no seccomp");
    return;
  }
  CHECK(socket == EPERM);
  CHECK(in_sandbox(open, open_socket) == 0);
  CHECK(in_sandbox({}, start_program) == EPERM);
  CHECK(in_sandbox(open, start_program) == 0);
}

TEST_CASE("a sandbox in a sandbox takes away more") {
  const ScratchFolder folder;
  Sandbox sandbox;
  sandbox.writable = {folder.path()};
  const int status = in_sandbox(sandbox, [&] {
    enter_sandbox({});
    return write_to(folder.path() + "/file");
  });
  CHECK((status == EACCES || status == no_sandbox));
}

TEST_CASE("what is hidden cannot be read, by its path or through a link, and all else can") {
  const ScratchFolder folder;
  const auto hidden = folder.path() + "/hidden", shown = folder.path() + "/shown", link = folder.path() + "/link";
  for (const auto& directory : {hidden, shown}) {
    REQUIRE(::mkdir(directory.c_str(), 0700) == 0);
    std::ofstream(directory + "/file") << "text";
  }
  REQUIRE(::symlink(hidden.c_str(), link.c_str()) == 0);
  const auto reads = [](const std::string& path) { return ::open(path.c_str(), O_RDONLY) >= 0; };
  const int status = in_sandbox({}, [&] {
    if (!hide_directories({hidden})) return no_sandbox;
    if (reads(hidden + "/file") || reads(link + "/file")) return 1;
    if (!is_hidden_by_sandbox(hidden + "/file") || !is_hidden_by_sandbox(link + "/file")) return 2;
    if (!reads(shown + "/file") || is_hidden_by_sandbox(shown + "/file")) return 3;
    return reads("/proc/self/status") ? 0 : 4;
  });
  CHECK((status == 0 || status == no_sandbox));
}

}  // namespace
}  // namespace cudald
