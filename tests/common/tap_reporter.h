#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {

/// Writes doctest's results in the Test Anything Protocol, one test point for each test case, as Meson's
/// `protocol: 'tap'` reads them. Chosen by `--reporters=tap`.
class TapReporter final : public doctest::IReporter {
 public:
  explicit TapReporter(const doctest::ContextOptions& options) : out_(*options.cout) {}

  void report_query(const doctest::QueryData&) override;
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override;
  void test_case_start(const doctest::TestCaseData&) override;
  void test_case_reenter(const doctest::TestCaseData&) override { subcases_.clear(); }
  void test_case_end(const doctest::CurrentTestCaseStats&) override;
  void test_case_exception(const doctest::TestCaseException&) override;
  void subcase_start(const doctest::SubcaseSignature&) override;
  void subcase_end() override;
  void log_assert(const doctest::AssertData&) override;
  void log_message(const doctest::MessageData&) override;
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  void note(const std::string& text);
  void note_context();

  std::ostream& out_;
  std::string name_;
  std::vector<std::string> subcases_, notes_;
  unsigned count_ = 0;
};

}  // namespace cudald
