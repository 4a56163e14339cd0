#include "scan/work_list.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

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
  CHECK(fault("{}\n") == "it is not a list that `cudald scan` has written");
  CHECK(fault("[]\n") == "it is not a list that `cudald scan` has written");
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

TEST_CASE("of lists in a head the texts count, and what is no list is none") {
  const auto read = [](const std::string& fields) {
    const auto list = work_list_of(R"({"schema":"cudald/scan-list","targets":1)" + fields + "}\n{\"target\":\"a\"}");
    REQUIRE(list);
    return *list;
  };
  const auto mixed = read(R"(,"sources":[1,"s",null],"question":"q","folder":7)");
  CHECK(mixed.sources == std::vector<std::string>{"s"});
  CHECK(mixed.question.empty());
  CHECK(mixed.folder.empty());
  const auto plain = read("");
  CHECK(plain.sources.empty());
  CHECK(plain.version.empty());
  CHECK(plain.items == std::vector<WorkItem>{{"a", 0, ""}});
}

TEST_CASE("a list is written with how many there are and their bytes, and a row that is none is damaged") {
  WorkList list{{"s"}, "/f", "1.2", {"q"}, {{"a", 3, "ff"}, {"b", 4, ""}}};
  CHECK(to_ndjson(list) ==
        R"({"schema":"cudald/scan-list","schema_version":"1.0","version":"1.2","sources":["s"],"folder":"/f",)"
        R"("question":["q"],"targets":2,"bytes":7})"
        "\n{\"target\":\"a\",\"bytes\":3,\"sha256\":\"ff\"}\n{\"target\":\"b\",\"bytes\":4,\"sha256\":null}\n");
  const auto damaged = work_list_of(R"({"schema":"cudald/scan-list","targets":1})"
                                    "\n[\"target\"]\n");
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().code == ErrorCode::malformed);
  CHECK(damaged.error().message == "line 2 is damaged");
  const std::string head = R"({"schema":"cudald/scan-list","targets":1})"
                           "\n";
  for (const auto* bytes : {R"("x")", "-1", "1.5", "null"}) {
    const auto text = fmt::format("{}{{\"target\":\"a\",\"bytes\":{}}}\n", head, bytes);
    REQUIRE_FALSE(work_list_of(text));
    CHECK(work_list_of(text).error().message == "line 2 is damaged");
  }
  CHECK(work_list_of(R"({"schema":"cudald/scan-list","targets":"1"})"
                     "\n"
                     R"({"target":"a"})")
            .error()
            .message == "it has 1 targets, not those it announces");
  CHECK(work_list_of("\n").error().message == "it is not a list that `cudald scan` has written");
  CHECK(work_list_of("").error().code == ErrorCode::malformed);
}

}  // namespace
}  // namespace cudald
