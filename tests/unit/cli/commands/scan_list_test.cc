#include "cli/commands/scan_list.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

using Items = std::vector<WorkItem>;

MemoryFileSystem listed_files() {
  MemoryFileSystem result;
  result.add_file("/src/dist/b-1.0-py3-none-any.whl", "12");
  result.add_file("/src/dist/sub/a-1.0-py3-none-any.whl", "123");
  result.add_file("/src/dist/notes.txt", "x");
  result.add_file("/src/list.txt",
                  "dist/b-1.0-py3-none-any.whl\r\n\n# of the last release\ngone.whl\n/bin/app \ndist\n");
  result.add_file(
      "/src/page.json",
      R"({"files": [{"filename": "b-1.0-py3-none-any.whl", "url": "dist/b-1.0-py3-none-any.whl", "size": 2}]})");
  result.add_file("/src/other.json", "{}");
  result.add_file("/bin/app", std::string("\x7f"
                                          "ELF\0\0",
                                          6));
  result.add_file("/src/empty/a.txt", "");
  result.add_file("/src/blank", "\n\n");
  return result;
}

Result<WorkList> listed(std::vector<std::string> sources) {
  Options options;
  options.arguments = std::move(sources);
  options.scan.stated = {"gpu=sm_90", "driver=535"};
  return make_work_list(options, listed_files(), "/src");
}

TEST_CASE("folders, texts, pages and files name targets") {
  const WorkItem a{"dist/sub/a-1.0-py3-none-any.whl", 3, ""}, b{"dist/b-1.0-py3-none-any.whl", 2, ""};
  CHECK(listed({"dist"})->items == Items{b, a});
  CHECK(listed({"dist/"})->items.size() == 2);
  CHECK(listed({"list.txt"})->items == Items{{"/bin/app", 6, ""}, b, a, {"gone.whl", 0, ""}});
  CHECK(listed({"page.json"})->items == Items{{"/src/dist/b-1.0-py3-none-any.whl", 2, ""}});
  CHECK(listed({"/bin/app", "dist/b-1.0-py3-none-any.whl", "dist"})->items == Items{{"/bin/app", 6, ""}, b, a});
}

TEST_CASE("the list says of what and with which options it was made") {
  const auto list = listed({"dist"});
  CHECK(list->sources == std::vector<std::string>{"dist"});
  CHECK(list->folder == "/src");
  CHECK(list->question == std::vector<std::string>{"driver=535", "gpu=sm_90"});
}

TEST_CASE("a lock names its files: those beside it, else their addresses") {
  auto tree = listed_files();
  const std::string hash(64, '0');
  tree.add_file("/src/uv.lock", R"(version = 1
requires-python = ">=3.11"

[[package]]
name = "b"
version = "1.0"
source = { registry = "https://example.org/simple" }
wheels = [
    { url = "https://example.org/b-1.0-py3-none-any.whl", hash = "sha256:)" +
                                    hash +
                                    R"(", size = 2 },
    { url = "https://example.org/b-1.0-cp311-cp311-win_amd64.whl", size = 9 },
]
)");
  tree.add_file("/src/b-1.0-py3-none-any.whl", "12");
  tree.add_file("/src/requirements.txt", "b==1.0\n");
  Options options;
  options.arguments = {"uv.lock"};
  const auto list = make_work_list(options, tree, "/src");
  REQUIRE(list);
  CHECK(list->items == Items{{"/src/b-1.0-py3-none-any.whl", 2, hash},
                             {"https://example.org/b-1.0-cp311-cp311-win_amd64.whl", 9, ""}});
  options.arguments = {"requirements.txt"};
  const auto none = make_work_list(options, tree, "/src");
  CHECK((!none && none.error().message.find("names no files") != std::string::npos));
}

TEST_CASE("what names nothing is wrong usage") {
  for (const auto* source : {"none.txt", "empty", "blank", "other.json"}) {
    const auto list = listed({source});
    CHECK((!list && list.error().code == ErrorCode::usage));
  }
}

TEST_CASE("special files, images and files of bytes are targets themselves, of the size that they have") {
  auto tree = listed_files();
  tree.add_special("/src/pipe");
  tree.add_file("/src/x.so", "text");
  tree.add_file("/src/tabs.txt", "x.so\t\r\n\t\n#no.so\n");
  Options options;
  const auto items = [&](std::vector<std::string> sources) {
    options.arguments = std::move(sources);
    const auto list = make_work_list(options, tree, "/src");
    return list ? list->items : Items{{list.error().message, 0, ""}};
  };
  CHECK(items({"pipe"}) == Items{{"pipe", 0, ""}});
  CHECK(items({"x.so"}) == Items{{"x.so", 4, ""}});
  CHECK(items({"tabs.txt"}) == Items{{"x.so", 4, ""}});
  tree.add_file("/src/remote.txt", "https://a.example/x.whl\nempty\n");
  CHECK(items({"remote.txt"})[0].target ==
        "remote.txt: empty: no packages, libraries or programs found in this directory");
  CHECK(items({"none"})[0].target == "none: No such file or directory");
  CHECK(items({"empty"})[0].target == "empty: no packages, libraries or programs found in this directory");
  CHECK(items({"blank"})[0].target == "the list names no target");
  CHECK(items({"other.json"})[0].target == "other.json: not an index page: JSON with `files`, as PEP 691 describes it");
  FileTraits closed;
  closed.readable = false;
  tree.add_file("/src/closed.txt", "x.so", closed);
  CHECK(items({"closed.txt"})[0].target == "closed.txt: Permission denied");
}

TEST_CASE("a file that a lock names by its path is meant though it is not there, an address where both are named") {
  auto tree = listed_files();
  const std::string hash(64, 'a');
  tree.add_file("/src/locks/pylock.toml",
                "lock-version = '1.0'\n[[packages]]\nname = 'b'\nversion = '1.0'\nwheels = [\n"
                "  { path = 'w/b-1.0-py3-none-any.whl', size = 7, hashes = { sha256 = '" +
                    hash +
                    "' } },\n"
                    "  { path = '../dist/b-1.0-py3-none-any.whl', size = 9 },\n"
                    "  { path = 'w/c.whl', url = 'https://a.example/c.whl', size = 8 },\n"
                    "  { name = 'nowhere.whl' }]\n");
  Options options;
  options.arguments = {"locks/pylock.toml"};
  const auto list = make_work_list(options, tree, "/src");
  REQUIRE_MESSAGE(list, list.error().message);
  CHECK(list->items == Items{{"/src/dist/b-1.0-py3-none-any.whl", 2, ""},
                             {"/src/locks/w/b-1.0-py3-none-any.whl", 7, hash},
                             {"https://a.example/c.whl", 8, ""}});
  // What another source has named makes no target of a lock that names none.
  tree.add_file("/src/requirements.txt", "b==1.0\n");
  options.arguments = {"dist", "requirements.txt"};
  const auto none = make_work_list(options, tree, "/src");
  REQUIRE_FALSE(none);
  CHECK(none.error().message ==
        "requirements.txt: a requirements file that names no files of packages; `cudald check` judges it as a whole");
  tree.add_file("/src/requirements.txt", "b==1.0\n-r gone.txt\n");
  CHECK(make_work_list(options, tree, "/src").error().message ==
        "requirements.txt: line 2: gone.txt: No such file or directory");
}

TEST_CASE("addresses are targets of which nobody knows the size, and a list is read up to a gibibyte") {
  auto tree = listed_files();
  tree.add_file("/src/remote.txt", "https://a.example/x.whl\n \t{\n");
  Options options;
  options.arguments = {"remote.txt"};
  CHECK(make_work_list(options, tree, "/src")->items == Items{{" \t{", 0, ""}, {"https://a.example/x.whl", 0, ""}});
  tree.add_file("/src/page.txt", " \t\r\n{}");
  options.arguments = {"page.txt"};
  CHECK(make_work_list(options, tree, "/src").error().message.starts_with("page.txt: not an index page"));
  FileTraits large;
  large.claimed_size = (std::uint64_t{1} << 30) + 1;
  tree.add_file("/src/large.txt", "x.so\n", large);
  options.arguments = {"large.txt"};
  CHECK(make_work_list(options, tree, "/src").error().message ==
        "large.txt: larger than the 1073741824 bytes that are read of it");
}

}  // namespace
}  // namespace cudald
