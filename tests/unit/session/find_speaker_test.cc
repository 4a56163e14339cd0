#include "session/find_speaker.h"

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

const std::string speaker_site = "/venv/lib/python3.11/site-packages/";

std::string speaker_of(const std::string& text, const std::vector<std::string>& modules) {
  MemoryFileSystem files;
  files.add_file("/venv/bin/python", "");
  for (const auto& module : modules) files.add_file(speaker_site + module + "/__init__.py", "");
  Query query;
  query.prefix = "/venv";
  const auto message = read_message(text, built_in());
  REQUIRE(message);
  return find_speaker(*message, query, files);
}

TEST_CASE("who prints a message is looked for among what is installed") {
  const std::string text = "Could not load dynamic library 'libcudart.so.11.0'; dlerror: x";
  CHECK(speaker_of(text, {"torch", "tensorflow"}) == "tensorflow");
  CHECK(speaker_of(text, {"torch"}) == "");
}

TEST_CASE("the loader's own message may be anybody's, if it is about CUDA and there is one who uses it") {
  const std::string text = "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory";
  CHECK(speaker_of(text, {"numpy", "torch"}) == "torch");
  CHECK(speaker_of(text, {"jax", "torch"}) == "");
  CHECK(speaker_of("ImportError: libGL.so.1: cannot open shared object file", {"torch"}) == "");
}

TEST_CASE("without a Python nobody speaks, and of those that are there the first of the message's own") {
  const auto message = read_message("ImportError: libcudnn.so.9: cannot open shared object file", built_in());
  REQUIRE(message);
  const MemoryFileSystem nothing;
  Query query;
  query.prefix = "/venv";
  CHECK(find_speaker(*message, query, nothing) == "");
  const std::string text = "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory";
  for (const auto* module : {"tensorflow", "jax", "onnxruntime", "cupy", "ctranslate2", "paddle", "mxnet"})
    CHECK(speaker_of(text, {module}) == module);
  CHECK(speaker_of(text, {"numpy"}) == "");
}

TEST_CASE("of a name that a table knows, what is installed of the package is looked at") {
  CHECK(speaker_of("ImportError: cannot import name 'mafromtxt' from 'numpy'", {"numpy"}) == "numpy");
  CHECK(speaker_of("ImportError: cannot import name 'mafromtxt' from 'numpy'", {"torch"}) == "");
  CHECK(speaker_of("ModuleNotFoundError: No module named 'transformers.modeling_bert'", {"transformers"}) ==
        "transformers");
}

}  // namespace
}  // namespace cudald
