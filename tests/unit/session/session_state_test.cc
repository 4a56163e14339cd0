#include "session/session_state.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/file_system.h>
#include <cudald/image.h>

#include "common/fatbin_file.h"
#include "common/world.h"
#include "machine/abi.h"
#include "session/shared_readings.h"
#include "unit/tree/scratch_folder.h"

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

TEST_CASE("names of libraries in large files are kept for the next run where a folder for them is given") {
  constexpr std::size_t large = std::size_t{4} << 20;
  const ScratchFolder folder;
  auto bytes =
      with_sections(elf({.uses = {{"dlopen", ElfUse::call}}}), {{".rodata", std::string("\0libx.so.1\0", 11)}});
  bytes.resize(large);
  folder.add_file("liba.so", bytes);
  wait_for_clock();
  const auto disk = make_disk_file_system();
  ThreadLimit threads(1);
  const auto keeps = [&](const std::string& kept_in) {
    SharedReadings shared(true, kept_in);
    SessionState state(*disk, threads, built_in_knowledge(), shared);
    CHECK_FALSE(shared.has_kept());
    CHECK(state.store.images.library_texts(folder / "liba.so").texts.size() == 1);
    return shared.has_kept();
  };
  CHECK(keeps(folder / "kept"));
  CHECK_FALSE(keeps(folder / "kept"));  // it was read from there
  CHECK_FALSE(keeps(""));
}

}  // namespace
}  // namespace cudald
