// Messages about a name that a module lacks: the release that has it, and a file that hides a package.
#include "knowledge/named_modules.h"

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

/// What the message says then, its fix and its command.
std::string completed(const std::string& text) {
  auto message = read_message(text, built_in());
  REQUIRE(message);
  complete_by_names(*message);
  return message->means + "|" + message->fix + "|" + message->command;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("a name that a release has removed or added, and a submodule") {
  const auto removed = completed("AttributeError: module 'numpy' has no attribute 'typeDict'");
  CHECK(has(removed, "; numpy removed typeDict in 1.24|"));
  CHECK(has(removed, "|pip install 'numpy<1.24'"));
  CHECK(has(completed("ImportError: cannot import name 'wrap_triton' from 'torch.library' (/x/torch/library.py)"),
            "torch has wrap_triton since 2.6|use a torch that has it|pip install 'torch>=2.6'"));
  CHECK(has(completed("ModuleNotFoundError: No module named 'transformers.models.qwen2_vl.modeling_qwen2_vl'"),
            "|pip install 'transformers>=4.45'"));
  CHECK(has(completed("ModuleNotFoundError: No module named 'yaml'"), "|pip install pyyaml"));
}

TEST_CASE("an argument that a release has removed or added, and one that it has made necessary") {
  CHECK(has(completed("TypeError: Client.__init__() got an unexpected keyword argument 'proxies'"),
            "; httpx removed the argument proxies of Client.__init__() in 0.28|use a httpx that has it|pip install "
            "'httpx<0.28'"));
  CHECK(has(completed("TypeError: __init__() got an unexpected keyword argument 'evaluation_strategy'"),
            "|pip install 'transformers<4.51'"));
  CHECK(has(completed("TypeError: attrib() got an unexpected keyword argument 'factory'"),
            "; attrs has the argument factory of attrib() since 18.1|use a attrs that has it|pip install "
            "'attrs>=18.1'"));
  CHECK(has(completed("TypeError: Parameter.make_metavar() missing 1 required positional argument: 'ctx'"),
            "; click needs the argument ctx of Parameter.make_metavar() since 8.2|use a click that works without "
            "it|pip install 'click<8.2'"));
  CHECK(!has(completed("TypeError: f() got an unexpected keyword argument 'x'"), "pip"));
}

TEST_CASE("a module that is not complete yet, by the place of its source") {
  const std::string text =
      "ImportError: cannot import name 'A' from partially initialized module 'mem' (most likely "
      "due to a circular import)";
  CHECK(has(completed(text + " (/home/me/mem.py)"), "|mv /home/me/mem.py /home/me/my_mem.py"));
  CHECK(has(completed(text + " (/home/me/mem/mem/__init__.py)"), "|start Python in another directory|cd /home/me"));
  CHECK(has(completed(text), "is called mem, rename it"));
  CHECK(has(completed(text + " (/home/me/other.py)"), "||"));
  const auto of_part = [](const std::string& name) {
    return completed("ImportError: cannot import name '" + name +
                     "' from partially initialized module 'psutil' (most "
                     "likely due to a circular import) (/venv/lib/python3.9/site-packages/psutil/__init__.py)");
  };
  CHECK(has(of_part("_psutil_linux"), "|pip install --force-reinstall --no-cache-dir psutil"));
  CHECK(has(of_part("cpu_times"), "||"));
}

TEST_CASE("a module inside a package is not taken for a file that hides a package") {
  CHECK(has(completed("ImportError: cannot import name 'A' from partially initialized module 'a.b' (most likely due to "
                      "a circular import) (/src/a/b.py)"),
            "||"));
}

}  // namespace
}  // namespace cudald
