#include "knowledge/windows_names.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("an API set is known by its name without the last number, in any case") {
  CHECK(is_api_set("api-ms-win-core-file-l1-2-0.dll"));
  CHECK(is_api_set("API-MS-Win-Core-File-L1-2-7"));
  CHECK(is_api_set("ext-ms-win-shell-aclui-l1-1-0.DLL"));
  CHECK_FALSE(is_api_set("api-ms-win-core-file-l9-2-0.dll"));
  CHECK_FALSE(is_api_set("kernel32.dll"));
  CHECK_FALSE(is_api_set("api"));
  CHECK_FALSE(is_api_set(""));
}

TEST_CASE("what brings a DLL that most machines lack, and what Windows has a copy of") {
  const auto old = installer_of("msvcr100.dll");
  REQUIRE(old);
  CHECK(old->says == "it comes with the Visual C++ 2010 redistributable");
  REQUIRE(old->ways.size() == 1);
  CHECK(old->ways[0].command == "winget install Microsoft.VCRedist.2010.x64");
  CHECK(installer_of("mfplat.dll")->ways.size() == 1);
  CHECK_FALSE(installer_of("msvcp140.dll"));
  const auto openssl = installer_of("libeay32.dll");
  REQUIRE(openssl);
  CHECK(openssl->ways.at(0).machine == "x86_64");
  CHECK(openssl->ways.at(1).machine == "i386");
  CHECK(openssl->ways.at(2).machine.empty());
  CHECK(installer_of("msys-2.0.dll")->ways.at(0).command.starts_with("winget install MSYS2.MSYS2"));
  CHECK(own_copy("onnxruntime.dll"));
  CHECK_FALSE(own_copy("icuuc.dll"));
}

TEST_CASE("a name may only look like an API set") {
  CHECK(looks_like_api_set("api-ms-win-none-l1-1-0.dll"));
  CHECK(looks_like_api_set("Api-MS-x"));
  CHECK(looks_like_api_set("ext-ms-win-none"));
  CHECK_FALSE(looks_like_api_set("api-win"));
  CHECK_FALSE(looks_like_api_set("ext-ms"));
  CHECK_FALSE(looks_like_api_set("xapi-ms-win"));
}

TEST_CASE("the DLL of an API set hangs on who imports it; some have none") {
  CHECK(api_set_host("ext-ms-win-shell-aclui-l1-1-0", "x.dll") == "aclui.dll");
  CHECK(api_set_host("ext-ms-win-kernel32-errorhandling-l1-1-0", "kernel32.dll") == "faultrep.dll");
  CHECK(api_set_host("api-ms-win-core-util-l1-1-5.dll", "kernel32.dll") == "kernelbase.dll");
  CHECK(api_set_host("api-ms-win-core-util-l1-1-5.dll", "user32.dll") != "kernelbase.dll");
  CHECK(api_set_host("api-ms-win-deprecated-apis-legacy-l1-1-0", "x.dll") == std::nullopt);
  CHECK(api_set_host("api-ms-win-none-l1-1-0", "x.dll") == std::nullopt);
  CHECK(api_set_host("kernel32.dll", "x.dll") == std::nullopt);
}

TEST_CASE("what lies beside python.exe hangs on its version") {
  CHECK(is_beside_python("python3.dll", 8));
  CHECK(is_beside_python("vcruntime140.dll", 8));
  CHECK(is_beside_python("python38.dll", 8));
  CHECK_FALSE(is_beside_python("python39.dll", 8));
  CHECK_FALSE(is_beside_python("vcruntime140_1.dll", 8));
  CHECK(is_beside_python("vcruntime140_1.dll", 9));
}

TEST_CASE("what comes later says from which package, with which command, and how sure that is") {
  const auto runtime = added_later("msvcp140.dll"), likely = added_later("mfc140.dll"),
             driver = added_later("nvml.dll");
  REQUIRE((runtime && likely && driver));
  CHECK(runtime->title == "the Visual C++ redistributable");
  CHECK(runtime->command == "winget install Microsoft.VCRedist.2015+.x64");
  CHECK_FALSE(runtime->likely);
  CHECK(runtime->source.starts_with("MicrosoftDocs/cpp-docs "));
  CHECK(likely->likely);
  CHECK(likely->source == "likely, by " + runtime->source);
  CHECK(driver->title == "NVIDIA's display driver");
  CHECK(driver->command == "");
  CHECK(driver->likely);
  CHECK_FALSE(added_later("none.dll").has_value());
}

TEST_CASE("the first release of Windows that has a function is known by its DLL") {
  const auto row = since_windows("kernel32.dll", "GetSystemTimePreciseAsFileTime");
  REQUIRE(row);
  CHECK(row->build == 9200);
  CHECK(row->release == "Windows 8");
  CHECK(row->source.find("Microsoft") != std::string::npos);
  CHECK_FALSE(since_windows("user32.dll", "GetSystemTimePreciseAsFileTime"));
  CHECK_FALSE(since_windows("other.dll", "SetThreadDescription"));
}

TEST_CASE("a function is known by its name alone, and an assembly by a function that only it has") {
  const auto since = since_windows("DCompositionWaitForCompositorClock");
  REQUIRE(since);
  CHECK(since->release == "Windows 11");
  CHECK_FALSE(since_windows("printf"));
  const auto assembly = assembly_with("SetWindowSubclass");
  REQUIRE(assembly);
  CHECK(assembly->dll == "comctl32.dll");
  CHECK(assembly->assembly == "Microsoft.Windows.Common-Controls");
  CHECK(assembly->version == "6.0.0.0");
  CHECK(assembly->token == "6595b64144ccf1df");
  CHECK(assembly->source.find("wxmaxima") != std::string::npos);
  CHECK_FALSE(assembly_with("InitCommonControls"));
}

TEST_CASE("a DLL that came with a later Windows has that release") {
  const auto row = dll_since_windows("d3d12.dll");
  REQUIRE(row);
  CHECK(row->release == "Windows 10");
  CHECK(row->build == 10240);
  CHECK_FALSE(dll_since_windows("d3d11.dll"));
}

TEST_CASE("an assembly of Windows is known by its name and the beginning of its version") {
  CHECK(is_assembly_of_windows("Microsoft.Windows.Common-Controls", "5.82.0.0"));
  CHECK(is_assembly_of_windows("microsoft.windows.gdiplus", "1.1.7600.1"));
  CHECK_FALSE(is_assembly_of_windows("microsoft.windows.gdiplus", "1.10.0.0"));
  CHECK_FALSE(is_assembly_of_windows("microsoft.windows.gdiplus", "1.1"));
  CHECK_FALSE(is_assembly_of_windows("microsoft.windows.gdiplus", "2.1.0.0"));
  CHECK_FALSE(is_assembly_of_windows("none", "1.0.0.0"));
  CHECK(assembly_installer("Microsoft.VC80.CRT") == "winget install Microsoft.VCRedist.2005.x64");
  CHECK(assembly_installer("microsoft.vc90.mfc") == "winget install Microsoft.VCRedist.2008.x64");
  CHECK(assembly_installer("Microsoft.VC9") == "");
  CHECK(assembly_installer("Source.Foo") == "");
  CHECK(assemblies_source().starts_with("likely, by Microsoft, Supported Microsoft Side-by-side Assemblies"));
}

TEST_CASE("which releases a DLL of CUDA serves, and where that comes from") {
  CHECK(releases_of("cudart64_12.dll") == "every CUDA 12.x");
  CHECK(releases_of("cudnn64_9.dll") == "every cuDNN 9");
  CHECK(releases_of("cudart64_99.dll") == std::nullopt);
  const auto source = releases_source("cudart64_12.dll");
  CHECK(source.starts_with("DLL names of the toolkits "));
  CHECK(releases_source("cudart64_101.dll") == "likely, by " + source);
}

TEST_CASE("the source of what is known by name has its day, and what of it is likely") {
  const auto names = windows_names_source();
  CHECK(names.starts_with("names of a fresh Windows 11, 20"));
  CHECK(windows_tables_source() == names + "; likely: known DLLs, API sets, the directory of python.exe");
}

TEST_CASE("which DLLs are in System32, and which are taken from there whatever else there is") {
  for (const std::string name : {"kernel32.dll", "ntdll.dll", "ole32.dll", "ws2_32.dll"}) {
    CHECK(is_in_system32(name));
    CHECK(is_known_dll(name));
  }
  CHECK(is_in_system32("aadauthhelper.dll"));
  CHECK_FALSE(is_known_dll("aadauthhelper.dll"));
  CHECK(is_known_dll("xtajit.dll"));
  CHECK_FALSE(is_in_system32("xtajit.dll"));  // of Arm
  for (const std::string name : {"cudart64_12.dll", "kernel32", "KERNEL32.DLL", ""}) {
    CHECK_FALSE(is_in_system32(name));
    CHECK_FALSE(is_known_dll(name));
  }
}

TEST_CASE("an API set that no DLL has is one, and what stands behind the last dash does not count") {
  CHECK(is_api_set("api-ms-win-deprecated-apis-advapi-l1-1-0.dll"));
  CHECK(api_set_host("api-ms-win-deprecated-apis-advapi-l1-1-0.dll", "x.dll") == std::nullopt);
  CHECK(is_api_set("api-ms-win-core-file-l1-2-99"));
  CHECK_FALSE(is_api_set("api-ms-win-core-file-l1-2.dll"));
  CHECK_FALSE(is_api_set("api_ms-win-core-file-l1-2-0.dll"));
  CHECK_FALSE(is_api_set("axi-ms-win-core-file-l1-2-0.dll"));
  CHECK(is_beside_python("vcruntime140_1.dll", 10));
  CHECK(is_beside_python("python310.dll", 10));
  CHECK_FALSE(is_beside_python("python3.10.dll", 10));
  CHECK_FALSE(is_beside_python("cudart64_12.dll", 12));
}

TEST_CASE("a DLL with the functions of a program says in its name for which release and build of it") {
  CHECK(program_dll("php7.dll")->build == "without thread safety (NTS)");
  CHECK(program_dll("php8ts.dll")->build == "with thread safety (TS)");
  CHECK(program_dll("perl532.dll")->release == "532");
  CHECK(program_dll("x64-ucrt-ruby310.dll")->program == "Ruby");
  for (const auto* other : {"php.dll", "php7x.dll", "php7ts.so", "phpunit7.dll", "lua.dll"})
    CHECK_FALSE(program_dll(other));
}

TEST_CASE("a Windows without winget gets the page of a download, and a name's ending tells who brings a DLL") {
  const auto runtime = without_winget("winget install Microsoft.VCRedist.2015+.x86", 9200);
  REQUIRE(runtime);
  CHECK(runtime->command == "start https://aka.ms/vs/17/release/vc_redist.x86.exe");
  CHECK(without_winget("winget install Microsoft.VCRedist.2005.x64", 7601)->command ==
        "start https://learn.microsoft.com/cpp/windows/latest-supported-vc-redist");
  CHECK(without_winget("winget install Microsoft.VCRedist.2013.x86", 7601)->command ==
        "start https://aka.ms/highdpimfc2013x86enu");
  CHECK(without_winget("winget install Microsoft.VCRedist.2010.x64", 7601)->command.ends_with("/vcredist_x64.exe"));
  CHECK_FALSE(without_winget("winget install Microsoft.VCRedist.2010.x64", 17763));
  CHECK_FALSE(without_winget("winget install Microsoft.VCRedist.2010.x64", 0));
  CHECK_FALSE(without_winget("winget install Gyan.FFmpeg.Shared", 9200));
  CHECK_FALSE(without_winget("pip install x", 9200));
  CHECK(installer_of("libexpat-1__.dll"));
  CHECK_FALSE(installer_of("libexpat-1.dll"));
  const auto folders = directories_of("zlib1__.dll");
  CHECK(std::find(folders.begin(), folders.end(), "C:\\Strawberry\\c\\bin") != folders.end());
}

}  // namespace
}  // namespace cudald
