#include "cli/options/settings.h"

#include <doctest/doctest.h>

#include "cli/options/options.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

SettingSources sources() {
  SettingSources result;
  result.cwd = "/src/pkg/tests";
  result.variables = {{"HOME", "/home/me"}};
  return result;
}

std::string value(const Settings& settings, const std::string& key) {
  const auto found = settings.keys.find(key);
  return found == settings.keys.end() ? "" : found->second.values.front() + " from " + found->second.origin;
}

std::string complaint_about(const std::string& text, const std::string& file = "/src/cudald.toml") {
  MemoryFileSystem files;
  files.add_file(file, text);
  const auto settings = read_settings(sources(), files);
  return settings ? "" : settings.error().message;
}

TEST_CASE("the strongest source of a key counts, and each says where it is") {
  MemoryFileSystem files;
  files.add_file("/src/cudald.toml", "fail-on = \"note\"\ndriver = \"535.104\"\n");
  files.add_file("/src/pkg/pyproject.toml",
                 "[tool.cudald]\nfail-on = \"warning\"\nlibc = \"glibc-2.31\"\nstrict = true\n");
  files.add_file("/home/me/.config/cudald/config.toml", "fail-on = \"never\"\npython = \"3.9\"\nstrict = false\n");
  auto given = sources();
  auto settings = read_settings(given, files);
  REQUIRE(settings.has_value());
  CHECK(value(*settings, "fail-on") == "note from /src/cudald.toml:1");
  CHECK(value(*settings, "libc") == "glibc-2.31 from /src/pkg/pyproject.toml:3");
  CHECK(value(*settings, "strict") == "true from /src/pkg/pyproject.toml:4");
  CHECK(value(*settings, "python") == "3.9 from /home/me/.config/cudald/config.toml:2");

  given.variables["CUDALD_FAIL_ON"] = "error";
  given.variables["CUDALD_GPU"] = "sm_80,sm_90";
  given.variables["CUDALD_NO_SUCH_THING"] = "x";
  given.config = {"driver=550.54", "policy.max-glibc=2.28"};
  settings = read_settings(given, files);
  REQUIRE(settings.has_value());
  CHECK(value(*settings, "fail-on") == "error from CUDALD_FAIL_ON");
  CHECK(settings->keys.at("gpu").values == std::vector<std::string>{"sm_80", "sm_90"});
  CHECK(value(*settings, "driver") == "550.54 from --config");
  CHECK(settings->policy().max_glibc == "2.28");

  given.isolated = true;
  given.config.clear();
  CHECK(read_settings(given, files)->keys.empty());
}

TEST_CASE("--config FILE takes the place of files that are found") {
  MemoryFileSystem files;
  files.add_file("/src/cudald.toml", "fail-on = \"note\"\n");
  files.add_file("/other/x.toml", "driver = \"535.104\"\n");
  auto given = sources();
  given.config = {"/other/x.toml"};
  const auto settings = read_settings(given, files);
  REQUIRE(settings.has_value());
  CHECK(settings->files == std::vector<std::string>{"/other/x.toml"});
  given.config = {"/other/none.toml"};
  CHECK(read_settings(given, files).error().message == "--config /other/none.toml: no such file");
}

TEST_CASE("options of the command line come before settings, and what a command does not take is passed over") {
  MemoryFileSystem files;
  files.add_file("/src/cudald.toml",
                 "fail-on = \"note\"\ngpu = [\"sm_80\"]\nformat = \"sarif\"\n[policy]\nabi3 = false\n");
  const auto settings = *read_settings(sources(), files);
  const auto check = parse_options({"check", "--gpu", "sm_90", "x"}, settings);
  REQUIRE(check.has_value());
  CHECK(check->judgement.fail_on == Level::note);
  CHECK(check->world.gpus == std::vector<GpuArchitecture>{{90, 0}});
  CHECK(check->output.format == OutputFormat::sarif);
  CHECK_FALSE(check->judgement.policy.check_abi3);
  const auto tree = parse_options({"tree", "x"}, settings);
  REQUIRE(tree.has_value());
  CHECK(tree->output.format == OutputFormat::text);
  CHECK(tree->world.gpus.empty());
}

TEST_CASE("unknown keys are errors that name the one that was meant") {
  CHECK(complaint_about("fial-on = \"note\"") == "/src/cudald.toml:1: unknown key `fial-on`; did you mean `fail-on`?");
  CHECK(complaint_about("\n[policy]\nmax-glbc = \"2.28\"") ==
        "/src/cudald.toml:3: unknown rule `max-glbc` in [policy]; did you mean `max-glibc`?");
  CHECK(complaint_about("output = \"x\"").starts_with("/src/cudald.toml:1: unknown key `output`"));
  CHECK(complaint_about("[polcy]\nx = 1") == "/src/cudald.toml:1: unknown table `polcy`");
  CHECK(complaint_about("fail-on = [\"note\", \"error\"]") == "/src/cudald.toml:1: `fail-on` takes one value");
  CHECK(complaint_about("fail-on = \"warn\"").find("did you mean `warning`?") != std::string::npos);
  CHECK(complaint_about("select = [\"CUD999\"]").find("no finding is called `CUD999`") != std::string::npos);
  CHECK(complaint_about("strict = \"yes\"").find("`strict` is true or false") != std::string::npos);
  CHECK(complaint_about("a = ").starts_with("/src/cudald.toml: line "));
}

TEST_CASE("a pyproject.toml of others is none of our business") {
  CHECK(complaint_about("[tool.black]\nx = ", "/src/pyproject.toml") == "");
  CHECK(complaint_about("[tool.cudald]\nx = ", "/src/pyproject.toml") != "");
  CHECK(complaint_about("[tool.cudald]\nx = 1", "/src/pyproject.toml").find("unknown key `x`") != std::string::npos);
}

TEST_CASE("what is suppressed has a reason") {
  MemoryFileSystem files;
  files.add_file("/src/cudald.toml",
                 "ignore = [\"CUD108\", {code = \"CUD302\", object = \"libcurand*\", reason = \"shared\", until = "
                 "2027-01-01}]\n");
  const auto settings = *read_settings(sources(), files);
  CHECK(settings.keys.at("ignore").values == std::vector<std::string>{"CUD108"});
  REQUIRE(settings.suppressions.size() == 1);
  CHECK(settings.suppressions[0].until == "2027-01-01");
  const auto fault = [](const std::string& lines) {
    return complaint_about("[[ignore]]\ncode = \"CUD302\"\n" + lines);
  };
  CHECK(fault("reason = \"x\"").empty());
  CHECK(fault("") == "/src/cudald.toml:1: an entry of [[ignore]] needs a `reason`");
  CHECK(complaint_about("[[ignore]]\nreason = \"x\"") == "/src/cudald.toml:1: an entry of [[ignore]] needs a `code`");
  CHECK(complaint_about("[[ignore]]\ncode = \"CUD302,CUD303\"\nreason = \"x\"") ==
        "/src/cudald.toml:1: `code` is one code");
  CHECK(complaint_about("[[ignore]]\ncode = \"CUX\"\nreason = \"x\"")
            .starts_with("/src/cudald.toml:1: no finding is called `CUX`"));
  CHECK(fault("reason = \"x\"\nuntil = \"soon\"") ==
        "/src/cudald.toml:1: `until` is a day such as 2027-01-01, not `soon`");
  CHECK(fault("reasn = \"x\"") == "/src/cudald.toml:1: unknown key `reasn` in [[ignore]]; did you mean `reason`?");
  for (const auto* several : {"reason = [\"x\", \"y\"]", "reason = [\"x\"]"})
    CHECK(fault(several) == "/src/cudald.toml:1: `reason` takes one value");
}

TEST_CASE("the user's own file lies where the system says, and one above comes after the nearest") {
  MemoryFileSystem files;
  files.add_file("/xdg/cudald/config.toml", "python = \"3.9\"\n");
  files.add_file("/home/me/.config/cudald/config.toml", "python = \"3.10\"\n");
  auto given = sources();
  const auto python = [&] { return value(*read_settings(given, files), "python"); };
  CHECK(python() == "3.10 from /home/me/.config/cudald/config.toml:1");
  given.variables["XDG_CONFIG_HOME"] = "/xdg";
  CHECK(python() == "3.9 from /xdg/cudald/config.toml:1");
  given.variables["XDG_CONFIG_HOME"] = "xdg";  // by its rules such a folder does not count
  CHECK(python() == "3.10 from /home/me/.config/cudald/config.toml:1");
  given.variables["HOME"] = "home/me";
  CHECK(python() == "");
  files.add_file("/cudald.toml", "python = \"3.12\"\n");
  files.add_file("/src/cudald.toml", "libc = \"glibc-2.31\"\n");
  CHECK(python() == "");  // the nearest alone is read
  files.add_file("/src/pkg/pyproject.toml", "[tool.black]\nx = 1\n");
  files.add_file("/pyproject.toml", "[tool.cudald]\npython = \"3.13\"\n");
  CHECK(python() == "3.13 from /pyproject.toml:2");  // that of others is none
}

TEST_CASE("what is wrong in an option or a variable is told with it, and an empty variable is none") {
  MemoryFileSystem files;
  auto given = sources();
  const auto complaint = [&] {
    const auto settings = read_settings(given, files);
    return settings ? "" : settings.error().message;
  };
  given.config = {"fial-on=note"};
  CHECK(complaint() == "--config: unknown key `fial-on`; did you mean `fail-on`?");
  given.config = {"policy.max-glibc=new"};
  CHECK(complaint() == "--config: `policy.max-glibc`: `new` is not a version");
  given.config.clear();
  given.variables["CUDALD_STRICT"] = "yes";
  CHECK(complaint() == "CUDALD_STRICT: `strict` is true or false");
  given.variables["CUDALD_STRICT"] = "";
  given.variables["CUDALD_FAIL_ON"] = "";
  CHECK(complaint() == "");
  CHECK(read_settings(given, files)->keys.empty());
}

TEST_CASE("a value of an option is read as TOML, and as it is where it is none") {
  MemoryFileSystem files;
  auto given = sources();
  given.config = {"driver=550.54.14", "gpu=[\"sm_80\", \"sm_90\"]", "strict=true", "python=\"3.11\"", "strict=false"};
  const auto settings = read_settings(given, files);
  REQUIRE_MESSAGE(settings, settings.error().message);
  CHECK(settings->keys.at("driver").values == std::vector<std::string>{"550.54.14"});
  CHECK(settings->keys.at("gpu").values == std::vector<std::string>{"sm_80", "sm_90"});
  CHECK(settings->keys.at("strict").values == std::vector<std::string>{"true"});
  CHECK(settings->keys.at("python").values == std::vector<std::string>{"3.11"});
  CHECK(settings->files.empty());
}

TEST_CASE("the stated files are all read, the first counting most, and what is wrong in one is told") {
  MemoryFileSystem files;
  files.add_file("/src/a.toml", "driver = \"535\"\n");
  files.add_file("/src/b.toml", "driver = \"550\"\nstrict = true\n");
  files.add_file("/src/pyproject.toml", "[tool.cudald]\nx = 1\n");
  auto given = sources();
  given.cwd = "/src";
  given.config = {"a.toml", "b.toml"};
  const auto settings = read_settings(given, files);
  REQUIRE(settings);
  CHECK(settings->files == std::vector<std::string>{"/src/a.toml", "/src/b.toml"});
  CHECK(value(*settings, "driver") == "535 from /src/a.toml:1");
  CHECK(value(*settings, "strict") == "true from /src/b.toml:2");
  given.config = {"pyproject.toml"};
  CHECK(read_settings(given, files).error().message.starts_with("/src/pyproject.toml:2: unknown key `x`"));
}

TEST_CASE("a file of ours that cannot be read is a fault, one of others is not") {
  MemoryFileSystem files;
  FileTraits closed;
  closed.readable = false;
  files.add_file("/src/pyproject.toml", "[tool.cudald]\nstrict = true\n", closed);
  CHECK(read_settings(sources(), files)->files.empty());
  files.add_file("/src/pkg/cudald.toml", "", closed);
  const auto settings = read_settings(sources(), files);
  REQUIRE_FALSE(settings);
  CHECK(settings.error().code == ErrorCode::usage);
  CHECK(settings.error().message == "/src/pkg/cudald.toml: Permission denied");
}

TEST_CASE("a file of ours counts though it is empty; a project's counts that has our table, up to the root") {
  MemoryFileSystem files;
  files.add_file("/src/pkg/cudald.toml", "");
  files.add_file("/src/cudald.toml", "strict = true\n");
  files.add_file("/src/pyproject.toml", "# cudald\n[tool.black]\nx = 1\n");
  files.add_file("/pyproject.toml", "[tool.cudald]\nstrict = false\n");
  const auto settings = read_settings(sources(), files);
  REQUIRE(settings);
  CHECK(settings->files == std::vector<std::string>{"/src/pkg/cudald.toml", "/pyproject.toml"});
  CHECK(value(*settings, "strict") == "false from /pyproject.toml:2");
}

TEST_CASE("policy is a table and ignore a list of codes or tables; other forms are told") {
  CHECK(complaint_about("policy = \"x\"") == "/src/cudald.toml:1: `policy` is a table: [policy]");
  CHECK(complaint_about("\n[[policy]]\nabi3 = true") == "/src/cudald.toml:2: unknown table `policy`");
  CHECK(complaint_about("[ignore]\ncode = \"CUD302\"") == "/src/cudald.toml:1: unknown table `ignore`");
  CHECK(complaint_about("[[strict]]\nx = 1") == "/src/cudald.toml:1: unknown table `strict`");
  CHECK(complaint_about("[policy]\nmax-glibc = \"new\"") ==
        "/src/cudald.toml:2: `policy.max-glibc`: `new` is not a version");
  CHECK(complaint_about("ignore = []") == "");
  CHECK(complaint_about("ignore = [\"CUX\"]") ==
        "/src/cudald.toml:1: `ignore`: no finding is called `CUX`; `cudald rule` lists them");
  CHECK(complaint_about("[policy]") == "");
}

TEST_CASE("a suppression has each of its fields, and a day is written in one way") {
  MemoryFileSystem files;
  files.add_file("/src/cudald.toml",
                 "[[ignore]]\nreason = \"why\"\nsubject = \"sub\"\ncode = \"CUD302\"\nobject = \"ob\"\n"
                 "until = 2027-01-31\n[[ignore]]\ncode = \"library-not-found\"\nreason = \"x\"\n");
  const auto settings = *read_settings(sources(), files);
  CHECK(settings.keys.empty());
  REQUIRE(settings.suppressions.size() == 2);
  const auto& entry = settings.suppressions[0];
  CHECK(entry.code == "CUD302");
  CHECK(entry.object == "ob");
  CHECK(entry.subject == "sub");
  CHECK(entry.reason == "why");
  CHECK(entry.until == "2027-01-31");
  CHECK(entry.origin == "/src/cudald.toml:1");
  CHECK(settings.suppressions[1].code == "CUD101");
  CHECK(settings.suppressions[1].origin == "/src/cudald.toml:7");
  const std::string begin = "[[ignore]]\ncode = \"CUD302\"\nreason = \"x\"\nuntil = \"";
  CHECK(complaint_about(begin + "2027-01-31\"") == "");
  for (const std::string day :
       {"2027-01-3x", "2027/01-31", "2027-01/31", "2027-1-031", "-027-01-31", "2027-01-310", "2027-01-3"})
    CHECK(complaint_about(begin + day + "\"") ==
          "/src/cudald.toml:1: `until` is a day such as 2027-01-01, not `" + day + "`");
}

TEST_CASE("a file of settings of more than a mebibyte is refused") {
  MemoryFileSystem files;
  FileTraits large;
  large.claimed_size = (std::uint64_t{1} << 20) + 1;
  files.add_file("/src/cudald.toml", "strict = true\n", large);
  const auto settings = read_settings(sources(), files);
  REQUIRE_FALSE(settings);
  CHECK(settings.error().code == ErrorCode::usage);
  CHECK(settings.error().message == "/src/cudald.toml: larger than the 1048576 bytes that are read of it");
  large.claimed_size = std::uint64_t{1} << 20;
  files.add_file("/src/cudald.toml", "strict = true\n", large);
  CHECK(value(*read_settings(sources(), files), "strict") == "true from /src/cudald.toml:1");
}

}  // namespace
}  // namespace cudald
