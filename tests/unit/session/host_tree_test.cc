#include "session/host_tree.h"

#include <cerrno>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/memory_file_system.h"
#include "image/known_image.h"

namespace cudald {
namespace {

HostLibrary library_at(std::vector<std::string> paths, std::string start = "") {
  HostLibrary library;
  library.paths = std::move(paths);
  library.image = known_image(ImageSource::description, 62, Format::elf64, ByteOrder::little, "liba.so");
  library.start = std::move(start);
  return library;
}

TEST_CASE("the tree of a described machine has its libraries, folders, links and texts") {
  LinuxHostFile host;
  host.folders = {"/usr/lib/empty"};
  host.libraries = {library_at({"/usr/lib/liba.so.1", "/usr/lib/other.so"}),
                    library_at({"/usr/lib/script.so"}, "GROUP")};
  host.links = {{"/lib", "/usr/lib"}, {"/usr/lib/liba.so", "liba.so.1"}, {"/usr/lib/gone.so", ""}};
  host.texts = {{"/etc/ld.so.preload", "/x.so"}};
  host.loaders = {{"/lib/ld.so", "2.36", {"/lib"}}};
  const MemoryFileSystem given;
  const HostTree tree(host, given);
  CHECK(*tree.real_path("/lib/liba.so") == "/usr/lib/liba.so.1");
  CHECK(tree.status("/lib/liba.so")->id == tree.status("/usr/lib/other.so")->id);
  CHECK(tree.status("/lib/liba.so")->id == HostTree::id_of(0));
  CHECK(tree.status("/lib/empty")->kind == FileKind::folder);
  CHECK(tree.status("/usr/lib/gone.so").error().system_error == ENOENT);
  CHECK(*read_file(tree, "/lib/script.so", 99) == "GROUP");
  CHECK(*read_file(tree, "/etc/ld.so.preload", 99) == "/x.so");
  CHECK(read_file(tree, "/lib/ld.so", 99)->find("release version 2.36.") != std::string::npos);
  CHECK(tree.open("/usr/lib").error().system_error == EISDIR);
  CHECK(tree.list("/usr/lib/empty")->empty());
  CHECK(tree.describes("/lib/liba.so"));
  CHECK_FALSE(tree.describes("/lib/none.so"));
}

TEST_CASE("of the given tree only what was added is there, by its path and by the link to it") {
  MemoryFileSystem given;
  given.add_file("/opt/app/bin/app", "app");
  given.add_file("/opt/app/bin/beside", "");
  given.add_symlink("/usr/bin/app", "/opt/app/bin/app");
  given.add_file("/wheels/a.whl", "");
  LinuxHostFile host;
  host.folders = {"/usr/bin"};
  host.links = {{"/bin", "/usr/bin"}};
  HostTree tree(host, given);
  tree.add_given_file("/usr/bin/app");
  tree.add_given_folder("/wheels");
  CHECK(*tree.real_path("/bin/app") == "/opt/app/bin/app");
  CHECK(*read_file(tree, "/usr/bin/app", 99) == "app");
  CHECK(tree.status("/opt/app/bin/app")->id == given.status("/opt/app/bin/app")->id);
  CHECK_FALSE(tree.status("/opt/app/bin/beside"));
  CHECK_FALSE(tree.describes("/usr/bin/app"));
  CHECK(tree.list("/wheels")->size() == 1);
  CHECK(tree.status("/wheels/./a.whl"));
}

TEST_CASE("what is described by a file does not change, and what is given does as it does there") {
  MemoryFileSystem given;
  given.add_file("/app", "app", {.changed = 7});
  LinuxHostFile host;
  host.folders = {"/usr/lib/empty"};
  host.libraries = {library_at({"/usr/lib/liba.so.1"})};
  host.texts = {{"/etc/ld.so.preload", "/x.so"}};
  for (const bool is_named : {false, true}) {
    host.sha256 = is_named ? "12ab" : "";
    HostTree tree(host, given);
    tree.add_given_file("/app");
    for (const auto* path : {"/usr/lib/empty", "/usr/lib/liba.so.1", "/etc/ld.so.preload", "/usr"})
      CHECK(tree.status(path)->changed == (is_named ? 1 : 0));
    CHECK(tree.status("/app")->changed == 7);
  }
}

TEST_CASE("what is given lies over what is described, whatever that is") {
  MemoryFileSystem given;
  given.add_file("/usr/lib/liba.so.2", "mine");
  given.add_symlink("/usr/lib/liba.so", "liba.so.2");
  LinuxHostFile host;
  host.libraries = {library_at({"/usr/lib/liba.so.1"})};
  host.links = {{"/usr/lib/liba.so", "liba.so.1"}};
  HostTree tree(host, given);
  tree.add_given_file("/usr/lib/liba.so");
  CHECK(*tree.real_path("/usr/lib/liba.so") == "/usr/lib/liba.so.2");
  CHECK(tree.describes("/usr/lib/liba.so.1"));
}

}  // namespace
}  // namespace cudald
