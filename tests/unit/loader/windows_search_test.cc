#include <doctest/doctest.h>

#include "base/windows_path.h"
#include "knowledge/windows_names.h"
#include "loader/windows_search.h"

namespace cudald {
namespace {

WindowsHost machine() {
  WindowsHost host;
  host.application = "C:\\App";
  host.current = "C:\\Work";
  host.path = {"C:\\P", "C:\\Q"};
  host.user_folders = {"C:\\U"};
  return host;
}

std::string folders(const WindowsHost& host, const WindowsLoad& load) {
  std::string text;
  for (const auto& folder : windows_folders(host, load).folders)
    text += folder.path + " " + std::string(to_string(folder.rule)) + "\n";
  return text;
}

std::string passed_over(const WindowsHost& host, const WindowsLoad& load) {
  std::string text;
  for (const auto& rule : windows_folders(host, load).skipped) text += std::string(to_string(rule.rule)) + "\n";
  return text;
}

const std::string system_folders =
    "C:\\Windows\\System32 system\nC:\\Windows\\System system16\nC:\\Windows windows-dir\n";
const std::string path_folders = "C:\\P path\nC:\\Q path\n";

TEST_CASE("LoadLibrary and imports of a program: the current folder stands behind the system's") {
  CHECK(folders(machine(), {}) == "C:\\App application-dir\n" + system_folders + "C:\\Work cwd\n" + path_folders);
  CHECK(passed_over(machine(), {}) == "user-dir\n");
}

TEST_CASE("without safe search the current folder comes second") {
  auto host = machine();
  host.safe_search = false;
  CHECK(folders(host, {}) == "C:\\App application-dir\nC:\\Work cwd\n" + system_folders + path_folders);
}

TEST_CASE("SetDllDirectory puts its folder second and takes the current folder out") {
  auto host = machine();
  host.dll_directory = "C:\\D";
  CHECK(folders(host, {}) == "C:\\App application-dir\nC:\\D user-dir\n" + system_folders + path_folders);
  host.dll_directory = "";  // SetDllDirectory("") only takes it out
  CHECK(folders(host, {}) == "C:\\App application-dir\n" + system_folders + path_folders);
}

TEST_CASE("SetDefaultDllDirectories counts for loads that state no such flag themselves") {
  auto host = machine();
  host.default_directories = 0x1000;
  const std::string usual = "C:\\App application-dir\nC:\\U user-dir\nC:\\Windows\\System32 system\n";
  CHECK(folders(host, {}) == usual);
  CHECK(passed_over(host, {}) == "cwd\npath\n");
  WindowsLoad load{{}, "C:\\S"};
  CHECK(folders(host, load) == usual);
  load.flags.altered_search_path = true;
  CHECK(folders(host, load) == "C:\\S dll-load-dir\n" + usual);
  load.flags = WindowsLoadFlags::of(0x800);
  CHECK(folders(host, load) == "C:\\Windows\\System32 system\n");
  host.default_directories = 0x400;
  CHECK(folders(host, {}) == "C:\\U user-dir\n");
}

TEST_CASE("LOAD_WITH_ALTERED_SEARCH_PATH puts the folder of the file in the application's place") {
  WindowsLoad load{{}, "C:\\S"};
  load.flags.altered_search_path = true;
  CHECK(folders(machine(), load) == "C:\\S dll-load-dir\n" + system_folders + "C:\\Work cwd\n" + path_folders);
  load.folder = "";  // a bare name: the flag has nothing to work on
  CHECK(folders(machine(), load).starts_with("C:\\App application-dir\n"));
}

TEST_CASE("LOAD_LIBRARY_SEARCH flags: only what they name, in one order") {
  struct Row {
    WindowsLoadFlags flags;
    std::string folders;
  };
  const Row rows[] = {
      {{false, true, false, false, false}, "C:\\S dll-load-dir\n"},
      {{false, false, true, false, false}, "C:\\App application-dir\n"},
      {{false, false, false, true, false}, "C:\\U user-dir\n"},
      {{false, false, false, false, true}, "C:\\Windows\\System32 system\n"},
      {WindowsLoadFlags::default_folders(), "C:\\App application-dir\nC:\\U user-dir\nC:\\Windows\\System32 system\n"},
      {python_load_flags(8),
       "C:\\S dll-load-dir\nC:\\App application-dir\nC:\\U user-dir\nC:\\Windows\\System32 system\n"},
      {python_load_flags(7), "C:\\S dll-load-dir\n" + system_folders + "C:\\Work cwd\n" + path_folders},
  };
  for (const Row& row : rows) {
    CAPTURE(row.folders);
    CHECK(folders(machine(), {row.flags, "C:\\S"}) == row.folders);
  }
  CHECK(passed_over(machine(), {python_load_flags(8), "C:\\S"}) == "cwd\npath\n");
}

TEST_CASE("SetDllDirectory counts in a load with LOAD_LIBRARY_SEARCH_USER_DIRS as well, behind AddDllDirectory") {
  auto host = machine();
  host.dll_directory = "C:\\D";
  WindowsLoad load{{}, "C:\\S"};
  load.flags.user_folders = true;
  CHECK(folders(host, load) == "C:\\U user-dir\nC:\\D user-dir\n");
  CHECK(folders(host, {WindowsLoadFlags::default_folders(), ""}) ==
        "C:\\App application-dir\nC:\\U user-dir\nC:\\D user-dir\nC:\\Windows\\System32 system\n");
  host.dll_directory = "";  // it only takes the current folder out
  CHECK(folders(host, load) == "C:\\U user-dir\n");
  load.flags = {};
  load.flags.system = true;
  host.dll_directory = "C:\\D";
  CHECK(folders(host, load) == "C:\\Windows\\System32 system\n");
}

TEST_CASE("a 32-bit process has SysWOW64 as its system folder") {
  auto host = machine();
  host.wide = false;
  CHECK(folders(host, {}).find("C:\\Windows\\SysWOW64 system\n") != std::string::npos);
}

TEST_CASE("the name that is looked for") {
  struct Row {
    std::string asked, name;
  };
  const Row rows[] = {{"a", "a.dll"}, {"a.dll", "a.dll"}, {"a.", "a"}, {"a.b", "a.b"}, {"C:\\x.y\\a", "C:\\x.y\\a.dll"},
                      {"", ".dll"}};
  for (const Row& row : rows) {
    CAPTURE(row.asked);
    CHECK(windows_module_name(row.asked) == row.name);
  }
}

TEST_CASE("paths of Windows") {
  CHECK(is_full_windows_path("C:\\a"));
  CHECK(is_full_windows_path("\\\\server\\share"));
  CHECK_FALSE(is_full_windows_path("C:a"));
  CHECK_FALSE(is_full_windows_path("\\a"));
  CHECK(windows_folder("C:\\a\\b.dll") == "C:\\a");
  CHECK(windows_folder("C:\\b.dll") == "C:\\");
  CHECK(windows_folder("b.dll") == "");
  CHECK(windows_file_name("C:/a/b.dll") == "b.dll");
  CHECK(windows_join("C:\\", "b") == "C:\\b");
  CHECK(windows_join("C:\\a", "b") == "C:\\a\\b");
}

TEST_CASE("what is known of Windows by name") {
  CHECK(is_known_dll("kernel32.dll"));
  CHECK_FALSE(is_known_dll("version.dll"));
  CHECK(is_in_system32("version.dll"));
  CHECK_FALSE(is_in_system32("msvcp140.dll"));
  CHECK(is_api_set("API-MS-Win-CRT-runtime-l1-1-0.dll"));
  CHECK_FALSE(is_api_set("api-ms-win-none-l1-1-0.dll"));
  CHECK(api_set_host("api-ms-win-crt-runtime-l1-1-0", "x.dll") == "ucrtbase.dll");
  CHECK(api_set_host("api-ms-win-core-io-l1-1-0.dll", "x.dll") == "kernel32.dll");
  CHECK(api_set_host("api-ms-win-core-io-l1-1-0.dll", "kernel32.dll") == "kernelbase.dll");
  CHECK(is_beside_python("python311.dll", 11));
  CHECK_FALSE(is_beside_python("python310.dll", 11));
  CHECK(is_beside_python("vcruntime140_1.dll", 9));
  CHECK_FALSE(is_beside_python("vcruntime140_1.dll", 8));
  CHECK_FALSE(is_beside_python("msvcp140.dll", 11));
  CHECK(added_later("nvcuda.dll"));
  CHECK_FALSE(added_later("kernel32.dll"));
}

std::string reasons(const WindowsHost& host, const WindowsLoad& load) {
  std::string text;
  for (const auto& rule : windows_folders(host, load).skipped)
    text += std::to_string(rule.before) + " " + std::string(to_string(rule.rule)) + ": " + rule.reason + "\n";
  return text;
}

TEST_CASE("why rules do not take part is told, and behind which folder they would stand") {
  WindowsHost host;
  host.application = "C:\\App";
  const std::string no_path = "path: no directory of it is known: --dll-path names some\n";
  CHECK(reasons(host, {}) == "4 cwd: not known\n4 " + no_path);
  host.path = {"C:\\P"};
  host.current = "C:\\Work";
  CHECK(reasons(host, {}) == "");
  host.dll_directory = "";
  CHECK(reasons(host, {}) == "4 cwd: not used: SetDllDirectory takes its place\n");
  host.dll_directory = "C:\\D";
  host.user_folders = {"C:\\U"};
  WindowsLoad load{{}, "C:\\S"};
  load.flags.altered_search_path = true;
  CHECK(
      reasons(host, load) ==
      "1 application-dir: not used: LOAD_WITH_ALTERED_SEARCH_PATH puts the directory of the loaded file in its place\n"
      "5 cwd: not used: SetDllDirectory takes its place\n"
      "5 user-dir: not used: os.add_dll_directory counts only for loads with LOAD_LIBRARY_SEARCH flags\n");
  const std::string by_flags = "not used: this load searches only what its LOAD_LIBRARY_SEARCH flags name\n";
  CHECK(reasons(host, {WindowsLoadFlags::of(0x900), "C:\\S"}) == "2 cwd: " + by_flags + "2 path: " + by_flags);
  host.default_directories = 0x800;
  const std::string by_default =
      "not used: SetDefaultDllDirectories or LOAD_LIBRARY_SEARCH flags say what is searched\n";
  CHECK(reasons(host, {}) == "1 cwd: " + by_default + "1 path: " + by_default);
}

TEST_CASE("a folder that is not known is no place to look in") {
  auto host = machine();
  host.path = {"", "C:\\P", ""};
  host.user_folders = {"", "C:\\U"};
  host.current = "";
  CHECK(folders(host, {}) == "C:\\App application-dir\n" + system_folders + "C:\\P path\n");
  CHECK(folders(host, {WindowsLoadFlags::of(0x500), ""}) == "C:\\U user-dir\n");
  CHECK(folders(host, {WindowsLoadFlags::of(0x500), "C:\\S"}) == "C:\\S dll-load-dir\nC:\\U user-dir\n");
  host.safe_search = false;
  CHECK(folders(host, {}) == "C:\\App application-dir\n" + system_folders + "C:\\P path\n");
}

std::string words(const WindowsLoadFlags& flags) {
  return std::string(flags.altered_search_path ? "altered " : "") + (flags.dll_load_folder ? "load " : "") +
         (flags.application_folder ? "application " : "") + (flags.user_folders ? "user " : "") +
         (flags.system ? "system " : "") + (flags.limited() ? "limited" : "");
}

TEST_CASE("each flag of LoadLibraryEx has a bit of its own") {
  const std::pair<std::uint32_t, std::string> rows[] = {
      {0, ""},
      {0x8, "altered "},
      {0x100, "load limited"},
      {0x200, "application limited"},
      {0x400, "user limited"},
      {0x800, "system limited"},
      {0x1000, "application user system limited"},
      {0x1108, "altered load application user system limited"},
      {0xffffe0f7, ""},
  };
  for (const auto& [number, text] : rows) CHECK(words(WindowsLoadFlags::of(number)) == text);
}

TEST_CASE("Python's way of loading extension modules is new since 3.8, in conda's builds since 3.10") {
  const std::string older = "altered ", newer = "load application user system limited";
  CHECK(words(python_load_flags(7)) == older);
  CHECK(words(python_load_flags(8)) == newer);
  CHECK(words(python_load_flags(8, true)) == older);
  CHECK(words(python_load_flags(9, true)) == older);
  CHECK(words(python_load_flags(10, true)) == newer);
}

TEST_CASE("ctypes names the default folders since 3.8, and the file's own folder if it is given a path") {
  CHECK(words(ctypes_load_flags(7, "C:\\a.dll")) == "");
  CHECK(words(ctypes_load_flags(8, "a.dll")) == "application user system limited");
  CHECK(words(ctypes_load_flags(8, "C:\\a.dll")) == "load application user system limited");
  CHECK(words(ctypes_load_flags(8, "x/a.dll")) == "load application user system limited");
}

TEST_CASE("a load that says itself what is searched is not asked for the default") {
  auto host = machine();
  host.default_directories = 0x400;
  WindowsLoad load{WindowsLoadFlags::of(0x108), "C:\\S"};
  CHECK(folders(host, load) == "C:\\S dll-load-dir\n");
  host.default_directories = 0x100;
  CHECK(folders(host, {{}, "C:\\S"}) == "C:\\S dll-load-dir\n");
}

}  // namespace
}  // namespace cudald
