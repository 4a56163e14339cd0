// Modules that left the standard library: imghdr, cgi and others with Python 3.13, asyncore, imp and distutils with
// 3.12. No distribution is called like them, or one that is something else. Source: CPython Doc/whatsnew, PEP 594.
#include "check/packages/left_modules.h"

#include <fmt/format.h>

#include "base/shell_word.h"
#include "check/packages/lacked_names.h"
#include "knowledge/python_rules.h"
#include "package/version.h"

namespace cudald {
namespace {

/// "3.12" of "3.13"; empty if that is none.
std::string release_before(std::string_view release) {
  const auto parsed = parse_version(release);
  if (!parsed || parsed->release.size() < 2 || parsed->release[1] == 0) return "";
  return fmt::format("{}.{}", parsed->release[0], parsed->release[1] - 1);
}

}  // namespace

bool tell_left_module(const Import& import, const Import::MissingModule& missing, const Installer& installer,
                      Store& store, Finding& finding) {
  const auto top = top_of(missing.name);
  const auto left = python::left_module(top, import.python_version);
  if (!left) return false;
  finding.message = fmt::format("Python {} no longer has the module {}", import.python_version, top);
  finding.evidence.push_back({fmt::format("{} was part of Python up to {}", top, release_before(left->release)), "",
                              Basis::table, fmt::format("CPython {} Doc/whatsnew", left->release)});
  if (!left->distribution.empty())
    finding.fixes.push_back({fmt::format("install {}, which has the module", left->distribution),
                             installer.install() + shell_word(std::string(left->distribution)), ""});
  const auto file = file_of(missing.asked_at);
  const auto* asker = file.empty() ? nullptr : store.installed.package_of(file);
  if (asker != nullptr)
    finding.fixes.push_back({fmt::format("use a newer {}, which does without it", asker->name),
                             installer.install() + "--upgrade " + shell_word(asker->name),
                             fmt::format("if there is one after {}", asker->version)});
  finding.fixes.push_back({fmt::format("or use Python {}", release_before(left->release)), "", ""});
  return true;
}

}  // namespace cudald
