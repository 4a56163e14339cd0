// How a question follows from the options.

#include "cli/output/query.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/linux_host_file.h>
#include <cudald/windows_host_file.h>

#include "cli/options/exit_status.h"
#include "cli/options/options.h"
#include "common/example_report.h"

namespace cudald {
namespace {

Query query_of(const std::vector<std::string>& words, const Environment& host = {}) {
  const auto options = parse_options(words);
  REQUIRE(options);
  return make_queries(*options, options->arguments, host).front();
}

TEST_CASE("constants are read where somebody would see what they tell") {
  const std::pair<std::vector<std::string>, ConstantScope> rows[] = {
      {{"x"}, ConstantScope::files},
      {{"check", "x"}, ConstantScope::files},
      {{"why", "x", "lib"}, ConstantScope::files},
      {{"tree", "x"}, ConstantScope::none},
      {{"probe", "x"}, ConstantScope::none},
      {{"-q", "x"}, ConstantScope::none},
      {{"-q", "--fail-on", "note", "x"}, ConstantScope::files},
      {{"-q", "-f", "json", "x"}, ConstantScope::files},
      {{"-q", "-o", "json=f", "x"}, ConstantScope::files},
      {{"tree", "--constants", "all", "x"}, ConstantScope::all},
      {{"--constants", "none", "x"}, ConstantScope::none},
  };
  for (const auto& [words, scope] : rows) {
    const auto& seen_words = words;
    CAPTURE(seen_words.front());
    CHECK(query_of(words).constants == scope);
  }
  auto options = *parse_options({"x"});
  options.resolved.reading.emplace();
  CHECK(make_queries(options, {"x"}, {}).front().constants == ConstantScope::all);
}

TEST_CASE("fixes are looked for unless the verdict alone is shown, symbols bound where they are told") {
  CHECK(query_of({"x"}).fixes);
  CHECK_FALSE(query_of({"-q", "x"}).fixes);
  CHECK(query_of({"-q", "-f", "json", "x"}).fixes);
  CHECK(query_of({"why", "x", "lib"}).symbols == SymbolCheck::none);
  CHECK(query_of({"tree", "x"}).symbols == SymbolCheck::none);
  CHECK(query_of({"check", "x"}).symbols == SymbolCheck::all);
  CHECK(query_of({"check", "--symbols", "none", "x"}).symbols == SymbolCheck::none);
}

TEST_CASE("what is stated goes into the question") {
  Environment host;
  host.cwd = "/home/me";
  host.variables = {{"A", "here"}, {"B", "here"}};
  const auto query = query_of({"--env",      "A=1",
                               "--cpu",      "x86-64-v2",
                               "--secure",   "--driver",
                               "535",        "--gpu",
                               "sm_90",      "--dll-path",
                               "d",          "--add-dll-directory",
                               "e",          "--default-dll-directories",
                               "0x400",      "--preload",
                               "p.so",       "--with",
                               "w.whl",      "--python",
                               "3.11",       "--require-gpu",
                               "--gpu-code", "--extras",
                               "b,a",        "--prefix",
                               "venv",       "--dlopen",
                               "l.so",       "x",
                               "y"},
                              host);
  CHECK(query.targets == std::vector<std::string>{"x", "y"});
  const auto& environment = query.environment;
  CHECK(environment.variables == std::map<std::string, std::string>{{"A", "1"}, {"B", "here"}});
  CHECK(environment.stated == std::map<std::string, std::string>{{"A", "1"}});
  CHECK(environment.cwd == "/home/me");
  CHECK(environment.cpu.x86_64_level == 2);
  CHECK(environment.cpu_stated);
  CHECK(environment.secure);
  CHECK(environment.driver == "535");
  CHECK(environment.dll_path == std::vector<std::string>{"d"});
  CHECK(environment.dll_directories == std::vector<std::string>{"e"});
  CHECK(environment.default_dll_directories == 0x400);
  CHECK(environment.preload == std::vector<std::string>{"p.so"});
  CHECK(query.packages == std::vector<std::string>{"w.whl"});
  CHECK(query.python == "3.11");
  CHECK(query.gpus.size() == 1);
  CHECK(query.require_gpu);
  CHECK(query.gpu_code);
  CHECK(query.extras.size() == 2);
  CHECK(query.prefix == "/home/me/venv");
  CHECK(query.dlopens.size() == 1);
  CHECK_FALSE(query_of({"x"}).environment.cpu_stated);
}

TEST_CASE("with --strict what only a run would tell is no answer") {
  auto report = healthy_report();
  const auto status = [&](const std::vector<std::string>& words) { return exit_status(*parse_options(words), report); };
  CHECK(status({"--strict", "x"}) == exit_fine);
  Import import;
  import.unfollowed = {{"a computed name", true, "/a.py", 3, "a", "load(x)"}};
  report.resolution.imports = {import};
  CHECK(status({"x"}) == exit_fine);
  CHECK(status({"--strict", "x"}) == exit_incomplete);
}

TEST_CASE("where only the verdict is shown notes make no difference, unless one library or note is asked for") {
  CHECK_FALSE(query_of({"-q", "x"}).notes);
  CHECK_FALSE(query_of({"-q", "x"}).fixes);
  CHECK(query_of({"-q", "-l", "liba.so", "x"}).notes);
  CHECK(query_of({"check", "-q", "--fail-on", "note", "x"}).notes);
  CHECK(query_of({"-q", "-f", "json", "x"}).notes);
  CHECK(query_of({"check", "-q", "-o", "json=a", "x"}).notes);
  CHECK(query_of({"x"}).notes);
}

TEST_CASE("each option that a question depends on goes into its own field") {
  Options options;
  options.world.sysroot = "/tree";
  options.world.libc = LibcVersion{LibcKind::musl, 1, 2};
  options.world.machine = std::uint16_t{183};
  options.world.windows = false;
  options.world.kind = WorldKind::described;
  options.run.limits = {5, 6, 7};
  options.question.bindings = true;
  options.judgement.policy.max_glibc = "2.28";
  options.resolved.reading.emplace().text = "message";
  options.resolved.linux_host = std::make_shared<const LinuxHostFile>();
  options.resolved.windows_host = std::make_shared<const WindowsHostFile>();
  Environment host;
  host.cwd = "/home/me";
  host.variables = {{"A", "1"}};
  host.cpu = x86_64_cpu(3);
  const auto query = make_queries(options, {"x"}, host).front();
  CHECK(query.sysroot == "/tree");
  CHECK(query.environment.libc == options.world.libc);
  CHECK(query.environment.machine == options.world.machine);
  CHECK(query.environment.cpu.x86_64_level == 3);
  CHECK(query.environment.variables.empty());
  CHECK(query.environment.cwd == "/");
  CHECK_FALSE(query.environment.secure);
  CHECK(query.windows == false);
  CHECK(query.world == WorldKind::described);
  CHECK(query.limits == options.run.limits);
  CHECK(query.keep_bindings);
  CHECK(query.policy.max_glibc == "2.28");
  REQUIRE(query.message);
  CHECK(query.message->text == "message");
  CHECK(query.linux_host == options.resolved.linux_host);
  CHECK(query.windows_host == options.resolved.windows_host);
  CHECK_FALSE(query.prefix);
  CHECK_FALSE(query.require_gpu);
  CHECK_FALSE(query.gpu_code);
}

TEST_CASE("an answer that is unknown goes before findings, and findings before none") {
  auto report = failing_report();
  report.verdict = Verdict::unknown;
  const auto status = [&](const std::vector<std::string>& words) { return exit_status(*parse_options(words), report); };
  CHECK(status({"x"}) == exit_incomplete);
  CHECK(status({"--strict", "--allow-incomplete", "x"}) == exit_findings);
  CHECK(status({"--allow-incomplete", "--fail-on", "never", "x"}) == exit_fine);
}

}  // namespace
}  // namespace cudald
