#include "machine/ld_so_conf.h"

#include <algorithm>

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

TEST_CASE("a file that includes itself by other spellings is read once") {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf", "include ld.so.conf.d/*.conf ./../etc/./ld.so.conf\n");
  files.add_file("/etc/ld.so.conf.d/a.conf", "include ./* ./../ld.so.conf.d/./*\n/opt/a\n");
  files.add_file("/etc/ld.so.conf.d/b.conf", std::string("include ./\0/*\n/opt/b\n", 23));
  files.add_symlink("/etc/ld.so.conf.d/c.conf", "a.conf");
  files.add_symlink("/etc/again", "ld.so.conf.d");
  bool complete = false;
  CHECK(read_ld_so_conf(files, "/etc/ld.so.conf", &complete) == std::vector<std::string>{"/opt/b", "/opt/a"});
  CHECK(complete);
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

/// Whether all of it was read, and the folders.
std::string read_of(const MemoryFileSystem& files) {
  bool complete = false;
  const auto folders = read_ld_so_conf(files, "/etc/ld.so.conf", &complete);
  return (complete ? "all\n" : "a part\n") + lines(folders);
}

TEST_CASE("an include is a word of its own, with a blank or a tabulator behind it") {
  const auto folders = [](const std::string& conf) {
    MemoryFileSystem files;
    files.add_file("/etc/ld.so.conf", conf);
    files.add_file("/etc/a.conf", "/a\n");
    return read_of(files);
  };
  CHECK(folders("include a.conf\n") == "all\n/a\n");
  CHECK(folders("include\ta.conf\n") == "all\n/a\n");
  CHECK(folders("include \t a.conf\n") == "all\n/a\n");
  CHECK(folders("include \n/b\n") == "all\n/b\n");
  CHECK(folders("include\n/b\n") == "all\n/b\n");
  CHECK(folders("includex a.conf\n") == "all\n");
  CHECK(folders("\finclude a.conf\v\n") == "all\n/a\n");
  CHECK(folders("include#a.conf\n") == "all\n");
}

TEST_CASE("a folder is listed once for all patterns that name files in it") {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf", "include d/a* d/b* d/[ab]*\n");
  files.add_file("/etc/d/a", "/a\n");
  files.add_file("/etc/d/b", "/b\n");
  CHECK(read_of(files) == "all\n/a\n/b\n");
  std::size_t listed = 0;
  for (const auto& line : files.take_log()) listed += line.starts_with("list") ? 1 : 0;
  CHECK(listed == 1);
}

TEST_CASE("a thousand files are read, each of a megabyte at most, and four megabytes of all") {
  const auto of_files = [](int count) {
    MemoryFileSystem files;
    files.add_file("/etc/ld.so.conf", "include d/*.conf\n");
    for (int i = 0; i < count; ++i) files.add_file("/etc/d/" + std::to_string(i) + ".conf", "\n");
    return read_of(files);
  };
  CHECK(of_files(999) == "all\n");
  CHECK(of_files(1000) == "a part\n");
  MemoryFileSystem one;
  one.add_file("/etc/ld.so.conf", "/a\n" + std::string((1 << 20) - 3, '\n'));
  CHECK(read_of(one) == "all\n/a\n");
  one.add_file("/etc/ld.so.conf", "/a\n" + std::string((1 << 20) - 2, '\n'));
  CHECK(read_of(one) == "a part\n");
}

TEST_CASE("what comes behind four megabytes is not opened any more") {
  const std::string conf = "include a b c d e\n/last\n";
  for (const std::size_t more : {0U, 1U}) {
    MemoryFileSystem files;
    files.add_file("/etc/ld.so.conf", conf);
    for (const std::string name : {"a", "b", "c"}) files.add_file("/etc/" + name, std::string(1 << 20, 'x'));
    files.add_file("/etc/d", "/d\n" + std::string((1 << 20) - conf.size() - 3 + more, 'x'));
    CHECK(read_of(files) == (more == 0 ? "all\n/d\n/last\n" : "a part\n/last\n"));
    const auto log = files.take_log();
    CHECK((std::find(log.begin(), log.end(), "open /etc/e") != log.end()) == (more == 0));
  }
}

TEST_CASE("a million names are held against patterns, which have four stars at most") {
  for (const int patterns : {1024, 1025}) {
    MemoryFileSystem files;
    std::string conf = "include";
    for (int i = 0; i < patterns; ++i) conf += " d/[x]" + std::to_string(i);
    files.add_file("/etc/ld.so.conf", conf + "\n/last\n");
    for (int i = 0; i < 1024; ++i) files.add_file("/etc/d/" + std::to_string(i), "");
    CHECK(read_of(files) == (patterns == 1024 ? "all\n/last\n" : "a part\n/last\n"));
  }
  MemoryFileSystem files;
  files.add_file("/etc/d/0123", "/x\n");
  files.add_file("/etc/ld.so.conf", "include d/*0*1*2*\n");
  CHECK(read_of(files) == "all\n/x\n");
  files.add_file("/etc/ld.so.conf", "include d/*0*1*2*3*\n");
  CHECK(read_of(files) == "a part\n");
}

}  // namespace
}  // namespace cudald
