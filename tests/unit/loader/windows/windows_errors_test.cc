#include "loader/windows/windows_errors.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

Edge edge_with(const std::string& name, std::vector<ProbeResult> results, bool hard = true) {
  Edge edge;
  edge.name = name;
  edge.hard = hard;
  for (const auto result : results) edge.search.probes.push_back({name, SearchRule::path, std::nullopt, result, ""});
  return edge;
}

TEST_CASE("what users read of an error") {
  CHECK(windows_error(126, WindowsCaller::python_import, "_C", 8) ==
        "ImportError: DLL load failed while importing _C: The specified module could not be found.");
  CHECK(windows_error(193, WindowsCaller::python_import, "_C", 7) ==
        "ImportError: DLL load failed: %1 is not a valid Win32 application.");
  CHECK(windows_error(182, WindowsCaller::python_import, "_C", 11) ==
        "ImportError: DLL load failed while importing _C: The operating system cannot run %1.");
  CHECK(windows_error(127, WindowsCaller::ctypes, "a.dll", 11) ==
        "OSError: [WinError 127] The specified procedure could not be found");
}

TEST_CASE("who calls decides what is printed") {
  struct Row {
    int error;
    WindowsCaller caller;
    int minor;
    std::string line;
  };
  const Row rows[] = {
      {126, WindowsCaller::program, 0,
       "LoadLibrary of a.dll fails with error 126: The specified module could not be found."},
      {193, WindowsCaller::program, 0,
       "LoadLibrary of a.dll fails with error 193: %1 is not a valid Win32 application."},
      {126, WindowsCaller::ctypes, 7, "OSError: [WinError 126] The specified module could not be found"},
      {126, WindowsCaller::ctypes, 8,
       "FileNotFoundError: Could not find module 'a.dll' (or one of its dependencies). Try using the full path with "
       "constructor syntax."},
      {193, WindowsCaller::ctypes, 8, "OSError: [WinError 193] %1 is not a valid Win32 application"},
      {126, WindowsCaller::python_import, 7, "ImportError: DLL load failed: The specified module could not be found."},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(windows_error(row.error, row.caller, "a.dll", row.minor) == row.line);
  }
}

TEST_CASE("the texts of the system") {
  CHECK(windows_error_text(2) == "The system cannot find the file specified.");
  CHECK(windows_error_text(87) == "The parameter is incorrect.");
  CHECK(windows_error_text(14001).starts_with("The application has failed to start because its side-by-side"));
  CHECK(windows_error_text(5) == "Error 5.");
}

TEST_CASE("what a user sees if a program does not start") {
  CHECK(windows_start_error(126, "a.dll") ==
        "The code execution cannot proceed because a.dll was not found. (0xc0000135)");
  CHECK(windows_start_error(182, "#7") == "The ordinal 7 could not be located. (0xc0000138)");
  CHECK(windows_start_error(127, "f") == "The procedure entry point f could not be located. (0xc0000139)");
  CHECK(windows_start_error(193, "a.dll") == "The application was unable to start correctly (0xc000007b).");
  CHECK(windows_start_error(14001, "Microsoft.VC90.CRT 9.0.21022.8") == windows_error_text(14001));
}

TEST_CASE("a search fails with 126 if nothing was there, and with 193 if what was there could not be used") {
  using enum ProbeResult;
  struct Row {
    std::vector<ProbeResult> results;
    int error;
  };
  const Row rows[] = {{{}, 126},
                      {{absent}, 126},
                      {{absent, absent}, 126},
                      {{absent, wrong_machine, absent}, 193},
                      {{wrong_class}, 193},
                      {{not_pe}, 193},
                      {{absent, unreadable}, 193}};
  for (const Row& row : rows) {
    CAPTURE(row.results.size());
    CHECK(windows_search_error(edge_with("a.dll", row.results).search) == row.error);
  }
}

TEST_CASE("the first failure: a missing assembly before any import, then the objects and their imports in order") {
  Resolution resolution;
  resolution.objects.resize(3);
  const auto failure = [&](ObjectId first_new) {
    const auto first = first_windows_failure(resolution, first_new);
    return std::to_string(first.code) + " " + first.detail;
  };
  CHECK(failure(0) == "0 ");
  resolution.objects[1].edges = {edge_with("soft.dll", {ProbeResult::absent}, false)};
  CHECK(failure(0) == "0 ");
  resolution.objects[1].edges.push_back(edge_with("b.dll", {ProbeResult::wrong_machine}));
  resolution.objects[1].edges.push_back(edge_with("c.dll", {ProbeResult::absent}));
  resolution.objects[2].edges = {edge_with("d.dll", {ProbeResult::absent})};
  CHECK(failure(0) == "193 b.dll");
  CHECK(failure(2) == "126 d.dll");
  resolution.objections = {{1, "A 1.0"}, {2, "B 1.0"}};
  CHECK(failure(1) == "14001 A 1.0");
  CHECK(failure(2) == "14001 B 1.0");
  CHECK(failure(3) == "0 ");
}

TEST_CASE("each error of the system has its own text") {
  const std::pair<int, std::string> rows[] = {
      {2, "The system cannot find the file specified."},
      {87, "The parameter is incorrect."},
      {126, "The specified module could not be found."},
      {127, "The specified procedure could not be found."},
      {182, "The operating system cannot run %1."},
      {193, "%1 is not a valid Win32 application."},
      {14001,
       "The application has failed to start because its side-by-side configuration is incorrect. Please see the "
       "application event log or use the command-line sxstrace.exe tool for more detail."},
      {0, "Error 0."},
  };
  for (const auto& [number, text] : rows) {
    CHECK(windows_error_text(number) == text);
    CHECK(windows_error(number, WindowsCaller::program, "x", 11) ==
          "LoadLibrary of x fails with error " + std::to_string(number) + ": " + text);
    CHECK(windows_error(number, WindowsCaller::ctypes, "x", 7) ==
          "OSError: [WinError " + std::to_string(number) + "] " + text.substr(0, text.size() - 1));
  }
}

TEST_CASE("an ordinal without its mark is told as it is, and other errors of a start without a name") {
  CHECK(windows_start_error(182, "f#12") == "The ordinal 12 could not be located. (0xc0000138)");
  CHECK(windows_start_error(182, "f") == "The ordinal f could not be located. (0xc0000138)");
  CHECK(windows_start_error(0, "a.dll") == "The application was unable to start correctly (0xc000007b).");
}

TEST_CASE("an import that was found is no failure, and neither is what came before") {
  Resolution resolution;
  resolution.objects.resize(2);
  auto edge = edge_with("a.dll", {ProbeResult::found});
  edge.object = 1;
  resolution.objects[0].edges = {edge, edge_with("b.dll", {ProbeResult::absent})};
  resolution.objections = {{0, "A 1.0"}};
  CHECK(first_windows_failure(resolution, 1).code == 0);
  CHECK(first_windows_failure(resolution, 0).code == 14001);
  resolution.objections.clear();
  CHECK(first_windows_failure(resolution, 0).code == 126);
  CHECK(first_windows_failure(resolution, 0).detail == "b.dll");
}

}  // namespace
}  // namespace cudald
