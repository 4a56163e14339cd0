#include <doctest/doctest.h>

#include "base/path.h"
#include "unit/report/documents.h"

namespace cudald {
namespace {

TEST_CASE("a finding is an annotation of the target's file") {
  const auto text = document(make_github_writer(), {failing_report(), healthy_report()});
  CHECK(text.find("::error file=./app,title=CUD101 library-not-found::libcudart.so.12 is not found in any directory "
                  "the loader searches"
                  "%0AFile: libfoo.so.1.2%0A") != std::string::npos);
  CHECK(text.ends_with("cudald: 2 targets: 1 FAILS, 1 LOADS; 1 error\n"));
}

TEST_CASE("ten of a level are shown, and the summary counts all") {
  auto many = failing_report();
  many.findings.assign(12, many.findings[0]);
  const auto text = document(make_github_writer(), {many});
  std::size_t shown = 0;
  for (const auto line : split(text, "\n")) shown += line.starts_with("::error ") ? 1 : 0;
  CHECK(shown == 10);
  CHECK(text.ends_with("12 errors (10 of them shown)\n"));
}

TEST_CASE("no name begins a line, or ends a command") {
  const auto text = document(make_github_writer(), {hostile_report()});
  CHECK(is_harmless(text));
  for (const auto line : split(text, "\n")) {
    CAPTURE(line);
    CHECK((line.empty() || line.starts_with("cudald: ") || line.starts_with("::error file=lib")));
  }
  // The properties end where the command says so.
  const auto command = text.find("::error file=");
  CHECK(text.find("::", command + 2) ==
        text.find(",title=", command) + std::string(",title=CUD101 library-not-found").size());
}

TEST_CASE("verdicts come first, then findings by their level, then the sum") {
  CHECK(document(make_github_writer(), {varied_report(), healthy_report()}) ==
        R"(cudald: FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches
cudald: LOADS  app loads, with 4 other files
::error file=./app,title=CUD101 library-not-found::libcudart.so.12 is not found in any directory the loader searches)"
        R"(%0AFile: libfoo.so.1.2%0AResult: The program does not start.%0AFix: install the runtime%0A  pip )"
        R"(install nvidia-cuda-runtime-cu12
::warning file=./app,title=CUD109 shadowed::one hides the other%0AFile: libc.so.6
::notice file=./app,title=CUD904 unreadable::nothing of it is known%0AFile: a.whl!/b.so
cudald: 2 targets: 1 FAILS, 1 LOADS; 1 error, 1 warning, 1 note
)");
}

TEST_CASE("of a finding about nothing in the target only its message is told, and where there is none that is said") {
  auto report = unreadable_report();
  report.findings[0].subject = "x";
  report.findings[0].message = "it cannot be read";
  CHECK(document(make_github_writer(), {report}) ==
        "cudald: UNKNOWN  nothing.so: No such file or directory\n"
        "::error file=nothing.so,title=CUD904 unreadable::it cannot be read\n"
        "cudald: 1 target: 1 UNKNOWN; 1 error\n");
  CHECK(document(make_github_writer(), {healthy_report()}) ==
        "cudald: LOADS  app loads, with 4 other files\ncudald: 1 target: 1 LOADS; no findings\n");
}

TEST_CASE("ten of a level are all that are there, and each level has its own ten") {
  auto report = failing_report();
  report.findings.assign(10, report.findings[0]);
  auto warning = report.findings[0];
  warning.level = Level::warning;
  report.findings.insert(report.findings.end(), 11, warning);
  CHECK(document(make_github_writer(), {report})
            .ends_with("\ncudald: 1 target: 1 FAILS; 10 errors, 11 warnings (10 of them shown)\n"));
}

}  // namespace
}  // namespace cudald
