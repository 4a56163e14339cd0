#include <doctest/doctest.h>

#include <string>

#include <cudald/message.h>

#include "common/built_in.h"

using namespace cudald;

TEST_SUITE("messages that users paste") {
  TEST_CASE("the library is found, whoever says it") {
    struct Row {
      const char* text;
      const char* library;
      MessageKind kind;
    };
    const Row rows[] = {
        {"W dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot "
         "open",
         "libcudart.so.11.0", MessageKind::soft},
        {"Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found", "cudart64_110.dll",
         MessageKind::soft},
        {"ImportError: libcublas.so.12: cannot open shared object file: No such file or directory", "libcublas.so.12",
         MessageKind::hard},
        {"OSError: /opt/x/libcudnn.so.8: cannot open shared object file: No such file or directory", "libcudnn.so.8",
         MessageKind::hard},
        {"Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared "
         "object file: No such",
         "libcublasLt.so.11", MessageKind::soft},
        {"Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared",
         "libcudnn_ops_infer.so.8", MessageKind::hard},
    };
    for (const auto& row : rows) {
      CAPTURE(row.text);
      const auto reading = read_message(row.text, built_in());
      REQUIRE(reading);
      CHECK(reading->library == row.library);
      CHECK(reading->kind == row.kind);
      CHECK_FALSE(reading->who.empty());
      CHECK_FALSE(reading->source.empty());
    }
  }

  TEST_CASE("symbols, versions and modules are found") {
    CHECK(read_message("x.so: undefined symbol: cudnnFoo, version libcudnn.so.8", built_in())->symbol == "cudnnFoo");
    CHECK(read_message("/lib/libc.so.6: version `GLIBC_2.38' not found (required by ./a)", built_in())->version ==
          "GLIBC_2.38");
    CHECK(read_message("ImportError: DLL load failed while importing _C: The specified module could not be found.",
                       built_in())
              ->module == "_C");
  }

  TEST_CASE("what is said of one library need not hold for another with the same words") {
    const auto tensorrt = read_message(
        "W dso_loader.cc:64] Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open",
        built_in());
    REQUIRE(tensorrt);
    CHECK(tensorrt->library == "libnvinfer.so.7");
    CHECK(tensorrt->means.find("the GPU is used as before") != std::string::npos);
    CHECK(read_message("Could not load dynamic library 'libcudnn.so.8'; dlerror: x", built_in())
              ->means.find("without its GPU") != std::string::npos);
    CHECK(read_message("TF-TRT Warning: Could not find TensorRT", built_in())->kind == MessageKind::soft);
    CHECK(read_message("RuntimeError: Unable to load cuDNN. Is it installed?", built_in())->module == "cuDNN");
  }

  TEST_CASE("of a traceback the line that counts is taken") {
    const auto reading = read_message(
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nImportError: libcuda.so.1: cannot open shared "
        "object file: No such file or directory\n\nFailed to import CuPy.\n",
        built_in());
    REQUIRE(reading);
    CHECK(reading->library == "libcuda.so.1");
  }

  TEST_CASE("anything else is none, and no text is too odd") {
    CHECK_FALSE(read_message("", built_in()));
    CHECK_FALSE(read_message("segmentation fault", built_in()));
    CHECK_FALSE(read_message(": cannot open shared object file", built_in()));
    CHECK_FALSE(read_message("version `' not found (required by x)", built_in()));
    CHECK_FALSE(read_message("undefined symbol: ", built_in()));
    CHECK_FALSE(read_message(std::string(100000, 'x') + ": cannot open shared object file", built_in()));
    CHECK_FALSE(read_message(std::string("a\0b", 3), built_in()));
  }
}
