#include <doctest/doctest.h>

#include <string>

#include <cudald/message.h>

#include "common/built_in.h"
#include "knowledge/knowledge.h"

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
        {"Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object "
         "file",
         "libnvJitLink.so.12", MessageKind::soft},
        {"ImportError: libcublas.so.12: cannot open shared object file: No such file or directory", "libcublas.so.12",
         MessageKind::hard},
        {"java.lang.UnsatisfiedLinkError:/x/linux64/liba_java.so:libb.so.2.4: cannot open shared object file: No such",
         "libb.so.2.4", MessageKind::hard},
        {"OSError: /opt/x/libcudnn.so.8: cannot open shared object file: No such file or directory", "libcudnn.so.8",
         MessageKind::hard},
        {"Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared "
         "object file: No such",
         "libcublasLt.so.11", MessageKind::soft},
        {"The procedure entry point f could not be located in the dynamic link library C:\\Program Files\\a b\\x.dll.",
         "x.dll", MessageKind::hard},
        {"The procedure entry point f could not be located in the dynamic link library C:\\a\\x.y z", "x.y",
         MessageKind::hard},
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

  TEST_CASE("a module leads to the package that brings it, though the index has another one of its name") {
    const auto command = [](const std::string& module) {
      return read_message("No module named '" + module + "'", built_in())->command;
    };
    CHECK(command("Crypto.Cipher") == "pip install pycryptodome");
    CHECK(command("docx") == "pip install python-docx");
    CHECK(command("clip") == "pip install git+https://github.com/openai/CLIP");
  }

  TEST_CASE("the second name that PHP tries says nothing") {
    const auto reading = read_message(
        "Unable to load dynamic library 'c.so'\n(tried:\n  (/p/c.so: undefined symbol: json_globals),\n  /p/c.so.so\n  "
        "  "
        "(/p/c.so.so: cannot open shared object file: No such file or directory)\n)",
        built_in());
    REQUIRE(reading);
    CHECK(reading->symbol == "json_globals");
    const auto alone = read_message("/p/c.so.so: cannot open shared object file", built_in());
    REQUIRE(alone);
    CHECK(alone->library == "c.so.so");
  }

  TEST_CASE("a row may be about a library that its text does not name, and its fix names what the message does") {
    const auto nvvm = read_message(
        "libNVVM cannot be found. Do `conda install cudatoolkit`:\nlibx.so: cannot open shared "
        "object file",
        built_in());
    REQUIRE(nvvm);
    CHECK(nvvm->library == "libnvvm.so");
    CHECK(nvvm->found_command.find("{toolkit}") != std::string::npos);
    const auto absent =
        read_message("PackageNotFoundError: No package metadata was found for nvidia-cuda-runtime-cu12", built_in());
    REQUIRE(absent);
    CHECK(absent->command == "pip install nvidia-cuda-runtime-cu12");
    CHECK(absent->means.starts_with("nvidia-cuda-runtime-cu12 is not installed"));
    CHECK(read_message("No package metadata was found for a;rm", built_in())->command == "pip install 'a;rm'");
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

namespace {

/// What is read of a text by rows of the test's own.
std::optional<MessageReading> reading_by(const std::string& rows, const std::string& text) {
  const auto known = lay_over(*built_in_knowledge(), R"({"schema": "cudald/messages", "checked": "2030-01-02",
    "source": "notes", "proof": "a test", "rows": [)" + rows +
                                                         "]}");
  REQUIRE(known.has_value());
  return read_message(text, **known);
}

std::string row(const std::string& text, const std::string& more = R"("kind": "hard")") {
  return R"({"text": ")" + text + R"(", "who": "W", "means": "M", )" + more + "}";
}

std::string library_by(const std::string& text, const std::string& line) {
  const auto reading = reading_by(row(text), line);
  return reading ? reading->library : "-";
}

}  // namespace

TEST_CASE("all that a row says of a message is told") {
  const auto reading =
      reading_by(row("QQ {library} has {symbol} of {version} in {module}, made with {built_with}",
                     R"("kind": "gpu", "effect": "nothing", "speakers": ["s1", "s2"], "findings": ["f"], "fix": "F",
             "command": "C")"),
                 "before\nINFO QQ liba.so has sym of v1 in mod, made with 12.8.!.\nafter");
  REQUIRE(reading.has_value());
  CHECK(reading->text == "INFO QQ liba.so has sym of v1 in mod, made with 12.8.!.");
  CHECK(reading->fixed_text == ", made with ");
  CHECK(reading->library == "liba.so");
  CHECK(reading->symbol == "sym");
  CHECK(reading->version == "v1");
  CHECK(reading->module == "mod");
  CHECK(reading->built_with == "12.8");
  CHECK(reading->kind == MessageKind::gpu);
  CHECK(reading->effect == MessageEffect::nothing);
  CHECK(reading->who == "W");
  CHECK(reading->means == "M");
  CHECK(reading->fix == "F");
  CHECK(reading->command == "C");
  CHECK(reading->source == "notes, 2030-01-02");
  CHECK(reading->speakers == std::vector<std::string>{"s1", "s2"});
  CHECK(reading->findings == std::vector<std::string>{"f"});
}

TEST_CASE("the longest text of a message that is no name is told, of two the first") {
  CHECK(reading_by(row("QQ {library} ZZ"), "QQ liba.so ZZ")->fixed_text == "QQ ");
  CHECK(reading_by(row("QQ {library} ZZZ"), "QQ liba.so ZZZ")->fixed_text == " ZZZ");
  CHECK(reading_by(row("{library} ZZZ"), "liba.so ZZZ")->fixed_text == " ZZZ");
  CHECK(reading_by(row("QQ ZZ"), "a QQ ZZ b")->fixed_text == "QQ ZZ");
}

TEST_CASE("the effect of a message is what its row says, else a risk of what is hard, else the CPU alone") {
  const auto effect = [](const std::string& more) {
    const auto reading = reading_by(row("QQ happens", more), "QQ happens");
    REQUIRE(reading.has_value());
    return std::pair(reading->kind, reading->effect);
  };
  using enum MessageKind;
  using enum MessageEffect;
  CHECK(effect(R"("kind": "hard")") == std::pair(hard, risk));
  CHECK(effect(R"("kind": "soft")") == std::pair(soft, cpu_only));
  CHECK(effect(R"("kind": "gpu")") == std::pair(gpu, cpu_only));
  CHECK(effect(R"("kind": "other")") == std::pair(hard, risk));
  CHECK(effect(R"("kind": "soft", "effect": "risk")") == std::pair(soft, risk));
  CHECK(effect(R"("kind": "hard", "effect": "nothing")") == std::pair(hard, nothing));
  CHECK(effect(R"("kind": "hard", "effect": "cpu-only")") == std::pair(hard, cpu_only));
}

TEST_CASE("a name at the beginning or the end of a message is a word, which marks of all kinds end") {
  for (const std::string mark : {" ", "\t", "'", "\"", "`", "(", ")", ","}) {
    CAPTURE(mark);
    CHECK(library_by("QQ opens {library}", "QQ opens liba.so" + mark + "more") == "liba.so");
    CHECK(library_by("{library} QQ", "more" + mark + "liba.so QQ") == "liba.so");
    CHECK(library_by("QQ opens {library}", "QQ opens " + mark + "liba.so") == "-");
  }
  CHECK(library_by("QQ opens {library}", "QQ opens liba.so;x") == "liba.so;x");
  CHECK(library_by("{library} QQ", "liba.so QQ") == "liba.so");
  CHECK(library_by("QQ opens {library}!", "QQ opens a b!") == "a b");
}

TEST_CASE("dots and exclamation marks end a sentence, and folders are no part of a name") {
  CHECK(library_by("QQ opens {library}", "QQ opens liba.so.") == "liba.so");
  CHECK(library_by("QQ opens {library}", "QQ opens liba.so!.!") == "liba.so");
  CHECK(library_by("QQ opens {library}", "QQ opens /x/y/liba.so") == "liba.so");
  CHECK(library_by("QQ opens {library}", "QQ opens C:\\\\x\\\\a.dll") == "a.dll");
  CHECK(library_by("QQ opens {library}", "QQ opens ?liba.so") == "?liba.so");
}

TEST_CASE("what the loader did not find is what a library that was to be loaded needs") {
  const auto rows = row("QQ opens {library};", R"("kind": "hard")");
  const auto reading = reading_by(rows, "QQ opens liba.so; /x/libb.so.1: cannot open shared object file: No such");
  REQUIRE(reading);
  CHECK(reading->library == "libb.so.1");
  CHECK(reading->needed_by == "liba.so");
  const auto own = reading_by(rows, "QQ opens /x/liba.so; liba.so: cannot open shared object file: No such");
  REQUIRE(own);
  CHECK(own->library == "liba.so");
  CHECK(own->needed_by.empty());
}

TEST_CASE("a row for one library is passed over for others, with its folder") {
  const auto rows =
      row("QQ opens {library}", R"("kind": "hard", "library": "libx")") + "," + row("QQ {symbol}", R"("kind": "hard")");
  CHECK(reading_by(rows, "QQ opens libx.so")->library == "libx.so");
  CHECK(reading_by(rows, "QQ opens liby.so")->symbol == "opens");
  CHECK(reading_by(rows, "QQ opens /opt/libx.so")->symbol == "opens");
  CHECK(reading_by(rows, "QQ opens liby.so\nQQ opens libx.so")->library == "libx.so");
}

TEST_CASE("as many places of a line are looked at as lines have, and no longer lines") {
  const auto places = [](std::size_t empty) {
    std::string line;
    for (std::size_t i = 0; i < empty; ++i) line += "QQ (";
    return library_by("QQ {library}", line + "QQ liba.so");
  };
  CHECK(places(0) == "liba.so");
  CHECK(places(63) == "liba.so");
  CHECK(places(64) == "-");
  CHECK(library_by("QQ {library}", std::string(4096 - 10, 'x') + "QQ liba.so") == "liba.so");
  CHECK(library_by("QQ {library}", std::string(4097 - 10, 'x') + "QQ liba.so") == "-");
  std::string text;  // a megabyte
  while (text.size() < 1 << 20) text += std::string(4095, 'x') + "\n";
  CHECK(library_by("QQ {library}", text.substr(10) + "QQ liba.so") == "liba.so");
  CHECK(library_by("QQ {library}", text + "QQ liba.so") == "-");
  CHECK(library_by("QQ {library} ends", "QQ liba.so end") == "-");
}

TEST_CASE("a message that begins with a name goes on behind the text that ends it") {
  const auto both = [](const std::string& text, const std::string& line) {
    const auto reading = reading_by(row(text), line);
    return reading ? reading->library + "|" + reading->symbol : "-";
  };
  CHECK(both("{library}: QQ {symbol}", "liba.so: QQ f") == "liba.so|f");
  CHECK(both("{library} has QQ and {symbol}", "x liba.so has QQ and f, more") == "liba.so|f");
  CHECK(both("{library}QQ{symbol} ends", "liba.soQQf g ends") == "liba.so|f g");
  CHECK(both("{library}QQ{symbol} ends", "liba.soQQf g") == "-");
  CHECK(both("{library}QQ{symbol}", "liba.soQQ") == "-");
  CHECK(both("QQ{library}", "QQ") == "-");
}

TEST_CASE("a name that was opened has the ending that Windows adds, and one that stands alone comes before a path") {
  const auto rows = row("QQ opens {library}", R"("kind": "hard", "opens": true)");
  CHECK(reading_by(rows, "QQ opens e_x")->library == "e_x.dll");
  CHECK(reading_by(rows, "QQ opens e_x.node")->library == "e_x.node");
  CHECK(reading_by(rows, "QQ opens e_x")->opens);
  CHECK(library_by("QQ opens {library}", "QQ opens /app/libx.so\nQQ opens liby.so.1") == "liby.so.1");
  CHECK(library_by("QQ opens {library}", "QQ opens /app/libx.so\nQQ opens /app/x") == "libx.so");
}

TEST_CASE("what Windows has since a release, and what Server Core lacks, is known of the DLL that a message names") {
  const auto told = [](const std::string& text) {
    const auto reading = read_message(text, *built_in_knowledge());
    return reading ? reading->means + " | " + reading->fix : "";
  };
  CHECK(told("The procedure entry point ProcessPrng could not be located in the dynamic link library "
             "bcryptprimitives.dll")
            .find("ProcessPrng is there from Windows") != std::string::npos);
  CHECK(told("The code execution cannot proceed because OLEDLG.dll was not found.").find("windows/server") !=
        std::string::npos);
  CHECK(told("The procedure entry point DCompositionWaitForCompositorClock could not be located in the dynamic link "
             "library C:\\zed\\Zed.exe.")
            .find("use Windows 11 or later") != std::string::npos);
  CHECK(
      told("The procedure entry point GetWindowSubclass could not be located in the dynamic link library C:\\a\\b.exe.")
          .find("names Microsoft.Windows.Common-Controls 6.0.0.0") != std::string::npos);
  const auto later = told("The code execution cannot proceed because SHCORE.dll was not found.");
  CHECK(later.find("SHCORE.dll is a part of Windows from Windows 8 on") != std::string::npos);
  CHECK(later.find("use Windows 8 or later") != std::string::npos);
}

TEST_CASE("a program of PyInstaller whose C library is too old here lacks no file") {
  const auto reading = read_message(
      "[PYI-27:ERROR] Failed to load Python shared library '/tmp/_MEI/libpython3.13.so.1.0': dlopen: "
      "/lib/x86_64-linux-gnu/libm.so.6: version `GLIBC_2.38' not found (required by /tmp/_MEI/libpython3.13.so.1.0)",
      built_in());
  REQUIRE(reading);
  CHECK(reading->version == "GLIBC_2.38");
  CHECK(reading->means.find("on a system with a newer ") != std::string::npos);
  CHECK(reading->fix.starts_with("use a newer system"));
}

TEST_CASE("a row may be about what another line of the text has as well") {
  const std::string error = "AttributeError: module 'torch.library' has no attribute 'wrap_triton'";
  const auto alone = read_message(error, built_in()),
             of_package = read_message("  File \"/v/site-packages/flash_attn/ops/a.py\", line 1\n" + error, built_in());
  REQUIRE(alone);
  REQUIRE(of_package);
  CHECK(alone->who == "Python");
  CHECK(of_package->who == "Python, in flash-attn 2.8 and later");
  CHECK(of_package->text == error);
}

TEST_CASE("the release that fits the one which the message names, its local part left out") {
  const auto command = [](const std::string& torch) {
    const auto reading = read_message(
        "Skipping import of cpp extensions due to incompatible torch version " + torch + " for torchao version 0.15.0",
        built_in());
    return reading ? reading->command : "none";
  };
  CHECK(command("2.7.1+cu128") == "pip install torchao==0.12.0");
  CHECK(command("2.9.0") == "pip install torchao==0.14.1");
  CHECK(command("2.10.0+cu130") == "pip install torchao==0.16.0");
  CHECK(command("2.30.0") == "");
}
