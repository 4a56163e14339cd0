// Which options each command takes, and how they are spelled: what users rely on.

#include "cli/options/option_table.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output/views.h"

namespace cudald {
namespace {

std::string options_of(Command command) {
  std::string names;
  for (const auto& option : option_table())
    if (option.applies_to(command)) names += (names.empty() ? "" : " ") + std::string(option.name);
  return names;
}

TEST_CASE("each command takes its options") {
  CHECK(options_of(Command::explain) ==
        R"(sysroot prefix python libc platform cpu gpu driver host knowledge secure user env clear-env cwd dll-path )"
        R"(add-dll-directory default-dll-directories with extras online no-cache preload lib error dlopen symbols )"
        R"(constants bindings gpu-code verify separately jobs fail-on require-gpu select ignore level baseline )"
        R"(write-baseline allow-incomplete strict format output color ascii width quiet verbose no-pager max-member )"
        R"(max-total max-ratio timeout sandbox progress config isolated explain help version)");
  CHECK(options_of(Command::check) ==
        R"(sysroot prefix python libc platform cpu gpu driver host knowledge secure user env clear-env cwd dll-path )"
        R"(add-dll-directory default-dll-directories with extras groups wheels online no-cache verify-hashes preload )"
        R"(dlopen symbols constants gpu-code separately together jobs fail-on require-gpu select ignore level )"
        R"(baseline write-baseline allow-incomplete strict format output color ascii width quiet verbose no-pager )"
        R"(max-member max-total max-ratio sandbox progress config isolated help version)");
  CHECK(options_of(Command::probe) ==
        R"(sysroot prefix python libc platform cpu gpu driver host knowledge secure user env clear-env cwd dll-path )"
        R"(add-dll-directory default-dll-directories with extras no-cache preload dlopen symbols constants gpu-code )"
        R"(separately jobs fail-on require-gpu select ignore level baseline write-baseline allow-incomplete strict )"
        R"(format output color ascii width quiet verbose no-pager max-member max-total max-ratio timeout )"
        R"(sandbox progress config isolated help version)");
  CHECK(options_of(Command::repair) ==
        R"(prefix python libc cpu gpu driver knowledge env clear-env cwd with preload dlopen format output wheel-dir )"
        R"(dry-run )"
        R"(color ascii width quiet verbose no-pager sandbox config isolated help version)");
  CHECK(options_of(Command::tree) ==
        R"(sysroot prefix python libc platform cpu driver host knowledge secure user env clear-env cwd dll-path )"
        R"(add-dll-directory default-dll-directories with extras no-cache preload dlopen constants separately depth )"
        R"(invert fail-on allow-incomplete format output color ascii width no-pager max-member max-total max-ratio )"
        R"(sandbox progress config isolated help version)");
  CHECK(options_of(Command::why) ==
        R"(sysroot prefix python libc platform cpu driver host knowledge secure user env clear-env cwd dll-path )"
        R"(add-dll-directory default-dll-directories with extras no-cache preload dlopen constants all )"
        R"(allow-incomplete format output color ascii width no-pager max-member max-total max-ratio sandbox )"
        R"(progress config isolated help version)");
  CHECK(options_of(Command::show) ==
        R"(sysroot knowledge no-cache allow-incomplete format output color ascii width quiet verbose no-pager )"
        R"(sandbox config isolated help version)");
  CHECK(options_of(Command::env) ==
        R"(sysroot prefix gpu driver knowledge env clear-env symbols format save print output color ascii width )"
        R"(no-pager sandbox config isolated help version)");
  CHECK(options_of(Command::diff) ==
        R"(symbols format output color ascii width quiet verbose no-pager sandbox config isolated help version)");
  CHECK(options_of(Command::scan) ==
        R"(prefix python libc platform cpu gpu driver host knowledge secure user env clear-env cwd dll-path )"
        R"(add-dll-directory default-dll-directories with extras online no-cache preload dlopen symbols constants )"
        R"(gpu-code jobs require-gpu select ignore level baseline color ascii width quiet no-pager max-member )"
        R"(max-total max-ratio timeout sandbox progress )"
        R"(state shard shards dynamic retry relist max-memory config isolated )"
        R"(help version)");
  CHECK(options_of(Command::merge) ==
        R"(format output color ascii width quiet no-pager sandbox config isolated help version)");
  CHECK(options_of(Command::provides) ==
        R"(python platform knowledge online no-cache format output color ascii width no-pager sandbox config isolated )"
        R"(help version)");
  CHECK(options_of(Command::rule) == R"(format output color ascii width no-pager help version)");
  CHECK(options_of(Command::config) == R"(format output color ascii width no-pager config isolated help version)");
  CHECK(options_of(Command::cache) == R"(color ascii width no-pager help version)");
  CHECK(options_of(Command::schema) == R"(color ascii width no-pager help version)");
  CHECK(options_of(Command::completion) == R"(color ascii width no-pager help version)");
  CHECK(options_of(Command::help) == R"(color ascii width no-pager help version)");
}

TEST_CASE("options are spelled so, stand under these titles, and may be keys of a configuration") {
  std::string table;
  for (const auto& option : option_table()) {
    const char* key = option.in_files == InFiles::no ? "" : option.in_files == InFiles::one ? ", a key" : ", a list";
    table += fmt::format("{}: {}{}\n", usage_of(option), title_of(option.category), key);
    const bool formats = option.values == format_names;
    if (formats) table += "  each format\n";
    if (!formats && !option.values.empty()) table += fmt::format("  {}\n", fmt::join(allowed_values(option), " "));
  }
  CHECK(table == R"(--sysroot TREE: Machine and packages
--prefix DIR: Machine and packages, a key
--python VERSION: Machine and packages, a key
--libc VERSION: Machine and packages, a key
--platform PLATFORM: Machine and packages, a key
  host linux-x86_64 linux-i386 linux-aarch64 linux-arm linux-ppc64 linux-s390 linux-riscv windows-x86_64 )"
                 R"(windows-i386 windows-aarch64
--cpu LEVEL: Machine and packages, a key
  host x86-64-v1 x86-64-v2 x86-64-v3 x86-64-v4
--gpu GPU: Machine and packages, a list
--driver VERSION: Machine and packages, a key
--host here|tag|FILE: Machine and packages, a key
--knowledge FILE: Machine and packages, a list
--secure: Machine and packages
--user NAME: Machine and packages
--env NAME=VALUE: Environment
--clear-env: Environment
--cwd DIR: Environment
--dll-path DIR: Environment
--add-dll-directory DIR: Environment
--default-dll-directories FLAGS: Environment
--with PACKAGE: Machine and packages, a list
--extras NAME[,NAME]: Machine and packages, a list
--groups NAME[,NAME]: Machine and packages, a list
--wheels DIR: Machine and packages, a list
--online: Machine and packages
--no-cache: Machine and packages
--verify-hashes: Machine and packages
--preload FILE: Environment
-l, --lib NAME: Question
--error TEXT: Question
--dlopen NAME: Question
--symbols SCOPE: Question, a key
  none all
--constants SCOPE: Question, a key
  none files all
--bindings: Question
--gpu-code: Question, a key
--verify: Question
--separately: Question
--together: Question, a key
-j, --jobs N: Question, a key
--depth N: Question
--invert LIBRARY: Question
--all: Question
--fail-on LEVEL: Judgement, a key
  error warning note never
--require-gpu: Judgement, a key
--select CODES: Judgement, a list
--ignore CODES: Judgement, a list
--level CODE=LEVEL: Judgement, a list
--baseline FILE: Judgement, a key
--write-baseline FILE: Judgement
--allow-incomplete: Judgement, a key
--strict: Judgement, a key
-f, --format FORMAT: Output, a key
  each format
--save FILE: Output
--print WHAT: Output
  ld-library-path dll-path
-o, --output [FORMAT=]FILE: Output
-w, --wheel-dir DIR: Output
--dry-run: Output
--color WHEN: Output, a key
  auto always never
--ascii: Output, a key
--width N: Output, a key
-q, --quiet: Output, a key
-v, --verbose: Output, a key
--no-pager: Output, a key
--max-member SIZE: Limits, a key
--max-total SIZE: Limits, a key
--max-ratio N: Limits, a key
--timeout TIME: Limits, a key
--sandbox WHEN: Limits
  auto require off
--progress WAY: Output, a key
  auto plain never
--state DIR: Scan
--shard I/N: Scan
--shards N: Scan, a key
--dynamic: Scan
--retry: Scan
--relist: Scan
--max-memory SIZE: Scan, a key
--config FILE|KEY=VALUE: Configuration
--isolated: Configuration
--explain CODE: Help
-h, --help: Help
-V, --version: Help
)");
}

TEST_CASE("the commands are these, each with its arguments") {
  std::string table;
  for (const auto& rule : command_table()) {
    table += fmt::format("{} {}\n", rule.name, rule.arguments);
    CHECK(&rule_of(rule.command) == &rule);
    CHECK(find_command(rule.name) == &rule);
  }
  CHECK(table == R"(explain TARGET...
check TARGET...
probe TARGET...
repair FILE... -o NEW|DIR, WHEEL... -w DIR
tree TARGET...
why TARGET... LIBRARY
show FILE...
env 
diff A B
scan LIST|DIR|FILE...
merge STATE
provides NAME...
rule [CODE...]
config show|init
cache show|clear
schema NAME
completion bash|zsh|fish|powershell
help [COMMAND]
)");
  CHECK(find_command("nosuch") == nullptr);
  CHECK(find_option("nosuch") == nullptr);
  CHECK(find_option("format")->letter == 'f');
}

TEST_CASE("a command takes the formats that it can write") {
  std::string table;
  for (const auto& rule : command_table()) {
    std::string formats;
    for (const auto& format : format_table())
      if (has_format(rule.command, format.name)) formats += " " + std::string(format.name);
    if (!formats.empty()) table += fmt::format("{}:{}\n", rule.name, formats);
    CHECK_FALSE(has_format(rule.command, "nosuch"));
  }
  // What judges can write all.
  std::string all;
  for (const auto& format : format_table()) all += " " + std::string(format.name);
  const std::string judging = "explain:" + all + "\ncheck:" + all + "\nprobe:" + all + "\n";
  CHECK(table == judging + R"(repair: text json ndjson
tree: text json ndjson dot mermaid
why: text json ndjson
show: text json ndjson
env: text json ndjson
diff: text json ndjson
merge: text ndjson sarif html
provides: text json ndjson
rule: text json ndjson
config: text json ndjson
)");
  const auto* format = find_option("format");
  CHECK(fmt::format("{}", fmt::join(allowed_values(*format, Command::tree), " ")) == "text json ndjson dot mermaid");
}

TEST_CASE("a setting is entered where the command takes it, and complained of where it is wrong") {
  Options options;
  const auto set = [&](const char* name, const std::string& value) {
    return apply_setting(*find_option(name), options, value).value_or("");
  };
  CHECK(set("strict", "true").empty());
  CHECK(options.judgement.strict);
  options.judgement.strict = false;
  CHECK(set("strict", "false").empty());
  CHECK_FALSE(options.judgement.strict);
  CHECK(set("strict", "yes") == "`strict` is true or false");
  CHECK(set("jobs", "0") == "`jobs`: expected a number from 1 to 1024");
  CHECK(set("jobs", "7").empty());
  CHECK(options.run.jobs == 7);
  CHECK(set("color", "alway") == "`color` is one of auto, always, never, not `alway`; did you mean `always`?");
  options.command = Command::tree;
  CHECK(set("strict", "yes").empty());
  CHECK(set("format", "sarif").empty());
  CHECK(options.output.format == OutputFormat::text);
  CHECK(set("format", "dot").empty());
  CHECK(options.output.format == OutputFormat::dot);
}

}  // namespace
}  // namespace cudald
