#include <doctest/doctest.h>

#include "loader/executable_stack.h"
#include "unit/loader/loaded.h"

namespace cudald {
namespace {

const Abi& x86_64() { return *find_abi(EM_X86_64, Format::elf64, ByteOrder::little); }

Image with_stack(std::optional<bool> executable) {
  auto image = good_image();
  image.elf.executable_stack = executable;
  return image;
}

/// A process of a program and one library of its start.
Resolution process(std::optional<bool> program, std::optional<bool> library = false) {
  Resolution resolution;
  add(resolution, "/bin/app", with_stack(program));
  add(resolution, "/lib/liba.so", with_stack(library), 0);
  return resolution;
}

ExecutableStack rules(int minor, std::optional<std::string> tunables = {}) {
  return {x86_64(), {LibcKind::glibc, 2, minor}, tunables};
}

TEST_CASE("a file without PT_GNU_STACK needs an executable stack where the ABI's default is one") {
  CHECK(ExecutableStack::is_needed_by(with_stack({}), x86_64()));
  CHECK(ExecutableStack::is_needed_by(with_stack(true), x86_64()));
  CHECK_FALSE(ExecutableStack::is_needed_by(with_stack(false), x86_64()));
  CHECK_FALSE(ExecutableStack::is_needed_by(with_stack({}), *find_abi(EM_AARCH64, Format::elf64, ByteOrder::little)));
}

TEST_CASE("since glibc 2.41 a dlopen does not make the stack executable, and a start does") {
  const auto wants = with_stack(true);
  CHECK_FALSE(rules(40).refuses(wants, process(false), true));
  CHECK(rules(41).refuses(wants, process(false), true));
  CHECK(rules(41).refuses(with_stack({}), process(false), true));
  CHECK_FALSE(rules(41).refuses(with_stack(false), process(false), true));
  CHECK_FALSE(rules(41).refuses(wants, process(false), false));
  // It is executable already: for the program, or for a library of its start.
  CHECK_FALSE(rules(41).refuses(wants, process(true), true));
  CHECK_FALSE(rules(41).refuses(wants, process({}), true));
  CHECK_FALSE(rules(41).refuses(wants, process(false, true), true));
}

TEST_CASE("the tunable glibc.rtld.execstack forbids it at a start too, or gives it to every process") {
  const auto wants = with_stack(true);
  CHECK_FALSE(rules(41, "glibc.rtld.execstack=2").refuses(wants, process(false), true));
  CHECK(rules(41, "glibc.rtld.execstack=0").refuses(wants, process(false), false));
  CHECK(rules(41, "glibc.rtld.execstack=1").refuses(wants, process(false), true));
  CHECK(rules(41, "glibc.rtld.execstack=3").refuses(wants, process(false), true));
  CHECK(rules(41, "glibc.rtld.nns=2:glibc.rtld.execstack=0").refuses_program(wants));
  CHECK_FALSE(rules(41).refuses_program(wants));
  CHECK_FALSE(rules(40, "glibc.rtld.execstack=0").refuses_program(wants));
}

}  // namespace
}  // namespace cudald
