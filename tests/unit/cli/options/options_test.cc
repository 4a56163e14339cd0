#include "cli/options/options.h"

#include <chrono>
#include <set>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/report.h>

#include "cli/options/exit_status.h"
#include "cli/options/option_table.h"
#include "cli/output/query.h"
#include "cli/output/terminal.h"

namespace cudald {
namespace {

using Line = std::vector<std::string>;

Options parsed(const Line& words) {
  const auto options = parse_options(words);
  const std::string complaint = options ? "" : options.error().message;
  CAPTURE(complaint);
  REQUIRE(options.has_value());
  return *options;
}

std::string complaint(const Line& words) {
  const auto options = parse_options(words);
  return options ? "" : options.error().message;
}

TEST_CASE("in a copy of drive C: a prefix may be written as Windows does") {
  CHECK(parsed({"--sysroot", "/c", "--prefix", "C:\\Python311", "cv2"}).world.prefix == "/Python311");
}

TEST_CASE("a bare target is explained; a command takes the rest") {
  CHECK(parsed({"./app"}).command == Command::explain);
  CHECK(parsed({"./app", "lib.so"}).arguments == Line{"./app", "lib.so"});
  const Options tree = parsed({"tree", "./app"});
  CHECK(tree.command == Command::tree);
  CHECK(tree.arguments == Line{"./app"});
  // Only the first word can be a command.
  CHECK(parsed({"./app", "tree"}).command == Command::explain);
}

TEST_CASE("the commands about CUDA itself take what they need") {
  CHECK(parsed({"env", "--save", "h.json", "--print", "dll-path"}).output.save == "h.json");
  CHECK(complaint({"env", "x"}) == "`env` takes no target; use --prefix or --sysroot");
  CHECK(complaint({"env", "--print", "path"}).starts_with("`--print` is one of ld-library-path, dll-path"));
  CHECK(parsed({"provides", "libcudart.so.12"}).arguments == Line{"libcudart.so.12"});
  CHECK(complaint({"diff", "a"}) == "expected two inputs to compare: cudald diff A B");
  CHECK(parsed({"diff", "--symbols", "all", "a", "b"}).question.symbols_asked);
  CHECK(parsed({"--driver", "535.104.05", "./app"}).world.driver == "535.104.05");
  for (const auto* odd : {"", ".1", "1.", "1..2", "v1"}) CHECK_FALSE(complaint({"--driver", odd, "./app"}).empty());
}

TEST_CASE("options may stand anywhere, and -- ends them") {
  const Options options =
      parsed({"--sysroot", "/srv", "explain", "./app", "-v", "-l", "libx.so", "--env=A=b=c", "-vfjson"});
  CHECK(options.command == Command::explain);
  CHECK(options.arguments == Line{"./app"});
  CHECK(options.world.sysroot == "/srv");
  CHECK(options.question.library == "libx.so");
  CHECK(options.output.verbosity == 2);
  CHECK(options.output.format == OutputFormat::json);
  CHECK(options.process.variables == std::vector<std::pair<std::string, std::string>>{{"A", "b=c"}});
  CHECK(parsed({"show", "--", "-odd", "--name"}).arguments == Line{"-odd", "--name"});
  CHECK(parsed({"check", "-"}).arguments == Line{"-"});
  CHECK(parsed({"caf\xff"}).arguments == Line{"caf\xff"});
}

TEST_CASE("values are understood") {
  const Options options =
      parsed({"--libc", "musl-1.2", "--platform", "linux-aarch64", "--cpu", "x86-64-v3", "--fail-on", "never",
              "--select", "CUD1,symbol-missing", "--ignore", "cud101", "--symbols", "none", "x"});
  CHECK(options.world.libc->kind == LibcKind::musl);
  CHECK(machine_name(*options.world.machine) == "aarch64");
  CHECK(options.world.cpu_level == 3);
  CHECK_FALSE(options.judgement.fail_on);
  CHECK(options.judgement.select == Line{"CUD1", "CUD201"});
  CHECK(options.judgement.ignore == Line{"CUD101"});
  CHECK(options.question.symbols == SymbolCheck::none);
  CHECK_FALSE(parsed({"--platform", "host", "--cpu", "host", "x"}).world.cpu_level);
  CHECK(parsed({"-o", "-", "x"}).output.path.empty());
  CHECK(parsed({"-o", "f", "x"}).output.path == "f");
}

TEST_CASE("a dlopen request is taken apart") {
  const Options options = parsed(
      {"--dlopen", "libp.so@libq.so,global,now", "--dlopen", "/a@b/c.so@/x/y", "--dlopen", "z.so,deepbind", "x"});
  REQUIRE(options.question.dlopens.size() == 3);
  CHECK(options.question.dlopens[0].name == "libp.so");
  CHECK(options.question.dlopens[0].caller == "libq.so");
  CHECK(options.question.dlopens[0].traits.global);
  CHECK(options.question.dlopens[0].traits.bind_now);
  CHECK_FALSE(options.question.dlopens[0].traits.deepbind);
  CHECK(options.question.dlopens[1].name == "/a@b/c.so");
  CHECK(options.question.dlopens[1].caller == "/x/y");
  CHECK(options.question.dlopens[2].caller.empty());
  CHECK(options.question.dlopens[2].traits.deepbind);
}

TEST_CASE("a dlopen of an empty name is a request like others") {
  const Options options = parsed({"--dlopen", "", "--dlopen", "@liba.so,now", "x"});
  REQUIRE(options.question.dlopens.size() == 2);
  CHECK(options.question.dlopens[0].name.empty());
  CHECK(options.question.dlopens[0].caller.empty());
  CHECK(options.question.dlopens[1].name.empty());
  CHECK(options.question.dlopens[1].caller == "liba.so");
  CHECK(options.question.dlopens[1].traits.bind_now);
}

TEST_CASE("sizes have units") {
  CHECK(parsed({"x"}).run.limits.member == std::uint64_t{8} << 30);
  CHECK(parsed({"x"}).run.limits.total == std::uint64_t{64} << 30);
  CHECK(parsed({"x"}).run.limits.ratio == 2000);
  const Options options = parsed({"--max-member", "500", "--max-total", "3TiB", "--max-ratio", "7", "x"});
  CHECK(options.run.limits.member == 500);
  CHECK(options.run.limits.total == std::uint64_t{3} << 40);
  CHECK(options.run.limits.ratio == 7);
  CHECK(parsed({"--max-member", "64KiB", "x"}).run.limits.member == 65536);
  for (const auto* wrong : {"", "GiB", "-1", "1.5GiB", "8gib", "1048577TiB", "18446744073709551616"}) {
    CAPTURE(wrong);
    CHECK_FALSE(complaint({"--max-member", wrong, "x"}).empty());
  }
}

TEST_CASE("the last word of why is the library") {
  const Options options = parsed({"why", "./app", "plugin.so", "libz.so.1", "--all"});
  CHECK(options.arguments == Line{"./app", "plugin.so"});
  CHECK(options.question.library == "libz.so.1");
  CHECK(options.question.all_chains);
}

TEST_CASE("what is wrong is said, with what was meant") {
  struct Row {
    Line words;
    std::string_view message;
  };
  std::vector<std::string_view> formats;
  for (const auto& rule : format_table()) formats.push_back(rule.name);
  const auto no_format =
      fmt::format("`--format` is one of {}, not `jsn`; did you mean `json`?", fmt::join(formats, ", "));
  const std::vector<Row> rows = {
      {{"--sysrot", "/", "x"}, "unknown option `--sysrot`; did you mean `--sysroot`?"},
      {{"--sysroo=/", "x"}, "unknown option `--sysroo`; did you mean `--sysroot`?"},
      {{"-Z", "x"}, "unknown option `-Z`"},
      {{"--depth"}, "`--depth` needs a value"},
      {{"--secure=1", "x"}, "`--secure` takes no value"},
      {{"-f", "jsn", "x"}, no_format},
      {{"tree", "--all", "x"}, "`--all` is not an option of `tree`, but of `why`"},
      {{"tree"}, "a target is missing: cudald tree TARGET..."},
      {{"why", "x"}, "a library is missing: cudald why TARGET... LIBRARY"},
      {{"rule", "CUD999"}, "no finding is called `CUD999`; `cudald rule` lists them"},
      {{"rule", "libary-not-found"}, "no finding is called `libary-not-found`; did you mean `library-not-found`?"},
      {{"--ignore", "CUD8", "x"}, "--ignore: no finding is called `CUD8`; `cudald rule` lists them"},
      {{"completion", "fihs"}, "`fihs` is not one of bash, zsh, fish, powershell; did you mean `fish`?"},
      {{"help", "chek"},
       "`chek` is not one of man, explain, check, probe, repair, tree, why, show, env, diff, scan, merge, provides, "
       "rule, config, "
       "cache, schema, completion, help; did you mean `check`?"},
      {{"--width", "3", "x"}, "--width 3: expected a number from 40 to 1000"},
      {{"--max-member", "0", "x"}, "--max-member 0: expected a size such as 500000, 64MiB or 8GiB"},
      {{"--max-total", "5 GB", "x"}, "--max-total 5 GB: expected a size such as 500000, 64MiB or 8GiB"},
      {{"--max-ratio", "0", "x"}, "--max-ratio 0: expected a number from 1 to 1000000"},
      {{"--env", "A", "x"}, "--env A: expected NAME=VALUE"},
      {{"--dlopen", "a,nwo", "x"}, "--dlopen a,nwo: `nwo` is not a flag of dlopen; did you mean `now`?"},
      {{"--bindings", "x"}, "`--bindings` needs `-f json` or `-f ndjson`: text does not show them"},
      {{"explain", ""}, "an empty argument: cudald explain TARGET..."},
      {{"--explain", "CUD101", "x"}, "`--explain CODE` takes no target; for a file, `cudald explain FILE`"},
      {{"scan", "x"}, "`scan` keeps what it has in a directory; name it with `--state DIR`"},
      {{"scan", "--state", "s", "--relist"}, "a list, directory or file is missing: cudald scan LIST|DIR|FILE..."},
      {{"scan", "x", "--state", "s", "--shard", "0/2"}, "--shard 0/2: shards count from 1, here to 2"},
      {{"scan", "x", "--state", "s", "--shards", "0"}, "--shards 0: expected a number from 1 to 1000000"},
      {{"scan", "x", "--state", "s", "--shard", "1/2", "--shards", "2"},
       "`--shard I/N` says how many there are; leave out `--shards`"},
      {{"scan", "x", "--state", "s", "--dynamic", "--shards", "2"},
       "`--dynamic` takes what is left; `--shard` and `--shards` do not go with it"},
      {{"merge"}, "expected the directory of one scan: cudald merge STATE"},
      {{"check", "x", "--state", "s"}, "`--state` is not an option of `check`, but of `scan`"},
      {{"--bad\x1b[31m"}, "unknown option `--bad\\x1b[31m`"},
  };
  for (const Row& row : rows) CHECK(complaint(row.words) == row.message);
}

TEST_CASE("what an answer depends on is noted, and nothing else") {
  Settings settings;
  settings.keys["gpu"] = {{"sm_90"}, "cudald.toml:1"};
  settings.keys["jobs"] = {{"3"}, "cudald.toml:2"};
  settings.keys["policy.max-glibc"] = {{"2.17"}, "cudald.toml:3"};
  settings.suppressions.push_back({"CUD1", "*.so", "", "a reason", "2027-01-01", "cudald.toml:4"});
  const auto options =
      parse_options({"scan", "x", "--state", "s", "--driver=535", "-j", "2", "--timeout", "5", "--secure"}, settings);
  REQUIRE(options);
  CHECK(std::set<std::string>(options->scan.stated.begin(), options->scan.stated.end()) ==
        std::set<std::string>{"driver=535", "gpu=sm_90", "ignored CUD1 object=*.so until=2027-01-01",
                              "policy.max-glibc=2.17", "secure"});
}

TEST_CASE("a mistyped command is remembered in case it is no file") {
  CHECK(parsed({"exlpain", "x"}).help.likely_command == "explain");
  CHECK(parsed({"./exlpain"}).help.likely_command.empty());
  CHECK(parsed({"libtree.so"}).help.likely_command.empty());
}

TEST_CASE("help and version need nothing else") {
  CHECK(parsed({"-h"}).help.short_help);
  CHECK_FALSE(parsed({"-h"}).help.long_help);
  CHECK(parsed({"tree", "--help"}).help.long_help);
  CHECK(parsed({"--version"}).help.version);
  const Options page = parsed({"--explain", "CUD101"});
  CHECK(page.command == Command::rule);
  CHECK(page.arguments == Line{"CUD101"});
}

TEST_CASE("the table is consistent") {
  std::set<std::string_view> names;
  std::set<char> letters;
  for (const OptionRule& option : option_table()) {
    CAPTURE(option.name);
    CHECK(names.insert(option.name).second);
    if (option.letter != '\0') CHECK(letters.insert(option.letter).second);
    const bool is_applied = option.apply != nullptr;
    CHECK(is_applied);
    CHECK(option.commands != 0);
    CHECK_FALSE(option.summary.empty());
    CHECK_FALSE(option.summary.ends_with('.'));
    const bool details_are_sentences = option.details.empty() || option.details.ends_with('.');
    CHECK(details_are_sentences);
    for (const std::string_view value : allowed_values(option)) {
      Options options;
      CHECK_FALSE(option.apply(options, std::string(value)));
    }
  }
}

TEST_CASE("each platform of the table is a known machine") {
  for (const std::string_view value : allowed_values(*find_option("platform"))) {
    CAPTURE(value);
    const Options options = parsed({"--platform", std::string(value), "x"});
    CHECK(options.world.machine.has_value() == (value != "host"));
  }
}

TEST_CASE("a sysroot has an environment of its own") {
  Environment host;
  host.variables = {{"LD_LIBRARY_PATH", "/host"}};
  host.cwd = "/home/me";
  const auto query = [&host](Line words) { return make_queries(parsed(words), parsed(words).arguments, host).front(); };

  CHECK(query({"x"}).environment.variable("LD_LIBRARY_PATH") == "/host");
  CHECK(query({"x"}).environment.cwd == "/home/me");
  CHECK(query({"--cwd", "sub", "x"}).environment.cwd == "/home/me/sub");
  CHECK(query({"--prefix", "venv", "x"}).prefix == "/home/me/venv");
  CHECK_FALSE(query({"--clear-env", "x"}).environment.variable("LD_LIBRARY_PATH"));
  CHECK(query({"--clear-env", "--env", "LD_LIBRARY_PATH=/mine", "x"}).environment.variable("LD_LIBRARY_PATH") ==
        "/mine");
  const Query other = query({"--sysroot", "/srv", "--env", "A=1", "x"});
  CHECK(other.environment.variables == std::map<std::string, std::string>{{"A", "1"}});
  CHECK(other.environment.cwd == "/");
  CHECK(query({"x"}).symbols == SymbolCheck::all);
  CHECK(query({"tree", "x"}).symbols == SymbolCheck::none);
}

TEST_CASE("targets share a process, or have one each") {
  const Options together = parsed({"a", "b"}), apart = parsed({"--separately", "a", "b"});
  CHECK(make_queries(together, together.arguments, {}).size() == 1);
  const auto queries = make_queries(apart, apart.arguments, {});
  REQUIRE(queries.size() == 2);
  CHECK(queries[1].targets == Line{"b"});
}

Report report_with(Level level, Verdict verdict) {
  Report report;
  Finding finding;
  finding.code = "CUD201";
  finding.level = level;
  report.findings = {finding};
  report.verdict = verdict;
  return report;
}

TEST_CASE("the exit status follows the findings and the verdict") {
  const Report error = report_with(Level::error, Verdict::fails), note = report_with(Level::note, Verdict::loads),
               unknown = report_with(Level::error, Verdict::unknown);
  CHECK(exit_status(parsed({"x"}), error) == exit_findings);
  CHECK(exit_status(parsed({"x"}), note) == exit_fine);
  CHECK(exit_status(parsed({"x"}), report_with(Level::warning, Verdict::risk)) == exit_fine);
  CHECK(exit_status(parsed({"--fail-on", "warning", "x"}), report_with(Level::warning, Verdict::risk)) ==
        exit_findings);
  CHECK(exit_status(parsed({"--fail-on", "note", "x"}), note) == exit_findings);
  CHECK(exit_status(parsed({"--fail-on", "warning", "x"}), note) == exit_fine);
  CHECK(exit_status(parsed({"--fail-on", "never", "x"}), error) == exit_fine);
  CHECK(exit_status(parsed({"x"}), unknown) == exit_incomplete);
  CHECK(exit_status(parsed({"--allow-incomplete", "x"}), unknown) == exit_findings);
}

TEST_CASE("colour follows option, NO_COLOR, the force variables and the terminal, in that order") {
  const auto colour = [](Line words, std::map<std::string, std::string> variables, bool is_terminal) {
    words.push_back("x");
    Terminal terminal;
    terminal.output_is_terminal = is_terminal;
    terminal.variables = std::move(variables);
    return make_style(parsed(words), terminal).colour;
  };
  CHECK(colour({}, {}, true));
  CHECK_FALSE(colour({}, {}, false));
  CHECK_FALSE(colour({}, {{"TERM", "dumb"}}, true));
  CHECK_FALSE(colour({}, {{"NO_COLOR", "1"}}, true));
  CHECK(colour({}, {{"NO_COLOR", ""}}, true));
  CHECK(colour({}, {{"FORCE_COLOR", "1"}}, false));
  CHECK(colour({}, {{"CLICOLOR_FORCE", "1"}}, false));
  CHECK_FALSE(colour({}, {{"CLICOLOR_FORCE", "0"}}, false));
  CHECK_FALSE(colour({}, {{"NO_COLOR", "1"}, {"FORCE_COLOR", "1"}}, true));
  CHECK(colour({"--color", "always"}, {{"NO_COLOR", "1"}}, false));
  CHECK_FALSE(colour({"--color=never"}, {{"FORCE_COLOR", "1"}}, true));
  CHECK_FALSE(colour({"-o", "file"}, {}, true));
}

TEST_CASE("the width is the terminal's, within reason") {
  const auto width = [](Line words, std::size_t columns) {
    words.push_back("x");
    Terminal terminal;
    terminal.columns = columns;
    return make_style(parsed(words), terminal).width;
  };
  CHECK(width({}, 0) == 100);
  CHECK(width({}, 80) == 80);
  CHECK(width({}, 20) == 60);
  CHECK(width({}, 500) == 120);
  CHECK(width({"--width", "200"}, 80) == 200);
}

TEST_CASE("a pager is for terminals only") {
  Terminal terminal;
  terminal.variables = {{"PATH", "/bin:/usr/bin"}, {"PAGER", "sh -c more"}};
  CHECK(pager_command(parsed({"x"}), terminal).empty());
  terminal.output_is_terminal = true;
  CHECK(pager_command(parsed({"x"}), terminal) == "sh -c more");
  CHECK(pager_command(parsed({"--no-pager", "x"}), terminal).empty());
  CHECK(pager_command(parsed({"-f", "json", "x"}), terminal).empty());
  CHECK(pager_command(parsed({"-o", "file", "x"}), terminal).empty());
  for (const char* none : {"", "cat", "no-such-program-here"}) {
    terminal.variables["PAGER"] = none;
    CHECK(pager_command(parsed({"x"}), terminal).empty());
  }
}

TEST_CASE("each switch sets what it says, and nothing is set without it") {
  struct Row {
    Line words;
    bool (*is_set)(const Options&);
  };
  const Row rows[] = {
      {{"check", "--online"}, [](const Options& o) { return o.packages.online; }},
      {{"--no-cache"}, [](const Options& o) { return o.packages.no_cache; }},
      {{"check", "--verify-hashes"}, [](const Options& o) { return o.packages.verify_hashes; }},
      {{"--secure"}, [](const Options& o) { return o.world.secure; }},
      {{"--clear-env"}, [](const Options& o) { return o.process.clear_environment; }},
      {{"-f", "json", "--bindings"}, [](const Options& o) { return o.question.bindings; }},
      {{"--gpu-code"}, [](const Options& o) { return o.question.gpu_code; }},
      {{"--verify"}, [](const Options& o) { return o.question.verify; }},
      {{"--separately"}, [](const Options& o) { return o.question.separately; }},
      {{"check", "--together"}, [](const Options& o) { return o.question.together; }},
      {{"--require-gpu"}, [](const Options& o) { return o.judgement.require_gpu; }},
      {{"--allow-incomplete"}, [](const Options& o) { return o.judgement.allow_incomplete; }},
      {{"--strict"}, [](const Options& o) { return o.judgement.strict; }},
      {{"--ascii"}, [](const Options& o) { return o.output.ascii; }},
      {{"--no-pager"}, [](const Options& o) { return !o.output.pager; }},
      {{"--isolated"}, [](const Options& o) { return o.run.isolated; }},
      {{"scan", "--state", "s", "--dynamic"}, [](const Options& o) { return o.scan.dynamic; }},
      {{"scan", "--state", "s", "--retry"}, [](const Options& o) { return o.scan.retry; }},
      {{"scan", "--state", "s", "--relist"}, [](const Options& o) { return o.scan.relist; }},
      {{"-q"}, [](const Options& o) { return o.output.verbosity == -1; }},
      {{"-v"}, [](const Options& o) { return o.output.verbosity == 1; }},
      {{"-q", "-v"}, [](const Options& o) { return o.output.verbosity == 1; }},
      {{"-v", "-q"}, [](const Options& o) { return o.output.verbosity == -1; }},
      {{"-v", "-v"}, [](const Options& o) { return o.output.verbosity == 2; }},
  };
  for (const auto& [words, is_set] : rows) {
    const auto& seen_words = words;
    CAPTURE(seen_words.back());
    auto line = words;
    line.push_back("x");
    CHECK(is_set(parsed(line)));
    CHECK_FALSE(is_set(parsed({"x"})));
  }
}

TEST_CASE("each option with a text enters it where it belongs") {
  struct Row {
    Line words;
    std::string (*text)(const Options&);
  };
  const Row rows[] = {
      {{"--host", "tag"}, [](const Options& o) { return o.world.host; }},
      {{"--cwd", "v"}, [](const Options& o) { return o.process.cwd.value_or(""); }},
      {{"--prefix", "v"}, [](const Options& o) { return o.world.prefix.value_or(""); }},
      {{"--knowledge", "v"}, [](const Options& o) { return o.world.knowledge.at(0); }},
      {{"--dll-path", "v"}, [](const Options& o) { return o.process.dll_path.at(0); }},
      {{"--add-dll-directory", "v"}, [](const Options& o) { return o.process.dll_directories.at(0); }},
      {{"--with", "v"}, [](const Options& o) { return o.packages.given.at(0); }},
      {{"--extras", "v"}, [](const Options& o) { return o.packages.extras.at(0); }},
      {{"check", "--groups", "v"}, [](const Options& o) { return o.packages.groups.at(0); }},
      {{"check", "--wheels", "v"}, [](const Options& o) { return o.packages.wheels.at(0); }},
      {{"--preload", "v"}, [](const Options& o) { return o.process.preload.at(0); }},
      {{"--error", "v"}, [](const Options& o) { return o.question.message.value_or(""); }},
      {{"tree", "--invert", "v"}, [](const Options& o) { return o.question.invert; }},
      {{"--baseline", "v"}, [](const Options& o) { return o.judgement.baseline; }},
      {{"--write-baseline", "v"}, [](const Options& o) { return o.judgement.write_baseline; }},
      {{"--config", "v"}, [](const Options& o) { return o.run.config.at(0); }},
      {{"scan", "--state", "v"}, [](const Options& o) { return o.scan.state; }},
  };
  for (const auto& [words, text] : rows) {
    const auto& seen_words = words;
    CAPTURE(seen_words.front());
    auto line = words;
    line.push_back("x");
    CHECK(text(parsed(line)) == words.back());
  }
  CHECK(parsed({"tree", "--depth", "3", "x"}).question.depth == 3);
  CHECK(parsed({"-j", "3", "x"}).run.jobs == 3);
  CHECK(parsed({"--timeout", "3s", "x"}).run.timeout == std::chrono::seconds(3));
  CHECK(parsed({"scan", "--state", "s", "--shards", "3", "x"}).scan.shards == 3);
  CHECK(parsed({"scan", "--state", "s", "--max-memory", "3KiB", "x"}).scan.max_memory == 3072);
  CHECK(parsed({"diff", "--symbols", "none", "a", "b"}).question.symbols == SymbolCheck::none);
  CHECK_FALSE(parsed({"diff", "a", "b"}).question.symbols_asked);
  CHECK(parsed({"--constants", "all", "x"}).question.constants == ConstantScope::all);
  CHECK(parsed({"--constants", "files", "x"}).question.constants == ConstantScope::files);
}

TEST_CASE("limits of numbers are those that are documented") {
  const std::pair<const char*, std::pair<std::string, std::string>> rows[] = {{"--depth", {"1", "10000"}},
                                                                              {"--jobs", {"1", "1024"}},
                                                                              {"--width", {"40", "1000"}},
                                                                              {"--max-ratio", {"1", "1000000"}}};
  for (const auto& [option, bounds] : rows) {
    const std::string command = option == std::string("--depth") ? "tree" : "explain";
    for (const auto& good : {bounds.first, bounds.second}) CHECK(complaint({command, option, good, "x"}).empty());
    const auto wanted =
        std::string(option) + " " + "0: expected a number from " + bounds.first + " to " + bounds.second;
    CHECK(complaint({command, option, "0", "x"}) == wanted);
    CHECK_FALSE(complaint({command, option, bounds.second + "0", "x"}).empty());
  }
}

TEST_CASE("a scan goes on with its list, and is told what it lists anew") {
  CHECK(complaint({"scan", "--state", "s"}).empty());
  CHECK(complaint({"scan", "--state", "s", "--relist", "x"}).empty());
  CHECK(complaint({"scan", "--state", "s", "--relist"}) ==
        "a list, directory or file is missing: cudald scan LIST|DIR|FILE...");
}

TEST_CASE("of commands that write one answer -o with a format names its file") {
  const auto show = parsed({"show", "-o", "json=f", "x"});
  CHECK(show.output.format == OutputFormat::json);
  CHECK(show.output.path == "f");
  CHECK(show.output.documents.empty());
  CHECK(complaint({"show", "-o", "json=f", "-o", "json=g", "x"}) ==
        "`show` writes one file; -o is given more than once");
  CHECK(complaint({"show", "-o", "json=f", "-o", "g", "x"}) == "`show` writes one file; -o is given more than once");
  CHECK(parsed({"merge", "-o", "sarif=f", "s"}).output.documents.size() == 1);
  CHECK(parsed({"tree", "-o", "dot=f", "x"}).output.documents.size() == 1);
  for (const auto* command : {"explain", "check", "probe"}) {
    CAPTURE(command);
    CHECK(parsed({command, "-o", "json=f", "-o", "sarif=g", "x"}).output.documents.size() == 2);
  }
}

TEST_CASE("words of commands that take one are checked") {
  CHECK(complaint({"config", "show", "x"}) == "one word is enough; `x` is one more");
  CHECK(complaint({"cache"}) == "`show` or `clear` is missing: cudald cache show|clear");
  CHECK(complaint({"schema"}).starts_with("a schema is missing: "));
  CHECK(complaint({"help", "man"}).empty());
  CHECK(complaint({"help"}).empty());
  CHECK(complaint({"--error", "text"}).empty());
  CHECK(complaint({"merge", "a", "b"}).starts_with("expected the directory of one scan"));
}

TEST_CASE("where nothing is stated it is as is documented") {
  const auto options = parsed({"x"});
  CHECK(options.world.sysroot == "/");
  CHECK(options.judgement.fail_on == Level::error);
  CHECK(options.output.format == OutputFormat::text);
  CHECK(options.question.symbols == SymbolCheck::all);
  CHECK(options.output.colour == ColourWish::automatic);
  CHECK(options.output.progress == ProgressWish::automatic);
  CHECK(options.output.verbosity == 0);
  CHECK(options.output.pager);
  CHECK(options.scan.max_memory == std::uint64_t{4} << 30);
  CHECK_FALSE(options.question.separately);
  CHECK(parsed({"check", "x"}).question.separately);
  CHECK_FALSE(parsed({"check", "--together", "x"}).question.separately);
  CHECK_FALSE(options.run.jobs);
  CHECK_FALSE(options.question.depth);
  CHECK_FALSE(options.run.timeout);
  CHECK_FALSE(options.world.kind);
}

TEST_CASE("what a command lacks is told with how it is called") {
  const std::vector<std::pair<Line, std::string>> rows = {
      {{"explain"}, "a target is missing: cudald explain TARGET..."},
      {{"check"}, "a target is missing: cudald check TARGET..."},
      {{"probe"}, "a target is missing: cudald probe TARGET..."},
      {{"tree"}, "a target is missing: cudald tree TARGET..."},
      {{"tree", "--", ""}, "an empty argument: cudald tree TARGET..."},
      {{"show"}, "a file is missing: cudald show FILE..."},
      {{"why"}, "a target is missing: cudald why TARGET... LIBRARY"},
      {{"why", "a"}, "a library is missing: cudald why TARGET... LIBRARY"},
      {{"provides"}, "the name of a library is missing: cudald provides NAME..."},
      {{"tree", "--state", "s", "x"}, "`--state` is not an option of `tree`, but of `scan`"},
      {{"env", "--jobs", "2"}, "`--jobs` is not an option of `env`, but of `explain`, `check`, `probe`, `scan`"},
      {{"scan", "--state", "s", "--dynamic", "--shard", "1/2", "x"},
       "`--dynamic` takes what is left; `--shard` and `--shards` do not go with it"},
      {{"scan", "--state", "s", "--dynamic", "--shards", "2", "x"},
       "`--dynamic` takes what is left; `--shard` and `--shards` do not go with it"},
      {{"scan", "--state", "s", "--shard", "1/2", "--shards", "2", "x"},
       "`--shard I/N` says how many there are; leave out `--shards`"},
      {{"--libc", "foo", "x"}, "--libc foo: a C library is written glibc-2.36 or musl-1.2"},
      {{"check", "--select", "CUD1,,CUD2", "x"},
       "--select CUD1,,CUD2: no finding is called ``; `cudald rule` lists them"},
      {{"check", "--select", "zzzzzzzz", "x"}, "--select: no finding is called `zzzzzzzz`; `cudald rule` lists them"},
      {{"rule", "zzzzzzzz"}, "no finding is called `zzzzzzzz`; `cudald rule` lists them"},
      {{"--explain", "CUD101", "x"}, "`--explain CODE` takes no target; for a file, `cudald explain FILE`"}};
  for (const auto& row : rows) {
    CAPTURE(row.second);
    CHECK(complaint(row.first) == row.second);
  }
  CHECK(complaint({"scan", "--state", "s", "--shard", "1/2", "x"}) == "");
  CHECK(complaint({"scan", "--state", "s", "--shards", "2", "x"}) == "");
  CHECK(complaint({"scan", "--state", "s", "--dynamic", "x"}) == "");
}

TEST_CASE("only the word for help says whether it is long, and the last level of a code counts") {
  CHECK_FALSE(parsed({"-h", "--color=never"}).help.long_help);
  CHECK_FALSE(parsed({"--color=never", "-h"}).help.long_help);
  CHECK(parsed({"-h", "--help"}).help.long_help);
  CHECK(parsed({"--help", "-h"}).help.long_help);
  const auto levels = parsed({"check", "--level", "CUD108=error", "--level", "cud1=note", "x"}).judgement.levels;
  CHECK(levels == std::vector<std::pair<std::string, Level>>{{"CUD108", Level::error}, {"CUD1", Level::note}});
}

TEST_CASE("a scan has up to a million shards, and symbols are asked for by the word for all alone") {
  const auto shards = [](const std::string& count) {
    return complaint({"scan", "--state", "s", "--shards", count, "x"});
  };
  CHECK(shards("1").empty());
  CHECK(shards("1000000").empty());
  CHECK(shards("0") == "--shards 0: expected a number from 1 to 1000000");
  CHECK_FALSE(parsed({"diff", "--symbols", "none", "a", "b"}).question.symbols_asked);
  CHECK(parsed({"--symbols", "all", "x"}).question.symbols == SymbolCheck::all);
  CHECK(parsed({"--constants", "none", "x"}).question.constants == ConstantScope::none);
  CHECK(parsed({"--default-dll-directories", "0x400", "x"}).process.default_dll_directories == 0x400);
  CHECK(parsed({"--max-total", "5", "--max-ratio", "6", "--max-member", "7", "x"}).run.limits ==
        InflateLimits{7, 5, 6});
}

}  // namespace
}  // namespace cudald
