#include <doctest/doctest.h>

#include "base/path.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

/// A world whose libraries lie in /lib and whose program is /bin/app.
class Process {
 public:
  Process& add_program(ElfSpec spec) {
    world.add("/bin/app", program(std::move(spec)));
    return *this;
  }
  Process& add_library(const std::string& name, ElfSpec spec) {
    spec.soname = name;
    world.add("/lib/" + name, spec);
    return *this;
  }
  Process& dlopen(DlopenRequest call) {
    world.query.dlopens.push_back(std::move(call));
    return *this;
  }
  Report explain() {
    world.query.keep_bindings = true;
    return world.explain({"/bin/app"});
  }
  /// Each reference and the file that answers it: "app f -> liba.so".
  std::string bindings() {
    const auto report = explain();
    const auto name = [&](ObjectId id) { return std::string(file_name(report.resolution.objects[id].path)); };
    std::string text;
    for (const auto& binding : report.symbols->bindings)
      text += name(binding.object) + " " + binding.name + (binding.version.empty() ? "" : "@" + binding.version) +
              " -> " + name(binding.definer) + "\n";
    return text;
  }
  /// The messages of what finds no definition; in brackets those of a first call.
  std::string missing() {
    const auto report = explain();
    std::string text;
    for (const auto& missing : report.symbols->missing)
      text += missing.lazy ? "(" + missing.message + ")\n" : missing.message + "\n";
    return text;
  }

  TestWorld world;
};

TEST_CASE("the first definition in load order answers, whoever asks") {
  Process process;
  process.add_program({.needed = {"liba.so", "libb.so"}, .defines = {{"f"}}, .uses = {{"g", ElfUse::call}, {"h"}}});
  process.add_library("liba.so", {.needed = {"libc.so"}, .defines = {{"g"}}, .uses = {{"f"}, {"g"}, {"h"}}});
  process.add_library("libb.so", {.defines = {{"f"}, {"g"}, {"h"}}, .uses = {{"f", ElfUse::call}}});
  process.add_library("libc.so", {.defines = {{"h"}}});
  CHECK(process.bindings() ==
        "libb.so f -> app\n"
        "liba.so f -> app\n"
        "liba.so g -> liba.so\n"
        "liba.so h -> libb.so\n"
        "app h -> libb.so\n"
        "app g -> liba.so\n");
  CHECK(process.missing() == "");
}

TEST_CASE("a preload stands before the libraries, not before the program") {
  Process process;
  process.add_program({.needed = {"liba.so"}, .defines = {{"f"}}, .uses = {{"g"}}});
  process.add_library("liba.so", {.defines = {{"f"}, {"g"}}, .uses = {{"f"}, {"g"}}});
  process.add_library("libp.so", {.defines = {{"f"}, {"g"}}});
  process.world.set("LD_PRELOAD", "libp.so");
  CHECK(process.bindings() == "liba.so f -> app\nliba.so g -> libp.so\napp g -> libp.so\n");
}

TEST_CASE("a symbolic library and a protected symbol are bound to the library itself") {
  for (const bool symbolic : {true, false}) {
    CAPTURE(symbolic);
    Process process;
    process.add_program({.needed = {"liba.so"}, .defines = {{"f"}, {"g"}}});
    process.add_library("liba.so", {.flags = symbolic ? std::uint64_t{DF_SYMBOLIC} : 0,
                                    .defines = {{"f"}, {.name = "g", .visibility = STV_PROTECTED}},
                                    .uses = {{"f"}, {"g"}}});
    CHECK(process.bindings() ==
          std::string("liba.so f -> ") + (symbolic ? "liba.so" : "app") + "\nliba.so g -> liba.so\n");
  }
}

TEST_CASE("only real, visible definitions of a global kind count") {
  struct Row {
    std::string name;
    ElfDefinition definition;
    bool counts;
  };
  const Row rows[] = {
      {"a function", {"f"}, true},
      {"a variable", {.name = "f", .type = STT_OBJECT}, true},
      {"an indirect function", {.name = "f", .type = STT_GNU_IFUNC}, true},
      {"one without a type", {.name = "f", .type = STT_NOTYPE}, true},
      {"a common one", {.name = "f", .type = STT_COMMON}, true},
      {"one of another binding", {.name = "f", .binding = 5}, false},
      {"one of another type", {.name = "f", .type = 7}, false},
      {"a weak one", {.name = "f", .binding = STB_WEAK}, true},
      {"a unique one", {.name = "f", .binding = STB_GNU_UNIQUE}, true},
      {"a local one", {.name = "f", .binding = STB_LOCAL}, false},
      {"a section", {.name = "f", .type = STT_SECTION}, false},
      {"a file name", {.name = "f", .type = STT_FILE}, false},
      {"one at address 0", {.name = "f", .value = 0}, false},
      {"thread-local data at offset 0", {.name = "f", .type = STT_TLS, .value = 0}, true},
      {"a hidden one", {.name = "f", .visibility = STV_HIDDEN}, false},
      {"an internal one", {.name = "f", .visibility = STV_INTERNAL}, false},
      {"a protected one", {.name = "f", .visibility = STV_PROTECTED}, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Process process;
    process.add_program({.needed = {"liba.so", "libb.so"}, .uses = {{"f"}}});
    process.add_library("liba.so", {.defines = {row.definition}});
    process.add_library("libb.so", {.defines = {{"f"}}});
    CHECK(process.bindings() == std::string("app f -> ") + (row.counts ? "liba.so\n" : "libb.so\n"));
  }
}

TEST_CASE("weak and strong definitions are equal, unless LD_DYNAMIC_WEAK is set") {
  Process process;
  process.add_program({.needed = {"liba.so", "libb.so"}, .uses = {{"f"}, {"g"}}});
  process.add_library("liba.so", {.defines = {{.name = "f", .binding = STB_WEAK}, {.name = "g", .binding = STB_WEAK}}});
  process.add_library("libb.so", {.defines = {{"f"}}});
  CHECK(process.bindings() == "app f -> liba.so\napp g -> liba.so\n");
  process.world.set("LD_DYNAMIC_WEAK", "");
  CHECK(process.bindings() == "app f -> libb.so\napp g -> liba.so\n");
  process.world.query.environment.secure = true;
  CHECK(process.bindings() == "app f -> liba.so\napp g -> liba.so\n");
}

TEST_CASE("an undefined weak reference is no fault") {
  Process process;
  process.add_program({.uses = {{"f", ElfUse::data, "", STB_WEAK}, {"g", ElfUse::call, "", STB_WEAK}}});
  CHECK(process.missing() == "");
  CHECK(process.bindings() == "");
}

TEST_CASE("a reference and a definition meet by their versions") {
  struct Row {
    std::string name, wanted;  // the version in the reference; empty: none
    std::vector<std::string> versions;
    std::vector<ElfDefinition> defined;
    bool found;
  };
  const std::vector<std::string> two = {"V1", "V2"}, three = {"V1", "V2", "V3"};
  const Row rows[] = {
      {"the same version", "V1", two, {{"f", "V1"}}, true},
      {"the same version, not the default", "V1", two, {{"f", "V1", true}, {"f", "V2"}}, true},
      {"another version only", "V3", three, {{"f", "V1"}}, false},
      {"no version in the definition", "V1", two, {{"f"}}, true},
      {"no version, and hidden", "V1", two, {{.name = "f", .hidden = true}}, false},
      {"none wanted, a default there", "", two, {{"f", "V2"}}, true},
      {"none wanted, two versions there", "", three, {{"f", "V1", true}, {"f", "V2", true}, {"f", "V3"}}, true},
      {"none wanted, the first version hidden", "", two, {{"f", "V1", true}}, true},
      {"none wanted, a later version hidden", "", two, {{"f", "V2", true}}, false},
      {"none wanted, two defaults", "", three, {{"f", "V2"}, {"f", "V3"}}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Process process;
    ElfSpec app{.needed = {"liba.so"}, .uses = {{"f", ElfUse::data, row.wanted}}};
    if (!row.wanted.empty()) app.needs_versions = {{"liba.so", {{.name = row.wanted, .weak = true}}}};
    process.add_program(app);
    process.add_library("liba.so", {.defines_versions = row.versions, .defines = row.defined});
    const auto at = row.wanted.empty() ? "" : "@" + row.wanted;
    const auto version = row.wanted.empty() ? "" : ", version " + row.wanted;
    CHECK(process.bindings() == (row.found ? "app f" + at + " -> liba.so\n" : ""));
    CHECK(process.missing() ==
          (row.found ? "" : "symbol lookup error: /bin/app: undefined symbol: f" + version + "\n"));
  }
}

TEST_CASE("an earlier library without versions answers a reference with one") {
  Process process;
  process.add_program({.needed = {"libother.so", "liba.so"},
                       .needs_versions = {{"liba.so", {{"V1"}}}},
                       .uses = {{"f", ElfUse::data, "V1"}}});
  process.add_library("libother.so", {.defines = {{"f"}}});
  process.add_library("liba.so", {.defines_versions = {"V1"}, .defines = {{"f", "V1"}}});
  CHECK(process.bindings() == "app f@V1 -> libother.so\n");
}

TEST_CASE("a version required from a library without versions makes the loader abort, up to glibc 2.40") {
  Process process;
  process.add_program(
      {.needed = {"liba.so"}, .needs_versions = {{"liba.so", {{"V1"}}}}, .uses = {{"f", ElfUse::data, "V1"}}});
  process.add_library("liba.so", {.defines = {{"f"}}});
  const auto report = process.explain();
  REQUIRE(report.symbols->aborting.size() == 1);
  CHECK(report.symbols->aborting[0].name == "f");
  CHECK(report.symbols->aborting[0].message.find("Assertion") != std::string::npos);
  CHECK(outcome(report) == report.symbols->aborting[0].message + "\n");
  process.world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.40"));
  CHECK(process.explain().symbols->aborting.size() == 1);
  process.world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.41"));
  CHECK(process.explain().symbols->aborting.empty());
  CHECK(process.bindings() == "app f@V1 -> liba.so\n");
}

TEST_CASE("up to glibc 2.29 a look-up ended at the library that the version names") {
  Process process;
  process.add_program({.needed = {"liba.so", "libb.so"},
                       .needs_versions = {{"liba.so", {{"V1"}}}},
                       .uses = {{"f", ElfUse::data, "V1"}}});
  process.add_library("liba.so", {.defines_versions = {"V1"}, .defines = {{"g", "V1"}}});
  process.add_library("libb.so", {.defines_versions = {"V1"}, .defines = {{"f", "V1"}}});
  CHECK(process.bindings() == "app f@V1 -> libb.so\n");
  process.world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.29"));
  CHECK(process.bindings() == "");
  CHECK(process.missing() ==
        "relocation error: /bin/app: symbol f version V1 not defined in file liba.so with link time reference\n");
  process.world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.30"));
  CHECK(process.missing() == "");
}

TEST_CASE("a unique symbol is one in the whole process") {
  Process process;
  process.add_program({.needed = {"liba.so"}, .uses = {{"main_uses"}}});
  process.add_library("liba.so",
                      {.defines = {{.name = "u", .binding = STB_GNU_UNIQUE}, {"main_uses"}}, .uses = {{"u"}}});
  process.add_library("plugin1.so", {.defines = {{.name = "v", .binding = STB_GNU_UNIQUE}}, .uses = {{"u"}, {"v"}}});
  process.add_library("plugin2.so", {.defines = {{.name = "v", .binding = STB_GNU_UNIQUE}}, .uses = {{"v"}}});
  process.dlopen({.name = "plugin1.so"}).dlopen({.name = "plugin2.so"});
  CHECK(process.bindings() ==
        "liba.so u -> liba.so\n"
        "app main_uses -> liba.so\n"
        "plugin1.so u -> liba.so\n"
        "plugin1.so v -> plugin1.so\n"
        "plugin2.so v -> plugin1.so\n");  // although its own is nearer
}

TEST_CASE("a copied variable is looked for behind the program, and the library then uses the copy") {
  Process process;
  process.add_program(
      {.needed = {"liba.so"}, .defines = {{.name = "v", .type = STT_OBJECT}}, .uses = {{"v", ElfUse::copy}}});
  process.add_library("liba.so", {.defines = {{.name = "v", .type = STT_OBJECT}}, .uses = {{"v"}}});
  CHECK(process.bindings() == "liba.so v -> app\napp v -> liba.so\n");
  process.add_library("liba.so", {});
  CHECK(process.missing() == "symbol lookup error: /bin/app: undefined symbol: v\n");
}

TEST_CASE("a program's own entry for a function serves as its address, not for calls") {
  Process process;
  process.add_program({.needed = {"liba.so", "libf.so"}, .uses = {{"f", ElfUse::call, "", STB_GLOBAL, 0x100}}});
  process.add_library("liba.so", {.uses = {{"f", ElfUse::data}}});
  process.add_library("libf.so", {.defines = {{"f"}}, .uses = {{"f", ElfUse::call}}});
  CHECK(process.bindings() == "libf.so f -> libf.so\nliba.so f -> app\napp f -> libf.so\n");
}

TEST_CASE("a call is bound lazily unless something says now") {
  struct Row {
    std::string name;
    std::optional<std::string> bind_now;
    std::uint64_t library_flags, program_flags;
    bool lazy;
  };
  const Row rows[] = {
      {"nothing", std::nullopt, 0, 0, true},
      {"the variable", "1", 0, 0, false},
      {"the variable is empty", "", 0, 0, true},
      {"the library's flag", std::nullopt, DF_BIND_NOW, 0, false},
      {"the program's flag", std::nullopt, 0, DF_BIND_NOW, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Process process;
    process.add_program({.needed = {"liba.so"}, .flags = row.program_flags});
    process.add_library("liba.so", {.flags = row.library_flags, .uses = {{"f", ElfUse::call}}});
    if (row.bind_now) process.world.set("LD_BIND_NOW", *row.bind_now);
    const std::string message = "symbol lookup error: /lib/liba.so: undefined symbol: f";
    CHECK(process.missing() == (row.lazy ? "(" + message + ")\n" : message + "\n"));
    CHECK(outcome(process.explain()) == (row.lazy ? "loads" : message) + "\n");
  }
}

TEST_CASE("a symbol that is called and used as data is wanted at once") {
  Process process;
  process.add_program({.uses = {{"f", ElfUse::call}, {"f", ElfUse::data}, {"t", ElfUse::tls}}});
  CHECK(process.missing() ==
        "symbol lookup error: /bin/app: undefined symbol: f\n"
        "symbol lookup error: /bin/app: undefined symbol: t\n");
}

TEST_CASE("the error that the user sees is that of the object relocated first") {
  Process process;
  process.add_program({.needed = {"liba.so", "libb.so"}, .uses = {{"in_app"}}});
  process.add_library("liba.so", {.needed = {"libc.so"}, .uses = {{"in_a2"}, {"in_a1"}}});
  process.add_library("libb.so", {.uses = {{"in_b"}}});
  process.add_library("libc.so", {.uses = {{"in_c"}}});
  const std::string error = "symbol lookup error: ";
  CHECK(process.missing() ==
        error + "/lib/libc.so: undefined symbol: in_c\n" + error + "/lib/libb.so: undefined symbol: in_b\n" + error +
            "/lib/liba.so: undefined symbol: in_a2\n" + error + "/lib/liba.so: undefined symbol: in_a1\n" + error +
            "/bin/app: undefined symbol: in_app\n");
  CHECK(outcome(process.explain()) == error + "/lib/libc.so: undefined symbol: in_c\n");
}

TEST_CASE("a plugin sees the global scope, then itself; siblings see it only if it is global") {
  for (const bool global : {false, true}) {
    CAPTURE(global);
    Process process;
    process.add_program({.defines = {{"common"}}});
    process.add_library("first.so",
                        {.needed = {"deep.so"}, .defines = {{"common"}, {"f"}}, .uses = {{"common"}, {"f"}, {"d"}}});
    process.add_library("deep.so", {.defines = {{"d"}}});
    process.add_library("second.so", {.uses = {{"f"}, {"d"}}});
    process.dlopen({.name = "first.so", .traits = {.global = global}}).dlopen({.name = "second.so"});
    CHECK(process.bindings() == std::string("first.so common -> app\nfirst.so f -> first.so\nfirst.so d -> deep.so\n") +
                                    (global ? "second.so f -> first.so\nsecond.so d -> deep.so\n" : ""));
    CHECK(process.missing() ==
          (global ? "" : "/lib/second.so: undefined symbol: f\n/lib/second.so: undefined symbol: d\n"));
  }
}

TEST_CASE("with deepbind a plugin sees itself first") {
  Process process;
  process.add_program({.defines = {{"f"}, {"g"}}});
  process.add_library("plugin.so", {.needed = {"liba.so"}, .defines = {{"f"}}, .uses = {{"f"}, {"g"}}});
  process.add_library("liba.so", {.uses = {{"f"}, {"g"}}});
  process.dlopen({.name = "plugin.so", .traits = {.deepbind = true}});
  CHECK(process.bindings() ==
        "liba.so f -> plugin.so\nliba.so g -> app\nplugin.so f -> plugin.so\nplugin.so g -> app\n");
}

TEST_CASE("a dlopen may bind lazily or now, and its error has no prefix") {
  for (const bool now : {false, true}) {
    CAPTURE(now);
    Process process;
    process.add_program({});
    process.add_library("plugin.so", {.uses = {{"f", ElfUse::call}}});
    process.dlopen({.name = "plugin.so", .traits = {.bind_now = now}});
    const std::string message = "/lib/plugin.so: undefined symbol: f";
    CHECK(process.missing() == (now ? message + "\n" : "(" + message + ")\n"));
    CHECK(outcome(process.explain()) == std::string("loads\n") + (now ? message : "loads") + "\n");
  }
}

TEST_CASE("a library without a hash table answers nothing; one with a SysV hash alone does") {
  Process process;
  process.add_program({.needed = {"liba.so", "libb.so", "libc.so"}, .uses = {{"f"}}});
  process.add_library("liba.so", {.defines = {{"f"}}, .hash = ElfHash::none});
  process.add_library("libb.so", {.defines = {{"f"}}, .hash = ElfHash::sysv});
  process.add_library("libc.so", {.defines = {{"f"}}});
  CHECK(process.bindings() == "app f -> libb.so\n");
}

TEST_CASE("musl knows no versions but passes over what is hidden, and binds all at the start") {
  Process process;
  process.world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  process.add_program({.needed = {"liba.so", "libb.so"},
                       .needs_versions = {{"libb.so", {{"V1"}}}},
                       .uses = {{"f", ElfUse::call, "V1"}, {"g", ElfUse::call, "V1"}, {"none", ElfUse::call}}});
  process.add_library("liba.so", {.defines_versions = {"V9"}, .defines = {{"f", "V9"}, {"g", "V9", true}}});
  process.add_library("libb.so", {.defines = {{"g"}}});
  CHECK(process.bindings() == "app f@V1 -> liba.so\napp g@V1 -> libb.so\n");
  CHECK(process.missing() == "Error relocating /bin/app: none: symbol not found\n");
}

TEST_CASE("nothing is bound if nobody wants it") {
  Process process;
  process.add_program({.uses = {{"f"}}});
  process.world.query.symbols = SymbolCheck::none;
  const auto report = process.explain();
  CHECK_FALSE(report.symbols.has_value());
  CHECK(outcome(report) == "loads\n");
}

TEST_CASE("names of C++ are made readable, others are left alone") {
  CHECK(demangled("_ZN3c105ErrorD1Ev") == "c10::Error::~Error()");
  CHECK(demangled("_Z1fi") == "f(int)");
  CHECK(demangled("printf") == "");
  CHECK(demangled("_Znonsense") == "");
  CHECK(demangled("_Z" + std::string(100'000, 'P') + "i") == "");
}

TEST_CASE("a library that a failed dlopen would have made global answers nobody") {
  for (const bool fails : {true, false}) {
    CAPTURE(fails);
    Process process;
    process.add_program({});
    process.add_library("liba.so", {.needed = {fails ? "none.so" : "libc.so"}, .defines = {{"f"}}});
    process.add_library("libb.so", {.uses = {{"f"}}});
    process.add_library("libc.so", {});
    process.dlopen({.name = "liba.so", .traits = {.global = true}}).dlopen({.name = "libb.so"});
    CHECK(process.missing() == (fails ? "/lib/libb.so: undefined symbol: f\n" : ""));
    CHECK(process.bindings() == (fails ? "" : "libb.so f -> liba.so\n"));
  }
}

TEST_CASE("a dlopen that fails as its symbols are bound makes nothing global either, if nobody else may define them") {
  struct Row {
    ElfUse use;
    bool known_program;
    std::string missing;
  };
  const std::string absent = "/lib/liba.so: undefined symbol: absent";
  const Row rows[] = {
      {ElfUse::data, true, absent + "\n/lib/libb.so: undefined symbol: f\n"},
      {ElfUse::call, true, "(" + absent + ")\n"},  // bound when it is called: the dlopen works
      {ElfUse::data, false, absent + "\n"},        // the program that loads it may have it
  };
  for (const Row& row : rows) {
    CAPTURE(row.missing);
    Process process;
    if (row.known_program)
      process.add_program({});
    else
      process.world.add("/bin/app", {});
    process.add_library("liba.so", {.defines = {{"f"}}, .uses = {{"absent", row.use}}});
    process.add_library("libb.so", {.uses = {{"f"}}});
    process.dlopen({.name = "liba.so", .traits = {.global = true}}).dlopen({.name = "libb.so"});
    CHECK(process.missing() == row.missing);
  }
}

TEST_CASE("thread-local data that nobody defines is missing, whatever the model") {
  // A SysV hash table holds undefined symbols as well: as data, the reference would find itself.
  for (const std::uint32_t type : {R_X86_64_DTPMOD64 + 0U, R_X86_64_TPOFF64 + 0U, R_X86_64_TLSDESC + 0U}) {
    CAPTURE(type);
    Process process;
    process.add_program({.needed = {"liba.so"}});
    auto built = build_elf({.soname = "liba.so", .uses = {{"x", ElfUse::tls}}, .hash = ElfHash::sysv});
    poke(built.bytes, built.at.at("relocations") + 8, type);
    process.world.files.add_file("/lib/liba.so", built.bytes);
    CHECK(process.missing() == "symbol lookup error: /lib/liba.so: undefined symbol: x\n");
  }
}

TEST_CASE("a driver that is stated has its own functions, and no others") {
  Process process;
  process.add_program({.needed = {"libcuda.so.1"},
                       .uses = {{"cuInit", ElfUse::call}, {"nvmlInit_v2"}, {"cudaMalloc"}, {"cu"}, {"other"}}});
  process.world.query.environment.driver = "580.65.06";
  const std::string start = "symbol lookup error: /bin/app: undefined symbol: ";
  CHECK(process.missing() == start + "cudaMalloc\n" + start + "cu\n" + start + "other\n");
}

TEST_CASE("libraries that a tag promises have C++ of the standard library and the compiler alone") {
  struct Row {
    std::string name;
    bool there;
  };
  for (const auto& [name, there] : {
           Row{"f", true},
           Row{"_ZSt4cout", true},
           Row{"_ZNSt6localeC1Ev", true},
           Row{"_ZNKSt5ctypeIcE8do_widenEc", true},
           Row{"_ZN9__gnu_cxx9free_listE", true},
           Row{"_ZN10__cxxabiv117__class_type_infoE", true},
           Row{"_ZN14__gnu_parallel9_Settings3getEv", true},
           Row{"_ZNK11__gnu_debug19_Safe_iterator_base11_M_singularEv", true},
           Row{"_ZN10__gnu_norm15_List_node_base4hookEPS0_", true},
           Row{"_Z3foov", true},
           Row{"_ZN3foo3barEv", false},
           Row{"_ZNK3foo3barEv", false},
           Row{"_ZNV3foo3barEv", false},
           Row{"_ZNKR3foo3barEv", false},
           Row{"_ZNO3foo3barEv", false},
           Row{"_ZN", true},
           Row{"_ZN$foo", true},
       }) {
    const auto& seen_name = name;
    CAPTURE(seen_name);
    TestWorld world;
    const std::string wheel = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
    const auto versioned = elf({.needed = {"libstdc++.so.6"}, .uses = {{name}}, .executable_stack = false});
    world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", versioned}}));
    const auto report = world.explain({wheel});
    CHECK((report.verdict == Verdict::loads) == there);
  }
}

TEST_CASE("a reference with a version of a promised library was linked with it: whatever its name, it is there") {
  TestWorld world;
  const std::string wheel = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  const ElfSpec module{.needed = {"libstdc++.so.6"},
                       .needs_versions = {{"libstdc++.so.6", {{"GLIBCXX_3.4.10"}}}},
                       .uses = {{"_ZN3foo3barEv", ElfUse::data, "GLIBCXX_3.4.10"}},
                       .executable_stack = false};
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", elf(module)}}));
  CHECK(world.explain({wheel}).verdict == Verdict::loads);
}

TEST_CASE("of musl, too, only real definitions of a global kind count") {
  struct Row {
    std::string name;
    ElfDefinition definition;
    bool counts;
  };
  const Row rows[] = {
      {"a function", {"f"}, true},
      {"a variable", {.name = "f", .type = STT_OBJECT}, true},
      {"a weak one", {.name = "f", .binding = STB_WEAK}, true},
      {"a local one", {.name = "f", .binding = STB_LOCAL}, false},
      {"a section", {.name = "f", .type = STT_SECTION}, false},
      {"one at address 0", {.name = "f", .value = 0}, false},
      {"thread-local data at offset 0", {.name = "f", .type = STT_TLS, .value = 0}, true},
      {"a protected one", {.name = "f", .visibility = STV_PROTECTED}, true},
      {"a unique one", {.name = "f", .binding = STB_GNU_UNIQUE}, true},
      {"one that glibc takes for its file's own", {.name = "f", .visibility = STV_HIDDEN}, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Process process;
    process.world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
    process.add_program({.needed = {"liba.so", "libb.so"}, .uses = {{"f"}}});
    process.add_library("liba.so", {.defines = {row.definition}});
    process.add_library("libb.so", {.defines = {{"f"}}});
    CHECK(process.bindings() == std::string("app f -> ") + (row.counts ? "liba.so\n" : "libb.so\n"));
  }
}

TEST_CASE("with musl calls of a dlopen are left for later unless it says now, and LD_DYNAMIC_WEAK is nothing") {
  for (const bool now : {false, true}) {
    Process process;
    process.world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
    process.add_program({});
    process.add_library("plugin.so", {.uses = {{"f", ElfUse::call}}});
    process.dlopen({.name = "plugin.so", .traits = {.bind_now = now}});
    const std::string message = "Error relocating /lib/plugin.so: f: symbol not found";
    CHECK(process.missing() == (now ? message + "\n" : "(" + message + ")\n"));
  }
}

TEST_CASE("two weak definitions are those of the first where LD_DYNAMIC_WEAK is set") {
  Process process;
  process.add_program({.needed = {"liba.so", "libb.so"}, .uses = {{"f"}}});
  for (const auto* name : {"liba.so", "libb.so"})
    process.add_library(name, {.defines = {{.name = "f", .binding = STB_WEAK}}});
  process.world.set("LD_DYNAMIC_WEAK", "1");
  CHECK(process.bindings() == "app f -> liba.so\n");
}

TEST_CASE("a protected symbol that nobody can find is no binding, and a weak reference may find nothing") {
  Process process;
  process.add_program({.needed = {"liba.so"}});
  process.add_library("liba.so",
                      {.defines = {{.name = "p", .visibility = STV_PROTECTED}},
                       .uses = {{"p"}, {"w", ElfUse::data, "", STB_WEAK}, {"w2", ElfUse::call, "", STB_WEAK}}});
  CHECK(process.bindings() == "liba.so p -> liba.so\n");
  CHECK(process.missing() == "");
}

TEST_CASE("a loader of which only the name is known has what is asked of it by version, and nothing else") {
  for (const bool is_needed : {false, true}) {
    CAPTURE(is_needed);
    Process process;
    process.world.files = {};
    process.add_program(
        {.needed = is_needed ? std::vector<ElfNeeded>{"ld-linux-x86-64.so.2"} : std::vector<ElfNeeded>{},
         .needs_versions = {{"ld-linux-x86-64.so.2", {{"GLIBC_2.3"}}}},
         .uses = {{"a", ElfUse::data, "GLIBC_2.3"}, {"b"}}});
    if (!is_needed) {
      process.add_library("plugin.so", {.needed = {"ld-linux-x86-64.so.2"}});
      process.dlopen({.name = "/lib/plugin.so"});
    }
    CHECK(process.bindings() == "app a@GLIBC_2.3 -> ld-linux-x86-64.so.2\n");
    CHECK(process.missing() == "symbol lookup error: /bin/app: undefined symbol: b\n");
  }
}

TEST_CASE("a driver that is taken to be there has versioned functions of its own name alone") {
  Process process;
  process.world.query.environment.driver = "580.65.06";
  process.add_program({.needed = {"libcuda.so.1", "liba.so"},
                       .needs_versions = {{"libcuda.so.1", {{"V1"}}}, {"liba.so", {{"V2"}}}},
                       .uses = {{"cuInit", ElfUse::data, "V1"}, {"cuExit", ElfUse::data, "V2"}}});
  process.add_library("liba.so", {.defines_versions = {"V2"}});
  CHECK(process.bindings().starts_with("app cuInit@V1 -> libcuda.so.1\n"));
  CHECK(process.bindings().find("cuExit") == std::string::npos);
  CHECK(process.missing() == "symbol lookup error: /bin/app: undefined symbol: cuExit, version V2\n");
  CHECK(process.explain().resolution.version_problems.empty());
}

TEST_CASE("a reference that is used in two ways is told once") {
  Process process;
  process.add_program({.needed = {"liba.so"}, .uses = {{"f"}, {"f", ElfUse::call}}});
  process.add_library("liba.so", {.defines = {{"f"}}});
  CHECK(process.bindings() == "app f -> liba.so\n");
  process.add_program({.needed = {"liba.so"},
                       .needs_versions = {{"liba.so", {{"V1"}}}},
                       .uses = {{"f", ElfUse::data, "V1"}, {"f", ElfUse::call, "V1"}}});
  CHECK(process.explain().symbols->aborting.size() == 1);
  CHECK(process.missing() == "");
}

TEST_CASE("up to glibc 2.29 a weak reference as well ends at the library of its version, but for a weak definition") {
  Process process;
  process.world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.29"));
  process.add_program({.needed = {"liba.so", "libb.so"},
                       .needs_versions = {{"liba.so", {{"V1"}}}},
                       .uses = {{"f", ElfUse::data, "V1", STB_WEAK}}});
  process.add_library("liba.so", {.defines_versions = {"V1"}, .defines = {{"g", "V1"}}});
  process.add_library("libb.so", {.defines_versions = {"V1"}, .defines = {{"f", "V1"}}});
  CHECK(process.missing() ==
        "relocation error: /bin/app: symbol f version V1 not defined in file liba.so with link time reference\n");
  process.add_library("liba.so",
                      {.defines_versions = {"V1"}, .defines = {{.name = "f", .version = "V1", .binding = STB_WEAK}}});
  CHECK(process.bindings() == "app f@V1 -> liba.so\n");
  process.world.set("LD_DYNAMIC_WEAK", "1");
  CHECK(process.bindings() == "app f@V1 -> libb.so\n");
}

TEST_CASE("a symbol at address 0 counts where it is absolute") {
  Process process;
  process.add_program({.needed = {"liba.so", "libb.so"}, .uses = {{"f"}}});
  process.add_library("libb.so", {.defines = {{"f"}}});
  auto built = build_elf({.soname = "liba.so", .defines = {{.name = "f", .value = 0}}});
  poke(built.bytes, built.at.at("symbols") + 24 + 6, std::uint16_t{SHN_ABS});
  process.world.files.add_file("/lib/liba.so", built.bytes);
  CHECK(process.bindings() == "app f -> liba.so\n");
}

TEST_CASE("versions are told apart by their names, also where their hashes are the same") {
  for (const bool same : {true, false}) {
    Process process;
    process.add_program({.needed = {"liba.so"},
                         .needs_versions = {{"liba.so", {{.name = same ? "bR" : "ab", .weak = true}}}},
                         .uses = {{"f", ElfUse::data, same ? "bR" : "ab"}}});
    process.add_library("liba.so", {.defines_versions = {"bR"}, .defines = {{"f", "bR"}}});
    CHECK(process.bindings() == (same ? "app f@bR -> liba.so\n" : ""));
    CHECK(process.missing() == (same ? "" : "symbol lookup error: /bin/app: undefined symbol: f, version ab\n"));
  }
}

TEST_CASE("the default version answers a reference without one only if its binding counts") {
  for (const auto binding : {std::uint8_t{STB_GLOBAL}, std::uint8_t{STB_LOCAL}}) {
    Process process;
    process.add_program({.needed = {"liba.so"}, .uses = {{"f"}}});
    process.add_library(
        "liba.so", {.defines_versions = {"V1", "V2"}, .defines = {{.name = "f", .version = "V2", .binding = binding}}});
    CHECK(process.bindings() == (binding == STB_GLOBAL ? "app f -> liba.so\n" : ""));
  }
}

TEST_CASE("a loader that was read has what is in its file") {
  Process process;
  process.add_program({.needed = {"ld-linux-x86-64.so.2"},
                       .needs_versions = {{"ld-linux-x86-64.so.2", {{.name = "GLIBC_2.3", .weak = true}}}},
                       .uses = {{"a", ElfUse::data, "GLIBC_2.3"}}});
  CHECK(process.bindings() == "");
  CHECK(process.missing() == "symbol lookup error: /bin/app: undefined symbol: a, version GLIBC_2.3\n");
}

TEST_CASE("a version is wanted from whatever answers to the name of its library, by soname or as it was found") {
  for (const std::string file : {"liba.so.1", "./lib/real.so", "other.so"}) {
    CAPTURE(file);
    Process process;
    process.add_program(
        {.needed = {"./lib/real.so"}, .needs_versions = {{file, {{"V1"}}}}, .uses = {{"f", ElfUse::data, "V1"}}});
    process.world.add("/lib/real.so", {.soname = "liba.so.1", .defines = {{"f"}}});
    CHECK(process.explain().symbols->aborting.size() == (file == "other.so" ? 0 : 1));
    CHECK(process.bindings() == (file == "other.so" ? "app f@V1 -> real.so\n" : ""));
  }
}

TEST_CASE("of two definitions of a name in one library musl takes the first, whether it counts or not") {
  for (const std::uint64_t first : {0x100U, 0U}) {
    Process process;
    process.world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
    process.add_program({.needed = {"liba.so", "libb.so"}, .uses = {{"f"}}});
    process.add_library("liba.so", {.defines_versions = {"V1", "V2"},
                                    .defines = {{.name = "f", .version = "V1", .value = first},
                                                {.name = "f", .version = "V2", .value = 0x100U - first}}});
    process.add_library("libb.so", {.defines = {{"f"}}});
    CHECK(process.bindings() == (first != 0 ? "app f -> liba.so\n" : "app f -> libb.so\n"));
  }
}

TEST_CASE("of musl a thread-local or undefined definition is none for a call") {
  struct Row {
    std::string name;
    ElfUse use;
    std::string answer;
  };
  for (const auto& row : {Row{"an entry for calls serves as the address", ElfUse::data, "liba.so f -> app\n"},
                          Row{"not for a call", ElfUse::call, "liba.so f -> libf.so\n"}}) {
    CAPTURE(row.name);
    Process process;
    process.world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
    process.add_program({.needed = {"liba.so", "libf.so"}, .uses = {{"f", ElfUse::call, "", STB_GLOBAL, 0x100}}});
    process.add_library("liba.so", {.uses = {{"f", row.use}}});
    process.add_library("libf.so", {.defines = {{"f"}}});
    CHECK(process.bindings().find(row.answer) != std::string::npos);
  }
}

TEST_CASE("what is missing is told with its version and whose it should be") {
  Process process;
  process.add_program({.needed = {"liba.so"},
                       .needs_versions = {{"liba.so", {{.name = "V1", .weak = true}}}},
                       .uses = {{"f", ElfUse::call, "V1"}, {"g", ElfUse::data}}});
  process.add_library("liba.so", {.defines_versions = {"V2"}});
  const auto report = process.explain();
  CHECK(report.symbols->complete);
  CHECK(report.symbols->checked == 2);
  CHECK(report.symbols->limits.empty());
  CHECK(report.symbols->aborting.empty());
  REQUIRE(report.symbols->missing.size() == 2);
  const auto& data = report.symbols->missing[0];
  CHECK(data.object == 0);
  CHECK(data.name == "g");
  CHECK(data.version == "");
  CHECK(data.version_file == "");
  CHECK_FALSE(data.lazy);
  CHECK(data.of_files);
  const auto& call = report.symbols->missing[1];
  CHECK(call.name == "f");
  CHECK(call.version == "V1");
  CHECK(call.version_file == "liba.so");
  CHECK(call.lazy);
  CHECK(call.message == "symbol lookup error: /bin/app: undefined symbol: f, version V1");
}

TEST_CASE("a definition without a version in an unexpected library is told once for each pair, and counted") {
  Process process;
  process.add_program({.needed = {"libother.so", "libmore.so", "liba.so", "libuser.so"},
                       .needs_versions = {{"liba.so", {{"V1"}}}},
                       .uses = {{"f", ElfUse::data, "V1"}, {"g", ElfUse::data, "V1"}, {"h", ElfUse::data, "V1"}}});
  process.add_library("libother.so", {.defines = {{"f"}, {"g"}}});
  process.add_library("libmore.so", {.defines = {{"h"}}});
  process.add_library("liba.so", {.defines_versions = {"V1"}, .defines = {{"f", "V1"}, {"k", "V1"}}});
  process.add_library("libuser.so", {.needs_versions = {{"liba.so", {{"V1"}}}, {"libnone.so", {{"V9"}}}},
                                     .uses = {{"k", ElfUse::data, "V1"}, {"h", ElfUse::data, "V9"}}});
  const auto report = process.explain();
  const auto name = [&](ObjectId id) { return std::string(file_name(report.resolution.objects[id].path)); };
  std::string text;
  for (std::size_t i = 0; i < report.symbols->foreign.size(); ++i) {
    const auto& binding = report.symbols->foreign[i];
    text += name(binding.object) + " " + binding.name + "@" + binding.version + " -> " + name(binding.definer) + " " +
            std::to_string(report.symbols->foreign_counts.at(i)) + "\n";
  }
  CHECK(text == "app f@V1 -> libother.so 2\napp h@V1 -> libmore.so 1\n");
}

TEST_CASE("bindings are kept if somebody asks, those of the CUDA runtime always") {
  for (const bool keep : {false, true}) {
    Process process;
    process.add_program({.needed = {"liba.so"}, .uses = {{"f"}, {"cudaMalloc"}}});
    process.add_library("liba.so", {.defines = {{"f"}, {"cudaMalloc"}}});
    process.world.query.keep_bindings = keep;
    const auto report = process.world.explain({"/bin/app"});
    CHECK(report.symbols->bindings.size() == (keep ? 2 : 1));
    CHECK(report.symbols->bindings.back().name == "cudaMalloc");
    CHECK(report.symbols->bindings.back().version == "");
    CHECK(report.symbols->bindings.back().object == 0);
    CHECK(report.symbols->bindings.back().definer == 1);
  }
}

TEST_CASE("a table that the question cannot afford is told as a limit, once, and proves nothing") {
  Process process;
  process.add_program({.needed = {"liba.so"}, .uses = {{"f"}, {"none"}}});
  process.add_library("liba.so", {.defines = {{"f"}}});
  const auto whole = process.explain();
  CHECK(whole.symbols->missing.size() == 1);
  CHECK(whole.symbols->limits.empty());
  std::optional<std::size_t> told;
  // Somewhere before all is paid for, the search is, and the symbols are not.
  for (std::uint64_t steps = 20'000; steps < 400'000 && !told; steps += 500) {
    process.world.query.costs.steps = steps;
    const auto report = process.explain();
    if (!report.symbols || report.symbols->limits.empty()) continue;
    told = report.symbols->limits.size();
    const auto& limit = report.symbols->limits.back();
    CHECK(limit.object < report.resolution.objects.size());
    CHECK(limit.defect.limit);
    CHECK(limit.defect.message ==
          "its symbol tables are not read: more than " + std::to_string(steps) + " steps would be needed for it");
    CHECK(report.symbols->missing.empty());
  }
  CHECK(told);
}

TEST_CASE("a Python that is not there would have brought libm along, a program that is there brings what it needs") {
  Process process;
  process.world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  process.add_library("libm.so.6", {.defines = {{"pow"}}});
  process.add_library("libn.so.6", {.defines = {{"now"}}});
  process.world.add(packages + "_links.so", {.needed = {"libm.so.6", "libn.so.6"}});
  process.world.add(packages + "_leaves.so", {.uses = {{"pow"}, {"now"}}});
  const auto missing = [&](const std::vector<std::string>& targets) {
    std::string text;
    const auto report = process.world.explain(targets);
    for (const auto& one : report.symbols->missing) text += one.name + "\n";
    return text;
  };
  CHECK(missing({"py:_links", "py:_leaves"}) == "now\n");
  process.world.add("/venv/bin/python3.11", program({}));
  process.world.files.add_file("/venv/bin/python3.11", elf(program({})), {.executable = true});
  process.world.files.add_file("/venv/lib/python3.11/os.py", "");
  CHECK(missing({"py:_links", "py:_leaves"}) == "pow\nnow\n");
}

}  // namespace
}  // namespace cudald
