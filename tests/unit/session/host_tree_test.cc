#include "session/host_tree.h"

#include <cerrno>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/known_image.h"
#include "common/memory_file_system.h"

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
  CHECK(*read_file(tree, "/lib/ld.so", 99) == std::string("\0/lib/\0release version 2.36.", 28));
  CHECK(tree.status("/lib/liba.so")->id == FileId{0x686f7374206c, 1});
  CHECK(tree.status("/lib/script.so")->id == FileId{0x686f7374206c, 2});
  CHECK(tree.status("/etc/ld.so.preload")->id == FileId{0x686f73742074, 3});
  CHECK(tree.status("/lib/ld.so")->id == FileId{0x686f73742074, 4});
  CHECK(tree.status("/lib/script.so")->size == 5);
  CHECK(tree.status("/etc/ld.so.preload")->size == 5);
  CHECK(tree.status("/lib/script.so")->kind == FileKind::regular);
  CHECK(tree.list("/lib/script.so").error().system_error == ENOTDIR);
  CHECK_FALSE(tree.describes("/usr/lib"));
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
  CHECK(*read_file(tree, "/wheels/a.whl", 99) == "");
  CHECK(*tree.real_path("/wheels/../wheels/a.whl") == "/wheels/a.whl");
  CHECK_FALSE(tree.status("/wheels2"));
  CHECK(tree.status("/wheels")->kind == FileKind::folder);
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

TEST_CASE("a text is that of the library whose path it has, and below a file is none") {
  const MemoryFileSystem given;
  LinuxHostFile host;
  host.libraries = {library_at({"/usr/lib/liba.so.1"}), library_at({"/lib/ld.so"})};
  host.libraries[1].set_user_id = true;
  auto image = *host.libraries[0].image;
  image.file_size = 77;
  host.libraries[0].image = std::make_shared<Image>(image);
  host.folders = {"/etc/folder"};
  host.texts = {{"/usr/lib/liba.so.1/below", "lost"}, {"/etc/a", "kept"}, {"/etc/folder", "file"}};
  host.loaders = {{"/lib/ld.so", "", {"/lib", "/usr/lib"}}};
  const HostTree tree(host, given);
  CHECK(tree.status("/usr/lib/liba.so.1/below").error().system_error == ENOTDIR);
  CHECK(tree.status("/usr/lib/liba.so.1")->size == 77);
  CHECK_FALSE(tree.status("/usr/lib/liba.so.1")->set_user_id);
  CHECK(*read_file(tree, "/etc/a", 99) == "kept");
  CHECK(*read_file(tree, "/etc/folder", 99) == "file");
  const std::string text("\0/lib/\0/usr/lib/\0", 17);
  CHECK(*read_file(tree, "/lib/ld.so", 99) == text);
  CHECK(tree.status("/lib/ld.so")->size == text.size());
  CHECK(tree.status("/lib/ld.so")->id == HostTree::id_of(1));
  CHECK(tree.status("/lib/ld.so")->set_user_id);
}

TEST_CASE("what is given is not there where a described file is in the way, and replaces a described folder") {
  MemoryFileSystem given;
  given.add_file("/usr/lib/liba.so.1/app", "app");
  given.add_file("/opt/app", "app");
  given.add_symlink("/bin/app", "/opt/app");
  LinuxHostFile host;
  host.libraries = {library_at({"/usr/lib/liba.so.1"})};
  host.folders = {"/bin/app"};
  HostTree tree(host, given);
  tree.add_given_file("/usr/lib/liba.so.1/app");
  tree.add_given_file("/bin/app");
  tree.add_given_file("/./none");
  CHECK(tree.open("/usr/lib/liba.so.1/app").error().system_error == ENOTDIR);
  CHECK(tree.describes("/usr/lib/liba.so.1"));
  CHECK(*tree.real_path("/bin/app") == "/opt/app");
  CHECK(*read_file(tree, "/bin/app", 99) == "app");
  CHECK(tree.open("/none").error().system_error == ENOENT);
}

TEST_CASE("a given file that is nowhere is absent, even by a path through a folder that is not there either") {
  const MemoryFileSystem given;
  const LinuxHostFile host;
  HostTree tree(host, given);
  tree.add_given_file("/gone/../none");
  const auto opened = tree.open("/none");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code == ErrorCode::absent);
  CHECK(opened.error().system_error == ENOENT);
}

TEST_CASE("what lies below a directory that does not allow execution does not, whatever this machine allows") {
  MemoryFileSystem given;
  given.add_file("/tmp/x/app", "app");
  given.add_file("/opt/app", "app", {.no_exec = true});
  LinuxHostFile host;
  host.noexec = {"/tmp", "/data"};
  host.libraries = {library_at({"/data/lib/liba.so"}), library_at({"/database/libb.so"})};
  HostTree tree(host, given);
  tree.add_given_file("/tmp/x/app");
  tree.add_given_file("/opt/app");
  const auto forbids = [&](const std::string& path) { return (*tree.open(path))->mount().no_exec; };
  CHECK(forbids("/tmp/x/app"));
  CHECK(forbids("/data/lib/liba.so"));
  CHECK_FALSE(forbids("/database/libb.so"));
  CHECK_FALSE(forbids("/opt/app"));
}

}  // namespace
}  // namespace cudald
