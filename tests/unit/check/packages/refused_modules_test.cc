// The findings themselves are in imports_test.cc.

#include "check/packages/refused_modules.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("an import is refused if its error is that of the module that was refused") {
  Import import;
  CHECK(!is_refusal(import, "ImportError: x"));
  import.refused = Import::RefusedModule{};
  import.refused->error = "ImportError: numpy.core.multiarray failed to import";
  CHECK(is_refusal(import, "ImportError: numpy.core.multiarray failed to import"));
  CHECK(!is_refusal(import, "ImportError: another"));
}

}  // namespace
}  // namespace cudald
