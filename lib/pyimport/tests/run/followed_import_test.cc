#include "pyimport/run/followed_import.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald::python {
namespace {

/// With another value in each field.
FollowedImport example() {
  FollowedImport followed;
  followed.files.statuses = {{"/s/m.py", 0, {FileKind::regular, 7, {3, 4}, true, true, false, 21, 22, 99}},
                             {"/s/n.py", 2, {}}};
  followed.files.lists = {{"/s", 0, {FileKind::folder, 4096, {3, 5}, true, false, true, 23, 24, 98}}};
  followed.files.real_paths = {{"/l", 0, "/s"}, {"/k", 2, ""}};
  followed.variables = {{"A", "1"}, {"B", std::nullopt}};
  followed.cwd = "/w";
  Exchange load{.kind = Exchange::Kind::load};
  load.step = {LoadStep::Kind::library, "lib.so", 8U, true, true, false, "m", "/s/m.py", 11, "rule"};
  load.answer = {false, "no", "OSError", 126, 12};
  Exchange mapped{.kind = Exchange::Kind::mapped, .text = "libcudart"};
  mapped.yes = true;
  followed.exchanges = {load, mapped};
  followed.result.imported = true;
  followed.result.followed = false;
  followed.result.error = "ImportError: no";
  followed.result.causes = {12};
  followed.result.unexplained = true;
  followed.result.modules = {{"m", "/s/m.py", true, "/s/o.py", 3}};
  followed.result.missing = {{"x", "/s/m.py", 4, true}};
  followed.result.soft_libraries = {{"libsoft.so", "/s/m.py", 5, "m", "rule", "without it", true, true}};
  followed.result.unfollowed = {{Unfollowed::Kind::opened, "/s/m.py", 6, "m", "load()", false}};
  followed.result.notes = {"one"};
  followed.result.looked_at = {{"A", "B"}, true};
  followed.cost = {1, 2, 3};
  return followed;
}

PythonEnvironment environment() {
  PythonEnvironment python;
  python.variables = {{"A", "1"}, {"C", "3"}};
  python.stated_variables = {"A", "B", "C"};
  python.cwd = "/w";
  return python;
}

}  // namespace

TEST_CASE("an import that was followed comes back from its bytes") {
  const auto followed = example();
  const auto bytes = followed.packed();
  const auto again = FollowedImport::unpacked(bytes);
  REQUIRE(again.has_value());
  CHECK(again->packed() == bytes);
  CHECK(again->files.statuses == followed.files.statuses);
  CHECK(again->files.lists == followed.files.lists);
  CHECK(again->files.real_paths == followed.files.real_paths);
  CHECK(again->variables == followed.variables);
  CHECK(again->cwd == followed.cwd);
  REQUIRE(again->exchanges.size() == 2);
  const auto& step = again->exchanges[0].step;
  CHECK(step.kind == LoadStep::Kind::library);
  CHECK(step.path == "lib.so");
  CHECK(step.flags == 8U);
  CHECK(step.global);
  CHECK(step.only_if_loaded);
  CHECK_FALSE(step.required);
  CHECK(step.line == 11);
  CHECK(again->exchanges[0].answer.error == "no");
  CHECK(again->exchanges[0].answer.code == 126);
  CHECK(again->exchanges[0].answer.request == std::size_t{12});
  CHECK(again->exchanges[1].kind == Exchange::Kind::mapped);
  CHECK(again->exchanges[1].text == "libcudart");
  CHECK(again->exchanges[1].yes);
  CHECK(again->result.modules.at(0).source == "/s/o.py");
  CHECK(again->result.missing.at(0).required);
  CHECK(again->result.soft_libraries.at(0).note == "without it");
  CHECK(again->result.unfollowed.at(0).kind == Unfollowed::Kind::opened);
  CHECK_FALSE(again->result.unfollowed.at(0).certain);
  CHECK(again->cost == followed.cost);
}

TEST_CASE("bytes that were cut or went on are no import") {
  const auto bytes = example().packed();
  CHECK_FALSE(FollowedImport::unpacked(bytes.substr(0, bytes.size() - 1)).has_value());
  CHECK_FALSE(FollowedImport::unpacked(bytes + "x").has_value());
  CHECK_FALSE(FollowedImport::unpacked("").has_value());
}

TEST_CASE("an import holds where files, variables and the current folder that it looked at are the same") {
  MemoryFileSystem files;
  files.add_file("/s/m.py", "");
  FollowedImport followed;
  followed.files.statuses = {{"/s/m.py", 0, *files.status("/s/m.py")}};
  followed.variables = {{"A", "1"}, {"B", std::nullopt}};
  followed.cwd = "/w";
  auto python = environment();
  CHECK(followed.holds(python, files));
  python.variables["C"] = "4";
  CHECK(followed.holds(python, files));
  python.variables["B"] = "";
  CHECK_FALSE(followed.holds(python, files));
  python = environment();
  python.variables["A"] = "2";
  CHECK_FALSE(followed.holds(python, files));
  python = environment();
  python.variables.erase("A");
  CHECK_FALSE(followed.holds(python, files));
  python = environment();
  python.cwd = "/v";
  CHECK_FALSE(followed.holds(python, files));
  followed.cwd.reset();
  CHECK(followed.holds(python, files));
  files.add_file("/s/m.py", "");
  CHECK_FALSE(followed.holds(python, files));
}

TEST_CASE("of a Python all counts but what its process has around it") {
  const auto before = packed(environment());
  auto python = environment();
  python.variables.clear();
  python.cwd = "/elsewhere";
  CHECK(packed(python) == before);
  const auto differs = [&](auto change) {
    auto other = environment();
    change(other);
    return packed(other) != before;
  };
  CHECK(differs([](auto& p) { p.interpreter = "/bin/python3"; }));
  CHECK(differs([](auto& p) { p.version = "3.12"; }));
  CHECK(differs([](auto& p) { p.prefix = "/x"; }));
  CHECK(differs([](auto& p) { p.base_prefix = "/x"; }));
  CHECK(differs([](auto& p) { p.path = {"/x"}; }));
  CHECK(differs([](auto& p) { p.extension_suffixes = {".so"}; }));
  CHECK(differs([](auto& p) { p.machine = "aarch64"; }));
  CHECK(differs([](auto& p) { p.narrow = true; }));
  CHECK(differs([](auto& p) { p.complete = false; }));
  CHECK(differs([](auto& p) { p.elsewhere = {"numpy"}; }));
  CHECK(differs([](auto& p) { p.start_up = {{"a.pth", "import a"}}; }));
  CHECK(differs([](auto& p) { p.notes = {"one"}; }));
}

TEST_CASE("of what is around its process an import keeps what the code looked at") {
  ImportResult result;
  result.looked_at.variables = {"A", "B"};
  const auto without = note_followed(environment(), {}, {}, result, {});
  CHECK(without.variables == std::map<std::string, std::optional<std::string>>{{"A", "1"}, {"B", std::nullopt}});
  CHECK_FALSE(without.cwd.has_value());
  result.looked_at.cwd = true;
  CHECK(note_followed(environment(), {}, {}, result, {}).cwd == "/w");
}

TEST_CASE("a process is asked each thing once, however many records are held against it") {
  std::vector<std::string> asked;
  PythonLoader loader;
  loader.load = [&](const LoadStep& step) {
    asked.push_back(step.path);
    return LoadAnswer{step.path != "c", "", "", 0, 40 + asked.size()};
  };
  const auto record = [](std::vector<std::pair<const char*, bool>> loads) {
    FollowedImport followed;
    for (const auto& [path, loaded] : loads) {
      Exchange exchange;
      exchange.step.path = path;
      exchange.answer = {loaded, "", "", 0, followed.exchanges.size()};
      followed.exchanges.push_back(exchange);
    }
    followed.result.causes = {followed.exchanges.size() - 1};
    return followed;
  };
  ProcessAnswers answers(loader);
  CHECK_FALSE(answers.repeat(record({{"a", true}, {"b", false}, {"x", true}})).has_value());
  CHECK(asked == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(answers.repeat(record({{"a", true}, {"other", true}})).has_value());
  const auto result = answers.repeat(record({{"a", true}, {"b", true}, {"c", false}}));
  REQUIRE(result.has_value());
  CHECK(asked == std::vector<std::string>{"a", "b", "c"});
  CHECK(result->causes == std::vector<std::size_t>{43});
  const auto recording = answers.recording();
  CHECK(recording.load({.path = "a"}).loaded);
  CHECK(asked.size() == 3);
}

TEST_CASE("a question is the same if its kind, text, request and path are") {
  Exchange one{.kind = Exchange::Kind::load, .step = {.kind = LoadStep::Kind::library, .path = "a"}, .text = "t"};
  CHECK(one.asks_the_same(one));
  auto other = one;
  other.step.module = "elsewhere";
  CHECK(one.asks_the_same(other));
  const auto differs = [&](auto change) {
    auto changed = one;
    change(changed);
    return !one.asks_the_same(changed);
  };
  CHECK(differs([](Exchange& e) { e.kind = Exchange::Kind::mapped; }));
  CHECK(differs([](Exchange& e) { e.text = "u"; }));
  CHECK(differs([](Exchange& e) { e.step.kind = LoadStep::Kind::dll; }));
  CHECK(differs([](Exchange& e) { e.step.path = "b"; }));
}

TEST_CASE("an answer is the same whatever number the request has, if it has one") {
  Exchange one;
  one.answer = {false, "no", "OSError", 126, 12};
  auto other = one;
  other.answer.request = 13;
  CHECK(one.says_the_same(other));
  const auto differs = [&](auto change) {
    auto changed = one;
    change(changed);
    return !one.says_the_same(changed);
  };
  CHECK(differs([](Exchange& e) { e.yes = true; }));
  CHECK(differs([](Exchange& e) { e.answer.loaded = true; }));
  CHECK(differs([](Exchange& e) { e.answer.error = "yes"; }));
  CHECK(differs([](Exchange& e) { e.answer.kind = "ImportError"; }));
  CHECK(differs([](Exchange& e) { e.answer.code = 127; }));
  CHECK(differs([](Exchange& e) { e.answer.request.reset(); }));
}

TEST_CASE("what an import takes in memory grows with all that it holds") {
  FollowedImport followed;
  std::uint64_t size = 0;
  const auto grows_by = [&](std::uint64_t bytes) {
    CHECK(followed.size() == size + bytes);
    size = followed.size();
  };
  grows_by(0);
  followed.exchanges.resize(2);
  grows_by(2 * sizeof(Exchange));
  followed.result.modules = {{"m", "/s/m.py", true, "/s/other.py", 3}};
  grows_by(sizeof(ImportedModule) + 1 + 7 + 11);
  followed.result.soft_libraries = {{"libsoft.so", "/s/m.py", 5, "m", "rule", "without it", true, true}};
  grows_by(sizeof(SoftLibrary) + 10 + 10);
  followed.result.missing = {{"absent", "/s/m.py", 4, true}, {"x", "/s/m.py", 5, true}};
  grows_by(2 * sizeof(MissingModule) + 7);
  followed.result.unfollowed = {{Unfollowed::Kind::opened, "/s/m.py", 6, "m", "load()", false}};
  grows_by(sizeof(Unfollowed) + 7 + 6);
  followed.result.notes = {"one", "three"};
  grows_by(2 * sizeof(std::string) + 8);
  followed.files.statuses = {{"/s/m.py", 0, {}}};
  grows_by(sizeof(followed.files.statuses[0]) + 7);
}

TEST_CASE("all that code asks of a process is asked once, noted, and asked in the same way again") {
  std::vector<std::string> asked;
  PythonLoader loader;
  loader.load = [&](const LoadStep& step) {
    asked.push_back("load " + step.path);
    return LoadAnswer{true, ""};
  };
  loader.mapped = [&](const std::string& text) {
    asked.push_back("mapped " + text);
    return text == "yes";
  };
  loader.finds = [&](const std::string& text) {
    asked.push_back("finds " + text);
    return text != "yes";
  };
  ProcessAnswers answers(loader);
  const auto recording = answers.recording();
  CHECK(recording.mapped("yes"));
  CHECK_FALSE(recording.finds("yes"));
  CHECK(recording.load({.path = "a"}).loaded);
  const std::vector<std::string> all{"mapped yes", "finds yes", "load a"};
  CHECK(asked == all);
  FollowedImport followed;
  followed.exchanges = answers.take();
  REQUIRE(followed.exchanges.size() == 3);
  CHECK(followed.exchanges[0].kind == Exchange::Kind::mapped);
  CHECK(followed.exchanges[0].text == "yes");
  CHECK(followed.exchanges[0].yes);
  CHECK(followed.exchanges[1].kind == Exchange::Kind::finds);
  CHECK_FALSE(followed.exchanges[1].yes);
  CHECK(followed.exchanges[2].step.path == "a");
  followed.result.causes = {7};

  asked.clear();
  ProcessAnswers again(loader);
  const auto result = again.repeat(followed);
  REQUIRE(result.has_value());
  CHECK(result->causes == std::vector<std::size_t>{7});  // no request has that number
  CHECK(asked == all);
  loader.finds = [](const std::string&) { return true; };
  ProcessAnswers changed(loader);
  CHECK_FALSE(changed.repeat(followed).has_value());
}

TEST_CASE("a recording has the table of names as well") {
  PythonLoader loader;
  loader.releases_with = [](const std::string& module, const std::string& name) {
    return std::optional(ReleasesWithName{module, name});
  };
  ProcessAnswers answers(loader);
  const auto row = answers.recording().releases_with("p", "<2");
  REQUIRE(row);
  CHECK(row->releases == "<2");
}

TEST_CASE("what a process cannot be asked its recording cannot be asked either") {
  const PythonLoader nothing;
  ProcessAnswers answers(nothing);
  const auto recording = answers.recording();
  CHECK_FALSE(recording.load);
  CHECK_FALSE(recording.mapped);
  CHECK_FALSE(recording.finds);
}

}  // namespace cudald::python
