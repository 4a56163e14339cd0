#include "pyimport/run/import_store.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/table.h"
#include "unit/tree/scratch_folder.h"

using namespace cudald;

namespace {

constexpr std::string_view rules_of_question =
    R"({"standard_library": {"names": ["sys", "os", "ctypes"]}, "rules": [], "libraries": {"rows": {}}})";

class SameFiles final : public FileSystem {
 public:
  explicit SameFiles(const FileSystem& files) : files_(files) {}
  Result<FileStatus> status(const std::string& path) const override { return files_.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override { return files_.open(path); }
  Result<std::string> real_path(const std::string& path) const override { return files_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files_.list(path); }

 private:
  const FileSystem& files_;
};

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
    auto result = store.run("m", python, tree, loader, table_of(rules_of_question), budget);
    cost = budget.cost();
    return result;
  }

  /// The same files, as a tree of which nothing is known.
  std::unique_ptr<FileSystem> files_beside() const { return std::make_unique<SameFiles>(files); }

  ImportStore& store;
  MemoryFileSystem files;
  PythonEnvironment python;
  PackageTree tree{files};
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
  other.tree.install_names("two", "1", {"two.py"});
  python.python.variables["NAME"] = "value";
  const auto files = unknown.files_beside();
  unknown.tree.stand_on(*files, "other");
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

TEST_CASE("processes that answer differently each find their import again") {
  ImportStore store;
  Question first(store), second(store), third(store), fourth(store);
  CHECK(first.ask({}).imported);
  CHECK(second.ask({"/s/a.so"}).imported);
  for (auto* question : {&third, &fourth}) question->files.add_file("/s/m.py", "raise ImportError('it was read')\n");
  CHECK(third.ask({"/s/a.so"}).imported);
  CHECK(third.loads == Paths{"/s/a.so", "/s/c.so", "/s/b.so"});
  CHECK(third.cost == second.cost);
  CHECK(fourth.ask({}).imported);
  CHECK(fourth.loads == Paths{"/s/a.so", "/s/b.so"});
}

/// The folder of a cache, and runs that use it: each has a store of its own.
struct Runs {
  ScratchFolder cache;

  std::size_t entries() const {
    const std::filesystem::directory_iterator all(cache.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
};

TEST_CASE("what was followed in one run is asked of the process again in the next") {
  for (const bool for_later : {false, true}) {
    const Runs runs;
    ImportStore first_run(for_later, runs.cache.path());
    Question first(first_run);
    CHECK_FALSE(first_run.has_kept());
    const auto before = first.ask({"/s/a.so"});
    CHECK(before.imported);
    CHECK(first_run.has_kept());
    CHECK(runs.entries() == 1);

    ImportStore second_run(for_later, runs.cache.path());
    Question second(second_run);
    second.files.take_log();
    const auto again = second.ask({"/s/a.so"});
    for (const auto& line : second.files.take_log()) CHECK_FALSE(line.starts_with("open"));
    CHECK(again.imported);
    CHECK(again.modules.size() == before.modules.size());
    CHECK(second.loads == Paths{"/s/a.so", "/s/c.so", "/s/b.so"});
    CHECK(second.cost == first.cost);
    CHECK_FALSE(second_run.has_kept());
    CHECK(runs.entries() == 1);
  }
}

TEST_CASE("after a change of the files an import is followed anew, and kept in the place of the old one") {
  const Runs runs;
  ImportStore first_run(false, runs.cache.path()), second_run(false, runs.cache.path()),
      third_run(false, runs.cache.path());
  Question first(first_run), second(second_run), third(third_run);
  CHECK(first.ask({}).imported);
  for (auto* question : {&second, &third}) question->files.add_file("/s/m.py", "raise ImportError('it was read')\n");
  CHECK(second.ask({}).error == "ImportError: it was read");
  CHECK(runs.entries() == 1);
  CHECK(third.ask({}).error == "ImportError: it was read");
  CHECK_FALSE(third_run.has_kept());
}

TEST_CASE("variables that no code looks at do not matter in the next run") {
  const Runs runs;
  const std::string code = "import os\nif os.environ.get('MODE') == 'b':\n  import b\n";
  const auto loads_of = [&](std::map<std::string, std::string> variables) {
    ImportStore run(false, runs.cache.path());
    Question question(run);
    question.files.add_file("/s/m.py", code);
    question.python.variables = std::move(variables);
    CHECK(question.ask({}).imported);
    return std::pair(question.loads, run.has_kept());
  };
  CHECK(loads_of({{"JOB", "1"}}) == std::pair(Paths{}, true));
  CHECK(loads_of({{"JOB", "2"}}) == std::pair(Paths{}, false));
  CHECK(loads_of({{"MODE", "b"}}) == std::pair(Paths{"/s/b.so"}, true));
  CHECK(loads_of({{"MODE", "b"}}) == std::pair(Paths{"/s/b.so"}, false));
}

TEST_CASE("nothing is kept for the next run of packages whose content has no name, nor of what was not followed") {
  const Runs runs;
  ImportStore store(false, runs.cache.path());
  Question nameless(store), little(store);
  nameless.files.add_file("/none.whl", "no archive");
  CHECK_FALSE(nameless.tree.install("/none.whl").has_value());
  CHECK(nameless.ask({}).imported);
  CHECK_FALSE(little.ask({}, {.kept = 3000}).followed);
  CHECK_FALSE(store.has_kept());
  CHECK(runs.entries() == 0);
}

TEST_CASE("the next run has a record for each of a few processes, and no more") {
  const Runs runs;
  const auto ask = [&](const std::vector<std::string>& refused) {
    ImportStore run(false, runs.cache.path());
    Question question(run);
    question.files.add_file("/s/m.py",
                            "for name in ('a', 'b', 'c'):\n  try: __import__(name)\n  except ImportError: pass\n");
    CHECK(question.ask(refused).imported);
    return run.has_kept();
  };
  const std::vector<std::vector<std::string>> processes = {
      {}, {"/s/a.so"}, {"/s/b.so"}, {"/s/c.so"}, {"/s/a.so", "/s/b.so"}};
  for (std::size_t i = 0; i < processes.size(); ++i) CHECK(ask(processes[i]) == (i < 4));
  for (std::size_t i = 0; i < processes.size(); ++i) CHECK_FALSE(ask(processes[i]));
  CHECK(runs.entries() == 4);
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

TEST_CASE("of three hundred imports each is kept, and with more all begin anew") {
  const auto is_kept = [](int others) {
    ImportStore store;
    Question first(store), second(store);
    CHECK(first.ask({}).imported);
    PythonLoader loader;
    loader.load = [](const LoadStep&) { return LoadAnswer{true, ""}; };
    loader.mapped = [](const std::string&) { return false; };
    for (int i = 0; i < others; ++i) {
      Budget budget(python_limits);
      store.run("absent" + std::to_string(i), first.python, first.tree, loader, table_of(rules_of_question), budget);
    }
    second.files.add_file("/s/m.py", "raise ImportError('it was read')\n");
    return second.ask({}).imported;
  };
  CHECK(is_kept(298));
  CHECK_FALSE(is_kept(299));
}

TEST_CASE("whether a process can be asked for libraries by name makes another world") {
  ImportStore store;
  Question first(store), second(store);
  CHECK(first.ask({}).imported);
  second.files.add_file("/s/m.py", "raise ImportError('it was read')\n");
  PythonLoader loader;
  loader.load = [](const LoadStep&) { return LoadAnswer{true, ""}; };
  loader.mapped = [](const std::string&) { return false; };
  loader.finds = [](const std::string&) { return false; };
  Budget budget(python_limits);
  CHECK(store.run("m", second.python, second.tree, loader, table_of(rules_of_question), budget).error ==
        "ImportError: it was read");
  CHECK(second.ask({}).imported);
}

TEST_CASE("an import on Windows, which finds its files by a function, is followed for each question") {
  ImportStore store;
  Question first(store), second(store);
  auto windows = std::make_shared<WindowsPython>();
  windows->spelled = [](const std::string& path) { return path; };
  windows->find = [](const std::string& path) { return std::optional(path); };
  first.python.windows = second.python.windows = windows;
  CHECK(first.ask({}).imported);
  second.files.add_file("/s/m.py", "raise ImportError('it was read')\n");
  CHECK(second.ask({}).error == "ImportError: it was read");
}
