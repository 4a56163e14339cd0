#include <doctest/doctest.h>

#include "machine/survey/survey.h"
#include "unit/machine/survey/surveyed.h"

namespace cudald {
namespace {

TEST_CASE("toolkits say their version in one of four files") {
  auto files = healthy();
  files.add_file("/usr/local/cuda-12.4/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "12.4.1"}})");
  files.add_file("/usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n");
  files.add_file("/usr/local/cuda-11.0/include/cuda.h", "#define CUDA_VERSION 11000\n");
  files.add_file("/usr/local/cuda-13.0/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n");
  files.add_file("/usr/local/cuda-9.0/version.json", "[]");
  files.add_file("/usr/local/cuda-11.8/include/cuda.h", "#define CUDA_VERSION 11080\n");
  files.add_symlink("/usr/local/cuda", "cuda-12.4");
  std::vector<std::string> versions;
  for (const auto& toolkit : look(files).toolkits) {
    versions.push_back(toolkit.path + " " + toolkit.version);
    CHECK(toolkit.known_by.empty() == toolkit.version.empty());
    if (!toolkit.known_by.empty()) CHECK(toolkit.known_by.starts_with(toolkit.path + "/"));
  }
  CHECK(versions == std::vector<std::string>{"/usr/local/cuda-12.4 12.4.1", "/usr/local/cuda-10.2 10.2.89",
                                             "/usr/local/cuda-11.0 11.0", "/usr/local/cuda-11.8 11.8",
                                             "/usr/local/cuda-13.0 13.0", "/usr/local/cuda-9.0 "});
}

/// "PATH VERSION by FILE" of each toolkit.
std::string found_toolkits(const MemoryFileSystem& files, const std::string& prefix = "") {
  std::string text;
  for (const auto& one : find_toolkits(files, prefix))
    text += one.path + " " + one.version + " by " + one.known_by + "\n";
  return text;
}

TEST_CASE("a file that does not tell a toolkit's version leaves it to the next one") {
  struct Row {
    std::string file, text, told;
  };
  const std::string path = "/usr/local/cuda-1", by_header = "12.3 by " + path + "/include/cuda.h\n";
  for (const auto& row :
       {Row{"version.json", R"({"cuda": {"version": 12}})", by_header},
        Row{"version.json", R"({"cuda": {"name": "12.4"}})", by_header},
        Row{"version.json", R"({"cuda": "12.4"})", by_header},
        Row{"version.json", R"({"other": {"version": "12.4"}})", by_header}, Row{"version.json", "{", by_header},
        Row{"version.json", R"({"cuda": {"version": "12.4"}})", "12.4 by " + path + "/version.json\n"},
        Row{"version.txt", "CUDA Version none\n", by_header},
        Row{"version.txt", "CUDA Version 10.2.89\n", "10.2.89 by " + path + "/version.txt\n"}}) {
    CAPTURE(row.text);
    MemoryFileSystem files;
    files.add_file(path + "/" + row.file, row.text);
    files.add_file(path + "/include/cuda.h", "#define CUDA_VERSION 12030\n");
    CHECK(found_toolkits(files) == path + " " + row.told);
  }
}

TEST_CASE("the number in a header is a version from 1.0 on, and its last digit is none") {
  const auto told = [](const std::string& number) {
    MemoryFileSystem files;
    files.add_file("/opt/cuda/include/cuda.h", "/* CUDA */\n#define CUDA_VERSION " + number + "\n");
    const auto text = found_toolkits(files);
    return text.substr(10, text.find(" by") - 10);
  };
  CHECK(told("12080") == "12.8");
  CHECK(told("11019") == "11.1");
  CHECK(told("1000") == "1.0");
  CHECK(told("11999") == "11.99");
  CHECK(told("999").empty());
  CHECK(told("none").empty());
}

TEST_CASE("toolkits lie in a few places, each once, and an environment is one if it says a version") {
  MemoryFileSystem files;
  for (const std::string folder :
       {"/opt/cuda", "/usr/lib/cuda", "/usr/local/cuda-12.4", "/usr/local/cudax", "/usr/local/x"})
    files.add_file(folder + "/version.txt", "1.2");
  files.add_symlink("/usr/local/cuda", "cuda-12.4");
  files.add_symlink("/usr/local/cuda-gone", "nowhere");
  files.add_file("/usr/local/cuda-13.0", "a file");
  files.add_folder("/venv");
  const std::string three = "/opt/cuda 1.2 by /opt/cuda/version.txt\n/usr/lib/cuda 1.2 by /usr/lib/cuda/version.txt\n",
                    last = "/usr/local/cuda-12.4 1.2 by /usr/local/cuda-12.4/version.txt\n";
  CHECK(found_toolkits(files) == three + last);
  CHECK(found_toolkits(files, "/venv") == three + last);
  files.add_file("/venv/version.json", R"({"cuda": {"version": "12.4"}})");
  CHECK(found_toolkits(files, "/venv") == three + "/venv 12.4 by /venv/version.json\n" + last);
  CHECK(found_toolkits({}).empty());
}

TEST_CASE("a version file is read up to one megabyte") {
  const auto told = [](const std::string& name, std::string text, std::size_t size) {
    MemoryFileSystem files;
    text.resize(size, ' ');
    files.add_file("/opt/cuda/" + name, text);
    return found_toolkits(files);
  };
  constexpr std::size_t most = 1 << 20;
  for (const auto& [name, text] : {std::pair("version.json", R"({"cuda": {"version": "12.4"}})"),
                                   {"version.txt", "CUDA Version 12.4"},
                                   {"include/cuda.h", "#define CUDA_VERSION 12040\n"}}) {
    const auto& seen_name = name;
    CAPTURE(seen_name);
    CHECK(told(name, text, most) == "/opt/cuda 12.4 by /opt/cuda/" + std::string(name) + "\n");
    CHECK(told(name, text, most + 1).starts_with("/opt/cuda  by"));
  }
}

}  // namespace
}  // namespace cudald
