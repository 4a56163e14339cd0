#include "session/pip_commands.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace cudald;

namespace {

/// The words of a command, behind - where it removes; "none" if it is no such command.
std::string taken_apart(const std::string& line) {
  const auto command = pip_command(line);
  return command ? fmt::format("{}{}", command->install ? "" : "-", fmt::join(command->words, "|")) : "none";
}

}  // namespace

TEST_CASE("commands of pip and uv are taken apart") {
  CHECK(taken_apart("pip install 'a<2' b") == "a<2|b");
  CHECK(taken_apart("/venv/bin/python -m pip install a") == "a");
  CHECK(taken_apart("uv pip install --python /v/bin/python --upgrade a") == "--upgrade|a");
  CHECK(taken_apart("pip uninstall -y a") == "--y|a");
  CHECK(taken_apart("pip list") == "none");
  CHECK(taken_apart("apt-get install pip") == "none");
  CHECK(taken_apart("pip install $(x)") == "none");
}

TEST_CASE("two commands that install become one") {
  CHECK(joined_installs("pip install 'a<2'", "pip install b") == "pip install 'a<2' b");
  CHECK(joined_installs("pip install 'a<2'", "pip install 'b<3' c") == "pip install 'a<2' 'b<3' c");
  CHECK(joined_installs("uv pip install --python /v/p a", "uv pip install --python /v/p b") ==
        "uv pip install --python /v/p a b");
  CHECK(joined_installs("pip install a b", "pip install b") == "pip install a b");
  CHECK(joined_installs("pip install a b", "pip install 'a<2'") == "pip install 'a<2' b");
  CHECK(joined_installs("pip install 'a<2'", "pip install a b") == "pip install 'a<2' b");
  CHECK(joined_installs("pip install 'scikit-learn<1.3' 'numpy<2'", "pip install 'scikit_learn<1.1'") ==
        "pip install 'scikit-learn<1.1' 'numpy<2'");
  CHECK(joined_installs("pip install 'a[x]<2'", "pip install 'a>=1'") == "pip install 'a[x]<2' 'a>=1'");
  CHECK(joined_installs("pip install 'a<2'", "pip install 'a>=3'") == "pip install 'a<2' 'a>=3'");
}

TEST_CASE("commands that differ in more than what they install stay two") {
  CHECK_FALSE(joined_installs("pip install a", "/venv/bin/python -m pip install b"));
  CHECK_FALSE(joined_installs("uv pip install --python /v/p a", "uv pip install --python /w/p b"));
  CHECK_FALSE(joined_installs("pip install a", "pip install --upgrade b"));
  CHECK_FALSE(joined_installs("pip uninstall a", "pip uninstall b"));
  CHECK_FALSE(joined_installs("pip install a\npip install b", "pip install c"));
}
