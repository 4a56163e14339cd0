#include "knowledge/unset_variable.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a KeyError of a name in capitals is of a variable that is not set") {
  CHECK(unset_variable("KeyError: 'CUDA_VISIBLE_DEVICES'") == "CUDA_VISIBLE_DEVICES");
  CHECK(unset_variable("  KeyError: 'LD_LIBRARY_PATH'\n\n") == "LD_LIBRARY_PATH");
  CHECK(unset_variable("KeyError: 'train'").empty());
  CHECK(unset_variable("KeyError: 'TRAIN'").empty());
  CHECK(unset_variable("").empty());
  CHECK(unset_variable("    raise KeyError(key) from None\nKeyError: 'HOME'") == "HOME");
  CHECK(unset_variable("    gpu = os.environ[\"gpu\"]\nKeyError: 'gpu'") == "gpu");
  CHECK(unset_variable("KeyError: 3").empty());
  CHECK(unset_variable("KeyError: 'a b'").empty());
}

TEST_CASE("an error of None is explained by the variable that the code above it asks for") {
  const std::string none = "TypeError: expected str, bytes or os.PathLike object, not NoneType";
  CHECK(unset_variable("include += [os.path.join(os.environ.get(\"CUDA_PATH\"), \"include\")]\n  File \"ntpath.py\"\n"
                       "    path = os.fspath(path)\n" +
                       none) == "CUDA_PATH");
  CHECK(unset_variable("x = os.path.join(os.getenv('HOME'), '.opennre')\n" + none) == "HOME");
  CHECK(unset_variable("cuda_lib_path = os.path.join(CUDA_HOME, lib_dir)\n    a = os.fspath(a)\n" + none) ==
        "CUDA_HOME");
  CHECK(unset_variable("    raw = subprocess.check_output([CUDA_HOME + \"/bin/nvcc\", \"-V\"])\n"
                       "TypeError: unsupported operand type(s) for +: 'NoneType' and 'str'") == "CUDA_HOME");
  CHECK(unset_variable("modes = os.getenv('modes').split(' ')\nAttributeError: 'NoneType' object has no attribute "
                       "'split'") == "modes");
  CHECK(unset_variable(none).empty());
  CHECK(unset_variable("x = MY_CUDA_HOMES\n" + none).empty());
  CHECK(unset_variable("x = os.environ.get(name)\n" + none).empty());
  CHECK(unset_variable("x = os.environ.get('A B')\n" + none).empty());
  CHECK(unset_variable("os.environ.get('HOME')\nRuntimeError: x").empty());
}

TEST_CASE("what a variable is set to is said by the row of its KeyError, if there is one") {
  const auto& knowledge = *built_in_knowledge();
  const auto known = read_unset_variable("join(CUDA_HOME, 'bin')\nTypeError: expected str, not NoneType", knowledge);
  REQUIRE(known);
  CHECK(known->command == "export CUDA_HOME=/usr/local/cuda");
  const auto other = read_unset_variable("KeyError: 'MODEL_STORE_PATH'\n", knowledge);
  REQUIRE(other);
  CHECK(other->text == "KeyError: 'MODEL_STORE_PATH'");
  CHECK(other->command == "export MODEL_STORE_PATH=VALUE");
  const auto windows = read_unset_variable("File \"C:\\a.py\"\nKeyError: 'MODEL_STORE_PATH'", knowledge);
  REQUIRE(windows);
  CHECK(windows->command == "set MODEL_STORE_PATH=VALUE");
  CHECK_FALSE(read_unset_variable("KeyError: 'x'", knowledge));
}

}  // namespace
}  // namespace cudald
