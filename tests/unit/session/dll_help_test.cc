#include "session/dll_help.h"

#include <doctest/doctest.h>

#include "common/built_in.h"

namespace cudald {
namespace {

MessageReading box(const std::string& dll) {
  auto message = read_message("The code execution cannot proceed because " + dll + " was not found.", built_in());
  REQUIRE(message);
  return *message;
}

TEST_CASE("a DLL of a redistributable: the one that has it, for both word sizes") {
  auto message = box("msvcp110.dll");
  const auto help = dll_help(message);
  REQUIRE(help);
  CHECK(help->command == "winget install Microsoft.VCRedist.2012.x64\nwinget install Microsoft.VCRedist.2012.x86");
  CHECK(message.means.find("it comes with the Visual C++ 2012 redistributable") != std::string::npos);
  message = box("VCRUNTIME140_1.dll");
  const auto newest = dll_help(message);
  REQUIRE(newest);
  CHECK(newest->command.starts_with("winget install Microsoft.VCRedist.2015+.x64\n"));
  CHECK(newest->title.find("https://aka.ms/vs/17/release/vc_redist.x64.exe") != std::string::npos);
}

TEST_CASE("a DLL of a compiler belongs beside the program") {
  auto message = box("libgcc_s_seh-1.dll");
  const auto help = dll_help(message);
  REQUIRE(help);
  CHECK(help->title.starts_with("use a newer release of the program"));
  CHECK(help->command.ends_with("copy C:\\msys64\\mingw64\\bin\\libgcc_s_seh-1.dll \".\""));
}

TEST_CASE("a command that differs by the word size of the program is that for 64 bits") {
  auto message = box("libeay32.dll");
  const auto help = dll_help(message);
  REQUIRE(help);
  CHECK(
      help->title.ends_with("these lines are for a program of 64 bits, and `cudald PROGRAM` has those for one of 32"));
  CHECK(help->command.find("x64_86") != std::string::npos);
  CHECK(help->command.find("i386") == std::string::npos);
  message = box("libssl-3-x64.dll");
  CHECK(dll_help(message)->title.ends_with("in the directory of the program"));
}

TEST_CASE("one of which nothing is known is the program's own") {
  auto message = box("frobnicate.dll");
  CHECK_FALSE(dll_help(message));
  const auto help = help_for_own_dll(message);
  REQUIRE(help);
  CHECK(help->command.empty());
  MessageReading other;
  other.library = "libx.so.1";
  CHECK_FALSE(dll_help(other));
  CHECK_FALSE(help_for_own_dll(other));
}

}  // namespace
}  // namespace cudald
