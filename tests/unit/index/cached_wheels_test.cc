#include "index/cached_wheels.h"

#include <doctest/doctest.h>

#include "cache/cached_text.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

using std::chrono::seconds;

KeptWheels::Time at(int time) { return KeptWheels::Time(seconds(time)); }

LockedPackage package_of(std::vector<std::string> hashes) {
  LockedPackage package;
  package.name = "pkg";
  package.version = "1.0";
  package.hashes = std::move(hashes);
  return package;
}

LockedPackage with_wheels(LockedPackage package) {
  package.wheels = {{"pkg-1.0-py3-none-any.whl", "https://files.example/pkg.whl", "", "abcd", 7, true, "ef01"},
                    {"pkg-1.0-cp311-none-any.whl", "https://files.example/cp311.whl", "", "", 0}};
  return package;
}

TEST_CASE("wheels whose hashes are locked are known for ever") {
  const ScratchFolder folder;
  const KeptWheels first(folder.path(), "https://index.example", at(1000));
  const auto package = package_of({"b", "a"});
  CHECK_FALSE(first.find(package));
  first.keep(with_wheels(package), seconds(0));
  const KeptWheels later(folder.path(), "https://index.example", at(1'000'000'000));
  const auto wheels = later.find(package_of({"a", "b"}));
  REQUIRE(wheels);
  REQUIRE(wheels->size() == 2);
  CHECK(wheels->front().name == "pkg-1.0-py3-none-any.whl");
  CHECK(wheels->front().url == "https://files.example/pkg.whl");
  CHECK(wheels->front().sha256 == "abcd");
  CHECK(wheels->front().size == 7);
  CHECK(wheels->front().has_metadata);
  CHECK(wheels->front().metadata_sha256 == "ef01");
  CHECK(wheels->back().sha256.empty());
  CHECK_FALSE(wheels->back().has_metadata);
  CHECK_FALSE(later.find(package_of({"a"})));
  CHECK_FALSE(later.find(package_of({})));
  CHECK_FALSE(KeptWheels(folder.path(), {"https://other.example"}, at(1000)).find(package));
  CHECK_FALSE(KeptWheels("", "https://index.example", at(1000)).find(package));
}

TEST_CASE("others are known as long as the index says, and the newest answer counts") {
  const ScratchFolder folder;
  const KeptWheels first(folder.path(), "https://index.example", at(1000));
  const auto package = package_of({});
  first.keep(with_wheels(package), seconds(0));
  CHECK_FALSE(first.find(package));
  first.keep(with_wheels(package), seconds(60));
  CHECK(first.find(package));
  const KeptWheels later(folder.path(), "https://index.example", at(1061));
  CHECK_FALSE(later.find(package));
  auto newer = with_wheels(package);
  newer.wheels.pop_back();
  later.keep(newer, seconds(60));
  REQUIRE(later.find(package));
  CHECK(later.find(package)->size() == 1);
}

TEST_CASE("what is not whole, or would not be read as it was written, is not known") {
  const ScratchFolder folder;
  const KeptWheels kept(folder.path(), "https://index.example", at(1000));
  auto strange = with_wheels(package_of({"a"}));
  strange.wheels.front().url += "\tx";
  kept.keep(strange, seconds(0));
  CHECK_FALSE(kept.find(package_of({"a"})));
  kept.keep(package_of({"a"}), seconds(0));
  CHECK_FALSE(kept.find(package_of({"a"})));
  kept.keep(with_wheels(package_of({"a"})), seconds(0));
  REQUIRE(kept.find(package_of({"a"})));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::resize_file(entry.path(), entry.file_size() - 1);
  CHECK_FALSE(kept.find(package_of({"a"})));
}

TEST_CASE("a row that is not as it was written is not known") {
  const ScratchFolder folder;
  const KeptWheels kept(folder.path(), "i", at(1000));
  const auto package = package_of({"b", "a"});
  const auto found = [&](const std::string& text) {
    REQUIRE(keep_text(folder.path(), "wheels\ni\npkg\n1.0\na b", text));
    const auto wheels = kept.find(package);
    return wheels ? static_cast<int>(wheels->size()) : -1;
  };
  const std::string row = "n\tu\th\t7\t1\tm\n";
  CHECK(found("0\n" + row) == 1);
  CHECK(kept.find(package)->front().has_metadata);
  CHECK(found("1000\n" + row + "\n" + row) == 2);
  CHECK(found("1001\n" + row) == 1);
  CHECK(found("0\n") == 0);
  for (const std::string& text :
       {"999\n" + row, "1\n" + row, "x\n" + row, "\n" + row, "-1\n" + row, "0x\n" + row,
        "99999999999999999999999\n" + row, std::string("0\nn\tu\th\t7\t1\n"), "0\n" + row + "n\tu\th\t7\t1\tm\tz\n",
        std::string("0\nn\tu\th\t7.5\t1\tm\n"), std::string("0\nn\tu\th\t\t1\tm\n"), std::string()}) {
    CAPTURE(text);
    CHECK(found(text) == -1);
  }
  CHECK(found("0\nn\tu\th\t7\t0\tm\n") == 1);
  CHECK_FALSE(kept.find(package)->front().has_metadata);
}

TEST_CASE("an answer is good in the last second of its time, and names with control letters are not kept") {
  const ScratchFolder folder;
  const KeptWheels kept(folder.path(), "i", at(1000));
  const auto package = package_of({});
  kept.keep(with_wheels(package), seconds(1));
  CHECK(KeptWheels(folder.path(), "i", at(1001)).find(package));
  CHECK_FALSE(KeptWheels(folder.path(), "i", at(1002)).find(package));
  auto other = package;
  other.version = "2.0";
  CHECK_FALSE(kept.find(other));
  auto strange = with_wheels(other);
  strange.wheels.back().name += "\n";
  kept.keep(strange, seconds(9));
  CHECK_FALSE(kept.find(other));
  strange.wheels.back().name = "with a blank";
  kept.keep(strange, seconds(9));
  REQUIRE(kept.find(other));
  CHECK(kept.find(other)->back().name == "with a blank");
  KeptWheels("", "i", at(1000)).keep(with_wheels(package_of({"a"})), seconds(9));  // nowhere, not in some folder
  CHECK_FALSE(kept.find(package_of({"a"})));
}

TEST_CASE("of a package as much is known as 16 MiB hold") {
  const ScratchFolder folder;
  const KeptWheels kept(folder.path(), "i", at(1000));
  const auto package = package_of({"a"});
  for (const bool fits : {true, false}) {
    std::string text = "0\nn\t\th\t7\t1\tm\n";
    text.insert(4, (std::size_t{16} << 20) + (fits ? 0 : 1) - text.size(), 'u');
    REQUIRE(keep_text(folder.path(), "wheels\ni\npkg\n1.0\na", text));
    CHECK(kept.find(package).has_value() == fits);
  }
}

TEST_CASE("letters below the blank are the only ones that a row cannot have") {
  const ScratchFolder folder;
  const KeptWheels kept(folder.path(), "i", at(1000));
  for (const auto& [letter, is_kept] : std::vector<std::pair<char, bool>>{
           {'\x01', false}, {'\x1f', false}, {' ', true}, {'!', true}, {'\x7f', true}, {'\xc3', true}}) {
    const auto package = package_of({std::string(1, letter)});
    auto strange = with_wheels(package);
    strange.wheels.front().name += letter;
    kept.keep(strange, seconds(0));
    CHECK(kept.find(package).has_value() == is_kept);
  }
}

}  // namespace
}  // namespace cudald
