#include <cudald/windows_host_file.h>

#include <doctest/doctest.h>

using namespace cudald;

TEST_CASE("the description of a Windows machine is read") {
  const auto host = read_windows_host(
      "\xEF\xBB\xBF"
      R"({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64",
    "driver": "531.61", "windows": {"build": "10.0.22631", "folder": "D:\\Windows\\",
    "known_dlls": "Kernel32.dll", "path": ["C:\\a", "relative", 7],
    "variables": {"CUDA_PATH": "C:\\CUDA", "BAD": 1},
    "python": {"version": "3.11.4", "flavour": "conda", "folder": "C:\\py"},
    "folders": {"D:\\Windows\\System32": ["KERNEL32.dll", null], "C:\\a": "One.dll"}}})");
  REQUIRE(host);
  CHECK(host->windows == "D:\\Windows");
  CHECK(host->build == "10.0.22631");
  CHECK(host->has("d:\\windows\\system32", "kernel32.dll"));
  CHECK(host->has("c:\\a", "one.dll"));
  CHECK_FALSE(host->has("c:\\a", "two.dll"));
  CHECK_FALSE(host->knows("c:\\b"));
  CHECK(host->known_dlls.contains("kernel32.dll"));
  CHECK(host->path == std::vector<std::string>{"C:\\a"});
  CHECK(host->variables.size() == 1);
  CHECK(host->python_minor == 11);
  CHECK(host->conda);
}

TEST_CASE("what is no such description is told") {
  for (const auto* text :
       {"", "[]", "7", "{\"schema\": 1}",
        R"({"schema": "cudald/host", "schema_version": "2.0", "platform": "windows-x86_64"})",
        R"({"schema": "cudald/host", "schema_version": "1.0", "platform": "linux-x86_64"})",
        R"({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", "windows": []})"}) {
    CAPTURE(text);
    const auto host = read_windows_host(text);
    CHECK_FALSE(host);
    CHECK_FALSE(host.error().message.empty());
  }
}
