#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string tree(const Report& report, const std::string& invert = "", std::size_t depth = 64) {
  TextStyle style = plain_style();
  style.depth = depth;
  return written([&](std::ostream& out) { write_tree(report, style, invert, out); });
}

std::string why(const Report& report, const std::string& library, bool all = false) {
  return written([&](std::ostream& out) { write_why(report, plain_style(), library, all, out); });
}

TEST_CASE("the tree shows each file where it was loaded, with the rule") {
  CHECK(tree(failing_report()) ==
        R"(/opt/app/bin/app
├── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2
│   ├── libcudart.so.12  not found
│   └── libc.so.6 (*)
└── libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6
    └── ld-linux-x86-64.so.2 [loaded already]  /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
(*) loaded already; shown where it was loaded
)");
}

TEST_CASE("the depth is kept, and what lies below is marked") {
  CHECK(tree(healthy_report(), "", 1) ==
        R"(/opt/app/bin/app
├── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2 (+)
└── libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6 (+)
(+) needs more, below the depth asked for
)");
}

TEST_CASE("a target without an object is named with its error") {
  Report report = healthy_report();
  Target target;
  target.given = "libplugin.so";
  target.kind = TargetKind::dlopen;
  target.error = "libplugin.so: cannot open shared object file";
  report.resolution.targets.push_back(target);
  CHECK(
      tree(report).ends_with("libplugin.so  libplugin.so: cannot open shared object file\n"
                             "(*) loaded already; shown where it was loaded\n"));
}

TEST_CASE("a circle comes to an end") {
  Report report = healthy_report();
  Edge back;
  back.name = "libfoo.so.1";
  back.status = EdgeStatus::already_loaded;
  back.object = 1;
  report.resolution.objects[4].edges.push_back(back);
  CHECK(tree(report).find("libfoo.so.1 (*)") != std::string::npos);
  CHECK(tree(report, "libfoo.so.1").find("/opt/cuda/lib/libcudart.so.12  as libfoo.so.1") != std::string::npos);
}

TEST_CASE("the inverted tree shows who needs a library") {
  CHECK(tree(healthy_report(), "libcudart.so.12") ==
        R"(/opt/cuda/lib/libcudart.so.12
└── /opt/app/lib/libfoo.so.1.2  as libcudart.so.12
    └── /opt/app/bin/app  as libfoo.so.1
)");
  CHECK(tree(failing_report(), "libcudart.so.12") ==
        R"(libcudart.so.12  not found
└── /opt/app/lib/libfoo.so.1.2  as libcudart.so.12
    └── /opt/app/bin/app  as libfoo.so.1
)");
}

TEST_CASE("a name that nothing asks for is no answer") {
  std::ostringstream out;
  CHECK_FALSE(write_tree(failing_report(), plain_style(), "libnone.so", out));
  CHECK_FALSE(write_why(failing_report(), plain_style(), "libnone.so", false, out));
  CHECK(out.str().empty());
}

TEST_CASE("why shows the shortest chain") {
  CHECK(why(healthy_report(), "libcudart.so.12") ==
        R"(/opt/app/bin/app
└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2
    └── libcudart.so.12 [runpath]  /opt/cuda/lib/libcudart.so.12
)");
  CHECK(why(healthy_report(), "libc.so.6") ==
        R"(/opt/app/bin/app
└── libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6
)");
}

TEST_CASE("why leads to what is missing") {
  CHECK(why(failing_report(), "libcudart.so.12") ==
        R"(/opt/app/bin/app
└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2
    └── libcudart.so.12  not found
)");
}

TEST_CASE("all chains are shown") {
  CHECK(why(healthy_report(), "libc.so.6", true) ==
        R"(/opt/app/bin/app
└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2
    └── libcudart.so.12 [runpath]  /opt/cuda/lib/libcudart.so.12
        └── libc.so.6 [loaded already]  /lib/x86_64-linux-gnu/libc.so.6

/opt/app/bin/app
└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2
    └── libc.so.6 [loaded already]  /lib/x86_64-linux-gnu/libc.so.6

/opt/app/bin/app
└── libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6
)");
}

}  // namespace
}  // namespace cudald
