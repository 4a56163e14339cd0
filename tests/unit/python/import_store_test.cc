#include "python/import_store.h"

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

using namespace cudald;

namespace {

constexpr std::string_view rules =
    R"({"standard_library": {"names": ["sys", "os", "ctypes"]}, "rules": [], "libraries": {"rows": {}}})";

/// A question about a module m that loads a.so and b.so, does without a.so, and has the process number its requests.
struct Question {
  explicit Question(ImportStore& to) : store(to) {
    python.version = "3.11";
    python.path = {"/s"};
    python.extension_suffixes = {".so"};
    files.add_file("/s/m.py", "try:\n  import a\nexcept ImportError:\n  import c\nimport b\n");
    for (const auto* name : {"a.so", "b.so", "c.so"}) files.add_file(std::string("/s/") + name, "");
  }

  ImportResult ask(const std::vector<std::string>& refused, const CostLimits& limits = python_limits) {
    loads.clear();
    PythonLoader loader;
    loader.load = [&](const LoadStep& step) {
      loads.push_back(step.path);
      for (const auto& path : refused)
        if (path == step.path) return LoadAnswer{false, path + ": no", "", 0, first_number + loads.size()};
      return LoadAnswer{true, ""};
    };
    loader.mapped = [](const std::string&) { return false; };
    Budget budget(limits);
    auto result = store.run("m", python, files, tree, loader, rules, budget);
    cost = budget.cost();
    return result;
  }

  ImportStore& store;
  MemoryFileSystem files;
  PythonEnvironment python;
  std::optional<std::vector<std::string>> tree = std::vector<std::string>{"one.whl"};
  std::size_t first_number = 0;
  std::vector<std::string> loads;
  Cost cost;
};

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("an import that was followed is asked of the process again, and costs the same") {
  ImportStore store;
  Question first(store), second(store);
  CHECK(first.ask({}).imported);
  second.files.add_file("/s/m.py", "raise ImportError('it was read')\n");
  const auto again = second.ask({});
  CHECK(again.imported);
  CHECK(again.modules.size() == 3);
  CHECK(second.loads == Paths{"/s/a.so", "/s/b.so"});
  CHECK(second.cost == first.cost);
}

TEST_CASE("where no other question follows each import is followed by itself") {
  ImportStore store(false);
  Question first(store), second(store);
  CHECK(first.ask({}).imported);
  second.files.add_file("/s/m.py", "raise ImportError('it was read')\n");
  CHECK(second.ask({}).error == "ImportError: it was read");
}

TEST_CASE("what was forgotten is read and followed anew") {
  ImportStore store;
  store.forget();
  Question first(store), second(store);
  CHECK(first.ask({}).imported);
  store.forget();
  second.files.add_file("/s/m.py", "raise ImportError('it was read')\n");
  CHECK(second.ask({}).error == "ImportError: it was read");
}

TEST_CASE("where the process answers otherwise the import is followed from there") {
  ImportStore store;
  Question first(store), second(store);
  CHECK(first.ask({}).imported);
  second.first_number = 40;
  const auto other = second.ask({"/s/a.so", "/s/b.so"});
  CHECK(second.loads == Paths{"/s/a.so", "/s/c.so", "/s/b.so"});  // each is asked once
  CHECK(other.error == "ImportError: /s/b.so: no");
  CHECK(other.causes == std::vector<std::size_t>{43});
}

TEST_CASE("the causes of a failure are the requests of the process that is asked") {
  ImportStore store;
  Question first(store), second(store);
  CHECK(first.ask({"/s/b.so"}).causes == std::vector<std::size_t>{2});
  second.first_number = 40;
  second.files.add_file("/s/m.py", "");
  CHECK(second.ask({"/s/b.so"}).causes == std::vector<std::size_t>{42});
}

TEST_CASE("other files, another Python or a tree of which nothing is said: it is followed again") {
  ImportStore store;
  Question first(store), other(store), python(store), unknown(store);
  CHECK(first.ask({}).imported);
  for (auto* question : {&other, &python, &unknown}) question->files.add_file("/s/m.py", "import b\n");
  other.tree = {"two.whl"};
  python.python.variables["NAME"] = "value";
  unknown.tree.reset();
  for (auto* question : {&other, &python, &unknown}) {
    CHECK(question->ask({}).imported);
    CHECK(question->loads == Paths{"/s/b.so"});
  }
}

TEST_CASE("a question that has no room for an import does not follow it, and leaves nothing to others") {
  ImportStore store;
  Question first(store), second(store), third(store);
  const CostLimits little{.kept = 3000};
  CHECK_FALSE(first.ask({}, little).followed);
  CHECK(second.ask({}).followed);
  const auto refused = third.ask({}, little);
  CHECK_FALSE(refused.followed);
  REQUIRE(refused.notes.size() == 1);
  CHECK(refused.notes.front().find("more than 3000 bytes") != std::string::npos);
}

TEST_CASE("of several threads one follows an import") {
  ImportStore store;
  std::vector<std::thread> threads;
  std::vector<int> imported(6);
  std::vector<Cost> costs(6);
  for (std::size_t i = 0; i < imported.size(); ++i)
    threads.emplace_back([&, i] {
      Question question(store);
      imported[i] = question.ask({}).imported ? 1 : 0;
      costs[i] = question.cost;
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < imported.size(); ++i) {
    CHECK(imported[i] == 1);
    CHECK(costs[i] == costs[0]);
  }
}
