#include "session/session_state.h"

#include <string>

#include <doctest/doctest.h>

#include "common/world.h"
#include "env/abi.h"
#include "session/shared_readings.h"

namespace cudald {
namespace {

TEST_CASE("a loader is set up once for a program interpreter and an environment") {
  TestWorld world;
  ThreadLimit threads(1);
  SharedReadings shared;
  SessionState state(world.files, threads, built_in_knowledge(), shared);
  CHECK(state.last_loader() == nullptr);
  const auto* abi = find_abi(EM_X86_64, Format::elf64, ByteOrder::little);
  REQUIRE(abi != nullptr);
  const std::string interpreter = "/lib64/ld-linux-x86-64.so.2";
  auto environment = world.query.environment;
  const auto& first = state.loader(interpreter, *abi, false, environment);
  CHECK(&state.loader(interpreter, *abi, false, environment) == &first);
  environment.variables["LD_LIBRARY_PATH"] = "/env";
  const auto& other = state.loader(interpreter, *abi, false, environment);
  CHECK(&other != &first);
  CHECK(state.last_loader() == &other);
  CHECK(&state.loader(interpreter, *abi, false, world.query.environment) == &first);
  CHECK(state.last_loader() == &first);
}

}  // namespace
}  // namespace cudald
