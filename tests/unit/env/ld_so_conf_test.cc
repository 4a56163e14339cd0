#include "env/ld_so_conf.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/world.h"

namespace cudald {
namespace {

TEST_CASE("each line of ld.so.conf is a folder, as ldconfig reads it") {
  struct Row {
    std::string line, folder;
  };
  const Row rows[] = {
      {"/opt/lib", "/opt/lib\n"},
      {"  /opt/lib \t", "/opt/lib\n"},
      {"/opt/lib/", "/opt/lib\n"},
      {"/opt/lib # of the toolkit", "/opt/lib\n"},
      {"/opt/lib=libc6", "/opt/lib\n"},
      {"/opt/my lib", "/opt/my lib\n"},
      {"/opt/lib\r", "/opt/lib\n"},
      {"", ""},
      {"   ", ""},
      {"# /opt/lib", ""},
      {"opt/lib", ""},
      {"hwcap 0 nosegneg", ""},
      {"includes /opt", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    MemoryFileSystem files;
    files.add_file("/etc/ld.so.conf", std::string(row.line) + "\n");
    CHECK(lines(read_ld_so_conf(files)) == row.folder);
    files.add_file("/etc/ld.so.conf", row.line);  // without a newline at the end
    CHECK(lines(read_ld_so_conf(files)) == row.folder);
  }
}

TEST_CASE("folders come in the order of the files, each once") {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf",
                 "/first\n"
                 "include ld.so.conf.d/*.conf\n"
                 "/last\n"
                 "/first/\n");
  files.add_file("/etc/ld.so.conf.d/b.conf", "/b\n/a\n");
  files.add_file("/etc/ld.so.conf.d/a.conf", "/a\n");
  files.add_file("/etc/ld.so.conf.d/.hidden.conf", "/hidden\n");
  files.add_file("/etc/ld.so.conf.d/c.conf.bak", "/bak\n");
  CHECK(lines(read_ld_so_conf(files)) == "/first\n/a\n/b\n/last\n");
}

TEST_CASE("an include names files or patterns, relative to the file it stands in") {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf", "include /opt/one.conf\tlocal/[ab]?.conf  missing.conf missing/*.conf\n");
  files.add_file("/opt/one.conf", "/one\ninclude beside.conf\n");
  files.add_file("/opt/beside.conf", "/beside\n");
  files.add_file("/etc/local/a1.conf", "/a1\n");
  files.add_file("/etc/local/b1.conf", "/b1\n");
  files.add_file("/etc/local/b.conf", "/b\n");
  files.add_file("/etc/local/c1.conf", "/c1\n");
  CHECK(lines(read_ld_so_conf(files)) == "/one\n/beside\n/a1\n/b1\n");
}

TEST_CASE("files that include one another come to an end") {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf", "/a\ninclude ld.so.conf.d/*.conf\n/d\n");
  files.add_file("/etc/ld.so.conf.d/b.conf", "/b\ninclude /etc/ld.so.conf\ninclude /etc/ld.so.conf.d/b.conf\n/c\n");
  CHECK(lines(read_ld_so_conf(files)) == "/a\n/b\n/c\n/d\n");
}

TEST_CASE("thousands of included files are not all read") {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf", "include d/*.conf\n");
  for (int i = 0; i < 3000; ++i) files.add_file("/etc/d/" + std::to_string(i) + ".conf", "/x\n");
  CHECK(lines(read_ld_so_conf(files)) == "/x\n");
  std::size_t opened = 0;
  for (const auto& line : files.take_log()) opened += line.starts_with("open") ? 1 : 0;
  CHECK(opened <= 1001);
}

TEST_CASE("what is not read of ld.so.conf is told") {
  const auto is_complete = [](const std::string& conf, int others) {
    MemoryFileSystem files;
    files.add_file("/etc/ld.so.conf", conf);
    for (int i = 0; i < others; ++i) files.add_file("/etc/d/" + std::to_string(i) + ".conf", "/x\n");
    bool complete = false;
    (void)read_ld_so_conf(files, "/etc/ld.so.conf", &complete);
    return complete;
  };
  std::string again, stars;
  for (int i = 0; i < 1000; ++i) again += "include d/*.conf\n";
  CHECK(is_complete("include d/*.conf\n", 10));
  CHECK(is_complete(again, 100));
  CHECK_FALSE(is_complete("include d/*.conf\n", 1001));
  CHECK_FALSE(is_complete("include d/*0*1*2*3*.conf\n", 1));
  CHECK_FALSE(is_complete(std::string(2 << 20, '\n'), 1));
}

TEST_CASE("without a readable file there are no folders") {
  MemoryFileSystem files;
  CHECK(read_ld_so_conf(files).empty());
  files.add_file("/etc/ld.so.conf", "/opt/lib\n", {.readable = false});
  CHECK(read_ld_so_conf(files).empty());
  files.add_special("/etc/ld.so.conf");
  CHECK(read_ld_so_conf(files).empty());
}

}  // namespace
}  // namespace cudald
