// The main program of unit tests in a build by tools/mutate-at-once, where it takes the place of main.cc:
//
//     test_loader --faults LIST ANSWERS
//
// LIST has numbers of faults; before one that is only to be looked for stands a minus sign. ANSWERS gets a line for
// each: whether no test reaches it, or whether those that do notice it. Each is asked in a child process.
#define DOCTEST_CONFIG_IMPLEMENT
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "common/switched_faults.h"

namespace {

constexpr int most_cases = 4096;
constexpr std::size_t longest_name = 256;

struct Case {
  char name[longest_name];
  double seconds;
  bool good;
  bool reached[most_faults];
};

/// What the child that runs all tests without a fault tells.
struct Healthy {
  int count;
  Case cases[most_cases];
};

Healthy* healthy = nullptr;
bool is_recording = false;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Recorder : doctest::IReporter {
  explicit Recorder(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& test) override {
    if (!is_recording || healthy->count == most_cases) return;
    std::snprintf(healthy->cases[healthy->count].name, longest_name, "%s", test.m_name);
    std::memset(reached_faults, 0, sizeof reached_faults);
    began = now();
  }

  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (!is_recording || healthy->count == most_cases) return;
    auto& done = healthy->cases[healthy->count++];
    done.seconds = now() - began;
    done.good = stats.testCaseSuccess;
    std::memcpy(done.reached, reached_faults, sizeof reached_faults);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  double began = 0;
};
REGISTER_LISTENER("recorder", 1, Recorder);

/// A fault may make a test loop, or ask for ever more memory.
void limit(double seconds) {
  const auto set = [](auto what, rlim_t most) {
    const rlimit both{most, most};
    setrlimit(what, &both);
  };
  set(RLIMIT_CPU, static_cast<rlim_t>(2 + 5 * seconds));
  set(RLIMIT_DATA, rlim_t{6} << 30);
  set(RLIMIT_FSIZE, rlim_t{1} << 30);
  set(RLIMIT_CORE, 0);
}

/// Runs it in a child; true if it ended well within the time (five times as long by the clock).
template <typename Run>
bool ends_well(double seconds, const Run& run) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; ++i) dup2(nothing, i);
    limit(seconds);
    _exit(run());
  }
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd ended{handle, POLLIN, 0};
  const bool in_time = poll(&ended, 1, static_cast<int>(5000 * (1 + 5 * seconds))) == 1;
  close(handle);
  kill(-child, SIGKILL);  // with what it has started
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<int> quickest_first() {
  std::vector<int> order(static_cast<std::size_t>(healthy->count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [](int a, int b) { return healthy->cases[a].seconds < healthy->cases[b].seconds; });
  return order;
}

/// A filter has names between commas.
std::string as_filter(std::string_view name) {
  std::string filter;
  for (const char c : name) {
    if (c == ',' || c == '\\') filter += '\\';
    filter += c;
  }
  return filter;
}

const char* answer(int number, bool only_look, const std::vector<int>& order) {
  std::vector<const char*> names;
  double seconds = 0;
  for (const int i : order) {
    const auto& one = healthy->cases[i];
    if (!one.good || !one.reached[number]) continue;
    names.push_back(one.name);
    seconds += one.seconds;
  }
  if (names.empty()) return "unreached";
  if (only_look) return "unasked";
  const bool good = ends_well(seconds, [&] {
    switched_fault = number;
    doctest::Context context;
    for (const auto* name : names) context.addFilter("test-case", as_filter(name).c_str());
    context.setOption("abort-after", 1);
    return context.run();
  });
  return good ? "survived" : "noticed";
}

int ask(const char* list, const char* answers) {
  constexpr double patience = 300;
  void* shared = mmap(nullptr, sizeof(Healthy), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  healthy = static_cast<Healthy*>(shared);
  ends_well(patience, [] {
    is_recording = true;
    return doctest::Context().run();
  });
  const auto order = quickest_first();
  std::FILE* const in = std::fopen(list, "r");
  std::FILE* const out = std::fopen(answers, "w");
  if (in == nullptr || out == nullptr) return 1;
  for (int number = 0; std::fscanf(in, "%d", &number) == 1; std::fflush(out))
    std::fprintf(out, "%d %s\n", std::abs(number), answer(std::abs(number), number < 0, order));
  std::fclose(in);
  return std::fclose(out) == 0 && !order.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--faults") return ask(argv[2], argv[3]);
  return doctest::Context(argc, argv).run();
}
