#include "process/process_record.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

/// A record that a test writes into.
class Record final : public ProcessRecord {
 public:
  /// Its number.
  std::size_t request(const std::string& error, RequestTime when = RequestTime::now, ObjectId caller = 0) {
    DlopenRequest call;
    call.traits.optional = true;
    call.traits.when = when;
    add_request("lib.so", call, caller).error = error;
    return resolution().targets.size() - 1;
  }
  ObjectId object(const std::string& path, bool unmapped = false) {
    Object object;
    object.path = path;
    object.unmapped = unmapped;
    return add_object(std::move(object));
  }
};

TEST_CASE("the first target that cannot be tried is a start, each other one a dlopen") {
  Record record;
  record.refuse("a", {ErrorCode::absent, "gone", "", std::nullopt, 0});
  record.refuse("b", {ErrorCode::usage, "wrong", "", std::nullopt, 0});
  const auto& targets = record.resolution().targets;
  REQUIRE(targets.size() == 2);
  CHECK(targets[0].given == "a");
  CHECK(targets[0].kind == TargetKind::start);
  CHECK(targets[0].unreadable->code == ErrorCode::absent);
  CHECK(targets[1].kind == TargetKind::dlopen);
  CHECK(targets[1].unreadable->message == "wrong");
}

TEST_CASE("requests belong to the target that is open, the start only if it is one of them") {
  for (const bool owns_start : {false, true}) {
    Record record;
    record.request("", RequestTime::now, 3);
    record.begin("py:pkg", TargetKind::import, owns_start);
    record.request("");
    const auto& targets = record.resolution().targets;
    CHECK(record.whole() == 1);
    CHECK(targets[0].part_of == (owns_start ? std::optional<std::size_t>(1) : std::nullopt));
    CHECK(targets[0].caller == 3);
    CHECK(targets[1].kind == TargetKind::import);
    CHECK(targets[1].given == "py:pkg");
    CHECK_FALSE(targets[1].part_of);
    CHECK(targets[2].part_of == 1);
    CHECK(record.object("/a") == 0);
    CHECK(record.object("/b") == 1);
    CHECK(record.resolution().objects[1].target == 2);
  }
}

TEST_CASE("of requests those are blamed that failed, and are made at once") {
  Record record;
  const auto before = record.request("fails"), fails = record.request("fails"), works = record.request(""),
             later = record.request("fails", RequestTime::later), named = record.request("");
  record.blame_all_since(fails);
  record.blame({named});
  record.doubt({works});
  const auto& targets = record.resolution().targets;
  CHECK(targets[before].traits.optional);
  CHECK_FALSE(targets[fails].traits.optional);
  CHECK(targets[works].traits.optional);
  CHECK(targets[later].traits.optional);
  CHECK_FALSE(targets[named].traits.optional);
  CHECK(targets[works].traits.when == RequestTime::unreached);
  CHECK(targets[named].traits.when == RequestTime::now);
}

TEST_CASE("what is mapped is known by its path, until it is gone") {
  Record record;
  record.request("");
  record.object("/lib/liba.so");
  record.object("/lib/libb.so", true);
  CHECK(record.has_mapped("/lib/liba.so"));
  CHECK_FALSE(record.has_mapped("/lib/libb.so"));
  CHECK_FALSE(record.has_mapped("liba.so"));
}

}  // namespace
}  // namespace cudald
