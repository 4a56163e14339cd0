#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "base/path.h"
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
    └── ld-linux-x86-64.so.2 [already loaded]  /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
(*) already loaded, see above
)");
}

TEST_CASE("the depth is kept, and what lies below is marked") {
  CHECK(tree(healthy_report(), "", 1) ==
        R"(/opt/app/bin/app
├── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2 (+)
└── libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6 (+)
(+) needs more, below the depth limit
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
                             "(*) already loaded, see above\n"));
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
        └── libc.so.6 [already loaded]  /lib/x86_64-linux-gnu/libc.so.6

/opt/app/bin/app
└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2
    └── libc.so.6 [already loaded]  /lib/x86_64-linux-gnu/libc.so.6

/opt/app/bin/app
└── libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6
)");
}

bool writes_tree(const Report& report, const std::string& invert) {
  std::ostringstream out;
  return write_tree(report, plain_style(), invert, out);
}

TEST_CASE("a name that nothing is called by and nothing asks for has no tree, chain or document") {
  std::ostringstream out;
  CHECK_FALSE(writes_tree(healthy_report(), "libnone.so"));
  CHECK(writes_tree(healthy_report(), "libcudart.so.12"));
  CHECK(writes_tree(healthy_report(), ""));
  CHECK_FALSE(write_why(healthy_report(), plain_style(), "libnone.so", false, out));
  CHECK_FALSE(write_requesters_json(healthy_report(), "libnone.so", true, out));
  CHECK(out.str().empty());
}

TEST_CASE("an import or package that fails is told by its error, its parts and those that work are not") {
  Report report = healthy_report();
  Target target;
  target.given = "py:torch";
  target.kind = TargetKind::import;
  report.resolution.targets.push_back(target);
  CHECK(tree(report) == tree(healthy_report()));
  report.resolution.targets[1].error = "ImportError: no";
  CHECK(tree(report).find("py:torch  ImportError: no\n") != std::string::npos);
  report.resolution.targets[1].kind = TargetKind::package;
  CHECK(tree(report).find("py:torch  ImportError: no\n") != std::string::npos);
  report.resolution.targets[1].part_of = 0;
  CHECK(tree(report) == tree(healthy_report()));
  report.resolution.targets[1].kind = TargetKind::dlopen;
  CHECK(tree(report) == tree(healthy_report()));
}

TEST_CASE("what may be opened by a constant hangs below its file, with what would be found") {
  Report report = healthy_report();
  Edge found, on_use, missing;
  found.name = "libc.so.6";
  found.object = 2;
  found.status = EdgeStatus::already_loaded;
  on_use.name = "libuse.so";
  on_use.status = EdgeStatus::not_loaded;
  on_use.search.probes = {{"/a/libuse.so", SearchRule::runpath, 4, ProbeResult::absent, "", false, false},
                          {"/b/libuse.so", SearchRule::cache, std::nullopt, ProbeResult::found, "", false, false}};
  missing.name = "libno.so";
  report.resolution.objects[4].may_open = {found, on_use, missing};
  const auto text = tree(report);
  CHECK(text.find("│   │   ├── libc.so.6 (*)\n"
                  "│   │   ├── libc.so.6 (may open it)  /lib/x86_64-linux-gnu/libc.so.6\n"
                  "│   │   ├── libuse.so (may open it)  /b/libuse.so\n"
                  "│   │   └── libno.so (may open it)  not found\n") != std::string::npos);
  report.resolution.objects[4].edges.clear();
  CHECK(tree(report, "", 2).find("libcudart.so.12 [runpath]  /opt/cuda/lib/libcudart.so.12 (+)\n") !=
        std::string::npos);
  report.resolution.objects[4].may_open.clear();
  CHECK(tree(report, "", 2).find("libcudart.so.12 [runpath]  /opt/cuda/lib/libcudart.so.12\n") != std::string::npos);
}

TEST_CASE("a request is told with its kind, unless that is the usual one, and with where Python makes it") {
  Report report = failing_report();
  auto& request = report.resolution.objects[1].edges[0];
  request.kind = EdgeKind::dlopen;
  request.asked_at = "/site/a.py:3";
  CHECK(tree(report).find("libcudart.so.12 (dlopen) at /site/a.py:3  not found\n") != std::string::npos);
  request.kind = EdgeKind::import;
  request.status = EdgeStatus::rejected;
  request.error = "it is no file to load";
  CHECK(tree(report).find("libcudart.so.12 at /site/a.py:3  it is no file to load\n") != std::string::npos);
}

TEST_CASE("marks and legends have a form in ASCII") {
  TextStyle style = plain_style();
  style.ascii = true;
  const auto text = written([&](std::ostream& out) { write_tree(failing_report(), style, "", out); });
  CHECK(text ==
        "/opt/app/bin/app\n"
        "|-- libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2\n"
        "|   |-- libcudart.so.12  not found\n"
        "|   `-- libc.so.6 (*)\n"
        "`-- libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6\n"
        "    `-- ld-linux-x86-64.so.2 [already loaded]  /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2\n"
        "(*) already loaded, see above\n");
  const auto chain =
      written([&](std::ostream& out) { write_why(failing_report(), style, "libcudart.so.12", false, out); });
  CHECK(chain ==
        "/opt/app/bin/app\n"
        "`-- libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2\n"
        "    `-- libcudart.so.12  not found\n");
}

TEST_CASE("who needs a library is a document, from those who ask for it up to the program") {
  const auto document = [](const Report& report, const std::string& library) {
    return written([&](std::ostream& out) { CHECK(write_requesters_json(report, library, true, out)); });
  };
  CHECK(document(healthy_report(), "libcudart.so.12") ==
        R"({"schema":"cudald/requesters","schema_version":"1.0","library":"libcudart.so.12",)"
        R"("path":"/opt/cuda/lib/libcudart.so.12","asked_by":[{"object":1,"name":"libcudart.so.12","kind":"needed"}],)"
        R"("objects":[{"id":1,"path":"/opt/app/lib/libfoo.so.1.2",)"
        R"("asked_by":[{"object":0,"name":"libfoo.so.1","kind":"needed"}]},)"
        R"({"id":0,"path":"/opt/app/bin/app","asked_by":[]}]})"
        "\n");
  CHECK(document(failing_report(), "libcudart.so.12").find(R"("path":null,"asked_by":[{"object":1,)") !=
        std::string::npos);
  // The program itself is loaded, and nobody asks for it.
  CHECK(document(healthy_report(), "app").find(R"("path":"/opt/app/bin/app","asked_by":[],"objects":[]})") !=
        std::string::npos);
  // Each once, though the C library is needed by three.
  const auto libc = document(healthy_report(), "libc.so.6");
  CHECK(libc.find(R"({"id":0,)") == libc.rfind(R"({"id":0,)"));
  CHECK(libc.find(R"({"id":4,)") != std::string::npos);
}

std::string why_document(const Report& report, const std::string& library, bool all, bool found = true) {
  return written([&](std::ostream& out) { CHECK(write_why_json(report, library, all, true, out) == found); });
}

TEST_CASE("a chain is a document of its requests, the missing one with nulls") {
  const std::string hop = R"({"name":"libfoo.so.1","kind":"needed","hard":true,"status":"loaded","rule":"rpath",)"
                          R"("path":"/opt/app/lib/libfoo.so.1.2"})";
  CHECK(why_document(failing_report(), "libcudart.so.12", false) ==
        R"({"schema":"cudald/why","schema_version":"1.0","library":"libcudart.so.12","complete":true,)"
        R"("chains":[{"from":"/opt/app/bin/app","hops":[)" +
            hop +
            R"(,{"name":"libcudart.so.12","kind":"needed","hard":true,"status":"missing","rule":null,"path":null}]}]})"
            "\n");
  CHECK(why_document(healthy_report(), "libcudart.so.12", false) ==
        R"({"schema":"cudald/why","schema_version":"1.0","library":"libcudart.so.12","complete":true,)"
        R"("chains":[{"from":"/opt/app/bin/app","hops":[)" +
            hop +
            R"(,{"name":"libcudart.so.12","kind":"needed","hard":true,"status":"loaded","rule":"runpath",)"
            R"("path":"/opt/cuda/lib/libcudart.so.12"}]}]})"
            "\n");
  CHECK(why_document(healthy_report(), "libnone.so", true, false).find(R"("complete":true,"chains":[]})") !=
        std::string::npos);
  const auto all = why_document(healthy_report(), "libc.so.6", true),
             one = why_document(healthy_report(), "libc.so.6", false);
  const auto chains = [](const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find(R"("from")"); at != std::string::npos; at = text.find(R"("from")", at + 1)) ++count;
    return count;
  };
  CHECK(chains(one) == 1);
  CHECK(chains(all) == 3);
}

TEST_CASE("of several who miss a library, the nearest to the program is told, and all of them if that is asked for") {
  Report report = failing_report();
  Edge missing;
  missing.name = "libcudart.so.12";
  missing.kind = EdgeKind::dlopen;
  missing.hard = false;
  missing.status = EdgeStatus::rejected;
  missing.error = "it is no file to load";
  report.resolution.objects[0].edges.push_back(missing);
  const std::string near = "/opt/app/bin/app\n└── libcudart.so.12 (dlopen)  it is no file to load\n";
  CHECK(why(report, "libcudart.so.12") == near);
  CHECK(why(report, "libcudart.so.12", true) == near + "\n" + why(failing_report(), "libcudart.so.12"));
}

TEST_CASE("a library that only a constant names is told with where it stands and what would be found") {
  Report report = healthy_report();
  Edge likely;
  likely.name = "libuse.so";
  likely.status = EdgeStatus::not_loaded;
  likely.known.function = "dlopen";
  likely.known.text_at = 0x1234;
  likely.search.probes = {{"/b/libuse.so", SearchRule::cache, std::nullopt, ProbeResult::found, "", false, false}};
  report.resolution.objects[4].may_open = {likely};
  CHECK(why(report, "libuse.so") ==
        "/opt/app/bin/app\n"
        "└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2\n"
        "    └── libcudart.so.12 [runpath]  /opt/cuda/lib/libcudart.so.12\n"
        "        └── libuse.so (may open it: text at 0x1234, calls dlopen)  /b/libuse.so  loaded only on use\n");
}

TEST_CASE("of very many chains a thousand are told, and that there are more") {
  Report report = healthy_report();
  auto& objects = report.resolution.objects;
  objects.resize(1);
  objects[0].edges.clear();
  // Ten pairs, each of which needs both of the next: 1024 ways to the last.
  const auto add = [&](const std::string& name, const std::vector<ObjectId>& needs) {
    Object object;
    object.path = "/lib/" + name;
    for (const auto id : needs) {
      Edge edge;
      edge.name = file_name(objects[id].path);
      edge.object = id;
      edge.status = EdgeStatus::already_loaded;
      object.edges.push_back(edge);
    }
    objects.push_back(object);
    return objects.size() - 1;
  };
  std::vector<ObjectId> below{add("libgoal.so", {})};
  for (int level = 0; level < 10; ++level)
    below = {add("a" + std::to_string(level), below), add("b" + std::to_string(level), below)};
  Object top = objects.back();
  top.path = objects[0].path;
  top.edges.clear();
  for (const auto id : below) {
    Edge edge;
    edge.name = file_name(objects[id].path);
    edge.object = id;
    edge.status = EdgeStatus::loaded;
    edge.rule = SearchRule::rpath;
    top.edges.push_back(edge);
  }
  objects[0].edges = top.edges;
  CHECK(why(report, "libgoal.so", true).ends_with("\n... and more: only the first 1000 chains are shown\n"));
  CHECK(why_document(report, "libgoal.so", true).find(R"("complete":false)") != std::string::npos);
  CHECK(why(report, "libgoal.so").find("and more") == std::string::npos);
}

TEST_CASE("a library is asked about by its path, its file's name or its soname, and by the names it was asked for") {
  Report report = healthy_report();
  const auto chain = why(report, "libfoo.so.1");
  CHECK(chain.find("[rpath]  /opt/app/lib/libfoo.so.1.2\n") != std::string::npos);
  CHECK(why(report, "/opt/app/lib/libfoo.so.1.2") == chain);
  CHECK(why(report, "libfoo.so.1.2") == chain);
  report.resolution.objects[1].names.push_back("libother.so");
  CHECK(why(report, "libother.so") == chain);
  report.resolution.objects[1].load_name = "./as/asked.so";
  CHECK(why(report, "./as/asked.so") == chain);
  CHECK(why(report, "asked.so").empty());
}

TEST_CASE("a target that another file loads hangs there, and one that is asked for twice is shown once") {
  Report report = healthy_report();
  Target target;
  target.given = "libfoo.so.1";
  target.kind = TargetKind::dlopen;
  target.object = 1;
  report.resolution.targets.push_back(target);
  CHECK(tree(report) == tree(healthy_report()));
  // Nothing loads it now: it is shown by itself, and once.
  report.resolution.objects[0].edges[0].status = EdgeStatus::already_loaded;
  report.resolution.targets.push_back(target);
  CHECK(tree(report) ==
        R"(/opt/app/bin/app
├── libfoo.so.1 (*)
└── libc.so.6 [ld.so.cache]  /lib/x86_64-linux-gnu/libc.so.6
    └── ld-linux-x86-64.so.2 [already loaded]  /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
/opt/app/lib/libfoo.so.1.2
├── libcudart.so.12 [runpath]  /opt/cuda/lib/libcudart.so.12
│   └── libc.so.6 (*)
└── libc.so.6 (*)
(*) already loaded, see above
)");
  // A part that was loaded is shown as well, one that was not is told by nothing.
  report.resolution.targets[1].part_of = 0;
  report.resolution.targets.resize(2);
  CHECK(tree(report).find("\n/opt/app/lib/libfoo.so.1.2\n") != std::string::npos);
  report.resolution.targets[1].object.reset();
  report.resolution.targets[1].error = "it is not told";
  CHECK(tree(report).find("it is not told") == std::string::npos);
}

TEST_CASE("what may be opened and was found by no search is not found") {
  Report report = healthy_report();
  Edge likely;
  likely.name = "libuse.so";
  likely.status = EdgeStatus::not_loaded;
  report.resolution.objects[4].may_open = {likely};
  CHECK(tree(report).find("└── libuse.so (may open it)  not found\n") != std::string::npos);
  likely.status = EdgeStatus::missing;
  likely.search.probes = {{"/a/libuse.so", SearchRule::runpath, 4, ProbeResult::absent, "", false, false}};
  report.resolution.objects[4].may_open = {likely};
  CHECK(tree(report).find("└── libuse.so (may open it)  not found\n") != std::string::npos);
}

TEST_CASE("a request that is made only on use is told with what would be found, and is not bad") {
  Report report = healthy_report();
  Edge on_use;
  on_use.name = "libuse.so";
  on_use.kind = EdgeKind::dlopen;
  on_use.status = EdgeStatus::not_loaded;
  report.resolution.objects[4].edges.push_back(on_use);
  CHECK(tree(report).find("└── libuse.so (dlopen)  loaded only on use\n") != std::string::npos);
  report.resolution.objects[4].edges.back().search.probes = {
      {"/a/libuse.so", SearchRule::runpath, 4, ProbeResult::absent, "", false, false},
      {"/b/libuse.so", SearchRule::cache, std::nullopt, ProbeResult::found, "", false, false}};
  CHECK(tree(report).find("└── libuse.so (dlopen)  /b/libuse.so  loaded only on use\n") != std::string::npos);
  report.resolution.objects[4].edges.push_back(on_use);
  CHECK(tree(report).find("├── libuse.so (dlopen)  /b/libuse.so  loaded only on use\n") != std::string::npos);
}

TEST_CASE("a hard request that comes to nothing is bad, a soft one is not") {
  Report report = failing_report();
  TextStyle style = plain_style();
  style.colour = true;
  const auto text = [&] { return written([&](std::ostream& out) { write_tree(report, style, "", out); }); };
  CHECK(text().find("├── \x1b[1;31mlibcudart.so.12  not found\x1b[0m\n") != std::string::npos);
  report.resolution.objects[1].edges[0].hard = false;
  CHECK(text().find("├── \x1b[1;33mlibcudart.so.12  not found\x1b[0m\n") != std::string::npos);
}

TEST_CASE("upwards the depth is kept as well, and who asks twice is told twice") {
  CHECK(tree(healthy_report(), "libcudart.so.12", 1) ==
        "/opt/cuda/lib/libcudart.so.12\n"
        "└── /opt/app/lib/libfoo.so.1.2  as libcudart.so.12 (+)\n"
        "(+) needs more, below the depth limit\n");
  CHECK(tree(healthy_report(), "libcudart.so.12", 2) ==
        "/opt/cuda/lib/libcudart.so.12\n"
        "└── /opt/app/lib/libfoo.so.1.2  as libcudart.so.12\n"
        "    └── /opt/app/bin/app  as libfoo.so.1\n");
  Report report = failing_report();
  auto missing = report.resolution.objects[1].edges[0];
  report.resolution.objects[1].edges.push_back(missing);
  report.resolution.objects[0].edges.push_back(missing);
  report.resolution.objects[0].edges.push_back(missing);
  CHECK(tree(report, "libcudart.so.12") ==
        "libcudart.so.12  not found\n"
        "├── /opt/app/bin/app  as libcudart.so.12\n"
        "├── /opt/app/bin/app  as libcudart.so.12\n"
        "├── /opt/app/lib/libfoo.so.1.2  as libcudart.so.12\n"
        "│   └── /opt/app/bin/app  as libfoo.so.1\n"
        "└── /opt/app/lib/libfoo.so.1.2  as libcudart.so.12 (*)\n"
        "(*) who needs it is shown above\n");
}

TEST_CASE("a chain ends with the words of the loader where a library is refused, and has no kind that is usual") {
  Report report = failing_report();
  auto& missing = report.resolution.objects[1].edges[0];
  missing.kind = EdgeKind::import;
  missing.status = EdgeStatus::not_loaded;
  missing.search.probes.clear();
  missing.error = "no search";
  const std::string head = "/opt/app/bin/app\n└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2\n    └── ";
  CHECK(why(report, "libcudart.so.12") == head + "libcudart.so.12  no search\n");
  missing.kind = EdgeKind::delay_import;
  missing.status = EdgeStatus::missing;
  missing.search.probes = {{"/b/x", SearchRule::cache, std::nullopt, ProbeResult::found, "", false, false}};
  CHECK(why(report, "libcudart.so.12") == head + "libcudart.so.12 (delay-import)  not found\n");
  TextStyle style = plain_style();
  style.colour = true;
  const auto painted = [&] {
    const auto text = written([&](std::ostream& out) { write_why(report, style, "libcudart.so.12", false, out); });
    return text.substr(text.rfind("libcudart"));
  };
  CHECK(painted() == "libcudart.so.12 (delay-import)  \x1b[1;31mnot found\x1b[0m\n");
  missing.hard = false;
  CHECK(painted() == "libcudart.so.12 (delay-import)  \x1b[1;33mnot found\x1b[0m\n");
  missing.status = EdgeStatus::not_loaded;
  CHECK(painted() == "libcudart.so.12 (delay-import)  /b/x  loaded only on use\n");
}

TEST_CASE("the shortest of several chains is told, of equal ones the first, and none to what nothing leads to") {
  Report report = healthy_report();
  auto& objects = report.resolution.objects;
  Edge missing;
  missing.name = "libno.so";
  objects[3].edges = {missing};
  CHECK(why(report, "libno.so").find("ld-linux-x86-64.so.2\n        └── libno.so  not found\n") != std::string::npos);
  // The one that is met later is nearer.
  Object plugin;
  plugin.path = "/opt/plugin.so";
  plugin.edges = {missing};
  objects.push_back(plugin);
  const auto before = why(report, "libno.so");
  CHECK(before.find("plugin") == std::string::npos);
  Edge load;
  load.name = "plugin.so";
  load.object = 5;
  load.status = EdgeStatus::loaded;
  load.rule = SearchRule::path;
  objects[0].edges.push_back(load);
  const std::string near = "/opt/app/bin/app\n└── plugin.so [path]  /opt/plugin.so\n    └── libno.so  not found\n";
  CHECK(why(report, "libno.so") == near);
  objects[1].edges.push_back(missing);
  CHECK(why(report, "libno.so") ==
        "/opt/app/bin/app\n└── libfoo.so.1 [rpath]  /opt/app/lib/libfoo.so.1.2\n    └── libno.so  not found\n");
  // Only what nothing leads to asks for it.
  objects[1].edges.pop_back();
  objects[3].edges.clear();
  objects[0].edges.pop_back();
  std::ostringstream out;
  CHECK_FALSE(write_why(report, plain_style(), "libno.so", false, out));
  CHECK_FALSE(write_why(report, plain_style(), "libno.so", true, out));
  CHECK(out.str().empty());
}

TEST_CASE("requests are known by their file's name too, and objects without an image by their other names") {
  Report report = failing_report();
  report.resolution.objects[1].edges[0].name = "/opt/x/libcudart.so.12";
  CHECK(why(report, "libcudart.so.12").find("└── /opt/x/libcudart.so.12  not found\n") != std::string::npos);
  CHECK(why(report, "/opt/x/libcudart.so.12") == why(report, "libcudart.so.12"));
  report = healthy_report();
  report.resolution.objects[1].image.reset();
  CHECK(why(report, "libfoo.so.1.2").find("└── libfoo.so.1 [rpath]") != std::string::npos);
  // By a name of what answered, though it was asked for by another.
  const auto document = [](const std::string& library) {
    return written([&](std::ostream& out) { CHECK(write_requesters_json(healthy_report(), library, true, out)); });
  };
  CHECK(document("/opt/app/lib/libfoo.so.1.2").find(R"("asked_by":[{"object":0,"name":"libfoo.so.1")") !=
        std::string::npos);
}

}  // namespace
}  // namespace cudald
