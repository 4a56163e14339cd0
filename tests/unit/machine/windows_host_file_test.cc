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

namespace {

const std::string head = R"({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", )";
const std::string system32 = R"("folders": {"C:\\Windows\\System32": ["A.dll"]})";

WindowsHostFile described(const std::string& windows) {
  const auto host = read_windows_host(head + R"("windows": {)" + windows + "}}");
  REQUIRE(host.has_value());
  return *host;
}

}  // namespace

TEST_CASE("what a description of Windows does not say is as usual") {
  const auto host = described(system32);
  CHECK(host.windows == "C:\\Windows");
  CHECK(host.build == "");
  CHECK(host.known_dlls.empty());
  CHECK(host.path.empty());
  CHECK(host.variables.empty());
  CHECK(host.python_folder == "");
  CHECK(host.python_minor == 0);
  CHECK_FALSE(host.conda);
  CHECK(host.folders.size() == 1);
  CHECK(host.has("c:\\windows\\system32", "a.dll"));
  CHECK_FALSE(host.has("c:\\other", "a.dll"));
}

TEST_CASE("what has no full path in a description of Windows does not count") {
  const auto host = described(R"("folder": "Windows", "path": ["a", "C:\\b\\..\\c", "\\d"],
    "folders": {"C:\\Windows\\System32": ["A.dll", "B.DLL"], "relative": ["C.dll"], "C:\\x\\.\\Y\\": ["D.dll"]},
    "known_dlls": ["K.dll", 5, "L.DLL"], "variables": {"ONE": "1", "TWO": "2"},
    "python": {"version": "3.12.1", "folder": "python"})");
  CHECK(host.windows == "C:\\Windows");
  CHECK(host.path == std::vector<std::string>{"C:\\c"});
  CHECK(host.folders == std::map<std::string, std::set<std::string>>{{"c:\\windows\\system32", {"a.dll", "b.dll"}},
                                                                     {"c:\\x\\y", {"d.dll"}}});
  CHECK(host.known_dlls == std::set<std::string>{"k.dll", "l.dll"});
  CHECK(host.variables == std::map<std::string, std::string>{{"ONE", "1"}, {"TWO", "2"}});
  CHECK(host.python_folder == "");
  CHECK(host.python_minor == 0);
}

TEST_CASE("of a Python 3 its folder, its version and whose it is are known") {
  const auto python = [](const std::string& row) {
    const auto host = described(system32 + R"(, "variables": [], "python": {)" + row + "}");
    CHECK(host.variables.empty());
    return host.python_folder + " " + std::to_string(host.python_minor) + (host.conda ? " conda" : "");
  };
  CHECK(python(R"("version": "3.12.1", "folder": "C:/py/", "flavour": "conda")") == "C:\\py 12 conda");
  CHECK(python(R"("version": "3.8", "folder": "C:\\py", "flavour": "python.org")") == "C:\\py 8");
  CHECK(python(R"("version": "2.7.18", "folder": "C:\\py", "flavour": "conda")") == " 0");
  CHECK(python(R"("folder": "C:\\py")") == " 0");
  CHECK(python(R"("version": 3, "folder": "C:\\py")") == " 0");
}

TEST_CASE("what is wrong with a description of Windows is said") {
  const std::string no_description = "no description of a machine (schema cudald/host)";
  const std::pair<std::string, std::string> rows[] = {
      {"", "is not valid JSON"},
      {"[]", no_description},
      {R"({"schema": "x", "schema_version": "1.0", "platform": "windows-x86_64"})", no_description},
      {R"({"schema": "cudald/host", "schema_version": "2.1", "platform": "windows-x86_64"})",
       "a description of another version than 1"},
      {R"({"schema": "cudald/host", "platform": "windows-x86_64"})", "a description of another version than 1"},
      {R"({"schema": "cudald/host", "schema_version": "1.0", "platform": "linux-x86_64"})",
       "a description of another system than Windows"},
      {head + R"("windows": []})", "it does not say what System32 holds"},
      {head + R"("windows": {"folders": {"C:\\Windows": []}}})", "it does not say what System32 holds"},
      {head + R"("windows": {"folder": "D:\\Win", )" + system32 + "}}", "it does not say what System32 holds"},
      {"\xEF\xBB" + head + R"("windows": {)" + system32 + "}}", "is not valid JSON"},
  };
  for (const auto& [text, message] : rows) {
    const auto host = read_windows_host(text);
    REQUIRE_FALSE(host.has_value());
    CHECK(host.error().code == ErrorCode::usage);
    CHECK(host.error().message == message);
  }
  std::string many = head + "\"x\": [7";
  for (int i = 0; i < 1'600'000; ++i) many += ",7";
  CHECK(read_windows_host(many + "]}").error().message.starts_with("more than 100663296 bytes"));
}
