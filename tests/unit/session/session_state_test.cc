#include "session/session_state.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/image.h>

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
  CHECK(&state.loader("/lib64/other.so.2", *abi, false, world.query.environment) != &first);
  const auto* other_abi = find_abi(EM_AARCH64, Format::elf64, ByteOrder::little);
  CHECK(&state.loader(interpreter, *other_abi, false, world.query.environment) != &first);
}

TEST_CASE("in a world of musl the loader looks where its facts say, in order") {
  TestWorld world;
  ThreadLimit threads(1);
  SharedReadings shared;
  SessionState state(world.files, threads, built_in_knowledge(), shared);
  state.facts.emplace();
  state.facts->version = {LibcKind::musl, 1, 2};
  state.facts->system_folders = {"/first", "/second"};
  const auto* abi = find_abi(EM_X86_64, Format::elf64, ByteOrder::little);
  const auto& loader = state.loader("/lib/ld-musl-x86_64.so.1", *abi, true, world.query.environment);
  Resolution nobody;
  nobody.objects.emplace_back();
  nobody.objects.front().image = std::make_shared<Image>();
  std::string places;
  const auto plan = loader.candidates({"liba.so", EdgeKind::dlopen, 0, true}, nobody);
  for (const auto& candidate : plan.candidates) places += candidate.path + " ";
  CHECK(places == "/first/liba.so /second/liba.so ");
}

}  // namespace
}  // namespace cudald
