// Packages try one name of a library after another, catch what comes of it, and raise the last error, which is that a
// name is not found: that one of the names was found, for another machine, is said by no message.
// Sources: cffi, api.py, _load_backend_lib; CPython Modules/_ctypes/callproc.c, load_library;
// github.com/Kozea/WeasyPrint issue 971, a Python of 32 bits.

#include "check/packages/other_machine.h"

#include <string_view>

namespace cudald {

void blame_other_machine(const Report& report, const Import& import, const std::string& error, Finding& finding) {
  const auto by = [&](std::string_view file) { return import.raised_at.find(file) != std::string::npos; };
  if (!by("/cffi/api.py:") && !error.starts_with("FileNotFoundError: Could not find module '")) return;
  const Finding* told = nullptr;
  for (const auto& other : report.findings) {
    const bool by_path = other.subject.find_first_of("/\\") != std::string::npos;
    if (other.code == "CUD103" && other.level == Level::note && (told == nullptr || !by_path)) told = &other;
  }
  if (told == nullptr) return;
  finding.message += "; " + told->message;
  for (const auto& evidence : told->evidence) finding.evidence.push_back(evidence);
  finding.fixes = told->fixes;
}

}  // namespace cudald
