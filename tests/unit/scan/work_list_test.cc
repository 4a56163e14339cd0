#include "scan/work_list.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a list comes back as it was written") {
  WorkList list{{"dist"}, "/home/me", "0.1.0", {"driver=535", "gpu=sm_90"}, {}};
  list.items = {{"dist/a.whl", 10, ""}, {"dist/b \"x\"\n.whl", 0, std::string(64, 'a')}};
  const auto read = work_list_of(to_ndjson(list));
  REQUIRE(read);
  CHECK(read->items == list.items);
  CHECK(read->sources == list.sources);
  CHECK(read->folder == list.folder);
  CHECK(read->version == list.version);
  CHECK(read->question == list.question);
}

TEST_CASE("a list is in the order of its targets, each once, with what is known of it") {
  std::vector<WorkItem> items{{"b", 1, ""}, {"a", 0, ""}, {"a", 7, "aa"}, {"a", 7, ""}};
  make_canonical(items);
  CHECK(items == std::vector<WorkItem>{{"a", 7, "aa"}, {"b", 1, ""}});
  CHECK(bytes_of(items) == 8);
}

TEST_CASE("a list that was cut short, or is something else, is told so") {
  WorkList list;
  list.items = {{"a", 1, ""}, {"b", 2, ""}};
  const auto text = to_ndjson(list);
  const auto fault = [](const std::string& bytes) {
    const auto read = work_list_of(bytes);
    return read ? std::string("it is read") : read.error().message;
  };
  CHECK(fault(text) == "it is read");
  CHECK(fault(text.substr(0, text.size() - 1)) == "it is read");  // an editor may take the last line's end
  CHECK(fault(text.substr(0, text.size() - 30)) == "line 3 is damaged");
  CHECK(fault(text.substr(0, text.find("{\"target\":\"b\""))) == "it has 1 targets, not those it announces");
  CHECK(fault("") == "it is empty");
  CHECK(fault("{}\n") == "it is no list that `cudald scan` has written");
  CHECK(fault("[]\n") == "it is no list that `cudald scan` has written");
  CHECK(fault(text.substr(0, text.find('\n') + 1) + "{\"target\":\"\"}\n") == "line 2 is damaged");
}

TEST_CASE("addresses are told from paths") {
  CHECK(is_remote({"https://example.org/a.whl", 0, ""}));
  CHECK(is_remote({"http://example.org/a.whl", 0, ""}));
  CHECK_FALSE(is_remote({"https/a.whl", 0, ""}));
}

TEST_CASE("of one target that is listed twice the row is kept that tells most") {
  std::vector<WorkItem> items{{"a", 3, ""}, {"a", 7, ""}, {"b", 9, ""}, {"b", 1, "bb"}};
  make_canonical(items);
  CHECK(items == std::vector<WorkItem>{{"a", 7, ""}, {"b", 1, "bb"}});
}

}  // namespace
}  // namespace cudald
