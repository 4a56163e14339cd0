#include "os/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace cudald {
namespace {

constexpr std::chrono::milliseconds long_enough(60'000);

Ended run_shell(const std::string& script, std::chrono::milliseconds timeout = long_enough,
                std::map<std::string, std::string> environment = {}, std::string folder = "/") {
  return run_child({{"/bin/sh", "-c", script, "sh", "{}", "{}x"}, std::move(environment), std::move(folder)}, timeout);
}

TEST_CASE("a child's exit status, output, complaints and records are told apart") {
  const auto ended = run_shell("printf out; printf wrong >&2; printf record >&3; exit 7");
  CHECK(ended.end == ProcessEnd::exited);
  CHECK(ended.status == 7);
  CHECK(ended.output == "out");
  CHECK(ended.complaints == "wrong");
  CHECK(ended.records == "record");
  CHECK(ended.output_bytes == 8);
  CHECK(ended.seconds > 0);
  CHECK(ended.seconds < 60);
  const auto good = run_shell("exit 0");
  CHECK(good.end == ProcessEnd::exited);
  CHECK(good.status == 0);
  CHECK(good.output_bytes == 0);
}

TEST_CASE("a child that dies by a signal has crashed, and the signal is its status") {
  const auto ended = run_shell("printf before; kill -SEGV $$");
  CHECK(ended.end == ProcessEnd::crashed);
  CHECK(ended.status == SIGSEGV);
  CHECK(ended.output == "before");
  CHECK(run_shell("kill -TERM $$").status == SIGTERM);
}

TEST_CASE("a child that does not end is killed at the time limit, and what it wrote is kept") {
  const auto before = std::chrono::steady_clock::now();
  const auto ended = run_shell("printf here; printf there >&3; exec sleep 600", std::chrono::milliseconds(1500));
  CHECK(ended.end == ProcessEnd::timed_out);
  CHECK(ended.status == 0);
  CHECK(ended.output == "here");
  CHECK(ended.records == "there");
  CHECK(ended.seconds >= 1.5);
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(300));
}

TEST_CASE("a child that has closed its streams is waited for") {
  const auto ended = run_shell("exec 1>&- 2>&- 3>&-; sleep 0.05; exit 5");
  CHECK(ended.end == ProcessEnd::exited);
  CHECK(ended.status == 5);
}

TEST_CASE("what a child leaves behind in its group is killed with it") {
  // Were it not, its end would not come before the sleep's.
  const auto ended = run_shell("sleep 600 & printf $!");
  CHECK(ended.end == ProcessEnd::exited);
  REQUIRE(!ended.output.empty());
  const auto orphan = static_cast<pid_t>(std::stol(ended.output));
  bool gone = false;
  for (int i = 0; i < 1000 && !gone; ++i) {
    gone = kill(orphan, 0) != 0;
    if (!gone) {
      // Killed and not reaped by whoever is init here is gone as well.
      std::string state;
      if (auto* file = fopen(("/proc/" + std::to_string(orphan) + "/stat").c_str(), "r")) {
        char line[256] = "";
        if (fgets(line, sizeof line, file) != nullptr) state = line;
        fclose(file);
      }
      gone = state.find(") Z ") != std::string::npos || state.empty();
    }
    if (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(gone);
  if (!gone) kill(orphan, SIGKILL);
}

TEST_CASE("a command that cannot be started says why by errno") {
  const auto error_of = [](const std::string& program, const std::string& folder = "/") {
    const auto ended = run_child({{program}, {}, folder}, long_enough);
    CHECK(ended.end == ProcessEnd::not_started);
    CHECK(ended.output.empty());
    return ended.status;
  };
  CHECK(error_of("/nonexistent/program") == ENOENT);
  CHECK(error_of("/bin") == EACCES);
  CHECK(error_of("/bin/true", "/nonexistent") == ENOENT);
}

TEST_CASE("a word of two braces is the number of the records' descriptor, no other word is") {
  const auto ended = run_shell("printf '%s %s' \"$1\" \"$2\"; printf r >&$1");
  CHECK(ended.output == "3 {}x");
  CHECK(ended.records == "r");
}

TEST_CASE("a child has the variables and folder of the command, no others, and no input") {
  const auto ended = run_shell("printf '%s|%s|%s|' \"$A\" \"$HOME\" \"$PWD\"; cat; cat <&0 | wc -c | tr -d ' \\n'",
                               long_enough, {{"A", "b=c"}, {"PATH", "/usr/bin:/bin"}}, "/usr");
  CHECK(ended.output == "b=c||/usr|0");
}

TEST_CASE("a child leads a group of its own, and leaves no core file") {
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  const rlimit most{core.rlim_max, core.rlim_max};
  setrlimit(RLIMIT_CORE, &most);
  // Fields 1 and 5 of stat: its number, its group's.
  const auto ended = run_shell("read a b c d e rest < /proc/$$/stat; printf '%s %s ' $a $e; ulimit -c");
  setrlimit(RLIMIT_CORE, &core);
  const auto blank = ended.output.find(' ');
  REQUIRE(blank != std::string::npos);
  const auto number = ended.output.substr(0, blank);
  CHECK(ended.output == number + " " + number + " 0\n");
}

TEST_CASE("a child that is alone leads a session without a terminal, has no third stream, and its words as they are") {
  const auto ended = run_child({{"/bin/sh", "-c",
                                 "read a b c d e f g rest < /proc/$$/stat; printf '%s %s %s %s' $a $f $g \"$1\"; "
                                 "test -e /proc/$$/fd/3 && printf 3",
                                 "sh", "{}"},
                                {},
                                "/",
                                true},
                               long_enough);
  const auto number = ended.output.substr(0, ended.output.find(' '));
  CHECK(ended.output == number + " " + number + " 0 {}");
}

TEST_CASE("signals that this process ignores or blocks are as usual in a child") {
  const auto before = signal(SIGTERM, SIG_IGN);
  sigset_t blocked, old;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &old);
  const auto by_term = run_shell("kill -TERM $$; exit 3"), by_usr1 = run_shell("kill -USR1 $$; exit 3");
  sigprocmask(SIG_SETMASK, &old, nullptr);
  signal(SIGTERM, before);
  CHECK(by_term.status == SIGTERM);
  CHECK(by_usr1.status == SIGUSR1);
}

TEST_CASE("of output the first 4 MiB are kept, of records the first 16 MiB, and all of it is counted") {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const std::map<std::string, std::string> with_path{{"PATH", "/usr/bin:/bin"}};
  const auto output = run_shell("head -c 5242881 /dev/zero", long_enough, with_path);
  CHECK(output.status == 0);
  CHECK(output.output.size() == 4 * mebibyte);
  CHECK(output.output_bytes == 5 * mebibyte + 1);
  const auto complaints = run_shell("head -c 5242881 /dev/zero >&2", long_enough, with_path);
  CHECK(complaints.complaints.size() == 4 * mebibyte);
  CHECK(complaints.output_bytes == 5 * mebibyte + 1);
  const auto records = run_shell("head -c 17825793 /dev/zero >&3", long_enough, with_path);
  CHECK(records.records.size() == 16 * mebibyte);
  CHECK(records.output_bytes == 0);
}

/// No more descriptors than so many can be opened for as long as it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(int free) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest = lowest_free();
    const rlimit few{static_cast<rlim_t>(lowest + free), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

  static int lowest_free() {
    const int found = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(found);
    return found;
  }

 private:
  rlimit before_{};
};

TEST_CASE("where there are no descriptors for all its pipes, a child is not started") {
  const int before = FewDescriptors::lowest_free();
  for (int free = 0; free < 8; ++free) {
    CAPTURE(free);
    Ended ended;
    {
      const FewDescriptors few(free);
      ended = run_child({{"/bin/true"}, {}, "/"}, long_enough);
    }
    CHECK(ended.end == ProcessEnd::not_started);
    CHECK(ended.status == EMFILE);
    CHECK(FewDescriptors::lowest_free() == before);  // nothing is left open
  }
  CHECK(run_shell("exit 0").end == ProcessEnd::exited);
}

TEST_CASE("variables and streams of a child that was not started are empty") {
  const auto ended = run_child({{"/nonexistent/program"}, {{"A", "1"}}, "/"}, long_enough);
  CHECK(ended.end == ProcessEnd::not_started);
  CHECK(ended.status == ENOENT);
  CHECK(ended.records == "");
  CHECK(ended.complaints == "");
  CHECK(ended.output_bytes == 0);
  CHECK(ended.seconds == 0);
}

TEST_CASE("the first and the last signal are as usual in a child, too") {
  for (const int number : {SIGHUP, SIGRTMAX}) {
    const auto before = signal(number, SIG_IGN);
    const auto ended = run_shell("kill -" + std::to_string(number) + " $$; exit 3");
    signal(number, before);
    CHECK(ended.end == ProcessEnd::crashed);
    CHECK(ended.status == number);
  }
}

}  // namespace
}  // namespace cudald
