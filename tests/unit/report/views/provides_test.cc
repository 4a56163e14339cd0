// Who carries a library: from rows that are written here, so that a newer table changes no answer.

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cudald/knowledge.h>

#include "common/example_report.h"
#include "knowledge/knowledge.h"
#include "knowledge/providers.h"

namespace cudald {
namespace {

std::shared_ptr<const Knowledge> with_rows(const Knowledge& known, const std::string& table, const std::string& key,
                                           const std::string& rows) {
  // The sections of cuda.json say for themselves where they come from.
  const std::string from = table == "cuda" ? "" : R"("checked": "2030-01-02", "source": "notes", )";
  const auto read =
      lay_over(known, R"({"schema": "cudald/)" + table + R"(", )" + from + "\"" + key + R"(": )" + rows + "}");
  CAPTURE(read ? "" : read.error().message);
  REQUIRE(read);
  return *read;
}

/// The tables with libmade.so.3 and made64_3.dll, which are runtimes of two majors of CUDA to come, and all who carry
/// them.
std::shared_ptr<const Knowledge> with_made() {
  auto known = with_rows(*built_in_knowledge(), "cuda", "libraries",
                         R"({"source": "notes", "checked": "2030-01-02", "proof": "a test", "rows": [
      {"kind": "cudart", "first": "60.1", "last": "60.4", "linux": "libmade.so.3", "windows": "made64_3.dll"},
      {"kind": "cudart", "first": "61.0", "last": null, "linux": "libmade.so.3", "windows": null},
      {"kind": "cufft", "first": "60.2", "last": "60.2", "linux": "libone.so.1", "windows": null},
      {"kind": "cufft", "first": "62.0", "last": "62.0", "linux": "libtwo.so.1", "windows": null}]})");
  known = with_rows(*known, "cuda", "driver", R"({"source": "its notes", "checked": "2030-01-02", "proof": "a test",
      "rows": [{"cuda": "60.1", "linux": "900.11", "windows": "901.22"}]})");
  known = with_rows(*known, "cuda", "driver_floor", R"({"source": "its guide", "checked": "2030-01-02",
      "proof": "a test", "rows": [{"cuda_major": 60, "linux": "900.01", "windows": "901.02"},
                                  {"cuda_major": 61, "linux": "910.01", "windows": "911.02"}]})");
  known = with_rows(*known, "providers", "providers", R"([
      {"name": "libmade.so.3", "proof": "a test",
       "pip": [{"distribution": "made", "oldest": "1.0", "version": "1.9", "folder": "made/lib", "platform": "linux"}]},
      {"name": "libmade.so.4", "proof": "a test",
       "pip": [{"distribution": "made", "oldest": "2.0", "version": "2.0", "folder": "made/lib", "platform": "linux"}]},
      {"name": "made64_3.dll",
       "pip": [{"distribution": "made", "oldest": "1.0", "version": "1.0", "folder": "made/bin", "platform": "windows",
                "requirement": "made==1.0"}]}])");
  known = with_rows(*known, "conda-packages", "rows", R"([
      {"package": "made", "channel": "c", "cuda": null, "oldest": "1.0", "newest": "1.2", "requirement": ["made"],
       "libraries": ["libmade.so.3"], "source": "its recipe", "proof": "a test"},
      {"package": "alone", "channel": "c", "cuda": null, "oldest": "1.0", "newest": "1.0", "requirement": ["alone"],
       "libraries": ["libalone.so.1"], "source": "its recipe", "proof": "a test"},
      {"package": "made-too", "channel": "c", "cuda": null, "oldest": null, "newest": "1.2",
       "requirement": ["made-too"],
       "libraries": ["libmade.so.3"], "source": "its recipe"},
      {"package": "made-three", "channel": "c", "cuda": null, "oldest": null, "newest": null,
       "requirement": ["made-three"], "libraries": ["libmade.so.3"], "source": "its recipe"}])");
  return with_rows(*known, "system-packages", "by_hand", R"([
      {"library": "libmade.so.3", "command": "apt install libmade3", "version": "1.2-3", "system": "Debian 14",
       "folder": "/usr/lib", "proof": "a test"},
      {"library": "libmade.so.3", "command": "dnf install made", "version": null, "system": "Fedora 50",
       "folder": "/usr/lib64"}])");
}

struct Told {
  bool known = false;
  std::string text;
};

Told told(std::vector<std::string> names, std::vector<ProvidedPackage> packages = {}) {
  Told result;
  const auto style = plain_style();
  result.text = written([&](std::ostream& out) {
    result.known = write_provides({std::move(names), std::move(packages), with_made()}, style, out);
  });
  return result;
}

struct ToldJson {
  bool known = false;
  nlohmann::json document;
};

ToldJson told_json(std::vector<std::string> names, std::vector<ProvidedPackage> packages = {}) {
  ToldJson result;
  result.document = nlohmann::json::parse(written([&](std::ostream& out) {
    result.known = write_provides_json({std::move(names), std::move(packages), with_made()}, true, out);
  }));
  return result;
}

/// A wheel that was looked into.
ProvidedPackage looked_into(const std::string& name, const std::string& library) {
  ProvidedPackage package;
  package.name = name;
  package.version = "4.0";
  package.file = name + "-4.0.whl";
  package.libraries = {{library, name + "/lib"}};
  package.source = "its directory";
  return package;
}

TEST_CASE("a library is told with all who carry it, what driver it needs, and what is no substitute") {
  const auto answer = told({"libmade.so.3"});
  CHECK(answer.known);
  CHECK(answer.text ==
        "libmade.so.3  CUDA runtime of CUDA 60.1 to 60.4, CUDA 61.0 and newer\n"
        "  pip         pip install made  in site-packages/made/lib                                 1.0 to 1.9\n"
        "              Not on the default search path; needs DT_RUNPATH, DT_RPATH or LD_LIBRARY_PATH.\n"
        "  conda       conda install -c c made  in $CONDA_PREFIX/lib                by its recipe, 1.0 to 1.2\n"
        "  conda       likely: conda install -c c made-too  in $CONDA_PREFIX/lib           by its recipe, 1.2\n"
        "  conda       likely: conda install -c c made-three  in $CONDA_PREFIX/lib              by its recipe\n"
        "              On the search path of programs and libraries from conda, by their DT_RPATH; a library\n"
        "              from pip uses it if a Python of that environment loads it, and it has no DT_RUNPATH.\n"
        "  apt         apt install libmade3  in /usr/lib                                     Debian 14, 1.2-3\n"
        "  dnf         likely: dnf install made  in /usr/lib64                                      Fedora 50\n"
        "              Searched if it is a system directory or known to ldconfig; others need LD_LIBRARY_PATH\n"
        "              or a DT_RUNPATH.\n"
        "  toolkit     NVIDIA's CUDA Toolkit 60.1 to 60.4, 61.0 and newer, in /usr/local/cuda-*/lib64\n"
        "  driver      900.01 or newer for CUDA 60.x, 910.01 or newer for CUDA 61.x; newer if it must JIT\n"
        "              newer PTX\n"
        "  others      libmade.so.4: other versions (not interchangeable)\n"
        "  known by    notes, 2030-01-02\n");
}

TEST_CASE("a DLL is told with where Windows looks, and the drivers of Windows") {
  const auto answer = told({"made64_3.dll"});
  CHECK(answer.known);
  CHECK(answer.text ==
        "made64_3.dll  CUDA runtime of CUDA 60.1 to 60.4\n"
        "  pip         likely: pip install made==1.0  in site-packages/made/bin                           1.0\n"
        "              Not on the default search path; needs PATH, os.add_dll_directory or code of the\n"
        "              package.\n"
        "  toolkit     NVIDIA's CUDA Toolkit 60.1 to 60.4, in its directory bin\n"
        "  driver      901.02 or newer for CUDA 60.x; newer if it must JIT newer PTX\n"
        "  known by    likely, by notes, 2030-01-02\n");
}

TEST_CASE("a DLL of Windows, and one that is added to it later, are known by that") {
  const auto windows = told({"KERNEL32.DLL"});
  CHECK(windows.known);
  CHECK(windows.text.find("  Windows     part of Windows 11, in System32\n") != std::string::npos);
  const auto later = told({"vcruntime140.dll"});
  CHECK(later.known);
  CHECK(later.text.find("  Windows     the Visual C++ redistributable: winget install ") != std::string::npos);
  CHECK(told_json({"kernel32.dll"}).document["libraries"][0]["windows"] == "part of Windows 11, in System32");
  CHECK(told_json({"libmade.so.3"}).document["libraries"][0]["windows"] == nullptr);
}

TEST_CASE("a library of the driver comes with the driver") {
  const auto answer = told({"libcuda.so.1"});
  CHECK(answer.known);
  CHECK(answer.text.find("  driver      Only NVIDIA's Linux driver provides it; in a container it is the host's.\n") !=
        std::string::npos);
  CHECK(told({"libmade.so.3"}).text.find("It comes with") == std::string::npos);
}

TEST_CASE("a name that nobody carries is unknown, with one that may be meant, or that others have other versions") {
  const auto meant = told({"libmaed.so.3"});
  CHECK_FALSE(meant.known);
  CHECK(meant.text ==
        "libmaed.so.3\n"
        "  unknown     no package in the table provides a file of exactly this name; did you mean\n"
        "              libmade.so.3?\n");
  const auto other = told({"libmade.so.9"});
  CHECK_FALSE(other.known);
  CHECK(other.text ==
        "libmade.so.9\n"
        "  unknown     no package in the table provides a file of exactly this name\n"
        "  others      libmade.so.3, libmade.so.4: other versions (not interchangeable)\n");
  CHECK_FALSE(told({"libmade.so.3", "libmade.so.9"}).known);
  CHECK_FALSE(told({"libmade.so.9", "libmade.so.3"}).known);
  CHECK_FALSE(told_json({"libmade.so.9", "libmade.so.3"}).known);
}

TEST_CASE("a library of one release of the toolkit alone is told by that release, and unknown if nobody carries it") {
  const auto answer = told({"libone.so.1"});
  CHECK_FALSE(answer.known);
  CHECK(answer.text ==
        "libone.so.1  cuFFT of CUDA 60.2\n"
        "  unknown     no package in the table provides a file of exactly this name\n"
        "  toolkit     NVIDIA's CUDA Toolkit 60.2, in /usr/local/cuda-*/lib64\n"
        "  driver      900.01 or newer for CUDA 60.x; newer if it must JIT newer PTX\n");
}

TEST_CASE("a package that was looked into carries what the tables do not know") {
  const auto answer = told({"libnew.so.1"}, {looked_into("fresh", "libnew.so.1"), looked_into("other", "libx.so")});
  CHECK(answer.known);
  CHECK(answer.text ==
        "libnew.so.1\n"
        "  pip         pip install fresh==4.0  in site-packages/fresh/lib                                 4.0\n"
        "              Not on the default search path; needs DT_RUNPATH, DT_RPATH or LD_LIBRARY_PATH.\n"
        "  known by    fresh-4.0.whl on the index\n"
        "\n"
        "fresh  fresh-4.0.whl\n"
        "  carries     libnew.so.1  in site-packages/fresh/lib\n"
        "  known by    its directory\n"
        "\n"
        "other  other-4.0.whl\n"
        "  carries     libx.so  in site-packages/other/lib\n"
        "  known by    its directory\n");
  CHECK_FALSE(told({"LIBNEW.so.1"}, {looked_into("fresh", "libnew.so.1")}).known);
  for (const std::string name : {"NEW64_1.dll", "new64_1.DLL", "New64_1.Dll"})
    CHECK(told({name}, {looked_into("fresh", "new64_1.dll")}).known);
  CHECK(told({"NEW64_1.dll"}, {looked_into("fresh", "new64_1.DLL")}).known);
  auto by_table = looked_into("fresh", "libnew.so.1");
  by_table.file.clear();
  CHECK_FALSE(told({"libnew.so.1"}, {by_table}).known);
  // What the tables say of a library stays the source.
  const auto both = told({"libmade.so.3"}, {looked_into("fresh", "libmade.so.3")});
  CHECK(both.text.find("pip install fresh==4.0  in site-packages/fresh/lib") != std::string::npos);
  CHECK(both.text.find("  known by    notes, 2030-01-02\n") != std::string::npos);
}

TEST_CASE("a package alone is told by its folders and requirements, or by why nothing is known of it") {
  auto package = looked_into("fresh", "liba.so");
  package.libraries.push_back({"libb.so", "fresh/lib"});
  package.libraries.push_back({"libc.so", "fresh"});
  package.requires_dist = {"click", "yaml>=1"};
  ProvidedPackage empty;
  empty.name = "bare";
  const auto answer = told({}, {package, empty});
  CHECK(answer.known);
  CHECK(answer.text ==
        "fresh  fresh-4.0.whl\n"
        "  carries     libc.so  in site-packages/fresh\n"
        "  carries     liba.so, libb.so  in site-packages/fresh/lib\n"
        "  requires    click\n"
        "  requires    yaml>=1\n"
        "  known by    its directory\n"
        "\n"
        "bare  package\n"
        "  carries     no library\n");
  empty.error = "the index does not have it";
  const auto failed = told({"libmade.so.3"}, {empty});
  CHECK_FALSE(failed.known);
  CHECK(failed.text.ends_with("\n\nbare  package\n  unknown     the index does not have it\n"));
}

TEST_CASE("answers stand apart by an empty line") {
  const auto answer = told({"libnone1.so", "libnone2.so"}, {looked_into("fresh", "liba.so")});
  CHECK(answer.text.find("\n\nlibnone2.so\n") != std::string::npos);
  CHECK(answer.text.find("\n\nfresh  fresh-4.0.whl\n") != std::string::npos);
  CHECK_FALSE(answer.text.starts_with("\n"));
}

TEST_CASE("the document has the same as the text, field by field") {
  const auto answer = told_json({"libmade.so.3"});
  CHECK(answer.known);
  CHECK(answer.document["schema"] == "cudald/provides");
  CHECK(answer.document["schema_version"] == "1.1");
  CHECK(answer.document["packages"].empty());
  CHECK(answer.document["libraries"][0].dump() ==
        R"({"apt":[{"command":"apt install libmade3","folder":"/usr/lib","likely":false,"package":"libmade3",)"
        R"("source":"notes, 2030-01-02","system":"Debian 14","version":"1.2-3"},)"
        R"({"command":"dnf install made","folder":"/usr/lib64","likely":true,"package":"made",)"
        R"("source":"likely, by notes, 2030-01-02","system":"Fedora 50","version":null}],)"
        R"("conda":[{"channel":"c","folder":"lib","likely":false,"newest":"1.2","oldest":"1.0",)"
        R"("package":"made","requirement":"made","source":"its recipe, 2030-01-02"},{"channel":"c",)"
        R"("folder":"lib","likely":true,"newest":"1.2","oldest":null,"package":"made-too",)"
        R"("requirement":"made-too","source":"likely, by its recipe, 2030-01-02"},{"channel":"c",)"
        R"("folder":"lib","likely":true,"newest":null,"oldest":null,"package":"made-three",)"
        R"("requirement":"made-three","source":"likely, by its recipe, 2030-01-02"}],"cuda":[{"first":"60.1",)"
        R"("kind":"cudart","last":"60.4","source":"notes, 2030-01-02"},{"first":"61.0","kind":"cudart",)"
        R"("last":null,"source":"notes, 2030-01-02"}],"did_you_mean":null,"driver":{"source":"its notes,)"
        R"( 2030-01-02","version":"900.11"},"driver_floor":{"source":"its guide, 2030-01-02",)"
        R"("version":"900.01"},"name":"libmade.so.3","other_versions":["libmade.so.4"],)"
        R"("pip":[{"distribution":"made","folder":"site-packages/made/lib","likely":false,"newest":"1.9",)"
        R"("oldest":"1.0","requirement":"made"}],"source":"notes, 2030-01-02","windows":null})");
  const auto dll = told_json({"made64_3.dll"}).document["libraries"][0];
  CHECK(dll["driver"]["version"] == "901.22");
  CHECK(dll["driver_floor"]["version"] == "901.02");
  CHECK(told({"Made64_3.Dll"}).text.find("Not on the default search path; needs PATH") != std::string::npos);
}

TEST_CASE("the document of what is unknown has nulls, and a name that may be meant") {
  const auto answer = told_json({"libmaed.so.3"});
  CHECK_FALSE(answer.known);
  auto library = answer.document["libraries"][0];
  CHECK(library["source"] == providers_source(*with_made()));
  library.erase("source");
  CHECK(library.dump() ==
        R"({"apt":[],"conda":[],"cuda":[],"did_you_mean":"libmade.so.3","driver":null,"driver_floor":null,)"
        R"("name":"libmaed.so.3","other_versions":[],"pip":[],"windows":null})");
}

TEST_CASE("the document has the packages that were asked about") {
  auto package = looked_into("fresh", "liba.so");
  package.requires_dist = {"click"};
  ProvidedPackage failed;
  failed.name = "bare";
  failed.error = "the index does not have it";
  const auto answer = told_json({}, {package, failed});
  CHECK_FALSE(answer.known);
  CHECK(answer.document["packages"].dump() ==
        R"([{"error":null,"file":"fresh-4.0.whl","libraries":[{"folder":"site-packages/fresh/lib",)"
        R"("name":"liba.so"}],"name":"fresh","requires":["click"],"source":"its directory","version":"4.0"},)"
        R"({"error":"the index does not have it","file":null,"libraries":[],"name":"bare","requires":[],)"
        R"("source":null,"version":null}])");
  CHECK(told_json({}, {package}).known);
}

TEST_CASE(
    "a library is known by conda alone, by the driver alone, and one of a release without a floor has no driver") {
  const auto alone = told({"libalone.so.1"});
  CHECK(alone.known);
  CHECK(alone.text.starts_with("libalone.so.1\n  conda       conda install -c c alone  in $CONDA_PREFIX/lib"));
  CHECK(alone.text.find("by its recipe, 1.0\n") != std::string::npos);
  CHECK(alone.text.find("unknown") == std::string::npos);
  const auto driver = told({"libnvidia-cfg.so.1"});
  CHECK(driver.known);
  CHECK(driver.text.find("unknown") == std::string::npos);
  CHECK(told({"libtwo.so.1"}).text ==
        "libtwo.so.1  cuFFT of CUDA 62.0\n"
        "  unknown     no package in the table provides a file of exactly this name\n"
        "  toolkit     NVIDIA's CUDA Toolkit 62.0, in /usr/local/cuda-*/lib64\n");
  const auto document = told_json({"libtwo.so.1"}).document["libraries"][0];
  CHECK(document["driver"] == nullptr);
  CHECK(document["driver_floor"] == nullptr);
}

TEST_CASE("what is added to Windows later is told with its installer, if there is one, and as likely if it is") {
  const auto windows = [](const std::string& name) {
    return told_json({name}).document["libraries"][0]["windows"].get<std::string>();
  };
  CHECK(windows("vcruntime140.dll") == "the Visual C++ redistributable: winget install Microsoft.VCRedist.2015+.x64");
  CHECK(windows("MFC140.DLL") == "likely the Visual C++ redistributable: winget install Microsoft.VCRedist.2015+.x64");
  CHECK(windows("nvcuda.dll") == "likely NVIDIA's display driver");
  // Names of DLLs have no case, those of other libraries do.
  CHECK(told_json({"MADE64_3.DLL"}).document["libraries"][0]["driver"]["version"] == "901.22");
  CHECK(told({"MADE64_3.DLL"}).text.find(", in its directory bin\n") != std::string::npos);
}

}  // namespace
}  // namespace cudald
