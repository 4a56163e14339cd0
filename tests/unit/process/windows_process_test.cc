#include "process/windows_process.h"

#include <elf.h>

#include <doctest/doctest.h>

#include <cudald/image.h>
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
    CHECK(resolution.notes[0].starts_with("of 1 DLL of Windows or Python only the name is known ("));
    CHECK((resolution.notes[0].find("(the machine's description)") != std::string::npos) == is_described);
  }
  Started started;
  CHECK_FALSE(started.process->take().targets.front().part_of);
}

/// A process of its own, of Python 3.N in C:\App where `python_minor` is not 0.
struct Machine64 {
  explicit Machine64(int python_minor = 0, bool bind = true) {
    auto host = neutral_windows({}, false);
    host.application = "C:\\App";
    host.python_minor = python_minor;
    process = std::make_unique<WindowsProcess>(images, std::move(host), bind);
  }
  void start_host() {
    Image like;
    like.machine = EM_X86_64;
    like.format = Format::pe32_plus;
    process->start_host("host", "C:\\App\\host.exe", like);
  }
  void add(const std::string& path, const PeSpec& spec) { files.add_file(path, pe(spec)); }
  int load(const std::string& name, WindowsCaller caller = WindowsCaller::program, const DlopenRequest& call = {},
           const WindowsLoadFlags& flags = {}) {
    return process->load("given " + name, name, flags, caller, call);
  }
  const Resolution& made() const { return process->resolution(); }
  const Edge& last_edge() const { return made().objects[0].edges.back(); }

  MemoryFileSystem files;
  Budget budget;
  ThreadLimit threads{1};
  ImageStore images{files, budget, threads};
  std::unique_ptr<WindowsProcess> process;
};

/// Load names of the objects, "(gone)" behind those that are.
std::string all_objects(const Resolution& resolution) {
  std::string text;
  for (const auto& object : resolution.objects) text += object.load_name + (object.unmapped ? " (gone)\n" : "\n");
  return text;
}

const PeSpec empty_program = {.characteristics = 0x22};

TEST_CASE("a neutral program is a file without bytes, for the machine of what it loads") {
  Machine64 machine;
  Image like;
  like.machine = EM_386;
  like.format = Format::pe32;
  machine.process->start_host("the host", "C:\\App\\host.exe", like);
  const auto& made = machine.made();
  CHECK(made.windows);
  CHECK(made.machine == EM_386);
  REQUIRE(made.targets.size() == 1);
  CHECK(made.targets[0].given == "the host");
  CHECK(made.targets[0].kind == TargetKind::start);
  CHECK(made.targets[0].object == 0);
  CHECK(made.targets[0].search_list == SearchList{0});
  CHECK(made.targets[0].error == "");
  REQUIRE(made.objects.size() == 1);
  const auto& program = made.objects[0];
  CHECK(program.path == "C:\\App\\host.exe");
  CHECK(program.load_name == "C:\\App\\host.exe");
  CHECK(program.main_program);
  CHECK(program.known_by_name);
  CHECK(program.image->machine == EM_386);
  CHECK(program.image->format == Format::pe32);
  CHECK(program.image->type == FileType::executable);
  CHECK(program.image->pe.has_value());
  // A DLL for another machine is passed over.
  machine.add("/d/wide.dll", {});
  machine.add("/d/narrow.dll", {.wide = false, .machine = 0x14c});
  CHECK(machine.load("Z:\\d\\wide.dll") == 193);
  CHECK(machine.load("Z:\\d\\narrow.dll") == 0);
}

TEST_CASE("a program starts with what it imports, each in its list once") {
  Machine64 machine;
  auto app = empty_program;
  app.imports = {{"b.dll", {{"f"}}}, {"c.dll", {{"g"}}}, {"B.DLL", {{"f"}}}};
  machine.add("/x/real.exe", app);
  machine.files.add_symlink("/x/app.exe", "real.exe");
  machine.add("/p/b.dll", {.name = "b.dll", .imports = {{"c.dll", {{"g"}}}}, .exports = {{"f", 1, ""}}});
  machine.add("/p/c.dll", {.name = "c.dll", .exports = {{"g", 1, ""}}});
  machine.process->set_path("Z:\\p");
  machine.process->start("app", "/x/app.exe");
  const auto& made = machine.made();
  CHECK(made.machine == EM_X86_64);
  CHECK(all_objects(made) == "Z:\\x\\app.exe\nZ:\\p\\b.dll\nZ:\\p\\c.dll\n");
  REQUIRE(made.targets.size() == 1);
  CHECK(made.targets[0].given == "app");
  CHECK(made.targets[0].kind == TargetKind::start);
  CHECK(made.targets[0].object == 0);
  CHECK(made.targets[0].error == "");
  CHECK(made.targets[0].search_list == SearchList{0, 1, 2});
  const auto& program = made.objects[0];
  CHECK(program.path == "/x/real.exe");
  CHECK(program.origin == "Z:\\x");
  CHECK(program.main_program);
  CHECK_FALSE(program.known_by_name);
  CHECK(program.id == machine.files.status("/x/real.exe")->id);
  CHECK(program.image->type == FileType::executable);
  REQUIRE(program.edges.size() == 3);
  CHECK(program.edges[0].hard);
  CHECK(program.edges[0].kind == EdgeKind::import);
  CHECK(program.edges[2].object == 1);
  CHECK_FALSE(made.objects[1].main_program);
  CHECK(made.objects[1].loader == 0);
  CHECK(made.objects[1].path == "/p/b.dll");
  CHECK(made.objects[1].origin == "Z:\\p");
}

TEST_CASE("why a program does not start") {
  const auto told = [](const std::string& path, const PeSpec& dll, bool bind) {
    Machine64 machine(0, bind);
    auto app = empty_program;
    app.imports = {{"b.dll", {{"f"}, {"", 5}}}};
    machine.add("/x/app.exe", app);
    machine.add(path, dll);
    machine.process->set_path("Z:\\p");
    machine.process->start("app", "/x/app.exe");
    return machine.made().targets[0].error;
  };
  const PeSpec both{.name = "b.dll", .exports = {{"f", 1, ""}, {"g", 5, ""}}}, named{.exports = {{"f", 1, ""}}},
      numbered{.exports = {{"g", 5, ""}}};
  CHECK(told("/p/b.dll", both, true) == "");
  CHECK(told("/p/none.dll", both, true) ==
        "The code execution cannot proceed because b.dll was not found. (0xc0000135)");
  CHECK(told("/p/none.dll", both, false) ==
        "The code execution cannot proceed because b.dll was not found. (0xc0000135)");
  CHECK(told("/p/b.dll", named, true) == "The ordinal 5 could not be located. (0xc0000138)");
  CHECK(told("/p/b.dll", numbered, true) == "The procedure entry point f could not be located. (0xc0000139)");
  CHECK(told("/p/b.dll", numbered, false) == "");
  CHECK(told("/p/b.dll", {.wide = false, .machine = 0x14c}, true) ==
        "The application was unable to start correctly (0xc000007b).");
}

TEST_CASE("a load notes who asked, how that is known, and what it brought in") {
  Machine64 machine;
  machine.start_host();
  machine.add("/d/a.dll", {.imports = {{"c.dll"}, {"b.dll"}}});
  machine.add("/d/b.dll", {});
  machine.add("/p/c.dll", {});
  machine.process->set_path("Z:\\p");
  DlopenRequest call;
  call.traits.asked_at = "a.py:3";
  call.traits.gpu = true;
  call.known.source = "a table";
  CHECK(machine.load("Z:\\d\\a.dll", WindowsCaller::program, call, {.altered_search_path = true}) == 0);
  const auto& made = machine.made();
  CHECK(all_objects(made) == "C:\\App\\host.exe\nZ:\\d\\a.dll\nZ:\\p\\c.dll\nZ:\\d\\b.dll\n");
  const auto& edge = made.objects[0].edges.back();
  CHECK(edge.name == "Z:\\d\\a.dll");
  CHECK(edge.kind == EdgeKind::dlopen);
  CHECK(edge.status == EdgeStatus::loaded);
  CHECK(edge.object == 1);
  CHECK(edge.asked_at == "a.py:3");
  CHECK(edge.known.source == "a table");
  CHECK(edge.error == "");
  CHECK_FALSE(edge.hard);
  const auto& target = made.targets.back();
  CHECK(target.given == "given Z:\\d\\a.dll");
  CHECK(target.kind == TargetKind::dlopen);
  CHECK(target.object == 1);
  CHECK(target.caller == 0);
  CHECK(target.traits.gpu);
  CHECK(target.error == "");
  CHECK(target.search_list == SearchList{1, 2, 3});
  // A second time it is there, with all that it needs.
  CHECK(machine.load("A.dll") == 0);
  CHECK(made.objects.size() == 4);
  CHECK(made.targets.back().search_list == SearchList{1, 2, 3});
  CHECK(machine.last_edge().status == EdgeStatus::already_loaded);
}

TEST_CASE("the folder of a file counts for what it imports only if it was asked for by its full path") {
  Machine64 machine;
  machine.start_host();
  machine.add("/d/a.dll", {.imports = {{"b.dll"}}});
  machine.add("/d/b.dll", {});
  machine.process->set_path("Z:\\d");
  CHECK(machine.load("a.dll", WindowsCaller::program, {}, {.dll_load_folder = true}) == 126);
  CHECK(machine.load("Z:\\d\\a.dll", WindowsCaller::program, {}, {.dll_load_folder = true}) == 0);
  CHECK(machine.load("a.dll") == 0);
}

TEST_CASE("what a load that fails says depends on who calls") {
  Machine64 machine(11);
  machine.start_host();
  machine.add("/d/_C.cp311-win_amd64.pyd", {.imports = {{"none.dll"}}});
  machine.add("/d/narrow.pyd", {.wide = false, .machine = 0x14c});
  const auto error = [&] { return machine.made().targets.back().error; };
  CHECK(machine.load("Z:\\d\\_C.cp311-win_amd64.pyd", WindowsCaller::python_import) == 126);
  CHECK(error() == "ImportError: DLL load failed while importing _C: The specified module could not be found.");
  // It was found; what it needs was not.
  CHECK(machine.last_edge().error == "");
  CHECK(machine.last_edge().object == 1);
  CHECK(machine.made().targets.back().object == 1);
  CHECK(all_objects(machine.made()) == "C:\\App\\host.exe\nZ:\\d\\_C.cp311-win_amd64.pyd (gone)\n");
  CHECK(machine.load("Z:\\d\\narrow.pyd", WindowsCaller::python_import) == 193);
  CHECK(error() == "ImportError: DLL load failed while importing narrow: %1 is not a valid Win32 application.");
  CHECK(machine.last_edge().error == error());
  CHECK_FALSE(machine.made().targets.back().object);
  CHECK(machine.load("some.thing.dll", WindowsCaller::ctypes) == 126);
  CHECK(error() ==
        "FileNotFoundError: Could not find module 'some.thing.dll' (or one of its dependencies). Try using the full "
        "path with constructor syntax.");
  CHECK(machine.load("Z:\\d\\some.thing.dll") == 126);
  CHECK(error() ==
        "LoadLibrary of Z:\\d\\some.thing.dll fails with error 126: The specified module could not be found.");
  CHECK(machine.last_edge().error == error());
  Machine64 older(7);
  older.start_host();
  CHECK(older.load("Z:\\m.pyd", WindowsCaller::python_import) == 126);
  CHECK(older.made().targets.back().error == "ImportError: DLL load failed: The specified module could not be found.");
}

TEST_CASE("a load on use maps nothing for those that come after it") {
  Machine64 machine;
  machine.start_host();
  machine.add("/d/a.dll", {.imports = {{"b.dll"}}});
  machine.add("/p/b.dll", {});
  machine.process->set_path("Z:\\p");
  DlopenRequest later;
  later.traits.when = RequestTime::later;
  CHECK(machine.load("b.dll") == 0);
  CHECK(machine.load("Z:\\d\\a.dll", WindowsCaller::program, later) == 0);
  const auto& made = machine.made();
  CHECK(all_objects(made) == "C:\\App\\host.exe\nZ:\\p\\b.dll\nZ:\\d\\a.dll (gone)\n");
  CHECK(machine.last_edge().status == EdgeStatus::not_loaded);
  CHECK(machine.last_edge().object == 2);
  CHECK(machine.load("b.dll", WindowsCaller::program, later) == 0);
  CHECK(machine.last_edge().status == EdgeStatus::already_loaded);
  CHECK_FALSE(made.objects[1].unmapped);
  CHECK(machine.load("a.dll") == 126);
}

TEST_CASE("a load that may come is searched as it says, by the program") {
  Machine64 machine;
  machine.start_host();
  machine.add("/p/b.dll", {});
  machine.process->set_path("Z:\\p");
  machine.process->note_soft_load("b.dll", {.system = true}, "b.py:1");
  CHECK(machine.last_edge().kind == EdgeKind::dlopen);
  CHECK(machine.last_edge().status == EdgeStatus::missing);
  CHECK(machine.last_edge().search.probes.size() == 1);
  machine.process->note_soft_load("b.dll", {.altered_search_path = true}, "b.py:2");
  CHECK(machine.last_edge().status == EdgeStatus::not_loaded);
  CHECK(machine.last_edge().asked_at == "b.py:2");
  CHECK(machine.made().objects[0].edges.size() == 2);
}

/// The first missing function, as "WHO wants NAME of FILE: why".
std::string missing_function(const PeSpec& wants, const std::vector<std::pair<std::string, PeSpec>>& dlls) {
  Machine64 machine;
  machine.start_host();
  machine.add("/d/a.dll", wants);
  for (const auto& [path, spec] : dlls) machine.add(path, spec);
  machine.process->set_path("Z:\\p");
  machine.load("Z:\\d\\a.dll");
  const auto symbols = machine.process->take_symbols();
  if (symbols.missing.empty()) return "none of " + std::to_string(symbols.checked);
  const auto& first = symbols.missing.front();
  CHECK(first.of_files);
  CHECK_FALSE(first.lazy);
  return machine.made().objects[first.object].load_name + " wants " + first.name + " of " + first.version_file + ": " +
         first.message;
}

TEST_CASE("functions are followed through forwarders, by name and by number") {
  const PeSpec by_name{.imports = {{"b.dll", {{"f"}}}}}, by_number{.imports = {{"b.dll", {{"", 3}}}}};
  const auto b = [](const std::string& forwarder) {
    return std::pair<std::string, PeSpec>("/p/b.dll", {.name = "b.dll", .exports = {{"f", 3, forwarder}, {"", 4, ""}}});
  };
  const std::pair<std::string, PeSpec> c("/p/c.dll", {.name = "c.dll", .exports = {{"g", 12, ""}}});
  CHECK(missing_function(by_name, {b("")}) == "none of 1");
  CHECK(missing_function(by_number, {b("")}) == "none of 1");
  CHECK(missing_function({.imports = {{"b.dll", {{"", 4}}}}}, {b("")}) == "none of 1");
  CHECK(missing_function({.imports = {{"b.dll", {{"", 5}}}}}, {b("")}) ==
        "Z:\\d\\a.dll wants #5 of b.dll: b.dll does not have it");
  CHECK(missing_function(by_name, {b("c.g"), c}) == "none of 1");
  CHECK(missing_function(by_number, {b("c.g"), c}) == "none of 1");
  CHECK(missing_function(by_name, {b("c.#12"), c}) == "none of 1");
  CHECK(missing_function(by_name, {b("c.h"), c}) == "Z:\\d\\a.dll wants f of b.dll: c.dll does not have it");
  CHECK(missing_function(by_name, {b("c.#11"), c}) == "Z:\\d\\a.dll wants f of b.dll: c.dll does not have it");
  CHECK(missing_function(by_name, {b("c.#1"), c}) == "Z:\\d\\a.dll wants f of b.dll: c.dll does not have it");
  CHECK(missing_function(by_name, {b("c.g")}) ==
        "Z:\\d\\a.dll wants f of b.dll: b.dll forwards it to c.g, and c.dll is not found");
  CHECK(missing_function(by_name, {b("KERNEL32.Sleep")}) == "none of 1");
}

TEST_CASE("forwarders are followed 32 times") {
  const auto chain = [](int length) {
    std::vector<std::pair<std::string, PeSpec>> dlls;
    for (int i = 0; i <= length; ++i) {
      const auto next = i == length ? "" : "b" + std::to_string(i + 1) + ".f";
      dlls.emplace_back("/p/b" + std::to_string(i) + ".dll", PeSpec{.exports = {{"f", 1, next}}});
    }
    return missing_function({.imports = {{"b0.dll", {{"f"}}}}}, dlls);
  };
  CHECK(chain(32) == "none of 1");
  CHECK(chain(33) == "Z:\\d\\a.dll wants f of b0.dll: its forwarders lead in a circle: b33.f");
}

TEST_CASE("what a forwarder loads is mapped with what it needs, and what it lacks is the load's failure") {
  for (const bool complete : {false, true}) {
    Machine64 machine;
    machine.start_host();
    machine.add("/d/a.dll", {.imports = {{"b.dll", {{"f"}, {"g"}}}}});
    machine.add("/p/b.dll", {.name = "b.dll", .exports = {{"f", 1, "c.f"}, {"g", 2, "c.g"}}});
    machine.add("/p/c.dll", {.name = "c.dll", .imports = {{"e.dll"}}, .exports = {{"f", 1, ""}, {"g", 2, ""}}});
    machine.add("/d/a2.dll", {.imports = {{"b2.dll", {{"f"}}}}});
    machine.add("/p/b2.dll", {.name = "b2.dll", .exports = {{"f", 1, "c.f"}}});
    if (complete) machine.add("/p/e.dll", {});
    machine.process->set_path("Z:\\p");
    const auto& made = machine.made();
    CHECK(machine.load("Z:\\d\\a.dll") == (complete ? 0 : 126));
    if (!complete) {
      CHECK(all_objects(made) == "C:\\App\\host.exe\nZ:\\d\\a.dll (gone)\nZ:\\p\\b.dll (gone)\nZ:\\p\\c.dll (gone)\n");
      continue;
    }
    CHECK(all_objects(made) == "C:\\App\\host.exe\nZ:\\d\\a.dll\nZ:\\p\\b.dll\nZ:\\p\\c.dll\nZ:\\p\\e.dll\n");
    CHECK(made.targets.back().search_list == SearchList{1, 2, 3, 4});
    REQUIRE(made.objects[2].edges.size() == 1);
    const auto& edge = made.objects[2].edges[0];
    CHECK(edge.kind == EdgeKind::forwarder);
    CHECK(edge.name == "c.dll");
    CHECK(edge.object == 3);
    CHECK_FALSE(edge.hard);
    // With c.dll there already, a second load maps nothing of it.
    CHECK(machine.load("Z:\\d\\a2.dll") == 0);
    CHECK(made.targets.back().search_list == SearchList{5, 6});
    CHECK(machine.process->take_symbols().missing.empty());
  }
}

TEST_CASE("the first function that is missing is the reason, a DLL that is missing comes before all") {
  Machine64 machine;
  machine.start_host();
  machine.add("/d/a.dll", {.imports = {{"b.dll", {{"", 7}, {"x"}}}, {"b.dll", {{"y"}}, true}}});
  machine.add("/d/c.dll", {.imports = {{"b.dll", {{"x"}, {"", 7}}}, {"none.dll", {{"z"}}}, {"KERNEL32.dll", {{"w"}}}}});
  machine.add("/p/b.dll", {.name = "b.dll", .exports = {{"f", 1, ""}}});
  machine.process->set_path("Z:\\p");
  CHECK(machine.load("Z:\\d\\a.dll") == 182);
  CHECK(machine.load("Z:\\d\\c.dll") == 126);
  const auto symbols = machine.process->take_symbols();
  CHECK(symbols.checked == 4);
  CHECK(symbols.complete);
  CHECK(symbols.limits.empty());
  std::string missing;
  for (const auto& one : symbols.missing) missing += std::to_string(one.object) + ":" + one.name + " ";
  CHECK(missing == "1:#7 1:x 3:x 3:#7 ");
}

TEST_CASE("functions that are not read for want of budget are told as a limit, and prove nothing") {
  Machine64 machine;
  machine.start_host();
  std::vector<ImportedFunction> many(2000, ImportedFunction{"absent", 0});
  machine.add("/d/a.dll", {.imports = {{"b.dll", many}}});
  machine.add("/p/b.dll", {.name = "b.dll", .exports = {{"f", 1, ""}}});
  machine.process->set_path("Z:\\p");
  machine.images.open("/d/a.dll");
  CHECK(machine.load("b.dll") == 0);
  CostLimits limits;
  limits.read = machine.budget.cost().read + 1000;
  machine.budget.restart(limits);
  CHECK(machine.budget.read(limits.read - 1000));
  CHECK(machine.load("Z:\\d\\a.dll") == 0);
  const auto symbols = machine.process->take_symbols();
  CHECK(symbols.missing.empty());
  CHECK(symbols.complete);
  REQUIRE(symbols.limits.size() == 2);
  CHECK(symbols.limits[0].object == 2);
  CHECK(symbols.limits[0].defect.limit);
  CHECK(symbols.limits[1].object == 1);
}

TEST_CASE("a manifest redirects imports, and an assembly that is missing fails the load by its own number") {
  const auto manifest_of = [](const std::string& assembly) {
    return "<assembly><dependency><dependentAssembly><assemblyIdentity name='" + assembly +
           "' version='1.0.0.0'/></dependentAssembly></dependency></assembly>";
  };
  Machine64 machine;
  machine.start_host();
  machine.add("/d/a.dll", {.imports = {{"b.dll"}}, .resources = {{24, 2, manifest_of("Mine")}}});
  machine.add("/d/c.dll", {.imports = {{"a.dll"}}, .resources = {{24, 2, manifest_of("Other")}}});
  machine.files.add_file("/d/Mine/Mine.manifest", "<assembly><file name='b.dll'/></assembly>");
  machine.add("/d/Mine/b.dll", {});
  machine.add("/p/b.dll", {});
  machine.process->set_path("Z:\\p");
  CHECK(machine.load("Z:\\d\\a.dll") == 0);
  CHECK(all_objects(machine.made()) == "C:\\App\\host.exe\nZ:\\d\\a.dll\nZ:\\d\\Mine\\b.dll\n");
  CHECK(machine.made().objections.empty());
  CHECK(machine.load("Z:\\d\\c.dll") == 14001);
  REQUIRE(machine.made().objections.size() == 1);
  CHECK(machine.made().objections[0].object == 3);
  CHECK(machine.made().objections[0].message == "Other 1.0.0.0");
  CHECK(machine.load("Z:\\d\\a.dll") == 0);
  CHECK(machine.made().objections.size() == 1);
}

TEST_CASE("a folder of Windows itself is there only while no copy of Windows is") {
  Machine64 machine;
  auto host = machine.process->host();
  host.has_files = true;
  WindowsProcess copy(machine.images, host, true);
  CHECK(machine.process->has_folder("C:\\Windows\\System32"));
  CHECK_FALSE(copy.has_folder("C:\\Windows\\System32"));
}

TEST_CASE(
    "DLLs known by name are counted while they are mapped, and the start is the user's where it is all there is") {
  Machine64 machine;
  machine.start_host();
  CHECK(machine.load("KERNEL32.dll") == 0);
  DlopenRequest later;
  later.traits.when = RequestTime::later;
  CHECK(machine.load("ADVAPI32.dll", WindowsCaller::program, later) == 0);
  CHECK(machine.load("USER32.dll") == 0);
  const auto resolution = machine.process->take();
  REQUIRE(resolution.notes.size() == 1);
  CHECK(resolution.notes[0].starts_with("of 2 DLLs of Windows or Python only the name is known ("));
  CHECK(resolution.notes[0].ends_with("); exports are assumed"));
  CHECK(resolution.objects[1].path == "C:\\Windows\\System32\\KERNEL32.dll");
  CHECK(resolution.objects[1].load_name == "C:\\Windows\\System32\\KERNEL32.dll");
  CHECK(resolution.objects[1].origin == "C:\\Windows\\System32");
  CHECK(resolution.objects[1].names == std::vector<std::string>{"KERNEL32.dll"});
  CHECK(resolution.objects[1].image->machine == EM_X86_64);
  CHECK(resolution.objects[1].loader == 0);
  CHECK(resolution.objects[0].edges[0].rule == SearchRule::known_dll);
  // The start of a package belongs to it.
  Machine64 package;
  package.start_host();
  package.process->begin("pkg", TargetKind::package, true);
  CHECK(package.load("KERNEL32.dll") == 0);
  package.process->end("it failed");
  const auto made = package.process->take();
  CHECK(made.targets[0].part_of == 1);
  CHECK(made.targets[1].error == "it failed");
  CHECK(made.targets[2].part_of == 1);
  // A program of the tree is one that the user asked for.
  Machine64 app;
  app.add("/x/app.exe", empty_program);
  app.add("/x/b.dll", {});
  app.process->start("app", "/x/app.exe");
  CHECK(app.load("Z:\\x\\b.dll") == 0);
  CHECK_FALSE(app.process->take().targets[0].part_of);
}

TEST_CASE("what SetDllDirectory says counts for what is loaded after it") {
  Started started;
  started.process->set_dll_directory("Z:\\p");
  CHECK(started.process->host().dll_directory == "Z:\\p");
  CHECK(started.load("Z:\\d\\a.dll") == 0);
  Started none;
  none.process->set_dll_directory("");
  CHECK(none.process->host().dll_directory == "");
  CHECK(none.load("Z:\\d\\a.dll") == 126);
}

}  // namespace
}  // namespace cudald
