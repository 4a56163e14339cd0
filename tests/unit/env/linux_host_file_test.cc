#include <cudald/linux_host_file.h>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "base/sha256.h"
#include "env/ld_so_cache.h"

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
    "links": {"/lib": "usr/lib"}, "folders": ["/usr/lib"],
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

}  // namespace
}  // namespace cudald
