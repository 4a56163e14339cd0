// Different sessions over one tree may be asked in parallel (cudald/session.h). Under a thread sanitizer or helgrind
// this shows what they share.

#include <unistd.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <cudald/library_texts.h>
#include <cudald/session.h>
#include <cudald/wheel.h>
#include <cudald/writers.h>

#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

constexpr const char* wheel_path = "/tmp/pkg-1.0-py3-none-any.whl";

/// A tree on this machine's disk, as programs ask it.
class DiskTree {
 public:
  DiskTree() : root_(std::filesystem::temp_directory_path() / ("cudald-parallel-" + std::to_string(getpid()))) {
    put("/lib64/ld-linux-x86-64.so.2", glibc_loader());
    put("/bin/main", elf(program({.needed = {"liba.so", "libb.so"}})));
    put("/lib/liba.so", elf({.soname = "liba.so", .needed = {"libb.so", "libnone.so"}}));
    put("/lib/libb.so", elf({.soname = "libb.so"}));
    put(wheel_path, wheel_file({{"pkg/__init__.py", "import ctypes\nctypes.CDLL('libb.so')\n"},
                                {"pkg/libp.so", elf({.soname = "libp.so", .needed = {"libb.so"}})}}));
  }
  ~DiskTree() { std::filesystem::remove_all(root_); }

  std::string root() const { return root_.string(); }

 private:
  void put(const std::string& path, const std::string& bytes) const {
    const auto place = root_ / path.substr(1);
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place, std::ios::binary) << bytes;
  }

  std::filesystem::path root_;
};

/// What every function of a session says, in one text.
std::string answers(const FileSystem& files) {
  Session session(files);
  std::ostringstream out;
  Query query;
  query.targets = {"/bin/main"};
  write_json(session.explain(query), true, out);
  query.targets = {wheel_path};
  write_json(session.explain(query), true, out);
  if (const auto wheel = session.wheel(wheel_path)) write_wheel_json(*wheel, true, out);
  for (const auto* path : {"/lib/liba.so", "/lib/libb.so", "/lib/none.so"}) {
    const auto names = session.elf_symbols(path);
    const auto texts = session.library_texts(path);
    out << names.has_value() << texts.has_value() << session.cuda_library(path).has_value();
  }
  return out.str();
}

TEST_CASE("sessions over one tree may be asked in parallel, and each answers as one would alone") {
  const DiskTree tree;
  const auto files = make_disk_file_system(tree.root());
  const auto alone = answers(*files);
  CHECK(alone.find("libnone.so") != std::string::npos);
  CHECK(alone.find("pkg/libp.so") != std::string::npos);
  CHECK(alone.ends_with("111111000"));
  std::vector<std::string> given(4);
  {
    std::vector<std::jthread> threads;
    for (auto& text : given) threads.emplace_back([&files, &text] { text = answers(*files); });
  }
  for (const auto& text : given) CHECK(text == alone);
}

}  // namespace
}  // namespace cudald
