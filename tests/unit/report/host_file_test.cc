#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <cudald/cuda_stack.h>
#include <cudald/environment.h>
#include <cudald/linux_host_file.h>
#include <cudald/writers.h>

#include "common/example_report.h"

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

}  // namespace
}  // namespace cudald
