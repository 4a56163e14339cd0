// What a pasted message proves: CUD117, CUD311.

#include <doctest/doctest.h>

#include <cudald/image.h>
#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "common/built_in.h"
#include "common/fatbin_file.h"
#include "common/pe_builder.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TestWorld with_message(const std::string& text) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so"});
  world.query.message = read_message(text, built_in());
  REQUIRE(world.query.message);
  return world;
}

TEST_CASE("a library that nothing asks for, and that the message names, is never passed over") {
  auto world = with_message("Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD117 warning libcudnn_ops_infer.so.8\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.headline ==
        "app loads, but the message proves that something opens libcudnn_ops_infer.so.8 and does not find it; no file "
        "here names it");
  const auto& fix = report.findings[0].fixes.front();
  CHECK(fix.command.find("pip install nvidia-cudnn-cu1") == 0);
  CHECK(fix.side_effect ==
        "it lands in site-packages/nvidia/cudnn/lib: if the message stays, that directory has to be named in "
        "LD_LIBRARY_PATH");
}

TEST_CASE("one that is found here was printed elsewhere") {
  const auto report = with_message("liba.so: cannot open shared object file").explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD117 warning liba.so\n");
  CHECK(in_full(report) ==
        R"(CUD117 | warning | liba.so
  the message proves that liba.so was not usable; here it is found at /lib/liba.so, so that the message comes from )"
        R"(another environment, or a library that it needs was missing
  - printed: liba.so: cannot open shared object file | proven
  - the dynamic loader, to the caller that requested the library | table
  = not found in any directory that was searched; after a dlopen, the caller decides what follows.
)");
  CHECK(report.findings[0].message.find("here it is found at /lib/liba.so") != std::string::npos);
}

TEST_CASE("a library that the message is about is looked for in the packages of the prefix") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string site = "/venv/lib/python3.11/site-packages/", folder = site + "nvidia/cuda_nvcc/nvvm/lib64";
  world.add("/bin/app", program({}));
  world.add(folder + "/libnvvm.so", {.soname = "libnvvm.so.4"});
  world.query.message = read_message("NvvmSupportError: libNVVM cannot be found.\nlibnvvm.so: cannot open", built_in());
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD117 warning libnvvm.so\n");
  CHECK(report.findings[0].message == "the message proves that libnvvm.so was not found; it is here, in " + folder +
                                          ", which is not searched for it");
  CHECK(report.findings[0].fixes[0].command == "export LD_LIBRARY_PATH=" + folder +
                                                   "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} CUDA_HOME=" + site +
                                                   "nvidia/cuda_nvcc");
  world.query.message = read_message("libnvvm.so: cannot open shared object file", built_in());
  const auto plain = world.explain({"/bin/app"});
  CHECK(plain.findings[0].fixes[0].command ==
        "export LD_LIBRARY_PATH=" + folder + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
}

/// The answer to a message about a torch of that version, with a GPU or a driver that is stated.
Finding torch_told(const std::string& message, const std::string& version, const std::string& gpu,
                   const std::string& driver) {
  TestWorld world;
  const std::string site = "/venv/lib/python3.11/site-packages/", info = site + "torch-" + version + ".dist-info/";
  world.add("/bin/app", program({.runpath = site + "torch/lib", .needed = {"libtorch.so"}}));
  world.add(site + "torch/lib/libtorch.so", {.soname = "libtorch.so"});
  world.files.add_file(info + "METADATA", "Name: torch\nVersion: " + version + "\n");
  world.files.add_file(info + "RECORD", "torch/lib/libtorch.so,,\n");
  if (!gpu.empty()) world.query.gpus = {*parse_gpu(gpu)};
  world.query.environment.driver = driver;
  world.query.message = read_message(message, built_in());
  return world.explain({"/bin/app"}).findings.at(0);
}

TEST_CASE("a message that a build does not fit names the one that does") {
  const std::string no_image = "CUDA error: no kernel image is available for execution on the device",
                    too_old = "The NVIDIA driver on your system is too old (found version 11040).";
  const auto pascal = torch_told(no_image, "2.8.0+cu128", "sm_61", "");
  CHECK(pascal.message == "torch 2.8.0+cu128 is built for CUDA 12.8, and has no code for sm_61");
  CHECK(commands(pascal) ==
        "pip install torch==2.8.0+cu126 --extra-index-url https://download.pytorch.org/whl/cu126\n");
  const auto blackwell = torch_told(
      "with CUDA capability sm_120 is not compatible with the current PyTorch installation", "2.6.0+cu124", "", "");
  CHECK(commands(blackwell) == "pip install --upgrade torch --index-url https://download.pytorch.org/whl/cu128\n");
  const auto by_number = torch_told(too_old, "2.1.0+cu121", "", "");
  CHECK(by_number.message ==
        "torch 2.1.0+cu121 is built for CUDA 12.1, and the driver is too old for it: it runs CUDA 11.4 at most");
  CHECK(commands(by_number) ==
        "pip install torch==2.1.0+cu118 --extra-index-url https://download.pytorch.org/whl/cu118\n");
  const auto newest = torch_told(too_old, "2.9.1+cu128", "", "470.86");
  CHECK(commands(newest) == "pip install 'torch==2.7.*' --index-url https://download.pytorch.org/whl/cu118\n");
  // Without a GPU that is named, nothing is known to fit, and the fix says in words how to learn its number.
  CHECK(commands(torch_told(no_image, "2.8.0+cu128", "", "")) == "\n");
}

TEST_CASE("of several notes that a message proves, the finding is the one about the library that it names") {
  TestWorld world;
  for (const std::string name : {"libone.so.1", "libpytorch.so.1"}) {
    world.add("/own/" + name, {.soname = name});
    world.add("/by/variable/" + name, {.soname = name});
  }
  world.add("/bin/app", program({.runpath = "/own", .needed = {"libone.so.1", "libpytorch.so.1"}}));
  world.set("LD_LIBRARY_PATH", "/by/variable");
  world.query.message = read_message("RuntimeError: cuDNN version incompatibility: PyTorch was compiled", built_in());
  const auto report = world.explain({"/bin/app"});
  CHECK(report.findings.at(0).message.starts_with("libpytorch.so.1 comes from LD_LIBRARY_PATH"));
  CHECK(commands(report.findings[0]) == "unset LD_LIBRARY_PATH\n");
}

TEST_CASE("who holds the text of the message is told, with its place") {
  auto world = with_message("RuntimeError: Library libcublas.so.12 is not found or cannot be loaded");
  world.files.add_file("/lib/liba.so",
                       with_sections(elf({.soname = "liba.so"}),
                                     {{".rodata", std::string("\0%s is not found or cannot be loaded\0", 37)}}));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  const auto text = all_words(report.findings[0]);
  CHECK(text.find("its text \" is not found or cannot be loaded\" is at offset 0x") != std::string::npos);
  CHECK(text.find("of liba.so") != std::string::npos);
}

TEST_CASE("what the files show needs no message") {
  auto world = with_message("libb.so: cannot open shared object file");
  world.add("/lib/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error liba.so: libb.so\n");
}

TEST_CASE("a message about the driver takes the GPU away, one that means nothing does not") {
  auto world = with_message("Failed to initialize NVML: Driver/library version mismatch");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD311 warning \n");
  CHECK(in_full(report) ==
        R"(CUD311 | warning
  the message proves what the files cannot show: the driver was updated while its old kernel module is still loaded: )"
        R"(files and kernel are of two releases, and CUDA cannot start until they agree
  - printed: Failed to initialize NVML: Driver/library version mismatch | proven
  - NVML (libnvidia-ml.so.1), for nvidia-smi and other callers | table
  = the driver was updated while its old kernel module is still loaded: files and kernel are of two releases, and )"
        R"(CUDA cannot start until they agree.
  > restart the machine; or, with nothing using the GPU, load the new module | sudo rmmod nvidia_uvm nvidia_drm )"
        R"(nvidia_modeset nvidia && sudo modprobe nvidia
)");
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(report.findings[0].fixes.front().command.find("modprobe nvidia") != std::string::npos);
  world.query.require_gpu = true;
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::fails);
  CHECK(findings(with_message("TF-TRT Warning: Could not find TensorRT").explain({"/bin/app"})) == "");
}

TEST_CASE("a DLL that a program for Windows opens is told with the package that has it, and the folder for PATH") {
  TestWorld world;
  world.query.constants = ConstantScope::files;
  PeSpec app;
  app.characteristics = 0x22;
  app.imports = {{"KERNEL32.dll", {{"LoadLibraryA", 0}}}};
  app.constants = std::string("\0cublas64_12.dll\0", 17);
  world.files.add_file("/app/app.exe", pe(app));
  world.query.message =
      read_message("RuntimeError: Library cublas64_12.dll is not found or cannot be loaded", built_in());
  const auto report = world.explain({"/app/app.exe"});
  REQUIRE(report.findings.front().code == "CUD311");
  const auto& command = report.findings.front().fixes.front().command;
  CHECK(command.starts_with("pip install nvidia-cublas-cu12\nfor /f "));
  CHECK(command.ends_with("\nset \"PATH=%site%\\nvidia\\cublas\\bin;%PATH%\""));
}

TEST_CASE("the name for linking is given to the library that is there") {
  auto world = with_message(
      "Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object "
      "file");
  world.query.constants = ConstantScope::files;
  world.query.symbols = SymbolCheck::none;
  ElfSpec caller{.soname = "liba.so"};
  caller.uses.push_back({"dlopen", ElfUse::call});
  world.files.add_file("/lib/liba.so", with_sections(elf(caller), {{".rodata", std::string("\0libnvrtc.so\0", 13)}}));
  const auto without = world.explain({"/bin/app"});
  REQUIRE(findings(without) == "CUD117 warning liba.so: libnvrtc.so\n");
  CHECK(in_full(without) ==
        R"(CUD117 | warning | /lib/liba.so | libnvrtc.so
  libnvrtc.so is missing, as the message says: no directory that is searched for it has it
  - printed: Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file | )"
        R"(proven
  - cuDNN 8, about a part that it opens when it is needed | table
  = the file that cannot be opened is the one that is missing: the part of cuDNN itself, or a library that the part )"
        R"(needs.
)");
  CHECK(without.findings[0].fixes.empty());
  world.add("/lib/libnvrtc.so.12", {.soname = "libnvrtc.so.12"});
  const auto beside = world.explain({"/bin/app"});
  REQUIRE(beside.findings[0].fixes.size() == 1);
  CHECK(beside.findings[0].fixes[0].command == "sudo ln -s libnvrtc.so.12 /lib/libnvrtc.so");
  CHECK(beside.findings[0].fixes[0].title == "give the installed library its link name, under which it is needed");
  CHECK(beside.findings[0].evidence.back().text == "/lib has libnvrtc.so.12");
  CHECK(beside.findings[0].evidence.back().path == "/lib/libnvrtc.so.12");
  CHECK(beside.findings[0].evidence.back().basis == Basis::proven);
}

TEST_CASE("a library that lies beside who opens it, under a wheel's name for it, is given its own") {
  auto world = with_message("Could not load library liba.so. Error: libnx.so: cannot open shared object file");
  world.add("/opt/libnx-builtins.so.11.2", {});
  world.add("/opt/libnx-672ee683.so.11.2", {});
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so"}}));
  const auto fix_where = [&](const std::string& runpath) {
    world.add("/opt/liba.so", {.soname = "liba.so", .runpath = runpath});
    return commands(world.explain({"/bin/app"}).findings.at(0));
  };
  const std::string link = "ln -s libnx-672ee683.so.11.2 /opt/libnx.so\n";
  CHECK(fix_where("/x:$ORIGIN") == link);
  CHECK(fix_where("/x").starts_with(link + "export LD_LIBRARY_PATH=/opt"));
}

TEST_CASE("a part that comes with a package of its own is named with that of the system") {
  auto world = with_message(
      "java.lang.UnsatisfiedLinkError: Can't load library: /usr/lib/jvm/java-17-openjdk-amd64/lib/libawt_xawt.so");
  const std::string folder = "/usr/lib/jvm/java-17-openjdk-amd64/lib/";
  const auto told = [&] { return commands(world.explain({"/bin/app"}).findings.at(0)); };
  CHECK(told().find("openjdk") == std::string::npos);  // that Java is not here
  world.add(folder + "libawt.so", {});
  CHECK(told() == "\n");
  world.files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  CHECK(told() == "sudo apt install openjdk-17-jre\n");
  world.files.add_file("/etc/os-release", "ID=fedora\nVERSION_ID=38\n");
  CHECK(told() == "sudo dnf install java-17-openjdk\n");
}

TEST_CASE("a message that names a file is explained by what that file lacks") {
  auto world = with_message("Could not load library liba.so. Error code 126");
  world.add("/lib/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error liba.so: libb.so\n");
}

TEST_CASE("a message without a name is explained by whatever takes the GPU away, and by what does not load") {
  const std::string mismatch = "Failed to initialize NVML: Driver/library version mismatch";
  auto world = with_message(mismatch);
  world.add("/lib/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error liba.so: libb.so\n");
}

/// A report with one library and a message, both made by hand, and what the check makes of it.
struct MadeMessage {
  MadeMessage() {
    for (const std::string path : {"/bin/app", "/lib/liba.so"}) {
      Object object;
      object.path = object.load_name = path;
      object.image = std::make_shared<Image>();
      report.resolution.objects.push_back(object);
    }
    report.message.emplace();
    message().text = "the line";
    message().who = "who prints it";
    message().means = "what it means";
    message().source = "a table";
    message().fixed_text = "a text that is long enough";
  }

  MessageReading& message() { return *report.message; }

  Finding& add(std::string_view code, Level level, const std::string& subject, std::optional<ObjectId> object = {}) {
    Finding finding = make_finding(code);
    finding.level = level;
    finding.subject = subject;
    finding.object = object;
    report.findings.push_back(finding);
    return report.findings.back();
  }

  /// Whether the files explain the message, so that it is no finding of its own.
  bool explained() {
    const auto before = report.findings.size();
    told();
    const bool is = report.findings.size() == before;
    report.findings.resize(before);
    return is;
  }

  std::string told() {
    ThreadLimit threads(1);
    Store store(files, threads, built_in_knowledge());
    check_message({report, store});
    return report.findings.empty() ? "" : in_full(report, report.findings.back().code);
  }

  Report report;
  MemoryFileSystem files;
};

TEST_CASE("a finding explains a message by the library that both are about, if it is more than a note") {
  MadeMessage made;
  made.message().library = "libx.so.1";
  CHECK_FALSE(made.explained());
  struct Row {
    std::string_view code;
    Level level;
    std::string subject;
    bool explains;
  };
  for (const auto& row :
       {Row{"CUD101", Level::error, "libx.so.1", true}, Row{"CUD101", Level::warning, "LibX.so.1", true},
        Row{"CUD101", Level::note, "libx.so.1", false}, Row{"CUD101", Level::error, "liby.so.1", false},
        Row{"CUD107", Level::warning, "libx.so.1", true}}) {
    CAPTURE(row.subject);
    made.report.findings.clear();
    made.add(row.code, row.level, row.subject);
    CHECK(made.explained() == row.explains);
  }
  made.report.findings.clear();
  made.add("CUD301", Level::warning, "550").message = "what is told of libx.so.1 in it";
  CHECK(made.explained());
}

TEST_CASE("what a library of the message lacks explains it, and what else is told of that library does not") {
  MadeMessage made;
  made.message().library = "LIBA.so";
  for (const std::string_view code : {"CUD101", "CUD102", "CUD103", "CUD106", "CUD111", "CUD501"}) {
    CAPTURE(code);
    made.report.findings.clear();
    made.add(code, Level::error, "libmissing.so", 1);
    CHECK(made.explained());
    made.report.findings.back().object = 0;
    CHECK_FALSE(made.explained());
    made.report.findings.back().object.reset();
    CHECK_FALSE(made.explained());
  }
  made.report.findings.clear();
  made.add("CUD112", Level::error, "libmissing.so", 1);
  CHECK_FALSE(made.explained());
}

TEST_CASE("a message that names a symbol is explained by that, and one that names nothing by what has its effect") {
  MadeMessage made;
  made.message().symbol = "f";
  made.add("CUD201", Level::error, "f", 1);
  CHECK(made.explained());
  made.report.findings[0].subject = "g";
  CHECK_FALSE(made.explained());

  struct Row {
    MessageEffect effect;
    std::string_view code;
    bool explains;
  };
  made.message().symbol.clear();
  for (const auto& row : {Row{MessageEffect::cpu_only, "CUD301", true}, Row{MessageEffect::cpu_only, "CUD101", true},
                          Row{MessageEffect::cpu_only, "CUD201", false}, Row{MessageEffect::risk, "CUD301", false},
                          Row{MessageEffect::risk, "CUD101", true}, Row{MessageEffect::risk, "CUD201", true}}) {
    CAPTURE(row.code);
    made.message().effect = row.effect;
    made.report.findings.clear();
    made.add(row.code, Level::warning, "x");
    CHECK(made.explained() == row.explains);
  }
  // Those that the table lists explain it whatever they are about.
  made.message().findings = {"CUD506"};
  made.message().library = "libx.so.1";
  made.report.findings.clear();
  made.add("CUD506", Level::warning, "x");
  CHECK(made.explained());
}

TEST_CASE(
    "a message that means nothing is not told, and one that takes the GPU away is an error where that is required") {
  MadeMessage made;
  made.message().effect = MessageEffect::nothing;
  CHECK(made.told() == "");
  const auto level_of = [](MessageEffect effect, bool required) {
    MadeMessage one;
    one.message().effect = effect;
    one.report.query.require_gpu = required;
    one.told();
    return std::string(one.report.findings.at(0).code) + " " + std::string(to_string(one.report.findings.at(0).level));
  };
  CHECK(level_of(MessageEffect::cpu_only, false) == "CUD311 warning");
  CHECK(level_of(MessageEffect::cpu_only, true) == "CUD311 error");
  CHECK(level_of(MessageEffect::risk, false) == "CUD117 warning");
  CHECK(level_of(MessageEffect::risk, true) == "CUD117 warning");
}

TEST_CASE("a note about the same becomes part of what is told, with its fixes") {
  MadeMessage made;
  made.message().findings = {"CUD401"};
  made.message().fix = "do this";
  made.message().command = "and type that";
  made.add("CUD401", Level::note, "one", 0).message = "what the first note says";
  made.report.findings[0].evidence = {{"its evidence", "/lib/liba.so", Basis::proven, ""}};
  made.report.findings[0].fixes = {{"its fix", "", ""}};
  made.report.findings[0].does_not_help = {"in vain"};
  made.add("CUD401", Level::note, "two", 1).message = "what the second one says";
  CHECK(made.told() == R"(CUD117 | warning | /bin/app | one
  what the first note says
  - printed: the line | proven
  - who prints it | table
  - its evidence | /lib/liba.so | proven
  = what it means.
  > its fix
  > do this | and type that
  ! in vain
)");
  CHECK(findings(made.report) == "CUD401 note liba.so: two\nCUD117 warning app: one\n");
}

Edge edge_to(const std::string& name, EdgeStatus status, std::optional<ObjectId> object = {}) {
  Edge edge;
  edge.name = name;
  edge.hard = false;
  edge.status = status;
  edge.object = object;
  return edge;
}

TEST_CASE("where a library is found is told, by name or by path, loaded or only to be opened") {
  const auto told = [](Edge edge, const std::string& library, bool may_open = false) {
    MadeMessage made;
    made.message().library = library;
    auto& edges = may_open ? made.report.resolution.objects[0].may_open : made.report.resolution.objects[0].edges;
    edges.push_back(std::move(edge));
    made.told();
    return made.report.findings.at(0).message;
  };
  const auto found = [](const std::string& library, const std::string& path) {
    return "the message proves that " + library + " was not usable; here it is found at " + path +
           ", so that the message comes from another environment, or a library that it needs was missing";
  };
  CHECK(told(edge_to("liba.so", EdgeStatus::loaded, 1), "liba.so") == found("liba.so", "/lib/liba.so"));
  CHECK(told(edge_to("/opt/liba.so", EdgeStatus::loaded, 1), "liba.so") == found("liba.so", "/lib/liba.so"));
  auto later = edge_to("libb.so", EdgeStatus::not_loaded);
  const std::string missing = "libb.so is missing, as the message says: no directory that is searched for it has it";
  CHECK(told(later, "libb.so") == missing);
  later.search.probes = {{"/one/libb.so", SearchRule::path, {}, ProbeResult::absent, ""},
                         {"/two/libb.so", SearchRule::path, {}, ProbeResult::found, ""}};
  CHECK(told(later, "libb.so", true) == found("libb.so", "/two/libb.so"));
  later.status = EdgeStatus::missing;
  CHECK(told(later, "libb.so", true) == missing);
  CHECK(told(edge_to("/opt/libb.so", EdgeStatus::missing), "libb.so") == missing);
  CHECK(told(edge_to("LIBB.so", EdgeStatus::missing), "libb.so") == missing);
  CHECK(told(edge_to("libc.so", EdgeStatus::missing), "libb.so") ==
        "the message proves that something opens libb.so and does not find it; no file here names it");
}

/// A file with that text among its constants, as an object of the process.
Object& add_speaking(MadeMessage& made, const std::string& path, Image image = {}) {
  const auto bytes = with_sections(elf({}), {{".rodata", "\x01" + made.message().fixed_text}});
  image.format = Format::elf64;
  if (image.file_size == 0) image.file_size = bytes.size();
  made.files.add_file(path, bytes);
  Object object;
  object.path = object.load_name = path;
  object.image = std::make_shared<Image>(image);
  made.report.resolution.objects.push_back(object);
  return made.report.resolution.objects.back();
}

TEST_CASE("what prints the message is told of files that were read, and of no name that is only promised") {
  MadeMessage made;
  add_speaking(made, "/lib/libsays.so");
  const auto told = made.told();
  const auto begin = told.find("  - its text");
  REQUIRE(begin != std::string::npos);
  CHECK(told.substr(begin, told.find('\n', begin) - begin) ==
        "  - its text \"a text that is long enough\" is at offset 0xe9 of libsays.so | /lib/libsays.so | proven");
  for (const auto source :
       {ImageSource::promise, ImageSource::requirement, ImageSource::driver, ImageSource::description}) {
    MadeMessage other;
    add_speaking(other, "/lib/libsays.so", {.source = source});
    CHECK(other.told().find("its text") == std::string::npos);
  }
  MadeMessage nothing_known;
  add_speaking(nothing_known, "/lib/libsays.so").image.reset();
  CHECK(nothing_known.told().find("its text") == std::string::npos);
  // A file that cannot be opened, as the two others of this process, hides nothing behind it.
  nothing_known.report.findings.clear();
  add_speaking(nothing_known, "/lib/libalso.so");
  CHECK(nothing_known.told().find("of libalso.so") != std::string::npos);
}

TEST_CASE("what prints the message is looked for in 512 MiB of files, of each in 64 at most") {
  const auto is_found_behind = [](std::size_t files) {
    MadeMessage made;
    Image large;
    large.file_size = std::uint64_t{1} << 30;
    const auto text = made.message().fixed_text;
    made.message().fixed_text = "something else";
    for (std::size_t i = 0; i < files; ++i) add_speaking(made, "/lib/lib" + std::to_string(i) + ".so", large);
    made.message().fixed_text = text;
    add_speaking(made, "/lib/libsays.so");
    return made.told().find("of libsays.so") != std::string::npos;
  };
  CHECK(is_found_behind(8));
  CHECK_FALSE(is_found_behind(9));
}

TEST_CASE("a library that nothing here names is told with the packages that carry it, and a DLL without") {
  MadeMessage made;
  made.message().library = "libcudart.so.12";
  CHECK(made.told() ==
        R"(CUD117 | warning | libcudart.so.12
  the message proves that something opens libcudart.so.12 and does not find it; no file here names it
  - printed: the line | proven
  - who prints it | table
  - nvidia-cuda-runtime-cu12 12.9.79 provides libcudart.so.12 | table
  = what it means.
  > nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12 | it lands in )"
        R"(site-packages/nvidia/cuda_runtime/lib: if the message stays, that directory has to be named in )"
        R"(LD_LIBRARY_PATH
)");
  made.report.findings.clear();
  made.report.resolution.windows = true;
  made.message().library = "cudnn64_9.dll";
  CHECK(made.told() == R"(CUD117 | warning | cudnn64_9.dll
  the message proves that something opens cudnn64_9.dll and does not find it; no file here names it
  - printed: the line | proven
  - who prints it | table
  = what it means.
)");
}

TEST_CASE("the driver's library comes from the driver, whoever asks for it") {
  MadeMessage made;
  made.message().library = "libcuda.so.1";
  CHECK(made.told() == R"(CUD117 | warning | libcuda.so.1
  the message proves that libcuda.so.1, which belongs to the NVIDIA driver, was not found
  - printed: the line | proven
  - who prints it | table
  = what it means.
  > in a container the driver is the host's | docker run --gpus all IMAGE | needs the NVIDIA Container Toolkit )"
                       R"(on the host
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install nvidia-driver | needs the non-free )"
                       R"(component and a machine with an NVIDIA GPU
)");
}

TEST_CASE("the answer names who needs the library, and knows the driver's by its name for linking too") {
  const auto told = [](const std::string& missing) {
    const auto report = with_message("Could not load dynamic library 'libq.so.8'; dlerror: " + missing +
                                     ": cannot open shared object file: No such file or directory")
                            .explain({"/bin/app"});
    const auto& finding = report.findings[0];
    return finding.message + (finding.fixes.empty() ? "" : " | " + finding.fixes[0].command);
  };
  CHECK(told("libcuda.so") ==
        "the message proves that libq.so.8 needs libcuda.so, which belongs to the NVIDIA driver and was not found | "
        "docker run --gpus all IMAGE");
  CHECK(told("libz9.so.1") == "the message proves that libq.so.8 needs libz9.so.1, which was not found");
}

TEST_CASE("a link gives the name for linking to a release that is there, and to nothing else") {
  const auto command = [](const std::vector<std::string>& there) {
    MadeMessage made;
    made.message().library = "libnvrtc.so";
    auto edge = edge_to("libnvrtc.so", EdgeStatus::missing);
    for (const std::string folder : {"/none/", "/lib/"})
      edge.search.probes.push_back({folder + "libnvrtc.so", SearchRule::default_folder, {}, ProbeResult::absent, ""});
    made.report.resolution.objects[1].edges.push_back(edge);
    for (const auto& name : there) made.files.add_file("/lib/" + name, "");
    made.told();
    CHECK(made.report.findings.at(0).object == 1);
    const auto& fixes = made.report.findings.at(0).fixes;
    return fixes.empty() ? "" : fixes.at(0).command;
  };
  CHECK(command({"libnvrtc.so.", "libnvrtc.so.12.bak", "libnvrtc.so12", "libnvrtd.so.1", "libnvrtc.s"}) == "");
  CHECK(command({"libnvrtc.so.12.4", "libnvrtc.so.bak"}) == "sudo ln -s libnvrtc.so.12.4 /lib/libnvrtc.so");
  CHECK(command({"libnvrtc.so.1"}) == "sudo ln -s libnvrtc.so.1 /lib/libnvrtc.so");
}

TEST_CASE(
    "what asks for a library is given what carries it, and what prints the message is looked for in files alone") {
  MadeMessage made;
  made.message().library = "libcudart.so.12";
  made.report.resolution.objects[1].edges.push_back(edge_to("libcudart.so.12", EdgeStatus::missing));
  CHECK(made.told() == R"(CUD117 | warning | /lib/liba.so | libcudart.so.12
  libcudart.so.12 is missing, as the message says: no directory that is searched for it has it
  - printed: the line | proven
  - who prints it | table
  - nvidia-cuda-runtime-cu12 12.9.79 provides libcudart.so.12 | table
  = what it means.
  > nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cuda_runtime/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | it lands in )"
                       R"(site-packages/nvidia/cuda_runtime/lib, which is not on the search path
)");
  for (const std::size_t length : {11U, 12U}) {
    auto world = with_message("Failed to initialize NVML: Driver/library version mismatch");
    world.query.message->fixed_text = std::string("0123456789ab").substr(0, length);
    world.files.add_file(
        "/lib/liba.so", with_sections(elf({.soname = "liba.so"}), {{".rodata", std::string("\0x0123456789ab\0", 15)}}));
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    CHECK(says(report.findings[0], "of liba.so") == (length == 12));
  }
}

TEST_CASE("a message that names a symbol proves that its absence ended the load") {
  const auto told = [](const std::string& symbol) {
    TestWorld world;
    ElfSpec plugin;
    plugin.uses = {{"host_f"}, {"host_g"}};
    world.add("/opt/p/plugin.so", plugin);
    world.query.message = read_message("/opt/p/plugin.so: undefined symbol: " + symbol, built_in());
    return world.explain({"/opt/p/plugin.so"});
  };
  const auto proven = told("host_g");
  CHECK(proven.verdict == Verdict::fails);
  CHECK(proven.findings.at(0).message ==
        "plugin.so expects 2 symbols from the program that loads it; the message proves that it has no host_g");
  CHECK(told("other_f").verdict == Verdict::risk);
}

TEST_CASE("a symbol that a library of the process has was missing in a process that was started before") {
  const auto told = [](const std::string& symbol, const std::string& used) {
    TestWorld world;
    world.add("/opt/p/plugin.so", {.needed = {"libpart.so"}, .uses = {{used}}});
    world.add("/lib/libpart.so", {.soname = "libpart.so", .defines = {{"part_longname"}}});
    world.query.message = read_message("/opt/p/plugin.so: undefined symbol: " + symbol, built_in());
    return world.explain({"/opt/p/plugin.so"});
  };
  for (const std::string symbol : {"part_longname", "part_long+"}) {
    const auto report = told(symbol, "part_longname");
    CHECK(report.verdict == Verdict::risk);
    CHECK(says(report.findings.at(0), "/lib/libpart.so has that symbol, and plugin.so finds it"));
    CHECK(says(report.findings[0], "start the program that opens plugin.so again"));
  }
  CHECK_FALSE(says(told("other_name", "part_longname").findings.at(0), "has that symbol"));
}

}  // namespace
}  // namespace cudald
