#include "process/process_record.h"

#include <cstddef>
#include <utility>

#include <doctest/doctest.h>

#include "base/parallel.h"
#include "common/fatbin_file.h"
#include "common/memory_file_system.h"
#include "common/stream_tree.h"

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
  using ProcessRecord::note_constants;
  Resolution& written() { return resolution_; }
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

/// A file that calls dlopen and holds these texts.
std::string caller_of_dlopen(const std::vector<std::string>& texts) {
  std::string constants;
  for (const auto& text : texts) constants += text + '\0';
  return with_sections(elf({.uses = {{"dlopen", ElfUse::call}}}), {{".rodata", constants}});
}

/// A process of five objects, of which only the first two may open anything.
struct WithConstants {
  WithConstants() {
    files.add_file("/opt/app", caller_of_dlopen({"libx.so"}));
    files.add_file("/opt/liba.so", caller_of_dlopen({"liba.so", "libown.so", "libpiece.so", "libbypath.so", "libapp.so",
                                                     "libpieceofapp.so", "libx.so"}));
    for (const auto* path : {"/opt/libgone.so", "/opt/libknown.so", "/opt/ld.so"})
      files.add_file(path, caller_of_dlopen({"libx.so"}));
    record.request("");
    for (const auto* path : {"/opt/app", "/opt/liba.so", "/opt/libnone.so", "/opt/ld.so"}) record.object(path);
    record.object("/opt/libgone.so", true);
    record.object("/opt/libknown.so");
    auto& objects = record.written().objects;
    objects[3].dynamic_loader = true;
    objects[5].known_by_name = true;
    objects[0].edges = {asking("libapp.so", "libpieceofapp.so"), asking("/somewhere/libbypath.so")};
    objects[1].edges = {asking("libown.so", "libpiece.so")};
  }

  static Edge asking(const std::string& name, const std::string& piece = "") {
    Edge edge;
    edge.name = name;
    if (!piece.empty()) edge.known.pieces = {piece};
    return edge;
  }

  /// "1: libapp.so libx.so" for each object that may open something.
  std::string noted(ConstantScope scope) {
    Budget budget;
    ThreadLimit threads{1};
    const StreamTree tree(files, stream);
    ImageStore images(tree, budget, threads);
    record.note_constants(images, scope, [](const std::string& name, ObjectId asker) {
      Edge edge = asking(name);
      edge.asked_at = std::to_string(asker);
      return edge;
    });
    std::string text;
    for (ObjectId id = 0; id < record.resolution().objects.size(); ++id) {
      const auto& edges = record.resolution().objects[id].may_open;
      if (!edges.empty()) text += std::to_string(id) + ":";
      for (const auto& edge : edges) {
        text += " " + edge.name;
        CHECK_FALSE(edge.hard);
        CHECK(edge.asked_at == std::to_string(id));
        CHECK(edge.known.function == "dlopen");
        const auto bytes = read_file(files, record.resolution().objects[id].path, 1 << 20);
        CHECK(bytes->substr(edge.known.text_at).starts_with(edge.name));
      }
      if (!edges.empty()) text += "\n";
    }
    return text;
  }

  MemoryFileSystem files;
  std::string stream;  ///< the path of a file that is one; empty: none is
  Record record;
};

TEST_CASE("names among constants are asked for by what is mapped, unless it is known that they are asked for") {
  CHECK(WithConstants().noted(ConstantScope::none) == "");
  for (const auto scope : {ConstantScope::files, ConstantScope::all})
    CHECK(WithConstants().noted(scope) == "0: libx.so\n1: libapp.so libpieceofapp.so libx.so\n");
  // Of Windows the program makes all requests, and names are the same in upper case.
  WithConstants windows;
  windows.record.written().windows = true;
  windows.record.written().objects[0].edges.push_back(WithConstants::asking("LibX.so"));
  CHECK(windows.noted(ConstantScope::all) == "");
  WithConstants paths;
  paths.record.written().windows = true;
  paths.record.written().objects[0].edges = {WithConstants::asking("D:\\Some\\LIBAPP.so")};
  CHECK(paths.noted(ConstantScope::all) == "0: libx.so\n1: libbypath.so libpieceofapp.so libx.so\n");
}

TEST_CASE("files that would be decompressed once more are left out unless all are wanted, and counted") {
  WithConstants files, all;
  files.stream = all.stream = "/opt/liba.so";
  CHECK(files.noted(ConstantScope::files) == "0: libx.so\n");
  CHECK(files.record.resolution().constants_left_out == 1);
  CHECK(all.noted(ConstantScope::all) == "0: libx.so\n1: libapp.so libpieceofapp.so libx.so\n");
  CHECK(all.record.resolution().constants_left_out == 0);
}

TEST_CASE("a request has the traits of its call, and an import is noted") {
  Record record;
  record.request("", RequestTime::now, 4);
  const auto& target = record.resolution().targets.back();
  CHECK(target.given == "lib.so");
  CHECK(target.kind == TargetKind::dlopen);
  CHECK(target.traits.optional);
  Import import;
  import.module = "pkg";
  record.add_import(import);
  REQUIRE(record.resolution().imports.size() == 1);
  CHECK(record.resolution().imports[0].module == "pkg");
  record.refuse("later", {ErrorCode::absent, "gone", "", std::nullopt, 0});
  CHECK(record.resolution().targets.back().kind == TargetKind::dlopen);
  CHECK(record.resolution().targets.back().unreadable->message == "gone");
}

}  // namespace
}  // namespace cudald
