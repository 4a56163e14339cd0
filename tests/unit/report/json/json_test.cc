#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/message.h>
#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Report& report, bool compact = true) {
  return written([&](std::ostream& out) { write_json(report, compact, out); });
}

Json document_of(const Report& report) { return Json::parse(text_of(report)); }

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

using Keys = std::vector<std::string>;

TEST_CASE("the document has its fields, in order") {
  const Json document = document_of(failing_report());
  CHECK(keys(document) == Keys{"schema", "schema_version", "tool", "world", "verdict", "targets", "objects", "symbols",
                               "findings", "unfollowed"});
  CHECK(document["schema"] == "cudald/report");
  CHECK(document["schema_version"] == "1.1");
  CHECK(document["tool"] == Json({{"name", "cudald"}, {"version", CUDALD_VERSION}}));
  CHECK(document["verdict"] == "fails");
}

TEST_CASE("the world is told") {
  Report report = failing_report();
  CHECK(document_of(report)["world"] == Json::parse(R"~({"kind": "here", "name": null, "requirements": [],
        "platform": "linux-x86_64", "loader": "glibc", "libc": "2.36",
        "sysroot": "/", "prefix": null, "driver": null, "gpus": []})~"));
  report.resolution.libc = {LibcKind::musl, 1, 2};
  report.query.sysroot = "/srv/tree";
  report.query.prefix = "/venv";
  const Json world = document_of(report)["world"];
  CHECK(world["loader"] == "musl");
  CHECK(world["libc"] == "1.2");
  CHECK(world["sysroot"] == "/srv/tree");
  CHECK(world["prefix"] == "/venv");
  CHECK(document_of(unreadable_report())["world"]["platform"] == nullptr);
}

TEST_CASE("targets have a verdict and the loader's line each") {
  CHECK(document_of(failing_report())["targets"] == Json::parse(R"~([{"given": "./app", "object": 0, "verdict": "fails",
        "error": "libcudart.so.12: cannot open shared object file: No such file or directory"}])~"));
  CHECK(document_of(healthy_report())["targets"] ==
        Json::parse(R"~([{"given": "./app", "object": 0, "verdict": "loads", "error": null}])~"));
  CHECK(document_of(unreadable_report())["targets"] ==
        Json::parse(
            R"~([{"given": "nothing.so", "object": null, "verdict": "unknown",
          "error": "nothing.so: No such file or directory"}])~"));
  Report risky = healthy_report();
  risky.verdict = Verdict::risk;
  CHECK(document_of(risky)["targets"][0]["verdict"] == "risk");
  // Another target's failure is not this one's.
  risky.verdict = Verdict::fails;
  CHECK(document_of(risky)["targets"][0]["verdict"] == "loads");
}

TEST_CASE("objects are in load order, with their needs") {
  Report report = failing_report();
  CudaLibrary graph;
  graph.kind = CudaKind::cudnn;
  graph.part = "graph";
  graph.version = "9.10.2";
  graph.built_for_cuda = "12.9";
  graph.evidence = {"defines the version libcudnn_graph.so.9"};
  report.resolution.objects[1].cuda = std::make_shared<const CudaLibrary>(graph);
  const Json objects = document_of(report)["objects"];
  REQUIRE(objects.size() == 4);
  CHECK(keys(objects[0]) == Keys{"id", "path", "package", "soname", "format", "machine", "gpu", "cuda", "needed"});
  for (std::size_t i = 0; i < objects.size(); ++i) CHECK(objects[i]["id"] == i);
  CHECK(objects[0]["soname"] == nullptr);
  CHECK(objects[1]["path"] == "/opt/app/lib/libfoo.so.1.2");
  CHECK(objects[1]["soname"] == "libfoo.so.1");
  CHECK(objects[1]["format"] == "elf64");
  CHECK(objects[1]["machine"] == "x86_64");
  CHECK(objects[1]["package"] == nullptr);
  CHECK(objects[1]["gpu"] == nullptr);
  CHECK(objects[0]["cuda"] == nullptr);
  CHECK(objects[1]["cuda"].dump() ==
        R"({"kind":"cudnn","part":"graph","version":"9.10.2","release":null,"built_for_cuda":"12.9",)"
        R"("stub":false,"static":false,)"
        R"("evidence":["defines the version libcudnn_graph.so.9"]})");
  CHECK(objects[0]["needed"][0] ==
        Json::parse(R"~({"name": "libfoo.so.1", "kind": "needed", "hard": true, "status": "loaded",
        "object": 1, "rule": "rpath", "tried": [{"path": "/opt/app/lib/libfoo.so.1",
        "rule": "rpath", "of": 0, "result": "found"}]})~"));
  CHECK(objects[1]["needed"][1] == Json::parse(R"~({"name": "libc.so.6", "kind": "needed", "hard": true,
        "status": "already-loaded", "object": 2, "rule": "already-loaded", "tried": []})~"));
  const Json& missing = objects[1]["needed"][0];
  CHECK(missing["status"] == "missing");
  CHECK(missing["object"] == nullptr);
  CHECK(missing["rule"] == nullptr);
  REQUIRE(missing["tried"].size() == 7);
  CHECK(missing["tried"][3] == Json::parse(
                                   R"~({"path": "/opt/arm/lib/libcudart.so.12", "rule": "runpath",
          "of": 1, "result": "wrong-machine"})~"));
  CHECK(missing["tried"][5]["of"] == nullptr);
  CHECK(missing["tried"][5]["rule"] == "default");
}

TEST_CASE("filters have kinds of their own, and soft ones are not hard") {
  Report report = healthy_report();
  auto& edges = report.resolution.objects[0].edges;
  edges[0].kind = EdgeKind::auxiliary;
  edges[0].hard = false;
  edges[1].kind = EdgeKind::filter;
  Json needed = document_of(report)["objects"][0]["needed"];
  CHECK(keys(needed[0]) == Keys{"name", "kind", "hard", "status", "object", "rule", "tried"});
  CHECK(needed[0]["kind"] == "auxiliary");
  CHECK(needed[0]["hard"] == false);
  CHECK(needed[1]["kind"] == "filter");
  edges[0].kind = EdgeKind::preload;
  edges[1].kind = EdgeKind::dlopen;
  needed = document_of(report)["objects"][0]["needed"];
  CHECK(needed[0]["kind"] == "preload");
  CHECK(needed[1]["kind"] == "dlopen");
}

TEST_CASE("each rule, status and result has its word") {
  CHECK(to_string(SearchRule::path) == "path");
  CHECK(to_string(SearchRule::ld_library_path) == "ld-library-path");
  CHECK(to_string(SearchRule::runpath) == "runpath");
  CHECK(to_string(SearchRule::cache) == "cache");
  CHECK(to_string(SearchRule::preload) == "preload");
  CHECK(to_string(EdgeStatus::rejected) == "rejected");
  CHECK(to_string(EdgeStatus::not_loaded) == "not-loaded");
  CHECK(to_string(ProbeResult::wrong_class) == "wrong-class");
  CHECK(to_string(ProbeResult::not_elf) == "not-elf");
  CHECK(to_string(ProbeResult::unreadable) == "unreadable");
  CHECK(to_string(ProbeResult::abi_too_new) == "abi-too-new");
  CHECK(to_string(ProbeResult::isa_too_new) == "isa-too-new");
  CHECK(to_string(ProbeResult::malformed) == "malformed");
  CHECK(to_string(Verdict::cpu_only) == "cpu-only");
  CHECK(to_string(Basis::table) == "table");
}

TEST_CASE("missing symbols are listed; bindings only if they were asked for") {
  Report report = failing_report();
  CHECK(document_of(report)["symbols"] == Json::parse(R"~({"scope": "all", "checked": 17, "missing": [{"object": 1,
        "name": "_ZN3foo3barEv", "version": "LIBFOO_1", "weak": false, "lazy": true,
        "demangled": "foo::bar()"}]})~"));
  report.symbols->missing[0].name = "plain";
  report.symbols->missing[0].version.clear();
  const Json missing = document_of(report)["symbols"]["missing"][0];
  CHECK(missing["version"] == nullptr);
  CHECK(missing["demangled"] == nullptr);

  report.query.keep_bindings = true;
  report.symbols->bindings = {{0, "puts", "GLIBC_2.2.5", 2}, {1, "own", "", 1}};
  CHECK(document_of(report)["symbols"]["bindings"] == Json::parse(R"~([
        {"object": 0, "name": "puts", "version": "GLIBC_2.2.5", "definer": 2},
        {"object": 1, "name": "own", "version": null, "definer": 1}])~"));
  report.symbols.reset();
  CHECK(document_of(report)["symbols"] ==
        Json::parse(R"~({"scope": "none", "checked": 0, "missing": [], "bindings": []})~"));
}

TEST_CASE("findings carry their evidence and fixes") {
  CHECK(document_of(failing_report())["findings"] == Json::parse(R"~([{"code": "CUD101", "name": "library-not-found",
        "level": "error", "object": 1, "subject": "libcudart.so.12",
        "message": "libcudart.so.12 is not found in any directory the loader searches",
        "consequence": "The program does not start.",
        "evidence": [{"text": "a DT_RUNPATH switches DT_RPATH off", "path": null,
        "basis": "rule", "source": "ld.so(8)"},
                     {"text": "lies beside it", "path": "/opt/other/libcudart.so.13",
                     "basis": "proven"}],
        "fixes": [{"title": "install the runtime",
        "command": "pip install nvidia-cuda-runtime-cu12", "side_effect": null},
                  {"title": "for one shell",
                  "command": "export LD_LIBRARY_PATH=/opt/cuda\n./app",
                  "side_effect": "all programs see it"}],
        "does_not_help": ["a symlink from libcudart.so.13"]}])~"));
}

TEST_CASE("whatever a name holds, the document is valid and ASCII") {
  Report report = failing_report();
  const std::string evil = "lib\x1b[31m\"\\\n\xe2\x80\xae\xc3\xa9\xff\xed\xa0\x80.so";
  report.resolution.objects[1].path = evil;
  report.resolution.objects[1].edges[0].name = evil;
  report.findings[0].message = evil;
  report.resolution.targets[0].given = evil;
  const std::string text = text_of(report);
  for (const char c : text) CHECK(((c >= 0x20 && c < 0x7f) || c == '\n'));
  const Json document = Json::parse(text);
  CHECK(document["objects"][1]["path"] == "lib\x1b[31m\"\\\n\xe2\x80\xae\xc3\xa9\\xff\\xed\\xa0\\x80.so");
}

TEST_CASE("compact is one line; both forms say the same") {
  const std::string compact = text_of(failing_report(), true), pretty = text_of(failing_report(), false);
  CHECK(std::count(compact.begin(), compact.end(), '\n') == 1);
  CHECK(compact.ends_with('\n'));
  CHECK(std::count(pretty.begin(), pretty.end(), '\n') > 50);
  CHECK(Json::parse(compact) == Json::parse(pretty));
}

TEST_CASE("what a request is known by, and what an object is, stand there where there is something to say") {
  Report report = healthy_report();
  auto& objects = report.resolution.objects;
  const Json before = document_of(report)["objects"][0];
  for (const auto* key : {"mapped", "known_by_name", "may_open"}) CHECK_MESSAGE(!before.contains(key), key);
  for (const auto* key : {"asked_at", "known_from"}) CHECK_MESSAGE(!before["needed"][0].contains(key), key);
  objects[0].unmapped = true;
  objects[0].known_by_name = true;
  objects[0].edges[0].asked_at = "a.py:7";
  objects[0].edges[0].known.source = "a table";
  Edge later;
  later.name = "libx.so";
  later.rule = SearchRule::default_folder;
  later.known.text_at = 4096;
  later.known.function = "dlopen";
  later.status = EdgeStatus::not_loaded;
  auto missed = later;
  missed.status = EdgeStatus::missing;
  auto loaded = missed;
  loaded.object = 2;
  Probe probe;
  probe.path = "/lib/libx.so";
  probe.rule = SearchRule::default_folder;
  probe.result = ProbeResult::found;
  later.search.probes = {probe};
  probe.result = ProbeResult::absent;
  missed.search.probes = {probe};
  objects[0].may_open = {later, missed, loaded};
  const Json object = document_of(report)["objects"][0];
  CHECK(object["mapped"] == false);
  CHECK(object["known_by_name"] == true);
  CHECK(object["needed"][0]["asked_at"] == "a.py:7");
  CHECK(object["needed"][0]["known_from"] == "a table");
  REQUIRE(object["may_open"].size() == 3);
  const Json first = object["may_open"][0];
  CHECK(keys(first) == Keys{"name", "offset", "calls", "status", "object", "rule", "tried"});
  CHECK(first["offset"] == 4096);
  CHECK(first["calls"] == "dlopen");
  CHECK(first["rule"] == to_string(SearchRule::default_folder));
  CHECK(first["tried"][0]["result"] == "found");
  CHECK(object["may_open"][1]["rule"] == nullptr);
  CHECK(object["may_open"][2]["rule"] == to_string(SearchRule::default_folder));
  CHECK(object["may_open"][2]["object"] == 2);
}

TEST_CASE("the imports of a target stand with it, and what was not followed with the whole") {
  Report report = healthy_report();
  Import import;
  import.target = 0;
  import.unfollowed = {{.what = "importlib.import_module(name)", .file = "/a.py", .line = 7}};
  report.resolution.imports = {import};
  CHECK(document_of(report)["targets"][0]["imports"].size() == 1);
  const Json unfollowed = document_of(report)["unfollowed"];
  REQUIRE(unfollowed.size() == 1);
  CHECK(keys(unfollowed[0]) == Keys{"what", "certain", "file", "line", "module", "code"});
  CHECK(unfollowed[0]["what"] == "importlib.import_module(name)");
  CHECK(unfollowed[0]["line"] == 7);
  report.resolution.imports[0].target = 1;
  CHECK_FALSE(document_of(report)["targets"][0].contains("imports"));
}

TEST_CASE("the world of Windows has no C library, and the machine is that of the process or the one that was stated") {
  auto report = failing_report();
  report.resolution.windows = true;
  const auto world = document_of(report)["world"];
  CHECK(world["platform"] == "windows-x86_64");
  CHECK(world["loader"] == "windows");
  CHECK(world["libc"] == nullptr);
  auto stated = unreadable_report();
  stated.query.environment.machine = std::uint16_t{183};
  CHECK(document_of(stated)["world"]["platform"] == "linux-aarch64");
  // What was loaded counts before what was stated.
  report = failing_report();
  report.query.environment.machine = std::uint16_t{183};
  CHECK(document_of(report)["world"]["platform"] == "linux-x86_64");
}

TEST_CASE("the world of a tag has its name, and what packages require there") {
  auto report = healthy_report();
  auto& world = report.resolution.world;
  world.kind = WorldKind::tag;
  world.name = "manylinux_2_28_x86_64";
  RequiredPackage required;
  required.name = "numpy";
  required.specifiers = ">=1";
  required.by = "torch";
  required.libraries = {"liba.so"};
  world.requirements = {required};
  report.query.environment.driver = "535.104.05";
  report.query.gpus = {{90, 'a'}};
  const auto told = document_of(report)["world"];
  CHECK(told["kind"] == "tag");
  CHECK(told["name"] == "manylinux_2_28_x86_64");
  CHECK(told["requirements"].dump() ==
        R"([{"name":"numpy","specifiers":">=1","by":"torch","at_hand":false,"libraries":["liba.so"]}])");
  CHECK(told["driver"] == "535.104.05");
  CHECK(told["gpus"] == Json::array({"sm_90a"}));
  world.requirements[0].at_hand = true;
  CHECK(document_of(report)["world"]["requirements"][0]["at_hand"] == true);
}

TEST_CASE("a target that loads has the weaker verdict of its process") {
  auto report = healthy_report();
  report.verdict = Verdict::cpu_only;
  CHECK(document_of(report)["targets"][0]["verdict"] == "cpu-only");
  report.verdict = Verdict::unknown;
  CHECK(document_of(report)["targets"][0]["verdict"] == "loads");
  // What fails fails, and what the loader says of it counts before why it cannot be read.
  auto unreadable = unreadable_report();
  unreadable.resolution.targets[0].error = "the loader's words";
  CHECK(document_of(unreadable)["targets"][0].dump() ==
        R"({"given":"nothing.so","object":null,"verdict":"unknown","error":"the loader's words"})");
  report = failing_report();
  report.verdict = Verdict::risk;
  CHECK(document_of(report)["targets"][0]["verdict"] == "fails");
}

TEST_CASE("parts of a target are no targets of the document") {
  auto report = healthy_report();
  Target part;
  part.given = "libpart.so";
  part.part_of = 0;
  report.resolution.targets.push_back(part);
  CHECK(document_of(report)["targets"].size() == 1);
}

TEST_CASE("an import is told field by field") {
  auto report = healthy_report();
  Import import;
  import.module = "torch.cuda";
  import.python = "/usr/bin/python3";
  import.python_version = "3.11";
  import.modules = 42;
  import.followed = false;
  import.packages = {{"torch", "/site/torch/", "a.py:1"}, {"one", "", ""}};
  import.missing = {{"cupy", "b.py:2", true}, {"other", "", false}};
  import.notes = {"a note"};
  import.unfollowed = {{"a library", false, "/a.py", 7, "torch", "load(x)"}};
  report.resolution.imports = {import};
  const auto document = document_of(report);
  CHECK(document["targets"][0]["imports"].dump() ==
        R"([{"module":"torch.cuda","python":"/usr/bin/python3","python_version":"3.11","modules":42,)"
        R"("followed":false,"packages":[{"name":"torch","asked_at":"a.py:1"},{"name":"one","asked_at":null}],)"
        R"("missing":[{"name":"cupy","asked_at":"b.py:2","required":true},)"
        R"({"name":"other","asked_at":null,"required":false}],"notes":["a note"]}])");
  CHECK(document["unfollowed"].dump() ==
        R"~([{"what":"a library","certain":false,"file":"/a.py","line":7,"module":"torch","code":"load(x)"}])~");
}

TEST_CASE("the package of an object stands with it, and its GPU code if it has any") {
  auto report = healthy_report();
  report.resolution.objects[0].package = PackageName{"torch", "2.9"};
  auto gpu = std::make_shared<GpuCode>();
  report.resolution.objects[0].gpu = gpu;
  CHECK(document_of(report)["objects"][0]["gpu"] == nullptr);
  gpu->sass[{90, 'a'}] = 2;
  gpu->ptx[{80, 0}] = 3;
  const auto object = document_of(report)["objects"][0];
  CHECK(object["package"].dump() == R"({"name":"torch","version":"2.9"})");
  CHECK(object["gpu"].dump() == R"({"sass":{"sm_90a":2},"ptx":{"sm_80":3}})");
}

TEST_CASE("a message that was pasted and what a real load came to stand at the end, or by themselves") {
  auto report = healthy_report();
  MessageReading message;
  message.text = "the line";
  message.library = "liba.so";
  message.symbol = "f";
  message.version = "V1";
  message.module = "torch";
  message.kind = MessageKind::soft;
  message.who = "the loader";
  message.means = "it is gone";
  message.effect = MessageEffect::nothing;
  message.source = "its source";
  report.message = message;
  report.probe.emplace();
  report.probe->not_run = {"no program"};
  const std::string told =
      R"({"text":"the line","library":"liba.so","symbol":"f","version":"V1","module":"torch","kind":"soft",)"
      R"("who":"the loader","means":"it is gone","harmless":true,"source":"its source"})";
  const auto document = document_of(report);
  CHECK(document["message"].dump() == told);
  CHECK(document["probe"].dump() == R"({"runs":[],"not_run":["no program"]})");
  CHECK(keys(document).back() == "probe");
  CHECK(written([&](std::ostream& out) { write_message_json(message, true, out); }) == told + "\n");
  MessageReading bare;
  CHECK(written([&](std::ostream& out) { write_message_json(bare, true, out); }) ==
        R"({"text":"","library":null,"symbol":null,"version":null,"module":null,"kind":"hard","who":"","means":"",)"
        R"("harmless":false,"source":""})"
        "\n");
}

}  // namespace
}  // namespace cudald
