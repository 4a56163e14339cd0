#include "knowledge/known_dlopens.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/parallel.h"
#include "binary/image_store.h"
#include "common/built_in.h"
#include "common/elf_builder.h"
#include "common/fatbin_file.h"
#include "common/memory_file_system.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

constexpr std::string_view table = R"({"rows": [
  {"libraries": ["libtbb.so.*", "ending/lib?.so"], "values": {"cuda": {"file": "{folder}/build.py", "key": "cuda"}},
   "without": "nothing", "source": "a test", "asks": [
     {"name": "libtbbbind.so.3", "at": "use", "gpu": false},
     {"name": "{folder}/libbeside.so", "at": "load", "gpu": true},
     {"name": "{folder}/libof.so.{cuda.major}", "at": "load", "gpu": true},
     {"name": "{site}/other/libother.so", "at": "use", "gpu": false}]}]})";

/// The names that a library asks for, a line each; a path is marked.
std::string asked(const std::string& soname, const std::string& path, const FileSystem& files) {
  std::string text;
  for (const auto& known : known_dlopens(parse_json(table), soname, path, files, built_in()))
    text += known.call.name + (known.by_path ? " (path)" : "") +
            (known.call.traits.when == RequestTime::later ? " later" : "") + "\n";
  return text;
}

TEST_CASE("a soname may leave the version open, and a path begin beside the library") {
  MemoryFileSystem files;
  CHECK(asked("libtbb.so.12", "/opt/tbb/libtbb.so.12.11", files) ==
        "libtbbbind.so.3 later\n/opt/tbb/libbeside.so (path)\n");
  CHECK(asked("libtbb.so.2", "/opt/tbb/libtbb.so.2", files) == asked("libtbb.so.12", "/opt/tbb/libtbb.so.12", files));
  CHECK(asked("", "/x/ending/liba.so", files) == "libtbbbind.so.3 later\n/x/ending/libbeside.so (path)\n");
}

TEST_CASE("what only resembles a library that is known asks for nothing") {
  MemoryFileSystem files;
  CHECK(asked("libtbbmalloc.so.2", "/opt/libtbbmalloc.so.2", files).empty());
  CHECK(asked("mylibtbb.so.2", "/opt/mylibtbb.so.2", files).empty());
  CHECK(asked("", "/x/ending/libab.so", files).empty());
  CHECK(asked("", "/x/bending/liba.so", files).empty());
}

TEST_CASE("what auditwheel bundles under another name asks for the same") {
  MemoryFileSystem files;
  const auto asks = [&](const std::string& soname) { return !asked(soname, "/opt/x.libs/" + soname, files).empty(); };
  constexpr auto row = R"({"rows": [{"libraries": ["libcudnn.so.8"], "values": {}, "without": "", "source": "a test",
    "asks": [{"name": "libcudnn_ops_infer.so.8", "at": "use", "gpu": true}]}]})";
  const auto bundled = [&](const std::string& soname) {
    return known_dlopens(parse_json(row), soname, "/opt/x.libs/" + soname, files, built_in()).size();
  };
  CHECK(asks("libtbb-a34b3233.so.12.11"));
  CHECK(bundled("libcudnn-463fd6d.so.8.9.7") == 0);
  CHECK(bundled("libcudnn-463fd6d55.so.8.9.7") == 0);
  CHECK(bundled("libcudnn-463fd6d5.so.89") == 0);
  CHECK(bundled("libcudnn-463fd6d5") == 0);
  CHECK(bundled("libcudnn.so.8") == 1);
  CHECK(bundled("libcudnn-463fd6d5.so.8.9.7") == 1);
  CHECK(bundled("libcudnn-463fd6d5.so.8") == 1);
  CHECK(bundled("libcudnn-463fd6d5.so.9.1.0") == 0);
  CHECK(bundled("libcudnn-ops.so.8.9.7") == 0);
  CHECK(bundled("libcudnn-463fd6dx.so.8.9.7") == 0);
  CHECK(bundled("libcudnn.so.8.9.7") == 0);
}

TEST_CASE("site-packages is that around the library, and nothing is asked for where there is none") {
  MemoryFileSystem files;
  const std::string site = "/opt/venv/lib/python3.11/site-packages";
  CHECK(asked("libtbb.so.12", site + "/tbb/libtbb.so.12", files) ==
        "libtbbbind.so.3 later\n" + site + "/tbb/libbeside.so (path)\n" + site + "/other/libother.so (path) later\n");
  CHECK(asked("libtbb.so.12", "/usr/lib/libtbb.so.12", files).find("other") == std::string::npos);
}

TEST_CASE("a value that the files tell stands in a path as well") {
  MemoryFileSystem files;
  files.add_file("/opt/tbb/build.py", "info = {'cuda': '12.8'}\n");
  CHECK(asked("libtbb.so.12", "/opt/tbb/libtbb.so.12", files).find("/opt/tbb/libof.so.12 (path)\n") !=
        std::string::npos);
}

TEST_CASE("JAX's plug-ins open the libraries of their own CUDA") {
  MemoryFileSystem files;
  const auto asks = [&](const std::string& path) {
    std::string text;
    for (const auto& known : known_dlopens("", "/venv/lib/python3.11/site-packages/" + path, files, built_in()))
      text += known.call.name + " ";
    return text;
  };
  CHECK(asks("jax_cuda12_plugin/_solver.so") == "libcudart.so.12 ");
  CHECK(asks("jax_cuda13_plugin/_solver.so") == "libcudart.so.13 ");
  CHECK(asks("jax_cuda13_plugin/_versions.so") ==
        "libcudnn.so.9 libcufft.so.12 libcupti.so.13 libcublas.so.13 libcusparse.so.12 ");
}

TEST_CASE("TensorFlow for CUDA 11.0 opens the cuSOLVER of that release, which has the name of CUDA 10") {
  MemoryFileSystem files;
  const std::string folder = "/venv/lib/python3.8/site-packages/tensorflow";
  const auto asks = [&](const std::string& cuda) {
    files.add_file(folder + "/python/platform/build_info.py",
                   "build_info = {('cuda_version', '" + cuda + "'), ('cudnn_version', '8')}");
    std::string text;
    for (const auto& known :
         known_dlopens("libtensorflow_framework.so.2", folder + "/libtensorflow_framework.so.2", files, built_in()))
      text += known.call.name + " ";
    return text;
  };
  CHECK(asks("11.0").find("libcusolver.so.10 ") != std::string::npos);
  CHECK(asks("11.2").find("libcusolver.so.11 ") != std::string::npos);
  CHECK(asks("10.1").find("libcudart.so.10.1 ") != std::string::npos);
}

TEST_CASE("a part that came with a later release is opened only by a library that names it") {
  const auto opens = [](const std::string& text) {
    MemoryFileSystem files;
    const std::string path = "/opt/libcudnn.so.9";
    files.add_file(path, with_sections(elf({.soname = "libcudnn.so.9"}), {{".rodata", '\0' + text + '\0'}}));
    Budget budget;
    ThreadLimit threads;
    ImageStore images(files, budget, threads);
    const auto& opened = images.open(path);
    std::string names;
    for (const auto& known : known_dlopens("libcudnn.so.9", path, files, built_in()))
      if (is_opened_by(known, path, *opened.image, images)) names += known.call.name + " ";
    return names;
  };
  const std::string always = "libcudnn_graph.so.9 libcudnn_ops.so.9 libcudnn_cnn.so.9 libcudnn_adv.so.9 ";
  CHECK(opens("libcudnn_adv.so") == always);
  CHECK(opens("libcudnn_ext.so") == always + "libcudnn_ext.so.9 ");
}

TEST_CASE("a value is the literal behind its key, in quotes of either kind") {
  const std::pair<std::string, std::string> rows[] = {
      {"{'cuda': '12.8'}", "12"},   {"{\"cuda\" : \"11.2\"}", "11"},
      {"('cuda', \"10.1\")", "10"}, {"cuda = '12.8'", ""},
      {"{'cuda': 12}", ""},         {"{'cuda': 12, \"cuda\": '9.0'}", "9"},
      {"{'cuda': '12.8", ""},       {"{'cuda'", ""},
      {"{'cuda': ''}", ""},         {"", ""}};
  for (const auto& row : rows) {
    CAPTURE(row.first);
    MemoryFileSystem files;
    files.add_file("/opt/tbb/build.py", row.first);
    CHECK(asked("libtbb.so.12", "/opt/tbb/libtbb.so.12", files) ==
          "libtbbbind.so.3 later\n/opt/tbb/libbeside.so (path)\n" +
              (row.second.empty() ? "" : "/opt/tbb/libof.so." + row.second + " (path)\n"));
  }
  MemoryFileSystem large;
  large.add_file("/opt/tbb/build.py", "{'cuda': '12.8'}" + std::string(std::size_t{1} << 16, ' '));
  CHECK(asked("libtbb.so.12", "/opt/tbb/libtbb.so.12", large).find("libof") == std::string::npos);
}

TEST_CASE("what a table says of a request is told with it, where its versions and values are known") {
  constexpr auto rows = R"({"rows": [{"libraries": ["liba.so.1"],
    "values": {"v": {"file": "{folder}/v.py", "key": "v"}}, "without": "no {name}", "source": "notes",
    "facts": [{"text": "a fact", "source": "its source"}], "asks": [
     {"name": "libplain.so", "at": "load", "gpu": true, "held": true, "pieces": ["one", "two"]},
     {"name": "lib{none}.so", "at": "use", "gpu": false},
     {"name": "libold.so", "at": "use", "gpu": false, "below": ["{v}", "2.10"], "altered_search_path": true},
     {"name": "libnever.so", "at": "use", "gpu": false, "below": ["{none}", "9"]}]}]})";
  const auto known = [&](const std::string& version) {
    MemoryFileSystem files;
    files.add_file("/opt/v.py", "{'v': '" + version + "'}");
    return known_dlopens(parse_json(rows), "liba.so.1", "/opt/liba.so.1", files, built_in());
  };
  const auto both = known("2.9");
  REQUIRE(both.size() == 2);
  CHECK(both[0].call.name == "libplain.so");
  CHECK(both[0].only_if_held);
  CHECK_FALSE(both[0].altered_search_path);
  CHECK_FALSE(both[0].by_path);
  CHECK(both[0].call.traits.optional);
  CHECK(both[0].call.traits.gpu);
  CHECK(both[0].call.traits.when == RequestTime::now);
  CHECK(both[0].call.traits.without == "no libplain.so");
  CHECK(both[0].call.known.source == "notes");
  CHECK(both[0].call.known.pieces == std::vector<std::string>{"one", "two"});
  REQUIRE(both[0].call.known.facts.size() == 1);
  CHECK(both[0].call.known.facts[0].text == "a fact");
  CHECK(both[0].call.known.facts[0].source == "its source");
  CHECK(both[1].call.name == "libold.so");
  CHECK(both[1].altered_search_path);
  CHECK_FALSE(both[1].only_if_held);
  CHECK(both[1].call.traits.when == RequestTime::later);
  CHECK_FALSE(both[1].call.traits.gpu);
  CHECK(both[1].call.known.pieces.empty());
  CHECK(known("2.10").size() == 1);
  CHECK(known("").size() == 1);
}

TEST_CASE("whether a library holds the pieces of a name is asked of its file") {
  MemoryFileSystem files;
  const std::string path = "/opt/liba.so";
  files.add_file(path, with_sections(elf({}), {{".rodata", std::string("\0one\0two\0", 9)}}));
  Budget budget;
  ThreadLimit threads;
  ImageStore images(files, budget, threads);
  auto image = *images.open(path).image;
  KnownDlopen known;
  known.only_if_held = true;
  known.call.known.pieces = {"one", "two"};
  CHECK(is_opened_by(known, path, image, images));
  CHECK_FALSE(is_opened_by(known, "/opt/none.so", image, images));
  known.call.known.pieces = {"one", "three"};
  CHECK_FALSE(is_opened_by(known, path, image, images));
  known.only_if_held = false;
  CHECK(is_opened_by(known, path, image, images));
  known.only_if_held = true;
  known.call.known.pieces = {"one"};
  image.source = ImageSource::promise;
  CHECK_FALSE(is_opened_by(known, path, image, images));
}

TEST_CASE("a newer table knows what files of packages for Windows load, where its condition holds") {
  const auto newer = lay_over(built_in(), R"({"schema": "cudald/known-dlopens", "checked": "2030-01-02",
    "source": "notes", "rows": [{"file": "pkg/a.py", "if": {"file": "pkg/b.py", "contains": "LoadLibrary"},
    "values": {}, "without": "nothing", "source": "notes",
    "asks": [{"name": "{site}/pkg/a.dll", "at": "load", "gpu": false}]},
    {"libraries": ["liba.so.1"], "values": {}, "without": "nothing", "source": "notes",
     "asks": [{"name": "libb.so", "at": "load", "gpu": false}]}]})");
  if (!newer) FAIL(newer.error().message);
  const auto& knowledge = **newer;
  auto names = files_with_known_loads(built_in());
  CHECK_FALSE(names.empty());
  names.insert(names.begin(), "pkg/a.py");
  CHECK(files_with_known_loads(knowledge) == names);
  MemoryFileSystem files;
  CHECK(known_loads("pkg/a.py", "/site", files, knowledge).empty());
  files.add_file("/site/pkg/b.py", "nothing");
  CHECK(known_loads("pkg/a.py", "/site", files, knowledge).empty());
  files.add_file("/site/pkg/b.py", "LoadLibrary()");
  const auto loads = known_loads("pkg/a.py", "/site", files, knowledge);
  REQUIRE(loads.size() == 1);
  CHECK(loads[0].call.name == "/site/pkg/a.dll");
  CHECK(loads[0].by_path);
  CHECK(known_loads("pkg/b.py", "/site", files, knowledge).empty());
  CHECK(known_dlopens("liba.so.1", "/x/liba.so.1", files, knowledge).size() == 1);
  CHECK(known_dlopens("libtbb.so.12", "/x/libtbb.so.12", files, knowledge).empty());
}

}  // namespace
}  // namespace cudald
