#include "check/packages/other_machine.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

/// A note that a library was found for another machine.
Finding note_about(const std::string& subject) {
  Finding note;
  note.code = "CUD103";
  note.level = Level::note;
  note.subject = subject;
  note.message = subject + " exists only for another machine";
  note.fixes.push_back({"use a Python for 64 bits", "", ""});
  return note;
}

std::string blamed(const Report& report, const std::string& raised_at, const std::string& error) {
  Import import;
  import.raised_at = raised_at;
  Finding finding;
  finding.message = "it fails";
  blame_other_machine(report, import, error, finding);
  return finding.message + (finding.fixes.empty() ? "" : ": " + finding.fixes.front().title);
}

TEST_CASE("what cffi or ctypes raises is blamed on the name that was found for another machine") {
  Report report;
  const std::string cffi = "/py/Lib/site-packages/cffi/api.py:827", error = "OSError";
  CHECK(blamed(report, cffi, error) == "it fails");
  report.findings = {note_about("C:\\gtk\\libx.dll"), note_about("libx.dll")};
  const std::string told = "it fails; libx.dll exists only for another machine: use a Python for 64 bits";
  CHECK(blamed(report, cffi, error) == told);
  CHECK(blamed(report, "", "FileNotFoundError: Could not find module 'x' (or one of its dependencies).") == told);
  CHECK(blamed(report, "/py/Lib/site-packages/y.py:1", error) == "it fails");
  report.findings.back().level = report.findings.front().level = Level::error;
  CHECK(blamed(report, cffi, error) == "it fails");
}

}  // namespace
}  // namespace cudald
