#include <doctest/doctest.h>

#include "probe/records.h"

namespace cudald {
namespace {

TEST_CASE("records are read field by field") {
  const auto records = read_records(
      "step\tloading /a%09b.so\n"
      "opened\t/a%09b.so\n"
      "refused\t/c.so\tno%0Asuch%25file\n"
      "object\t1\t2\t/proc/self/exe\t/bin/child\n"
      "object\t\t\tlinux-vdso.so.1\t\n"
      "mapped\n"
      "check\t/x/libcudart.so.12\tkernel\tnot-run\tno driver\n"
      "late\t1\t3\t/d.so\t/real/d.so\n"
      "done\n");
  REQUIRE(records.targets.size() == 2);
  CHECK(records.targets[0].name == "/a\tb.so");
  CHECK(records.targets[0].loaded);
  CHECK(records.targets[1].error == "no\nsuch%file");
  REQUIRE(records.mapped.size() == 1);
  CHECK(records.mapped[0].path == "/bin/child");
  CHECK(records.mapped[0].id == FileId{1, 2});
  REQUIRE(records.later.size() == 1);
  CHECK(records.later[0].path == "/real/d.so");
  REQUIRE(records.checks.size() == 1);
  CHECK(records.checks[0].result == CheckResult::not_run);
  CHECK(records.step == "loading /a\tb.so");
  CHECK(records.mapped_all);
  CHECK(records.done);
}

TEST_CASE("what is no record is passed over") {
  for (const std::string text :
       {"", "\n\n\n", "done", "object\n", "object\t1\t2\n", "opened\n", "check\ta\tb\tc\n", "\t\t\t\n",
        "mapped\textra\n", "%", "refused\t%\n", "done\t\n", "step\n", "object\t1\t2\ta\tb\tc\n"}) {
    CAPTURE(text);
    const auto records = read_records(text);
    CHECK(records.targets.empty());
    CHECK(records.mapped.empty());
    CHECK(records.checks.empty());
    CHECK_FALSE(records.done);
    CHECK_FALSE(records.mapped_all);
  }
  CHECK(read_records("object\t99999999999999999999999\tx\ta\tb\n").mapped.size() == 1);
  CHECK(read_records("step\t%zz%4\n").step == "%zz%4");
}

TEST_CASE("a list of the loader names files, in order") {
  CHECK(read_list("\tlinux-vdso.so.1 (0x00007ffe)\n"
                  "\tliba.so => /opt/a b/liba.so (0x00007f00)\n"
                  "\tlibgone.so => not found\n"
                  "\t/lib64/ld-linux-x86-64.so.2 (0x00007f01)\n"
                  "no tab /x (0x1)\n") == std::vector<std::string>{"/opt/a b/liba.so", "/lib64/ld-linux-x86-64.so.2"});
  CHECK(read_list("\tstatically linked\n").empty());
}

TEST_CASE("musl's loader, which lists itself first, is where it is named again") {
  using Paths = std::vector<std::string>;
  CHECK(read_list("\t/lib/ld-musl-x86_64.so.1 (0x1)\n"
                  "\tliba.so => /opt/liba.so (0x2)\n"
                  "\tlibc.so => /lib/ld-musl-x86_64.so.1 (0x1)\n"
                  "\tlibb.so => /opt/libb.so (0x3)\n") ==
        Paths{"/opt/liba.so", "/lib/ld-musl-x86_64.so.1", "/opt/libb.so"});
  CHECK(read_list("\t/lib/ld-musl-x86_64.so.1 (0x1)\n\tliba.so => /opt/liba.so (0x2)\n") ==
        Paths{"/lib/ld-musl-x86_64.so.1", "/opt/liba.so"});
  // No other file is taken out.
  CHECK(read_list("\ta => /a (0x1)\n\tb => /b (0x2)\n\ta => /a (0x1)\n") == Paths{"/a", "/b", "/a"});
  CHECK(read_list("\t/l (0x1)\n\tb => /b (0x2)\n\tc => /b (0x2)\n") == Paths{"/l", "/b", "/b"});
}

TEST_CASE("a refusal is the first error, without the name of the program") {
  CHECK(read_refusal("/bin/app: error while loading shared libraries: liba.so: cannot open\n") ==
        "liba.so: cannot open");
  CHECK(read_refusal("Error loading shared library liba.so: No such file or directory (needed by /bin/app)\n"
                     "Error relocating /bin/app: f: symbol not found\n") ==
        "Error loading shared library liba.so: No such file or directory (needed by /bin/app)");
  CHECK(
      read_refusal("Error relocating /bin/app: f: symbol not found\nError relocating /bin/app: g: symbol not found") ==
      "Error relocating /bin/app: f: symbol not found");
  CHECK(read_refusal("odd\nwords\n\n") == "odd\nwords");
  CHECK(read_refusal("").empty());
}

TEST_CASE("each result of a check is read, with its library, its question and its words") {
  const auto records = read_records(
      "check\t/a\tkernel\tok\tright\ncheck\t/b\tdevices\tfailed\tnone\ncheck\t/c\tSGEMM\tnot-run\twhy\n"
      "check\t/d\tother\tx\t\n");
  REQUIRE(records.checks.size() == 4);
  CHECK(records.checks[0].library == "/a");
  CHECK(records.checks[0].what == "kernel");
  CHECK(records.checks[0].result == CheckResult::ok);
  CHECK(records.checks[0].text == "right");
  CHECK(records.checks[1].result == CheckResult::failed);
  CHECK(records.checks[2].result == CheckResult::not_run);
  CHECK(records.checks[2].text == "why");
  CHECK(records.checks[3].result == CheckResult::not_run);
  CHECK_FALSE(records.mapped_all);
  CHECK_FALSE(records.done);
}

TEST_CASE("of files, checks and lines of a list a hundred thousand are read") {
  std::string objects, checks, list;
  for (int i = 0; i < 100'000; ++i) {
    objects += "object\t1\t2\ta\tb\n";
    checks += "check\ta\tb\tok\t\n";
    list += "\ta => /b (0x1)\n";
  }
  CHECK(read_records(objects).mapped.size() == 100'000);
  CHECK(read_records(objects + "object\t1\t2\ta\tb\n").mapped.size() == 100'000);
  CHECK(read_records(checks).checks.size() == 100'000);
  CHECK(read_records(checks + "check\ta\tb\tok\t\n").checks.size() == 100'000);
  CHECK(read_list(list).size() == 100'000);
  CHECK(read_list(list + "\ta => /b (0x1)\n").size() == 100'000);
}

TEST_CASE("a mark and two digits are a byte, wherever they stand") {
  const auto step = [](const std::string& text) { return read_records("step\t" + text + "\n").step; };
  CHECK(step("%41") == "A");
  CHECK(step("x%4a%4Ay") == "xJJy");
  CHECK(step("%4") == "%4");
  CHECK(step("%") == "%");
  CHECK(step("%4g") == "%4g");
  CHECK(step("%2541") == "%41");
}

TEST_CASE("each kind of record has so many fields, and each field its place") {
  const auto records = read_records(
      "object\t3\t4\tname\t/a\nlate\t5\t6\tname\t/b\nlate\t\t6\tname\t/c\nobject\t0\t0\tname\t/d\n"
      "opened\tx\ty\nrefused\tx\nmapped\t\ndone\tx\nstep\tx\ty\ncheck\ta\tb\tok\tc\td\nlate\t1\t2\n");
  REQUIRE(records.mapped.size() == 2);
  CHECK(records.mapped[0].path == "/a");
  CHECK(records.mapped[0].id == FileId{3, 4});
  CHECK(records.mapped[1].path == "/d");
  CHECK(records.mapped[1].id == FileId{});
  REQUIRE(records.later.size() == 1);
  CHECK(records.later[0].path == "/b");
  CHECK(records.later[0].id == FileId{5, 6});
  CHECK(records.targets.empty());
  CHECK(records.checks.empty());
  CHECK(records.step == "");
  CHECK_FALSE(records.mapped_all);
  CHECK_FALSE(records.done);
  const auto refused = read_records("refused\t/a.so\twords\nopened\t/b.so\n");
  REQUIRE(refused.targets.size() == 2);
  CHECK(refused.targets[0].name == "/a.so");
  CHECK_FALSE(refused.targets[0].loaded);
  CHECK(refused.targets[0].error == "words");
  CHECK(refused.targets[1].name == "/b.so");
  CHECK(refused.targets[1].loaded);
  CHECK(refused.targets[1].error == "");
  CHECK(read_records("step\ta\nstep\tb\nstep\tc").step == "b");
}

TEST_CASE("what a line of the loader's list may hold") {
  using Paths = std::vector<std::string>;
  CHECK(read_list("\ta => /x => y (0x1)\n") == Paths{"/x => y"});
  CHECK(read_list("\t/a (0x1) (0x2)\n") == Paths{"/a (0x1)"});
  CHECK(read_list("\t/a (1)\n").empty());
  CHECK(read_list(" /a (0x1)\n").empty());
  CHECK(read_list("\t/last (0x1)") == Paths{"/last"});
  CHECK(read_list("\t/a (0x\n") == Paths{"/a"});
}

}  // namespace
}  // namespace cudald
