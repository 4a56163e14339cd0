#include "cli/commands/diff.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "archive/gzip.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/cli/command_line.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

struct Pair {
  CommandAnswer diff(std::vector<std::string> words) const {
    words.insert(words.begin(), "diff");
    auto answer = answer_to(words, "", root.path());
    for (auto* text : {&answer.answer, &answer.complaints})
      for (auto at = text->find(root.path() + "/"); at != std::string::npos; at = text->find(root.path() + "/"))
        text->erase(at, root.path().size() + 1);
    return answer;
  }

  std::string complaint(const std::string& a, const std::string& b) const {
    const auto answer = diff({a, b});
    CHECK(answer.status == 3);
    CHECK(answer.answer.empty());
    return answer.complaints;
  }

  ScratchFolder root;
};

TEST_CASE("of two environments it is compared what lies in them") {
  const Pair pair;
  for (const auto& [folder, release] : std::vector<std::pair<std::string, std::uint32_t>>{{"a", 12080}, {"b", 12090}})
    pair.root.add_file(folder + "/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
                       cuda_runtime("libcudart.so.12", release));
  std::filesystem::create_directory(pair.root / "c");
  const auto differ = pair.diff({"a", "b"});
  CHECK(differ.status == 1);
  CHECK(differ.answer ==
        "1 difference: a and b\nlibcudart.so.12\n  cuda\n    - CUDA runtime 12.8\n    + CUDA runtime 12.9\n");
  CHECK(differ.complaints.empty());
  CHECK(pair.diff({"a", "a"}).status == 0);
  CHECK(pair.diff({"c", "a"}).answer == "1 difference: c and a\n    + libcudart.so.12\n");
  CHECK(pair.diff({"c", "c"}).answer == "the same for the loader: c and c\n");
  // What lies elsewhere is of neither, though the loader would find it.
  const auto elsewhere = pair.root / "a/lib/python3.11/site-packages/nvidia/cuda_runtime/lib";
  CHECK(said_to({"diff", "c", "b"}, pair.root, {{"LD_LIBRARY_PATH", elsewhere}}).answer ==
        "1 difference: c and b\n    + libcudart.so.12\n");
}

TEST_CASE("of two wheels it is compared what they are, and one that cannot be read is told") {
  const Pair pair;
  const std::string name = "good-1.0-py3-none-any.whl";
  pair.root.add_file("a/" + name, wheel_file({{"good/__init__.py", ""}}, "Requires-Dist: x\n", "good"));
  pair.root.add_file("b/" + name, wheel_file({{"good/__init__.py", ""}}, "Requires-Dist: y\n", "good"));
  pair.root.add_file("c/" + name, "no wheel");
  const auto differ = pair.diff({"a/" + name, "b/" + name});
  CHECK(differ.status == 1);
  CHECK(differ.answer == "1 difference: a/" + name + " and b/" + name + "\n  requires\n    - x\n    + y\n");
  CHECK(pair.complaint("a/" + name, "c/" + name) == "cudald: c/" + name + ": is not a zip archive\n");
  CHECK(pair.complaint("c/" + name, "a/" + name) == "cudald: c/" + name + ": is not a zip archive\n");
}

TEST_CASE("a description may be compressed, and JSON that is none is a file like any other") {
  const Pair pair;
  const std::string host = R"({"schema":"cudald/host","schema_version":"1","gpu":"80","libraries":[{"soname":"x"}]})";
  pair.root.add_file("a.json.gz", *gzip(host));
  pair.root.add_file("a.json", host);
  pair.root.add_file("b.json", R"({"schema":"cudald/host","schema_version":"1","gpu":"90"})");
  CHECK(pair.diff({"a.json.gz", "a.json"}).status == 0);
  CHECK(pair.diff({"a.json.gz", "b.json"}).answer == "1 difference: a.json.gz and b.json\n  gpu\n    - 80\n    + 90\n");
  const std::string neither = ": neither ELF nor PE, nor a wheel, directory or saved host\n";
  for (const auto* other : {"", "{", "[]", "{}", R"({"schema":"cudald/env"})", R"({"schema":1})"}) {
    CAPTURE(other);
    pair.root.add_file("other.json", other);
    CHECK(pair.complaint("a.json", "other.json") == "cudald: other.json" + neither);
    CHECK(pair.complaint("other.json", "a.json") == "cudald: other.json" + neither);
  }
  pair.root.add_file("host.txt", host);
  CHECK(pair.complaint("a.json", "host.txt") == "cudald: host.txt" + neither);
  CHECK(pair.complaint("none.json", "a.json") == "cudald: none.json: No such file or directory\n");
  CHECK(pair.complaint("none.whl", "a.json") == "cudald: none.whl: No such file or directory\n");
}

TEST_CASE("two DLLs are compared by what they say, and functions are told where there are any") {
  const Pair pair;
  pair.root.add_file("a.dll", pe({.name = "a.dll", .imports = {{"x.dll"}}}));
  pair.root.add_file("b.dll", pe({.name = "a.dll", .imports = {{"y.dll"}}}));
  CHECK(pair.diff({"a.dll", "b.dll"}).answer == "1 difference: a.dll and b.dll\n  imports\n    - x.dll\n    + y.dll\n");
  pair.root.add_file("plain.so", elf({}));
  pair.root.add_file("defines.so", elf({.defines = {{"f"}}}));
  pair.root.add_file("uses.so", elf({.uses = {{"g"}}}));
  const auto symbols = [&](const std::string& a, const std::string& b) {
    return pair.diff({"--symbols", "all", a, b}).answer;
  };
  CHECK(symbols("plain.so", "defines.so") == "1 difference: plain.so and defines.so\n  symbols exported\n    + f\n");
  CHECK(symbols("plain.so", "uses.so") == "1 difference: plain.so and uses.so\n  symbols imported\n    + g\n");
  CHECK(symbols("defines.so", "plain.so") == "1 difference: defines.so and plain.so\n  symbols exported\n    - f\n");
  pair.root.add_file("runtime.so", cuda_runtime("libcudart.so.12", 12080));
  CHECK(pair.diff({"plain.so", "runtime.so"}).answer ==
        "3 differences: plain.so and runtime.so\n  cuda\n    + CUDA runtime 12.8\n  soname\n    + libcudart.so.12\n"
        "  versions defined\n    + libcudart.so.12\n");
  CHECK(pair.diff({"-f", "json", "plain.so", "defines.so"}).answer ==
        "{\n  \"schema\": \"cudald/diff\",\n  \"schema_version\": \"1.0\",\n  \"a\": \"plain.so\",\n"
        "  \"b\": \"defines.so\",\n  \"same\": true,\n  \"changes\": []\n}\n");
  CHECK(pair.diff({"-f", "ndjson", "a.dll", "b.dll"}).answer ==
        R"({"schema":"cudald/diff","schema_version":"1.0","a":"a.dll","b":"b.dll","same":false,)"
        R"("changes":[{"subject":null,"what":"imports","removed":["x.dll"],"added":["y.dll"]}]})"
        "\n");
}

}  // namespace
}  // namespace cudald
