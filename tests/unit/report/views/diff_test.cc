#include <sstream>

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>
#include <cudald/pe_symbols.h>
#include <cudald/wheel.h>
#include <cudald/writers.h>

#include "base/json.h"
#include "report/views/diff.h"

namespace cudald {
namespace {

std::string words(const std::vector<Change>& changes) {
  std::string text;
  for (const auto& change : changes) {
    text += change.subject + "|" + change.what;
    for (const auto& each : change.removed) text += " -" + each;
    for (const auto& each : change.added) text += " +" + each;
    text += "\n";
  }
  return text;
}

TEST_CASE("values that come and go are changes, and the order of what is needed is one") {
  const FactSheet a = {{"", {{"needed", {"libb.so", "liba.so"}}, {"soname", {"libx.so.1"}}, {"flags", {"A", "B"}}}},
                       {"old.so", {}}};
  const FactSheet b = {{"", {{"needed", {"liba.so", "libb.so"}}, {"runpath", {"$ORIGIN"}}, {"flags", {"B", "A"}}}},
                       {"new.so", {}}};
  CHECK(compare(a, a).empty());
  CHECK(words(compare(a, b)) ==
        "|order of needed -libb.so -liba.so +liba.so +libb.so\n"
        "|runpath +$ORIGIN\n"
        "|soname -libx.so.1\n"
        "new.so|part +new.so\n"
        "old.so|part -old.so\n");
}

TEST_CASE("an image's facts are those that a loader acts upon") {
  Image image;
  image.format = Format::elf64;
  image.machine = 62;
  image.soname = "libx.so";
  image.elf.needed = {{NeededTag::needed, "libc.so.6"}, {NeededTag::filter, "libf.so"}};
  image.elf.runpath = "$ORIGIN:";
  image.elf.version_needs = {{"libc.so.6", {{"GLIBC_2.34"}}}};
  image.elf.version_definitions = {{"libx.so", 0, 1, true}, {"X_1", 0, 2, false}};
  CudaLibrary cuda;
  cuda.version = "12.8";
  const auto facts = facts_of(image, {}, nullptr, &cuda);
  CHECK(facts.at("needed") == std::vector<std::string>{"libc.so.6"});
  CHECK(facts.at("filter") == std::vector<std::string>{"libf.so"});
  CHECK(facts.at("runpath") == std::vector<std::string>{"$ORIGIN", "\"\""});
  CHECK(facts.at("versions needed") == std::vector<std::string>{"libc.so.6: GLIBC_2.34"});
  CHECK(facts.at("versions defined") == std::vector<std::string>{"X_1"});
  CHECK(facts.at("cuda") == std::vector<std::string>{"CUDA runtime 12.8"});
  CHECK_FALSE(facts.contains("rpath"));
}

TEST_CASE("members of wheels are compared without auditwheel's hashes") {
  WheelReport wheel;
  wheel.name = "x";
  auto image = std::make_shared<Image>();
  wheel.files = {{"x.libs/libz-91cc3cb1.so.1", "", image, false, "", {}}};
  auto other = wheel;
  other.files[0].member = "x.libs/libz-deadbeef.so.1";
  CHECK(compare(facts_of(wheel), facts_of(other)).empty());
  other.files[0].member = "x.libs/libz-more.so.1";
  CHECK(compare(facts_of(wheel), facts_of(other)).size() == 2);
}

TEST_CASE("as text and JSON") {
  const std::vector<Change> changes = {{"", "needed", {"liba.so"}, {"libb\x1b.so"}},
                                       {"new.so", "part", {}, {"new.so"}}};
  TextStyle style;
  std::ostringstream text, json, same;
  write_diff("a", "b", changes, style, text);
  CHECK(text.str() == "2 differences: a and b\n  needed\n    - liba.so\n    + libb\\x1b.so\n    + new.so\n");
  write_diff_json("a", "b", changes, true, json);
  const auto document = parse_json(json.str());
  CHECK(document["schema"] == "cudald/diff");
  CHECK(document["same"] == false);
  CHECK(document["changes"][0].dump() ==
        R"({"added":["libb\u001b.so"],"removed":["liba.so"],"subject":null,"what":"needed"})");
  write_diff("a", "b", {}, style, same);
  CHECK(same.str() == "the same for the loader: a and b\n");
}

TEST_CASE("of several changes of one subject it is told once") {
  const std::vector<Change> changes = {
      {"a.so", "needed", {}, {"x"}}, {"a.so", "runpath", {"y"}, {}}, {"b.so", "needed", {}, {"x"}}};
  std::ostringstream text;
  write_diff("a", "b", changes, {}, text);
  CHECK(text.str() == "3 differences: a and b\na.so\n  needed\n    + x\n  runpath\n    - y\nb.so\n  needed\n    + x\n");
}

TEST_CASE("what changed alike in several parts is told once, and with -v for each") {
  const auto change = [](const char* subject, const char* added) {
    return Change{subject, "needed", {"libcudart.so.11.0"}, {added}};
  };
  const std::vector<Change> changes = {change("a.so", "libcudart.so.12"), change("b.so", "libcudart.so.12"),
                                       change("c.so", "libcudart.so.13"), change("d.so", "libcudart.so.12")};
  TextStyle style;
  const auto text = [&] {
    std::ostringstream out;
    write_diff("x", "y", changes, style, out);
    return out.str();
  };
  CHECK(text() ==
        "4 differences: x and y\n3 parts: a.so, b.so and 1 more (-v)\n  needed\n    - libcudart.so.11.0\n    + "
        "libcudart.so.12\nc.so\n  needed\n    - libcudart.so.11.0\n    + libcudart.so.13\n");
  style.verbosity = 1;
  CHECK(text().find("\nd.so\n") != std::string::npos);
}

TEST_CASE("of what a loader goes through in order another order is a change, of nothing else") {
  for (const std::string what : {"needed", "rpath", "runpath", "imports"}) {
    CAPTURE(what);
    const auto changes = compare({{"a", {{what, {"x", "y"}}}}}, {{"a", {{what, {"y", "x"}}}}});
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].what == "order of " + what);
    CHECK(changes[0].removed == std::vector<std::string>{"x", "y"});
    CHECK(changes[0].added == std::vector<std::string>{"y", "x"});
  }
  for (const std::string what : {"flags", "delay imports", "dlopen", "requires"})
    CHECK(compare({{"a", {{what, {"x", "y"}}}}}, {{"a", {{what, {"y", "x"}}}}}).empty());
}

std::string diff_text(const std::vector<Change>& changes, int verbosity = 0) {
  TextStyle style;
  style.verbosity = verbosity;
  std::ostringstream out;
  write_diff("x", "y", changes, style, out);
  return out.str();
}

TEST_CASE("of a long list twelve values are told, and all with -v") {
  const std::vector<std::string> twelve(12, "v");
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += "    - v\n";
  CHECK(diff_text({{"", "imports", twelve, {}}}) == "1 difference: x and y\n  imports\n" + lines);
  auto more = twelve;
  more.insert(more.end(), {"w", "z"});
  CHECK(diff_text({{"", "imports", more, {}}}) ==
        "1 difference: x and y\n  imports\n" + lines + "    - and 2 more (-v)\n");
  CHECK(diff_text({{"", "imports", more, {}}}, 1) ==
        "1 difference: x and y\n  imports\n" + lines + "    - w\n    - z\n");
  CHECK(diff_text({{"", "imports", {}, std::vector<std::string>(13, "a")}})
            .ends_with("    + a\n    + and 1 more (-v)\n"));
}

TEST_CASE("changes are alike only if they are of one kind, and take and bring the same") {
  const Change first{"a", "needed", {"o"}, {"n"}};
  const auto folds = [&](Change other) {
    other.subject = "b";
    auto third = first;
    third.subject = "c";
    return diff_text({first, other, third}).find("3 parts: a, b and 1 more (-v)\n") != std::string::npos;
  };
  CHECK(folds(first));
  CHECK_FALSE(folds({"", "runpath", {"o"}, {"n"}}));
  CHECK_FALSE(folds({"", "needed", {"p"}, {"n"}}));
  CHECK_FALSE(folds({"", "needed", {"o"}, {"m"}}));
  auto second = first;
  second.subject = "b";
  CHECK(diff_text({first, second}) ==
        "2 differences: x and y\na\n  needed\n    - o\n    + n\nb\n  needed\n    - o\n    + n\n");
  const Change part{"p", "part", {"p"}, {}};
  CHECK(diff_text({part, part, part}) == "3 differences: x and y\n    - p\n    - p\n    - p\n");
}

TEST_CASE("two groups of parts are told apart, each where its first part stands, and the whole by that word") {
  const auto change = [](const char* subject, const char* what) { return Change{subject, what, {}, {"v"}}; };
  CHECK(diff_text({change("a", "needed"), change("a", "flags"), change("", "needed"), change("", "flags"),
                   change("b", "flags"), change("c", "needed"), change("d", "needed")}) ==
        "7 differences: x and y\n"
        "4 parts: a, the whole and 2 more (-v)\n  needed\n    + v\n"
        "3 parts: a, the whole and 1 more (-v)\n  flags\n    + v\n");
}

TEST_CASE("quiet is how many differences there are") {
  CHECK(diff_text({{"a", "needed", {}, {"v"}}}, -1) == "1 difference: x and y\n");
}

}  // namespace
}  // namespace cudald
