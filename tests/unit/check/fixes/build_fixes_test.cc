#include "check/fixes/build_fixes.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// An environment with torch and torchaudio of these versions, and what its commands begin with.
struct TorchHere {
  TorchHere(const std::string& torch, const std::string& torchaudio) {
    const std::string site = "/v/lib/python3.11/site-packages/";
    files.add_file("/v/bin/python", "");
    files.add_file("/v/pyvenv.cfg", "home = /usr/bin\n");
    files.add_file(site + "torch-" + torch + ".dist-info/METADATA", "Name: torch\nVersion: " + torch + "\n");
    if (!torchaudio.empty())
      files.add_file(site + "torchaudio-" + torchaudio + ".dist-info/METADATA",
                     "Name: torchaudio\nVersion: " + torchaudio + "\n");
    object.path = site + "torch/lib/libtorch_cpu.so";
  }
  Installer installer() const { return {report, object, files}; }

  MemoryFileSystem files;
  Report report;
  Object object;
};

std::string build_for(const std::string& torch, const BuildNeeds& needs, const std::string& torchaudio = "") {
  const TorchHere world(torch, torchaudio);
  const auto installer = world.installer();
  const auto fix = other_build("torch", torch, needs, installer, world.files);
  return fix ? fix->command.substr(installer.install().size()) : "";
}

}  // namespace

TEST_CASE("a local version says what a build is for") {
  CHECK(build_label("1.12.0+cu116") == "cu116");
  CHECK(build_label("2.15.0").empty());
}

TEST_CASE("for a driver it is the build of the same release for the newest CUDA that it runs") {
  CHECK(build_for("2.5.1+cu124", {{}, "11.8"}) ==
        "torch==2.5.1+cu118 --extra-index-url https://download.pytorch.org/whl/cu118");
  CHECK(build_for("2.5.1+cu124", {{}, "11.8"}, "2.5.1+cu124") ==
        "torch==2.5.1+cu118 torchaudio==2.5.1+cu118 --extra-index-url https://download.pytorch.org/whl/cu118");
}

TEST_CASE("for a GPU that no build of the release serves it is one of a later release, or of an earlier one") {
  CHECK(build_for("2.5.1+cu124", {{*parse_gpu("sm_120")}, ""}).starts_with("--upgrade torch --index-url "));
  const auto older = build_for("2.11.0", {{*parse_gpu("sm_37")}, ""});
  CHECK(older.starts_with("'torch==2.0.*' --index-url "));
  CHECK(build_for("2.5.1+cu124", {{*parse_gpu("sm_20")}, ""}) == "");
}

TEST_CASE("a companion is taken as it belongs to the framework") {
  const TorchHere world("1.12.0+cu116", "");
  const auto installer = world.installer();
  const auto command = [&](const std::string& version) {
    const auto fix = build_in_step("torchaudio", version, "1.12.0+cu116", installer);
    REQUIRE(fix);
    return fix->command.substr(installer.install().size());
  };
  CHECK(command("0.12.0") ==
        "--force-reinstall --no-deps torchaudio==0.12.0+cu116 --extra-index-url "
        "https://download.pytorch.org/whl/cu116");
  CHECK(command("2.1.0").starts_with("'torchaudio==0.12.*' torch==1.12.0+cu116 "));
  CHECK_FALSE(build_in_step("numpy", "1.26", "1.12.0", installer));
}

}  // namespace cudald
