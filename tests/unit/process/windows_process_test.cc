#include "process/windows_process.h"

#include <doctest/doctest.h>

#include <cudald/windows_host_file.h>

#include "base/parallel.h"
#include "common/memory_file_system.h"
#include "common/pe_builder.h"

namespace cudald {
namespace {

/// A neutral program of Windows, over a tree that is drive Z:.
struct Started {
  explicit Started(std::shared_ptr<const WindowsHostFile> described = nullptr, bool bind = true) {
    files.add_file("/d/a.dll", pe({.imports = {{"b.dll", {{"f"}}}}}));
    files.add_file("/p/b.dll", pe({.name = "b.dll", .exports = {{"f", 1, ""}}}));
    files.add_folder("/q/b.dll");
    auto host = neutral_windows({}, false);
    host.described = std::move(described);
    process = std::make_unique<WindowsProcess>(images, std::move(host), bind);
    Image like;
    like.machine = EM_X86_64;
    like.format = Format::pe32_plus;
    process->start_host("host", "C:\\App\\host.exe", like);
  }
  int load(const std::string& name) { return process->load(name, name, {}, WindowsCaller::program, {}); }

  MemoryFileSystem files;
  Budget budget;
  ThreadLimit threads{1};
  ImageStore images{files, budget, threads};
  std::unique_ptr<WindowsProcess> process;
};

TEST_CASE("PATH is its folders, and what is added by a call stands before what was") {
  Started started;
  CHECK(started.load("Z:\\d\\a.dll") == 126);
  started.process->set_path(";Z:\\q;;Z:\\p;");
  CHECK(started.process->host().path == std::vector<std::string>{"Z:\\q", "Z:\\p"});
  CHECK(started.load("Z:\\d\\a.dll") == 0);  // a folder of that name is no file
  CHECK(started.process->has_mapped("/p/b.dll"));
  CHECK(started.load("none.dll") == 126);
  started.process->add_dll_directory("Z:\\first");
  started.process->add_dll_directory("Z:\\second");
  CHECK(started.process->host().user_folders == std::vector<std::string>{"Z:\\second", "Z:\\first"});
  started.process->set_path("");
  CHECK(started.process->host().path.empty());
}

TEST_CASE("a folder is there if the tree has it, a description knows it, or it is one of Windows itself") {
  auto described = std::make_shared<WindowsHostFile>();
  described->folders = {{"c:\\tools", {}}};
  Started plain, with_description(described);
  for (auto* started : {&plain, &with_description}) {
    CHECK(started->process->has_folder("Z:\\d"));
    CHECK(started->process->has_folder("C:\\Windows\\System32"));
    CHECK(started->process->has_folder("c:\\windows"));
    CHECK_FALSE(started->process->has_folder("C:\\WindowsOld"));
    CHECK_FALSE(started->process->has_folder("Z:\\none"));
    CHECK_FALSE(started->process->has_folder("Z:\\d\\a.dll"));
    CHECK_FALSE(started->process->has_folder("D:\\x"));
  }
  CHECK_FALSE(plain.process->has_folder("C:\\Tools"));
  CHECK(with_description.process->has_folder("C:\\Tools\\"));
}

TEST_CASE("a load that may come is searched for, and maps nothing") {
  Started started;
  const auto before = started.process->resolution().objects.size();
  started.process->set_path("Z:\\p");
  started.process->note_soft_load("b.dll", {}, "a.py:7");
  const auto& resolution = started.process->resolution();
  CHECK(resolution.objects.size() == before);
  const auto& edge = resolution.objects.front().edges.back();
  CHECK(edge.name == "b.dll");
  CHECK(edge.status == EdgeStatus::not_loaded);
  CHECK(edge.asked_at == "a.py:7");
  CHECK_FALSE(edge.hard);
}

TEST_CASE("functions are looked up only if somebody wants it") {
  for (const bool bind : {false, true}) {
    Started started(nullptr, bind);
    started.files.add_file("/d/c.dll", pe({.imports = {{"b.dll", {{"absent"}, {"", 7}}}}}));
    started.process->set_path("Z:\\p");
    CHECK(started.load("Z:\\d\\c.dll") == (bind ? 127 : 0));
    const auto symbols = started.process->take_symbols();
    CHECK(symbols.checked == (bind ? 2 : 0));
    REQUIRE(symbols.missing.size() == (bind ? 2 : 0));
    if (!bind) continue;
    CHECK(symbols.missing[0].name == "absent");
    CHECK(symbols.missing[0].version_file == "b.dll");
    CHECK(symbols.missing[0].message == "b.dll does not have it");
    CHECK(symbols.missing[1].name == "#7");
  }
}

TEST_CASE("DLLs of which only the name is known are told with what names them") {
  for (const bool is_described : {false, true}) {
    auto described = std::make_shared<WindowsHostFile>();
    described->folders = {{"c:\\windows\\system32", {"kernel32.dll"}}};
    Started started(is_described ? described : nullptr);
    CHECK(started.load("KERNEL32.dll") == 0);
    const auto resolution = started.process->take();
    CHECK(resolution.targets.front().part_of == 1);
    REQUIRE(resolution.notes.size() == 1);
    CHECK(resolution.notes[0].starts_with(
        "1 of the objects are DLLs of Windows or Python that are known by name only ("));
    CHECK((resolution.notes[0].find("(the machine's description)") != std::string::npos) == is_described);
  }
  Started started;
  CHECK_FALSE(started.process->take().targets.front().part_of);
}

}  // namespace
}  // namespace cudald
