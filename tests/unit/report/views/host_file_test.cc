#include <algorithm>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <cudald/cuda_stack.h>
#include <cudald/environment.h>
#include <cudald/linux_host_file.h>
#include <cudald/writers.h>

#include "common/example_report.h"
#include "unit/machine/cache_file.h"

namespace cudald {
namespace {

using nlohmann::json;

json written_host(const CudaStack& stack, const LinuxHostFile& host) {
  return json::parse(written([&](std::ostream& out) { write_host(stack, host, out); }));
}

TEST_CASE("the level of a processor is told of x86-64 alone") {
  CudaStack stack;
  stack.platform = "linux-x86_64";
  stack.libc = "glibc-2.36";
  LinuxHostFile host;
  CHECK(written_host(stack, host)["isa"].is_null());
  stack.x86_64_level = 3;
  host.platform = "linux-x86_64";
  CHECK(written_host(stack, host)["isa"] == "x86-64-v3");
  host.platform = "linux-aarch64";
  const auto other = written_host(stack, host);
  CHECK(other["isa"].is_null());
  CHECK(other["platform"] == "linux-aarch64");
  CHECK(other["libc"] == "glibc-2.36");
  CHECK(other["schema"] == "cudald/host");
}

TEST_CASE("what is not known of a machine is null, and what the host says counts before what was found here") {
  CudaStack stack;
  stack.platform = "linux-x86_64";
  LinuxHostFile host;
  auto told = written_host(stack, host);
  CHECK(told["platform"] == "linux-x86_64");
  for (const auto* key : {"libc", "isa", "driver", "driver_module"}) CHECK(told[key].is_null());
  CHECK_FALSE(told.contains("cpu"));
  stack.libc = "glibc-2.36";
  stack.driver.version = "535.104.05";
  stack.driver.module_version = "535.104.05";
  stack.gpus = {{90, 'a'}};
  stack.variables = {{"LD_LIBRARY_PATH", "/opt"}};
  host.libc = "musl-1.2";
  host.cpu = x86_64_cpu(2);
  host.with_symbols = true;
  told = written_host(stack, host);
  CHECK(told["libc"] == "musl-1.2");
  CHECK(told["driver"] == "535.104.05");
  CHECK(told["gpus"] == json::array({"sm_90a"}));
  CHECK(told["variables"] == json({{"LD_LIBRARY_PATH", "/opt"}}));
  CHECK(told["cpu"]["platform"] == "x86_64");
  CHECK(told["symbols"] == true);
}

TEST_CASE("the loader's cache stands there as its entries, texts and rows as they are, a row a line") {
  CudaStack stack;
  LinuxHostFile host;
  CHECK(written_host(stack, host)["cache"].is_null());
  host.texts["/etc/ld.so.cache"] = new_cache({{"liba.so", "/a/liba.so"}, {"libb.so", "/b/libb.so"}});
  host.texts["/etc/ld.so.preload"] = "/p.so\n";
  host.folders = {"/a", "/b"};
  host.links = {{"/l", "a"}};
  host.limits = {"more"};
  const auto told = written_host(stack, host);
  CHECK(told["texts"] == json({{"/etc/ld.so.preload", "/p.so\n"}}));
  const auto entries = told["cache"]["entries"];
  REQUIRE(entries.size() == 2);
  for (const auto& [name, path] : {std::pair("liba.so", "/a/liba.so"), std::pair("libb.so", "/b/libb.so")}) {
    const auto row =
        std::find_if(entries.begin(), entries.end(), [&, name = name](const json& each) { return each[0] == name; });
    REQUIRE(row != entries.end());
    CHECK(row->size() == 3);
    CHECK((*row)[1] == path);
  }
  CHECK(told["folders"] == json::array({"/a", "/b"}));
  CHECK(told["links"] == json({{"/l", "a"}}));
  CHECK(told["limits"] == json::array({"more"}));
  CHECK(told["symbols"] == false);
  const auto text = written([&](std::ostream& out) { write_host(stack, host, out); });
  CHECK(text.find("\"folders\": [\n  \"/a\",\n  \"/b\"],\n") != std::string::npos);
}

TEST_CASE("the rows of a cache have the processors that entries are for, and leave out what cannot be read") {
  CudaStack stack;
  LinuxHostFile host;
  auto bytes = new_cache(
      {{"liba.so", "/a/liba.so", 0x0303, hwcaps_folder(1)}, {"lost.so", "/b/lost.so"}, {"libb.so", "/b/libb.so", 3}},
      {"x86-64-v2", "x86-64-v3"});
  // Where the name of the second entry begins, beyond the end: its key is the second number of its row.
  bytes.replace(48 + 24 + 4, 4, "\xff\xff\xff\x7f");
  host.texts["/etc/ld.so.cache"] = bytes;
  const auto cache = written_host(stack, host)["cache"];
  CHECK(cache["hwcaps"] == json::array({"x86-64-v2", "x86-64-v3"}));
  CHECK(cache["entries"] == json::array({json::array({"liba.so", "/a/liba.so", 0x0303, hwcaps_folder(1)}),
                                         json::array({"libb.so", "/b/libb.so", 3})}));
}

TEST_CASE("a processor without a level of x86-64 is not described, and each loader is a row with its folders") {
  CudaStack stack;
  LinuxHostFile host;
  stack.x86_64_level = 2;
  host.cpu.emplace();
  CHECK_FALSE(written_host(stack, host).contains("cpu"));
  host.cpu->x86_64_level = 1;
  host.cpu->platform = "haswell";
  host.cpu->hwcap_names = {"tls", "avx512_1"};
  host.loaders = {{"/lib64/ld.so", "2.36", {"/lib", "/usr/lib"}}, {"/lib/ld-musl.so", "", {}}};
  stack.gpu_models = {"A100"};
  const auto told = written_host(stack, host);
  CHECK(told["cpu"] == json({{"platform", "haswell"}, {"hwcaps", json::array({"tls", "avx512_1"})}}));
  CHECK(told["loaders"] ==
        json::array(
            {json({{"path", "/lib64/ld.so"}, {"version", "2.36"}, {"folders", json::array({"/lib", "/usr/lib"})}}),
             json({{"path", "/lib/ld-musl.so"}, {"version", ""}, {"folders", json::array()}})}));
  CHECK(told["gpu_models"] == json::array({"A100"}));
  CHECK(told["schema_version"] == "1.1");
  CHECK(told["isa"].is_null());
}

TEST_CASE("what is not ASCII is escaped") {
  CudaStack stack;
  stack.variables = {{"PATH", "/\xc3\xa9\xff"}};
  const auto text = written([&](std::ostream& out) { write_host(stack, LinuxHostFile(), out); });
  CHECK(text.find(R"("variables": {"PATH":"/\u00e9\\xff"},)") != std::string::npos);
}

TEST_CASE("the two versions of a driver stand each in its place") {
  CudaStack stack;
  stack.driver.version = "535.104.05";
  stack.driver.module_version = "525.1";
  const auto told = written_host(stack, LinuxHostFile());
  CHECK(told["driver"] == "535.104.05");
  CHECK(told["driver_module"] == "525.1");
}

}  // namespace
}  // namespace cudald
