#include "base/refusals.h"

#include <cerrno>

#include <doctest/doctest.h>

using namespace cudald;

namespace {

Error refused(const std::string& path) {
  return {ErrorCode::unreadable, "Input/output error", path, std::nullopt, EIO};
}

TEST_CASE("what is refused after a watch began is told once, and what no answer tells stays untold") {
  const Refusals before;
  CHECK_FALSE(before.any());
  note_refusal(refused("/a"));
  const Refusals after;
  note_refusal(refused("/b"));
  note_refusal(refused("/b"));
  CHECK(before.any());
  CHECK(before.all().size() == 2);
  const auto told = after.take();
  REQUIRE(told.size() == 1);
  CHECK(text_of_refusal(told[0]) == "/b cannot be read: Input/output error");
  const auto untold = untold_refusals();
  REQUIRE(untold.size() == 1);
  CHECK(untold[0].path == "/a");
  before.take();
  CHECK(untold_refusals().empty());
}

TEST_CASE("what a loader goes on with is an answer; all else is not") {
  for (const int number : {ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG}) CHECK(is_answer(number));
  for (const int number : {EIO, EMFILE, ENFILE, ENOMEM, ESTALE, EPERM, ETIMEDOUT}) CHECK_FALSE(is_answer(number));
}

TEST_CASE("a great many refusals are counted") {
  const Refusals watch;
  for (int i = 0; i < 1000; ++i) note_refusal(refused("/" + std::to_string(i)));
  const Refusals later;
  note_refusal(refused("/last"));
  CHECK(watch.any());
  CHECK(later.any());
  CHECK(later.take().size() == 1);
  watch.take();
}

}  // namespace
