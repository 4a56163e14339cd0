// The words of reports, which JSON and text share: none may change, and no two mean the same.

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/finding.h>
#include <cudald/message.h>
#include <cudald/resolution.h>

#include "report/text/search_table.h"
#include "report/text/summary.h"

namespace cudald {
namespace {

template <typename Value>
void check_words(const std::vector<std::pair<Value, std::string>>& rows) {
  for (const auto& [value, word] : rows) CHECK(to_string(value) == word);
}

TEST_CASE("requests, their kinds and what came of them have a word each") {
  check_words<EdgeKind>({{EdgeKind::needed, "needed"},
                         {EdgeKind::filter, "filter"},
                         {EdgeKind::auxiliary, "auxiliary"},
                         {EdgeKind::preload, "preload"},
                         {EdgeKind::dlopen, "dlopen"},
                         {EdgeKind::import, "import"},
                         {EdgeKind::delay_import, "delay-import"},
                         {EdgeKind::forwarder, "forwarder"}});
  check_words<EdgeStatus>({{EdgeStatus::loaded, "loaded"},
                           {EdgeStatus::already_loaded, "already-loaded"},
                           {EdgeStatus::missing, "missing"},
                           {EdgeStatus::rejected, "rejected"},
                           {EdgeStatus::not_loaded, "not-loaded"}});
  check_words<MatchedBy>({{MatchedBy::name, "name"}, {MatchedBy::soname, "soname"}, {MatchedBy::file, "file"}});
  check_words<ProbeResult>({{ProbeResult::found, "found"},
                            {ProbeResult::absent, "absent"},
                            {ProbeResult::wrong_class, "wrong-class"},
                            {ProbeResult::wrong_machine, "wrong-machine"},
                            {ProbeResult::not_elf, "not-elf"},
                            {ProbeResult::not_pe, "not-pe"},
                            {ProbeResult::unreadable, "unreadable"},
                            {ProbeResult::abi_too_new, "abi-too-new"},
                            {ProbeResult::isa_too_new, "isa-too-new"},
                            {ProbeResult::malformed, "malformed"},
                            {ProbeResult::refused, "refused"}});
}

TEST_CASE("findings, verdicts and worlds have a word each") {
  check_words<Level>({{Level::error, "error"}, {Level::warning, "warning"}, {Level::note, "note"}});
  check_words<Basis>({{Basis::proven, "proven"}, {Basis::rule, "rule"}, {Basis::table, "table"}});
  check_words<Verdict>({{Verdict::loads, "loads"},
                        {Verdict::cpu_only, "cpu-only"},
                        {Verdict::risk, "risk"},
                        {Verdict::fails, "fails"},
                        {Verdict::unknown, "unknown"}});
  check_words<WorldKind>({{WorldKind::here, "here"}, {WorldKind::tag, "tag"}, {WorldKind::described, "described"}});
  check_words<Standing>({{Standing::own, "own"},
                         {Standing::promised, "promised"},
                         {Standing::declared, "required"},
                         {Standing::driver, "driver"},
                         {Standing::added_later, "redistributable"},
                         {Standing::possible, "possible"},
                         {Standing::python, "python"},
                         {Standing::undeclared, "undeclared"}});
  check_words<MessageKind>({{MessageKind::soft, "soft"}, {MessageKind::hard, "hard"}, {MessageKind::gpu, "gpu"}});
}

TEST_CASE("each verdict is spoken in capitals") {
  CHECK(spoken(Verdict::loads) == "LOADS");
  CHECK(spoken(Verdict::cpu_only) == "CPU ONLY");
  CHECK(spoken(Verdict::risk) == "RISK");
  CHECK(spoken(Verdict::fails) == "FAILS");
  CHECK(spoken(Verdict::unknown) == "UNKNOWN");
}

TEST_CASE("each rule of a search has a word for JSON, one for a table and one in brackets") {
  struct Row {
    SearchRule rule;
    std::string word, said, short_form;
  };
  const Row rows[] = {
      {SearchRule::path, "path", "path as given", "[path]"},
      {SearchRule::already_loaded, "already-loaded", "already loaded", "[already loaded]"},
      {SearchRule::rpath, "rpath", "DT_RPATH", "[rpath]"},
      {SearchRule::ld_library_path, "ld-library-path", "LD_LIBRARY_PATH", "[LD_LIBRARY_PATH]"},
      {SearchRule::runpath, "runpath", "DT_RUNPATH", "[runpath]"},
      {SearchRule::cache, "cache", "/etc/ld.so.cache", "[ld.so.cache]"},
      {SearchRule::default_folder, "default", "system directories", "[system directory]"},
      {SearchRule::preload, "preload", "preload", "[preload]"},
      {SearchRule::manifest, "manifest", "manifest", "[manifest]"},
      {SearchRule::loaded_module, "loaded-module", "already loaded", "[already loaded]"},
      {SearchRule::known_dll, "known-dll", "known DLL", "[known DLL]"},
      {SearchRule::api_set, "api-set", "API set", "[API set]"},
      {SearchRule::application_folder, "application-dir", "application directory", "[application directory]"},
      {SearchRule::dll_load_folder, "dll-load-dir", "directory of the loaded file", "[directory of the loaded file]"},
      {SearchRule::user_folder, "user-dir", "added DLL directory", "[added DLL directory]"},
      {SearchRule::system_folder, "system", "system directory", "[system directory]"},
      {SearchRule::system16_folder, "system16", "16-bit system directory", "[16-bit system directory]"},
      {SearchRule::windows_folder, "windows-dir", "Windows directory", "[Windows directory]"},
      {SearchRule::current_folder, "cwd", "current directory", "[current directory]"},
      {SearchRule::path_variable, "path", "PATH", "[PATH]"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.word);
    CHECK(to_string(row.rule) == row.word);
    CHECK(spoken(row.rule) == row.said);
    CHECK(bracketed(row.rule) == row.short_form);
  }
}

TEST_CASE("each result of a probe has words, with the loader's own behind them") {
  struct Row {
    ProbeResult result;
    std::string words;
  };
  const Row rows[] = {{ProbeResult::wrong_class, "32 and 64 bit do not mix"},
                      {ProbeResult::wrong_machine, "for another machine"},
                      {ProbeResult::not_elf, "not an ELF file"},
                      {ProbeResult::not_pe, "not a PE file"},
                      {ProbeResult::unreadable, "cannot be read"},
                      {ProbeResult::abi_too_new, "needs a newer kernel"},
                      {ProbeResult::isa_too_new, "needs a newer processor"},
                      {ProbeResult::malformed, "refused"},
                      {ProbeResult::refused, "not opened"}};
  const auto words = [](ProbeResult result, const std::string& detail) {
    Probe probe;
    probe.result = result;
    probe.detail = detail;
    return result_words(probe);
  };
  for (const auto& row : rows) {
    CAPTURE(row.words);
    CHECK(words(row.result, "") == row.words);
    CHECK(words(row.result, "why\x1b") == row.words + ": why\\x1b");
  }
  CHECK(words(ProbeResult::found, "why") == "found");
  CHECK(words(ProbeResult::absent, "") == "not there");
  CHECK(words(ProbeResult::absent, "No such file or directory") == "not there");
  CHECK(words(ProbeResult::absent, "Not a directory") == "Not a directory");
}

}  // namespace
}  // namespace cudald
