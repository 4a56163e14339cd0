#include "cli/commands/judge_target.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "common/wheel_file.h"
#include "unit/cli/command_line.h"
#include "unit/cli/index_server.h"

namespace cudald {
namespace {

const WorkItem item{"a.whl", 5, ""};
const std::string document = R"({"schema":"cudald/report","verdict":"loads"})";

ScanRecord kept(ChildEnd end, int status, const std::string& output = "", const std::string& complaints = "") {
  return record_of(item, {0, end, status, output, complaints, 0, 0}, {});
}

TEST_CASE("one document is a report, with whatever status check has for it") {
  for (const int status : {0, 1, 3}) {
    const auto record = kept(ChildEnd::exited, status, document + "\n");
    CHECK(record.outcome == Outcome::judged);
    CHECK(record.status == status);
    CHECK(record.report == document);
    CHECK(record.item == item);
  }
}

TEST_CASE("behind the document stands which suppressions were of use") {
  const auto record = kept(ChildEnd::exited, 0, document + "\n{\"ignored_by\":[\"ignored CUD1\"]}\n");
  CHECK(record.report == document);
  CHECK(record.ignored_by == std::vector<std::string>{"ignored CUD1"});
}

TEST_CASE("anything else is told as what it was") {
  CHECK(kept(ChildEnd::exited, 4, "", "a bug\nand more").message == "a bug");
  CHECK(kept(ChildEnd::exited, 4, document + "\n").outcome == Outcome::failed);
  CHECK(kept(ChildEnd::exited, 0, document + "\n" + document + "\n").outcome == Outcome::failed);
  CHECK(kept(ChildEnd::exited, 0, "{\"cut").outcome == Outcome::failed);
  // A lock within a list, which check judges as a whole.
  CHECK(kept(ChildEnd::exited, 0, "{\"schema\":\"cudald/deployment\"}\n").outcome == Outcome::failed);
  CHECK(kept(ChildEnd::exited, 77).message == "exit status 77");
  CHECK(kept(ChildEnd::crashed, SIGSEGV).message == "signal 11: Segmentation fault");
  CHECK(kept(ChildEnd::crashed, SIGSEGV).outcome == Outcome::crashed);
  CHECK(kept(ChildEnd::timed_out, SIGKILL).message == "longer than 600 s");
  CHECK(kept(ChildEnd::out_of_memory, 125).message == "more than 4096 MiB");
  CHECK(kept(ChildEnd::too_much_output, SIGKILL).outcome == Outcome::failed);
  const auto limited = [](ChildEnd end, int status) {
    ChildLimits limits;
    limits.time = std::chrono::milliseconds(1500);
    limits.memory = std::uint64_t{3} << 20;
    limits.output = 17;
    const auto record = record_of(item, {0, end, status, "", "", 0, 0}, limits);
    CHECK_FALSE(record.status);
    return record.message;
  };
  CHECK(limited(ChildEnd::timed_out, 0) == "longer than 1.5 s");
  CHECK(limited(ChildEnd::out_of_memory, 0) == "more than 3 MiB");
  CHECK(limited(ChildEnd::too_much_output, 0) == "its answer has more than 17 bytes");
  CHECK(limited(ChildEnd::not_started, EAGAIN) == "not started: Resource temporarily unavailable");
  CHECK(kept(ChildEnd::timed_out, 0).outcome == Outcome::timed_out);
  CHECK(kept(ChildEnd::out_of_memory, 0).outcome == Outcome::out_of_memory);
  CHECK(kept(ChildEnd::not_started, EAGAIN).outcome == Outcome::failed);
}

/// What a worker's child says of a target, and its status.
CommandAnswer judged(const ScratchFolder& folder, const WorkItem& target, const std::vector<std::string>& words = {},
                     std::map<std::string, std::string> variables = {}) {
  std::vector<std::string> all{"scan", "--state", "state", "x"};
  all.insert(all.end(), words.begin(), words.end());
  auto options = *parse_options(all);
  options.resolved.table = built_in_knowledge();
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = "/";
  environment.cpu = x86_64_cpu(1);
  variables["NETRC"] = "/dev/null";
  environment.variables = std::move(variables);
  Terminal terminal;
  terminal.output_is_terminal = terminal.errors_are_terminal = true;
  const Host host{environment, terminal, input, complaints};
  std::ostringstream errors;
  auto* const before = std::cerr.rdbuf(errors.rdbuf());
  auto answer = said_by([&] { return judge_target(options, {}, host, target, folder.path(), 1); }, folder);
  std::cerr.rdbuf(before);
  answer.complaints = errors.str();
  return answer;
}

TEST_CASE("a target is judged in the folder of the list, in one line of JSON") {
  const ScratchFolder folder;
  folder.add_file("a.so", elf({}));
  folder.add_file("bad.so", elf({.needed = {"libx.so.1"}}));
  const auto good = judged(folder, {"a.so", 0, ""});
  CHECK(good.complaints.empty());
  CHECK(good.status == 0);
  CHECK(record_of({"a.so", 0, ""}, {0, ChildEnd::exited, 0, good.answer, "", 0, 0}, {}).outcome == Outcome::judged);
  CHECK(judged(folder, {"bad.so", 0, ""}).status == 1);
  const auto none = judged(folder, {"none.so", 0, ""});
  CHECK(none.status == 3);
  CHECK(none.answer.starts_with(R"({"schema":"cudald/report")"));
  CHECK(none.answer.find("none.so") != std::string::npos);
  const auto wrong = judged(folder, {"a.so", 0, ""}, {"--baseline", "none"});
  CHECK(wrong.status == 2);
  CHECK(wrong.answer.empty());
  CHECK(wrong.complaints.starts_with("--baseline none: No such file or directory"));
}

TEST_CASE("an address is judged by what its server sends; what cannot be reached is no answer") {
  IndexServer server;
  const ScratchFolder folder;
  const std::string name = "good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  const auto bytes = wheel_file({{"good/__init__.py", ""}, {"good/m.so", elf({})}}, "", "good");
  server.add("/" + name, {bytes, ""});
  server.add("/page/" + name, {"<html>", ""});
  const auto remote = [&](const std::string& path, const std::string& hash, std::uint64_t size) {
    return judged(folder, {server.url(path + name), size, hash}, {"--online"});
  };
  const auto good = remote("/", sha256(bytes), bytes.size());
  CHECK(good.status == 0);
  CHECK(good.complaints.empty());
  CHECK(good.answer.starts_with(R"({"schema":"cudald/report")"));
  const auto gone = remote("/none/", "", 0);
  CHECK(gone.status == 2);
  CHECK(gone.answer.empty());
  CHECK(gone.complaints == "the server answers with status 404\n");
  const auto wrong = judged(folder, {server.url("/" + name), 0, ""}, {"--online"}, {{"PIP_KEYRING_PROVIDER", "x"}});
  CHECK(wrong.status == 2);
  CHECK(wrong.complaints.starts_with("--online: PIP_KEYRING_PROVIDER is x: "));
  // That it is something else than was named is an answer.
  for (const auto& other :
       {remote("/", std::string(64, '0'), bytes.size()), remote("/", "", 7), remote("/page/", "", 0)}) {
    CHECK(other.status == 3);
    CHECK(other.answer.starts_with(R"({"schema":"cudald/report")"));
  }
}

}  // namespace
}  // namespace cudald
