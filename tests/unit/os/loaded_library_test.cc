#include "os/loaded_library.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("the first library that is there is loaded, and the first function that it lacks is told") {
  auto library = LoadedLibrary::load({"libnone.so.99", "libm.so.6"});
  REQUIRE(library);
  double (*cosine)(double) = nullptr;
  library->take(cosine, "cos");
  REQUIRE((cosine != nullptr));
  CHECK(cosine(0) == 1);
  CHECK(library->fault().empty());
  library->take(cosine, "no_such_function");
  CHECK((cosine == nullptr));
  library->take(cosine, "nor_this_one");
  CHECK(library->fault().find("no_such_function") != std::string::npos);
}

TEST_CASE("where none is there, the loader's words on the first are told") {
  const auto library = LoadedLibrary::load({"libnone.so.99", "libother.so.99"});
  REQUIRE_FALSE(library);
  CHECK(library.error().code == ErrorCode::unreadable);
  CHECK(library.error().message.find("libnone.so.99") != std::string::npos);
}

TEST_CASE("a function that is there is no fault, and the first that is not is told in full") {
  auto library = LoadedLibrary::load({"libm.so.6"});
  REQUIRE(library.has_value());
  double (*function)(double) = nullptr;
  library->take(function, "no_such_function");
  const auto fault = library->fault();
  CHECK_FALSE(fault.empty());
  library->take(function, "sin");
  REQUIRE((function != nullptr));
  CHECK(function(0) == 0);
  library->take(function, "nor_this_one");
  CHECK(library->fault() == fault);
}

}  // namespace
}  // namespace cudald
