#include "loader/windows/windows.h"

#include <doctest/doctest.h>

#include <cudald/windows_host_file.h>

#include "unit/loader/loaded.h"

namespace cudald {
namespace {

constexpr std::uint16_t x64 = EM_X86_64;

Image dll(std::uint16_t machine = x64, Format format = Format::pe32_plus) {
  Image image;
  image.format = format;
  image.machine = machine;
  image.type = FileType::shared;
  image.file_size = 4096;
  image.pe.emplace();
  image.pe->characteristics = pe_dll;
  return image;
}

/// A process of Windows with a program, and the rules that it asks.
class Windows {
 public:
  Windows() {
    facts.host.application = "C:\\App";
    facts.host.current = "C:\\Work";
    facts.host.path = {"C:\\P"};
    facts.machine = x64;
    facts.format = Format::pe32_plus;
    add(resolution, "C:\\App\\app.exe", dll());
  }

  Request request(const std::string& asked, ObjectId requester = 0, const WindowsLoad& load = {}) const {
    Request made{asked, EdgeKind::import, requester, false, asked, load};
    made.name = *loader.expanded_name(made, resolution);
    return made;
  }
  SearchPlan plan(const std::string& asked, ObjectId requester = 0, const WindowsLoad& load = {}) const {
    return loader.candidates(request(asked, requester, load), resolution);
  }
  std::string search(const std::string& asked, ObjectId requester = 0) const { return text_of(plan(asked, requester)); }
  /// "1 by loaded-module", or "none".
  std::string reuse(const std::string& asked, ObjectId requester = 0) const {
    const auto found = loader.reuse(request(asked, requester), resolution, {});
    return found ? std::to_string(found->object) + " by " + std::string(to_string(found->rule)) : "none";
  }

  WindowsFacts facts;
  Resolution resolution;
  WindowsLoader loader{facts};
};

/// Ends the search at the n-th candidate and keeps what it was told.
class StopAt final : public SearchVisitor {
 public:
  explicit StopAt(std::size_t last) : last_(last) {}
  Next candidate(const Candidate& candidate) override {
    told += candidate.folder + candidate.name + "\n";
    return ++count_ == last_ ? Next::stop : Next::go_on;
  }
  void skipped(SkippedRule rule) override { told += "not: " + std::string(to_string(rule.rule)) + "\n"; }

  std::string told;

 private:
  std::size_t last_, count_ = 0;
};

TEST_CASE("imports are mapped with the file, delay imports when they are used") {
  auto image = dll();
  image.pe->imports = {{.name = "a.dll"}, {.name = "b.dll", .delayed = true}};
  const auto needs = Windows().loader.needs(image);
  REQUIRE(needs.size() == 2);
  CHECK(needs[0].name == "a.dll");
  CHECK(needs[0].kind == EdgeKind::import);
  CHECK((needs[0].hard && !needs[0].on_use));
  CHECK(needs[1].name == "b.dll");
  CHECK(needs[1].kind == EdgeKind::delay_import);
  CHECK((!needs[1].hard && needs[1].on_use));
  CHECK(Windows().loader.needs(good_image()).empty());
}

TEST_CASE("a bare name is looked for in the folders of its load, a full path only there") {
  Windows windows;
  CHECK(windows.search("a") ==
        "C:\\App\\a.dll · application-dir\n"
        "C:\\Windows\\System32\\a.dll · system\n"
        "C:\\Windows\\System\\a.dll · system16\n"
        "C:\\Windows\\a.dll · windows-dir\n"
        "C:\\Work\\a.dll · cwd\n"
        "C:\\P\\a.dll · path\n");
  CHECK(text_of(windows.plan("a.dll", 0, {python_load_flags(8), "C:\\S"})) ==
        "C:\\S\\a.dll · dll-load-dir\n"
        "C:\\App\\a.dll · application-dir\n"
        "C:\\Windows\\System32\\a.dll · system\n");
  CHECK(windows.search("C:\\x\\a.dll") == "C:\\x\\a.dll · path\n");
  CHECK(windows.search("C:\\x\\kernel32") == "C:\\x\\kernel32.dll · path\n");
}

TEST_CASE("rules are passed over where they stand; what comes behind the hit is not told") {
  Windows windows;
  windows.facts.host.user_folders = {"C:\\U"};
  const std::string first = "C:\\App\\a.dll\n", last = "C:\\Work\\a.dll\nnot: user-dir\n";
  const auto told = [&](std::size_t candidates) {
    StopAt visitor(candidates);
    windows.loader.search(windows.request("a.dll"), windows.resolution, visitor);
    return visitor.told;
  };
  CHECK(told(1) == first);
  CHECK(told(5) == first + "C:\\Windows\\System32\\a.dll\nC:\\Windows\\System\\a.dll\nC:\\Windows\\a.dll\n" + last);
  CHECK(told(99) == told(5) + "C:\\P\\a.dll\n");
}

TEST_CASE("a known DLL is taken from the system's folder, whatever lies on the way") {
  Windows windows;
  CHECK(windows.search("KERNEL32.dll") == "C:\\Windows\\System32\\KERNEL32.dll · known-dll\n");
  CHECK(windows.search("version.dll").starts_with("C:\\App\\version.dll · application-dir\n"));
  windows.facts.host.wide = false;
  CHECK(windows.search("kernel32") == "C:\\Windows\\SysWOW64\\kernel32.dll · known-dll\n");
  // A described machine has its own list.
  auto described = std::make_shared<WindowsHostFile>();
  described->known_dlls = {"version.dll"};
  windows.facts.host.described = described;
  CHECK(windows.search("version.dll") == "C:\\Windows\\SysWOW64\\version.dll · known-dll\n");
  CHECK(windows.search("kernel32.dll").starts_with("C:\\App\\kernel32.dll · application-dir\n"));
}

TEST_CASE("Windows 7 searches for a file by the name of an API set that it does not know") {
  Windows windows;
  windows.facts.host.build = "6.1.7601";
  CHECK(windows.search("api-ms-win-core-file-l1-1-0.dll").ends_with(" · api-set\n"));
  CHECK(windows.search("api-ms-win-core-path-l1-1-0.dll")
            .starts_with("C:\\App\\api-ms-win-core-path-l1-1-0.dll · application-dir\n"));
  windows.facts.host.build = "10.0.22631";
  CHECK(windows.search("api-ms-win-core-path-l1-1-0.dll").ends_with(" · api-set\n"));
  windows.facts.host.build.clear();
  auto described = std::make_shared<WindowsHostFile>();
  described->build = "6.1.7601";
  windows.facts.host.described = described;
  CHECK(windows.search("api-ms-win-core-path-l1-1-0.dll").starts_with("C:\\App"));
}

TEST_CASE("an API set stands for a DLL of the system, by who asks") {
  Windows windows;
  const auto kernel = add(windows.resolution, "C:\\Windows\\System32\\KERNEL32.dll", dll());
  CHECK(windows.search("api-ms-win-crt-runtime-l1-1-0.dll") == "C:\\Windows\\System32\\ucrtbase.dll · api-set\n");
  CHECK(windows.search("API-MS-Win-Core-IO-l1-1-9", kernel) == "C:\\Windows\\System32\\kernelbase.dll · api-set\n");
  CHECK(windows.reuse("api-ms-win-core-io-l1-1-0.dll") == "1 by api-set");
  CHECK(windows.reuse("api-ms-win-core-io-l1-1-0.dll", kernel) == "none");
}

TEST_CASE("an API set that no DLL of a desktop has is not searched for, and it is said") {
  Windows windows;
  const std::string nowhere = "api-ms-win-deprecated-apis-advapi-l1-1-0";
  const auto plan = windows.plan(nowhere);
  CHECK(text_of(plan) == "");
  CHECK(skipped_in(plan) == "api-set: an API set that no DLL of this Windows has\n");
  REQUIRE(plan.skipped.size() == 1);
  CHECK(plan.skipped.front().value == nowhere);
  CHECK(windows.reuse(nowhere) == "none");
}

TEST_CASE("a name that only looks like an API set is searched for like any other") {
  CHECK(Windows().search("api-ms-win-none-l1-1-0.dll").starts_with("C:\\App\\api-ms-win-none-l1-1-0.dll · appl"));
}

TEST_CASE("a loaded module answers to its name, without case, wherever it came from") {
  Windows windows;
  const auto id = add(windows.resolution, "C:\\x\\Cudart64_12.dll", dll());
  add(windows.resolution, "C:\\y\\gone.dll", dll());
  windows.resolution.objects.back().unmapped = true;
  add(windows.resolution, "C:\\z\\kernel32.dll", dll());
  REQUIRE(id == 1);
  struct Row {
    std::string asked, answer;
  };
  const Row rows[] = {
      {"cudart64_12.dll", "1 by loaded-module"},
      {"CUDART64_12", "1 by loaded-module"},
      {"cudart64_12.", "none"},            // the dot means: no extension
      {"C:\\x\\cudart64_12.dll", "none"},  // a path is opened, and may prove to be the same file
      {"gone.dll", "none"},
      {"kernel32.dll", "3 by loaded-module"},  // before the list of known DLLs
      {"app.exe", "0 by loaded-module"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.asked);
    CHECK(windows.reuse(row.asked) == row.answer);
  }
}

TEST_CASE("why a file is not taken, and whether the search goes on") {
  Windows windows;
  Image empty;
  auto text = empty;
  text.file_size = 5;
  using enum ProbeResult;
  using Action = Judgement::Action;
  struct Row {
    std::string name;
    OpenedFile file;
    Action action;
    ProbeResult result;
    std::string text;
  };
  const Row rows[] = {
      {"good", opened(dll()), Action::take, found, ""},
      {"other machine", opened(dll(EM_AARCH64)), Action::next, wrong_machine, "aarch64 (pe32+)"},
      {"other machine and class", opened(dll(EM_386, Format::pe32)), Action::next, wrong_machine, "i386 (pe32)"},
      {"other class", opened(dll(x64, Format::pe32)), Action::next, wrong_class, "x86_64 (pe32)"},
      {"empty", opened(empty), Action::stop, not_pe, "the file is empty"},
      {"text", opened(text), Action::stop, not_pe, ""},
      {"ELF", opened(good_image()), Action::stop, not_pe, "an ELF file"},
      {"unreadable", failed(13), Action::stop, unreadable, "as the system says"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto judgement = windows.loader.judge(row.file, windows.request("a.dll"));
    CHECK(judgement.action == row.action);
    CHECK(judgement.result == row.result);
    CHECK(judgement.text == row.text);
  }
  CHECK(windows.loader.admit(opened(dll()), windows.request("a.dll"), Resolution{}).action == Action::take);
}

TEST_CASE("which DLLs are there by their names alone") {
  const auto known = [](const WindowsHost& host, const std::string& path) {
    WindowsFacts facts;
    facts.host = host;
    return WindowsLoader(facts).known_by_name(path);
  };
  WindowsHost host;
  host.application = "C:\\Python311";
  CHECK(known(host, "c:\\windows\\SYSTEM32\\Version.DLL"));
  CHECK(known(host, "C:\\Windows\\System32\\nvcuda.dll"));  // most machines with CUDA have it
  CHECK_FALSE(known(host, "C:\\Windows\\System32\\none.dll"));
  CHECK_FALSE(known(host, "C:\\Windows\\version.dll"));
  CHECK_FALSE(known(host, "C:\\App\\version.dll"));
  CHECK_FALSE(known(host, "C:\\Python311\\python311.dll"));  // no Python is there
  host.python_minor = 11;
  CHECK(known(host, "C:\\Python311\\python311.dll"));
  CHECK_FALSE(known(host, "C:\\Python311\\python310.dll"));
  host.python_has_files = true;
  CHECK_FALSE(known(host, "C:\\Python311\\python311.dll"));

  auto narrow = host;
  narrow.wide = false;
  CHECK(known(narrow, "C:\\Windows\\SysWOW64\\version.dll"));
  CHECK_FALSE(known(narrow, "C:\\Windows\\System32\\version.dll"));

  auto copy = host;
  copy.has_files = true;
  CHECK_FALSE(known(copy, "C:\\Windows\\System32\\version.dll"));

  auto described = std::make_shared<WindowsHostFile>();
  described->folders = {{"c:\\windows\\system32", {"mine.dll"}}, {"c:\\tools", {"tool.dll"}}};
  auto machine = host;
  machine.described = described;
  CHECK(known(machine, "C:\\Windows\\System32\\mine.dll"));
  CHECK_FALSE(known(machine, "C:\\Windows\\System32\\version.dll"));
  CHECK(known(machine, "C:\\Tools\\tool.dll"));
  CHECK_FALSE(known(machine, "C:\\Other\\tool.dll"));
}

TEST_CASE("what is said of a name that leads to no module") {
  Windows windows;
  const auto request = windows.request("a");
  Search search;
  CHECK(windows.loader.not_found(request, windows.resolution, search) ==
        "LoadLibrary of a fails with error 126: The specified module could not be found.");
  search.probes.push_back({"C:\\a.dll", SearchRule::path, std::nullopt, ProbeResult::wrong_machine, ""});
  const std::string bad = "LoadLibrary of a fails with error 193: %1 is not a valid Win32 application.";
  CHECK(windows.loader.not_found(request, windows.resolution, search) == bad);
  CHECK(windows.loader.refused(request, "C:\\a.dll", "an ELF file", windows.resolution) == bad);
}

TEST_CASE("an object is known by the name of its file, and a missing assembly is what is wrong with it") {
  Windows windows;
  CHECK(windows.loader.names(windows.request("a"), "C:\\x\\A.dll", true) == std::vector<std::string>{"A.dll"});
  CHECK(windows.loader.names(windows.request("b"), "C:\\x\\A.dll", false).empty());
  CHECK(windows.loader.origin("C:\\x\\A.dll") == "C:\\x");
  windows.facts.contexts[1].missing = "Microsoft.VC90.CRT 9.0.21022.8";
  CHECK(windows.loader.objection(0, windows.resolution) == "");
  CHECK(windows.loader.objection(1, windows.resolution) == "Microsoft.VC90.CRT 9.0.21022.8");
}

TEST_CASE("an assembly answers for its files before known DLLs, and by no other file of the name") {
  Windows windows;
  const auto a = add(windows.resolution, "C:\\App\\a.dll", dll());
  const auto b = add(windows.resolution, "C:\\App\\b.dll", dll());
  windows.resolution.objects[b].loader = a;
  windows.facts.contexts[a].files = {{"user32.dll", "C:\\App\\Mine\\user32.dll"}};
  windows.facts.contexts[0].files = {{"gdi32.dll", "C:\\App\\Mine\\gdi32.dll"}};
  for (const auto requester : {a, b}) {
    CAPTURE(requester);
    CHECK(windows.search("USER32.dll", requester) == "C:\\App\\Mine\\user32.dll · manifest\n");
    CHECK(windows.search("gdi32", requester) == "C:\\App\\Mine\\gdi32.dll · manifest\n");
  }
  CHECK(windows.search("user32.dll", 0) == "C:\\Windows\\System32\\user32.dll · known-dll\n");
  add(windows.resolution, "C:\\Windows\\System32\\user32.dll", dll());
  CHECK(windows.reuse("user32.dll", a) == "none");
  const auto own = add(windows.resolution, "C:\\App\\MINE\\user32.dll", dll());
  CHECK(windows.reuse("user32.dll", a) == std::to_string(own) + " by manifest");
  // A file with a manifest of its own does not inherit that of whoever loads it.
  windows.facts.contexts[b];
  CHECK(windows.reuse("user32.dll", b) == "3 by loaded-module");
}

TEST_CASE("load flags of a file count for what it imports, and for nothing else") {
  Windows windows;
  auto image = dll();
  image.pe->dependent_load_flags = 0x800;
  const auto id = add(windows.resolution, "C:\\App\\a.dll", image);
  CHECK(windows.search("b.dll", id) == "C:\\Windows\\System32\\b.dll · system\n");
  CHECK(windows.search("b.dll", 0).starts_with("C:\\App\\b.dll"));
  auto request = windows.request("b.dll", id);
  request.kind = EdgeKind::dlopen;
  CHECK(text_of(windows.loader.candidates(request, windows.resolution)).starts_with("C:\\App\\b.dll"));
}

TEST_CASE("a file of an assembly that is gone again answers no longer") {
  Windows windows;
  const auto a = add(windows.resolution, "C:\\App\\a.dll", dll());
  windows.facts.contexts[a].files = {{"user32.dll", "C:\\App\\Mine\\user32.dll"}};
  const auto first = add(windows.resolution, "C:\\App\\Mine\\user32.dll", dll());
  CHECK(windows.reuse("user32.dll", a) == std::to_string(first) + " by manifest");
  windows.resolution.objects[first].unmapped = true;
  CHECK(windows.reuse("user32.dll", a) == "none");
}

TEST_CASE("which file of an assembly is meant is asked of the nearest manifest upwards, and never of what came later") {
  Windows windows;
  const auto a = add(windows.resolution, "C:\\App\\a.dll", dll());
  const auto b = add(windows.resolution, "C:\\App\\b.dll", dll());
  const auto c = add(windows.resolution, "C:\\App\\c.dll", dll());
  windows.facts.contexts[b].files = {{"user32.dll", "C:\\App\\Mine\\user32.dll"}};
  const std::string mine = "C:\\App\\Mine\\user32.dll · manifest\n";
  const std::string known = "C:\\Windows\\System32\\user32.dll · known-dll\n";
  auto& objects = windows.resolution.objects;
  CHECK(windows.search("user32.dll", b) == mine);
  CHECK(windows.search("gdi32.dll", b) == "C:\\Windows\\System32\\gdi32.dll · known-dll\n");
  CHECK(windows.search("user32.dll", c) == known);  // nobody brought it in
  objects[c].loader = b;
  CHECK(windows.search("user32.dll", c) == mine);
  for (const auto loader : {a, b, c}) {
    CAPTURE(loader);
    objects[a].loader = loader;
    CHECK(windows.search("user32.dll", a) == known);
  }
}

TEST_CASE("load flags are those of a PE file that states some") {
  Windows windows;
  const auto folder = [&](Image image) {
    const auto id = add(windows.resolution, "C:\\App\\a.dll", std::move(image));
    return windows.search("b.dll", id);
  };
  auto image = dll();
  const auto usual = windows.search("b.dll", 0);
  CHECK(folder(image) == usual);
  CHECK(folder(good_image()) == usual);
  windows.resolution.objects.back().image = nullptr;
  CHECK(windows.search("b.dll", windows.resolution.objects.size() - 1) == usual);
  image.pe->dependent_load_flags = 0x100;
  const auto id = add(windows.resolution, "C:\\App\\c.dll", image);
  CHECK(text_of(windows.plan("b.dll", id, {{}, "C:\\S"})) == "C:\\S\\b.dll · dll-load-dir\n");
}

TEST_CASE("a described machine that does not say which DLLs are known has those of every Windows") {
  Windows windows;
  auto described = std::make_shared<WindowsHostFile>();
  windows.facts.host.described = described;
  CHECK(windows.search("kernel32.dll") == "C:\\Windows\\System32\\kernel32.dll · known-dll\n");
  CHECK(windows.search("version.dll").starts_with("C:\\App\\version.dll"));
}

TEST_CASE("by their names alone the DLLs are there of Windows, of drivers, and of packages unless it is fresh") {
  WindowsHost host;
  host.application = "C:\\Python311";
  host.python_minor = 11;
  const auto known = [&](const std::string& path) {
    WindowsFacts facts;
    facts.host = host;
    return WindowsLoader(facts).known_by_name(path);
  };
  const std::string system = "C:\\Windows\\System32\\";
  CHECK(known(system + "wowarmhw.dll"));  // it is known, and a fresh Windows for x64 has it nowhere
  CHECK(known(system + "vcruntime140.dll"));
  CHECK(known(system + "nvcuda.dll"));
  CHECK(known("c:\\PYTHON311\\Python3.DLL"));
  host.fresh = true;
  CHECK_FALSE(known(system + "vcruntime140.dll"));
  CHECK(known(system + "nvcuda.dll"));
  CHECK(known(system + "version.dll"));
  host.has_files = true;
  CHECK_FALSE(known(system + "nvcuda.dll"));
  CHECK_FALSE(known(system + "wowarmhw.dll"));
  CHECK(known("C:\\Python311\\python3.dll"));
  CHECK_FALSE(known("C:\\Python310\\python3.dll"));
  host.has_files = false;
  auto described = std::make_shared<WindowsHostFile>();
  described->folders = {{"c:\\tools", {"tool.dll"}}};
  host.described = described;
  CHECK_FALSE(known(system + "version.dll"));  // below its folder nothing is there but what is described
  CHECK(known("C:\\Tools\\tool.dll"));
  CHECK(known("C:\\Python311\\python3.dll"));
}

TEST_CASE("a name as it was asked for stands in messages, and every file is found by its own") {
  Windows windows;
  const Request request{"a.dll", EdgeKind::dlopen, 0, true, "A", {}};
  CHECK(windows.loader.not_found(request, windows.resolution, {}).starts_with("LoadLibrary of A fails"));
  CHECK(windows.loader.refused(request, "C:\\a.dll", "", windows.resolution).starts_with("LoadLibrary of A fails"));
  CHECK(windows.loader.subfolders().empty());
  CHECK(windows.loader.dlopen_searches_for_caller());
  const auto judgement = windows.loader.judge(failed(5), request);
  CHECK(judgement.system_error == 0);
  auto other = dll(EM_AARCH64);
  other.format = Format::pe32_plus;
  CHECK(windows.loader.judge(opened(other), request).system_error == 0);
}

TEST_CASE("an API set as which a DLL is loaded is not one of the loaded DLL's names") {
  Windows windows;
  add(windows.resolution, "C:\\App\\api-ms-win-crt-runtime-l1-1-0.dll", dll());
  CHECK(windows.reuse("api-ms-win-crt-runtime-l1-1-0.dll") == "none");
  add(windows.resolution, "C:\\App\\UCRTBASE.dll", dll());
  CHECK(windows.loader.reuse(windows.request("api-ms-win-crt-runtime-l1-1-0.dll"), windows.resolution, {})->object ==
        2);
}

TEST_CASE("where no folder is known, it is still told which rules do not count") {
  Windows windows;
  const auto plan = windows.plan("a.dll", 0, {WindowsLoadFlags::of(0x100), ""});
  CHECK(text_of(plan) == "");
  const std::string why = ": not used: this load searches only what its LOAD_LIBRARY_SEARCH flags name\n";
  CHECK(skipped_in(plan) == "cwd" + why + "path" + why);
}

}  // namespace
}  // namespace cudald
