#include "common/tap_reporter.h"

#include <sstream>

namespace cudald {
namespace {

/// A number sign in a name would start a directive.
std::string without_number_signs(std::string name) {
  for (char& c : name)
    if (c == '#' || c == '\n') c = ' ';
  return name;
}

std::string place(const char* file, int line) {
  return std::string(doctest::skipPathFromFilename(file)) + ":" + std::to_string(line);
}

}  // namespace

void TapReporter::report_query(const doctest::QueryData& query) {
  for (unsigned i = 0; i < query.num_data; ++i) out_ << query.data[i]->m_name << '\n';
}

void TapReporter::test_run_end(const doctest::TestRunStats&) {
  out_ << "1.." << count_ << '\n';
  if (count_ == 0) out_ << "Bail out! no test case was run\n";
  out_.flush();
}

void TapReporter::test_case_start(const doctest::TestCaseData& test) {
  name_ = test.m_name;
  subcases_.clear();
  notes_.clear();
}

void TapReporter::test_case_end(const doctest::CurrentTestCaseStats& stats) {
  out_ << (stats.testCaseSuccess ? "ok " : "not ok ") << ++count_ << " - " << without_number_signs(name_) << '\n';
  if (!stats.testCaseSuccess)
    for (const auto& line : notes_) out_ << "# " << line << '\n';
  out_.flush();  // a later crash must not take this along
}

void TapReporter::test_case_exception(const doctest::TestCaseException& exception) {
  note(std::string(exception.is_crash ? "crashed: " : "threw: ") + exception.error_string.c_str());
  note_context();
}

void TapReporter::subcase_start(const doctest::SubcaseSignature& subcase) {
  subcases_.emplace_back(subcase.m_name.c_str());
}

void TapReporter::subcase_end() {
  if (!subcases_.empty()) subcases_.pop_back();
}

void TapReporter::log_assert(const doctest::AssertData& assertion) {
  if (!assertion.m_failed) return;
  std::string text = place(assertion.m_file, assertion.m_line) + ": " + doctest::assertString(assertion.m_at) + "( " +
                     assertion.m_expr + " )";
  if (assertion.m_threw) text += std::string(" threw ") + assertion.m_exception.c_str();
  note(text);
  if (!assertion.m_threw && assertion.m_decomp.size() != 0)
    note(std::string("  values: ") + assertion.m_decomp.c_str());
  note_context();
}

void TapReporter::log_message(const doctest::MessageData& message) {
  note(place(message.m_file, message.m_line) + ": " + message.m_string.c_str());
  note_context();
}

/// Several lines become several comments.
void TapReporter::note(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) notes_.push_back(line);
}

void TapReporter::note_context() {
  for (const auto& subcase : subcases_) note("  in: " + subcase);
  const auto* const* contexts = get_active_contexts();
  for (int i = 0; i < get_num_active_contexts(); ++i) {
    std::ostringstream text;
    contexts[i]->stringify(&text);
    note("  with: " + text.str());
  }
}

DOCTEST_REGISTER_REPORTER("tap", 0, TapReporter);

}  // namespace cudald
