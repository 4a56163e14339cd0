#include <cudald/linux_host_file.h>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "base/sha256.h"
#include "machine/ld_so_cache.h"

namespace cudald {
namespace {

const std::string start = R"({"schema": "cudald/host", "schema_version": "1.1", "platform": "linux-x86_64", )";

TEST_CASE("a described processor has one of four levels, or none is known") {
  const auto level = [](const std::string& isa) {
    const auto host = read_linux_host(start + "\"isa\": \"" + isa + R"(", "libraries": []})");
    REQUIRE(host);
    return host->cpu ? host->cpu->x86_64_level : 0;
  };
  for (int known = 1; known <= 4; ++known) CHECK(level("x86-64-v" + std::to_string(known)) == known);
  for (const auto* other : {"", "x86-64-v", "x86-64-v0", "x86-64-v5", "x86-64-v33", "v3", "armv9-a-v1"})
    CHECK_MESSAGE(level(other) == 0, other);
}

TEST_CASE("the description of a machine with Linux is read") {
  const auto host = read_linux_host(start + R"("isa": "x86-64-v3", "cpu": {"platform": "haswell", "hwcaps": ["avx"]},
    "variables": {"LD_LIBRARY_PATH": "/opt", "BAD": 1},
    "loaders": [{"path": "/lib64/ld.so", "version": "2.36", "folders": ["/lib"]}],
    "cache": {"hwcaps": ["x86-64-v3"], "entries": [["liba.so", "/hw/liba.so", 771, 4611686018427387904],
                                                   ["liba.so", "/lib/liba.so", 771], ["bad"]]},
    "links": {"/lib": "usr/lib"}, "folders": ["/usr/lib"], "noexec": ["/tmp"],
    "libraries": [
      {"path": "/lib/liba.so", "soname": "liba.so", "needed": ["libb.so", ["filter", "libc.so"]], "runpath": "$ORIGIN",
       "defines": ["liba.so", "A_1", ["A_9", 9, false]], "wants": [["libb.so", "B_1", 65540]], "stack": "executable",
       "tls": 8, "flags_1": 8, "opens": {"by": "dlopen", "names": [["libx.so", 7]]},
       "cuda": {"kind": "cudart", "version": "12.8", "major": 12}},
      {"path": "/lib/script.so", "no_elf": 500, "text": "GROUP"},
      {"path": "/lib/arm.so", "machine": [183, 64, "little"]}]})");
  REQUIRE(host);
  CHECK(host->cpu->platform == "haswell");
  CHECK(host->variables.size() == 1);
  CHECK(host->loaders[0].version == "2.36");
  CHECK(host->noexec.contains("/tmp"));
  const auto cache = LdSoCache::parse(host->texts.at("/etc/ld.so.cache"));
  REQUIRE(cache);
  CHECK(cache->find("liba.so", {.flags = 771}) == "/lib/liba.so");
  CHECK(cache->find("liba.so", {.flags = 771, .hwcaps = {"x86-64-v3"}, .x86_64_level = 3}) == "/hw/liba.so");
  REQUIRE(host->libraries.size() == 3);
  const auto& image = *host->libraries[0].image;
  CHECK(image.source == ImageSource::description);
  CHECK(image.elf.needed[1].tag == NeededTag::filter);
  CHECK(image.elf.version_definitions[0].base);
  CHECK(image.elf.version_definitions[1].index == 2);
  CHECK(image.elf.version_definitions[2].index == 9);
  CHECK(image.elf.version_needs[0].versions[0].weak);
  CHECK(image.elf.version_needs[0].versions[0].index == 4);
  CHECK(image.elf.executable_stack == true);
  CHECK(host->libraries[0].texts.texts[0].offset == 7);
  CHECK(host->libraries[0].cuda != nullptr);
  CHECK_FALSE(host->libraries[1].image->is_elf());
  CHECK(host->libraries[2].image->machine == 183);
}

TEST_CASE("a description has a name by its bytes") {
  const auto text = start + R"("libraries": []})";
  REQUIRE(read_linux_host(text));
  CHECK(read_linux_host(text)->sha256 == sha256(text));
  CHECK(read_linux_host(text + " ")->sha256 != sha256(text));
}

TEST_CASE("what is no such description is told in one line") {
  for (const auto& text :
       {std::string(), std::string("[]"), std::string("{"),
        std::string(
            R"({"schema": "cudald/host", "schema_version": "2.0", "platform": "linux-x86_64", "libraries": []})"),
        std::string(R"({"schema": "cudald/host", "schema_version": "1.1", "platform": "windows-x86_64"})"),
        start + R"("isa": "x86-64-v3"})", start + R"("libraries": [{"soname": "a"}]})", start + R"("libraries": [7]})",
        start + R"("libraries": [{"path": "relative"}]})",
        start + R"("libraries": [{"path": ")" + std::string(5000, '/') + R"("}]})",
        start + R"("libraries": [], "folders": ["usr"]})", start + R"("libraries": [], "links": {"a": "b"}})",
        start + R"("libraries": [], "loaders": [7]})"}) {
    CAPTURE(text);
    const auto host = read_linux_host(text);
    REQUIRE_FALSE(host);
    CHECK(host.error().code == ErrorCode::usage);
    CHECK_FALSE(host.error().message.empty());
    CHECK(host.error().message.find('\n') == std::string::npos);
  }
}

TEST_CASE("rows of another kind than they should be are as if they were not there") {
  for (const auto* row :
       {R"("needed": 7)", R"("needed": [7, [], ["filter"]])", R"("defines": [[], ["a"], 7])",
        R"("wants": [[], [7], ["a", 1]])", R"("dlopen_notes": [7, [], [[], "", "", ""], [["a"], 1, 2, 3]])",
        R"("segments": [7, [1]])", R"("machine": [1])",
        R"("symbols": {"defined": [7, [1, 2, 3, 4, 5], [18, 0, 1, 0, "short"]], "asks": [7, [1, 2], [1, 2, 3]]})",
        R"("gpu": {"sass": {"sm_": 1, "x": 2, "sm_90abc": 3}}, "cuda": {"kind": 7}, "opens": {"names": [[], 7]})",
        R"("header": [1, 2], "os_abi": [1], "abi_note": [-1, 2, 3, 4], "tls": -1, "flags_1": 99999999999)"}) {
    CAPTURE(row);
    CHECK(read_linux_host(start + R"("libraries": [{"path": "/lib/a.so", )" + row + "}]}"));
  }
}

TEST_CASE("entries of the loader's cache that are none are passed over") {
  const auto cache = [](const std::string& entries) {
    const auto host = read_linux_host(start + R"("cache": {"entries": [)" + entries + R"(]}, "libraries": []})");
    REQUIRE(host);
    const auto parsed = LdSoCache::parse(host->texts.at("/etc/ld.so.cache"));
    REQUIRE(parsed);
    std::string all;
    for (std::size_t i = 0; i < parsed->size(); ++i)
      if (const auto entry = parsed->entry(i)) all += std::string(entry->key) + " " + std::string(entry->value) + ";";
    return all;
  };
  const std::string good = R"(["a.so", "/lib/a.so", 771])";
  CHECK(cache(good) == "a.so /lib/a.so;");
  for (const std::string bad : {R"(["b.so", "/lib/b.so"])", R"([1, "/lib/b.so", 771])", R"(["b.so", 1, 771])", "7",
                                R"({"x": 1, "y": 2, "z": 3})", R"("text")", "[]"}) {
    CAPTURE(bad);
    CHECK(cache(bad + ", " + good) == "a.so /lib/a.so;");
  }
}

std::string message_of(const std::string& text) {
  const auto host = read_linux_host(text);
  if (host) return "read";
  CHECK(host.error().code == ErrorCode::usage);
  return host.error().message;
}

TEST_CASE("what is wrong with a description is said") {
  const std::string no_path = "not a path of a file: ";
  const auto deep = [](int slashes) {
    std::string path;
    for (int i = 0; i < slashes; ++i) path += "/a";
    return path;
  };
  const auto folder = [](const std::string& path) {
    return start + R"("libraries": [], "folders": [")" + path + "\"]}";
  };
  const std::pair<std::string, std::string> rows[] = {
      {"", "is not valid JSON"},
      {"[]", "no description of a machine (schema cudald/host)"},
      {R"({"schema": "cudald/other", "schema_version": "1.1", "platform": "linux-x86_64", "libraries": []})",
       "no description of a machine (schema cudald/host)"},
      {R"({"schema": "cudald/host", "schema_version": "11", "platform": "linux-x86_64", "libraries": []})",
       "a description of another version than 1"},
      {R"({"schema": "cudald/host", "schema_version": "1.9", "platform": "linux-x86_64", "libraries": []})", "read"},
      {R"({"schema": "cudald/host", "schema_version": "1.1", "platform": "windows-x86_64", "libraries": []})",
       "a description of another system than Linux"},
      {start + R"("libraries": {}})", "it does not say which libraries are there"},
      {start + R"("libraries": [{"path": "a"}]})", "one of its libraries has no path"},
      {folder("/usr"), "read"},
      {folder("usr"), no_path + "usr"},
      {folder(deep(64)), "read"},
      {folder(deep(65)), no_path + deep(65).substr(0, 200)},
      {folder("/" + std::string(4094, 'a')), "read"},
      {folder("/" + std::string(4095, 'a')), no_path + "/" + std::string(199, 'a')},
      {start + R"("libraries": [], "links": {"l": "x"}})", no_path + "l"},
      {start + R"("libraries": [], "texts": {"t": "x"}})", no_path + "t"},
      {start + R"("libraries": [], "loaders": [{"path": "ld.so"}]})", no_path + "ld.so"},
      {start + R"("libraries": [], "loaders": {}})", "read"},
      {start + R"("libraries": [{"path": ")" + deep(65) + R"("}]})", no_path + deep(65).substr(0, 200)},
      {start + R"("libraries": [{"path": "/a", "also": [")" + deep(65) + R"("]}]})", no_path + deep(65).substr(0, 200)},
  };
  for (const auto& [text, message] : rows) CHECK(message_of(text) == message);
}

TEST_CASE("a description with more values than any machine comes to is not parsed") {
  std::string text = start + "\"libraries\": [], \"x\": [7";
  for (int i = 0; i < 2'200'000; ++i) text += ",7";
  CHECK(message_of(text + "]}").starts_with("more than 134217728 bytes"));
}

TEST_CASE("each part of a description has its place") {
  const auto host = read_linux_host(start + R"("libc": "glibc-2.31", "symbols": true, "driver": null,
    "isa": "x86-64-v2", "variables": {"A": "1", "B": "2"}, "texts": {"/etc/t": "text"}, "links": {"/l": "to"},
    "limits": ["one", 5, "two"], "folders": ["/f"],
    "loaders": [{"path": "/ld.so", "version": "2.31", "folders": ["/lib", "/usr/lib"]}], "libraries": []})");
  REQUIRE(host.has_value());
  CHECK(host->platform == "linux-x86_64");
  CHECK(host->libc == "glibc-2.31");
  CHECK(host->with_symbols);
  CHECK(host->tells_driver);
  CHECK(host->cpu == x86_64_cpu(2));
  CHECK(host->variables == std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}});
  CHECK(host->texts == std::map<std::string, std::string>{{"/etc/t", "text"}});
  CHECK(host->links == std::map<std::string, std::string>{{"/l", "to"}});
  CHECK(host->folders == std::set<std::string>{"/f"});
  CHECK(host->limits == std::vector<std::string>{"one", "two"});
  REQUIRE(host->loaders.size() == 1);
  CHECK(host->loaders[0].path == "/ld.so");
  CHECK(host->loaders[0].version == "2.31");
  CHECK(host->loaders[0].folders == std::vector<std::string>{"/lib", "/usr/lib"});
  const auto bare = read_linux_host(start + R"("libraries": []})");
  REQUIRE(bare.has_value());
  CHECK(bare->libc == "");
  CHECK_FALSE(bare->with_symbols);
  CHECK_FALSE(bare->tells_driver);
  CHECK_FALSE(bare->cpu.has_value());
  CHECK(bare->texts.empty());
}

TEST_CASE("a processor without a level is not known, however it is called; its names need a platform") {
  const auto cpu = [](const std::string& row) {
    const auto host = read_linux_host(start + row + R"(, "libraries": []})");
    REQUIRE(host.has_value());
    if (!host->cpu) return std::string("none");
    std::string text = std::to_string(host->cpu->x86_64_level) + " " + host->cpu->platform;
    for (const auto& name : host->cpu->hwcap_names) text += " " + name;
    return text;
  };
  CHECK(cpu(R"("cpu": {"platform": "haswell"})") == "none");
  CHECK(cpu(R"("isa": "x86-64-v3", "cpu": {"platform": "haswell", "hwcaps": ["x", "y"]})") == "3 haswell x y");
  CHECK(cpu(R"("isa": "x86-64-v3", "cpu": {"hwcaps": ["x"]})") == "3 x86_64 x86_64");
  CHECK(cpu(R"("isa": "x86-64-v3", "cpu": {"platform": ""})") == "3 ");
  CHECK(cpu(R"("isa": "y86-64-v3")") == "none");
}

TEST_CASE("a cache without a list of entries is empty, and what is no cache is none") {
  const auto texts = [](const std::string& cache) {
    const auto host = read_linux_host(start + R"("cache": )" + cache + R"(, "libraries": []})");
    REQUIRE(host.has_value());
    return host->texts;
  };
  CHECK(texts("5").empty());
  CHECK(texts("[]").empty());
  for (const std::string cache : {"{}", R"({"entries": 5})", R"({"entries": {"a": ["a.so", "/a.so", 3]}})"}) {
    CAPTURE(cache);
    const auto parsed = LdSoCache::parse(texts(cache).at("/etc/ld.so.cache"));
    REQUIRE(parsed.has_value());
    CHECK(parsed->size() == 0);
  }
  const auto parsed = LdSoCache::parse(
      texts(R"({"hwcaps": ["v2", 5, "v3"], "entries": [["a.so", "/a.so", 3, 77], ["a", "/b", -1, -1]]})")
          .at("/etc/ld.so.cache"));
  REQUIRE(parsed.has_value());
  CHECK(parsed->hwcap_names() == std::vector<std::string_view>{"v2", "v3"});
  CHECK(parsed->entry(0)->flags == 3);
  CHECK(parsed->entry(0)->hwcap == 77);
  CHECK(parsed->entry(1)->flags == 0);
  CHECK(parsed->entry(1)->hwcap == 0);
}

}  // namespace
}  // namespace cudald
