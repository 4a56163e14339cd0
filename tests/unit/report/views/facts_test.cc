// What `diff` compares: what is said of a file, a wheel or a machine.

#include "report/views/facts.h"

#include <elf.h>

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>
#include <cudald/cuda_stack.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/pe_symbols.h>
#include <cudald/wheel.h>

namespace cudald {
namespace {

/// "needed: a, b", a line for each.
std::string fact_words(const Facts& facts) {
  std::string text;
  for (const auto& [what, values] : facts) {
    text += what + ":";
    for (const auto& value : values) text += " " + value;
    text += "\n";
  }
  return text;
}

TEST_CASE("an ELF file is told by its names, folders, versions, code and what it is to CUDA") {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.soname = "liba.so.1";
  image.elf.needed = {
      {NeededTag::needed, "libb.so"}, {NeededTag::filter, "libf.so"}, {NeededTag::auxiliary, "libx.so"}};
  image.elf.rpath = "/a::/b";
  image.elf.runpath = "/c";
  image.elf.interpreter = "/lib/ld.so";
  VersionNeed need;
  need.file = "libc.so.6";
  need.versions.resize(2);
  need.versions[0].name = "GLIBC_2.2.5";
  need.versions[1].name = "GLIBC_2.3";
  need.versions[1].weak = true;
  image.elf.version_needs = {need};
  image.elf.version_definitions.resize(2);
  image.elf.version_definitions[0].name = "liba.so.1";
  image.elf.version_definitions[0].base = true;
  image.elf.version_definitions[1].name = "V1";
  GpuCode gpu;
  gpu.sass[{90, 'a'}] = 2;
  gpu.ptx[{80, 0}] = 1;
  CudaLibrary cuda;
  cuda.kind = CudaKind::cudnn;
  cuda.version = "9.10.2";
  CHECK(fact_words(facts_of(image, {}, &gpu, &cuda)) ==
        "GPU code: sass sm_90a ptx sm_80\n"
        "auxiliary: libx.so\n"
        "cuda: cuDNN 9.10.2\n"
        "filter: libf.so\n"
        "format: elf64\n"
        "interpreter: /lib/ld.so\n"
        "machine: x86_64\n"
        "needed: libb.so\n"
        "rpath: /a \"\" /b\n"
        "runpath: /c\n"
        "soname: liba.so.1\n"
        "versions defined: V1\n"
        "versions needed: libc.so.6: GLIBC_2.2.5 libc.so.6: GLIBC_2.3 (weak)\n");
}

TEST_CASE("a PE file is told by its DLLs and functions, those without a name by their number") {
  Image image;
  image.format = Format::pe32_plus;
  image.machine = EM_X86_64;
  image.pe.emplace();
  image.pe->imports.resize(3);
  image.pe->imports[0].name = "a.dll";
  image.pe->imports[1].name = "b.dll";
  image.pe->imports[1].delayed = true;
  image.pe->imports[2].name = "c.dll";
  image.pe->file_version = "1.2.3.4";
  PeSymbols symbols;
  ImportedFunction named, numbered;
  named.name = "f";
  numbered.ordinal = 7;
  symbols.imports = {{named, numbered}, {named}};
  ExportedFunction given, other;
  given.name = "g";
  other.ordinal = 9;
  symbols.exports = {given, other};
  CHECK(fact_words(facts_of(image, symbols, nullptr, nullptr)) ==
        "delay imports: b.dll\n"
        "file version: 1.2.3.4\n"
        "format: pe32+\n"
        "functions exported: g #9\n"
        "functions imported: a.dll: f a.dll: #7 b.dll: f\n"
        "imports: a.dll c.dll\n"
        "machine: x86_64\n");
}

TEST_CASE("parts of a wheel are known without the hash that auditwheel gives their names") {
  WheelReport wheel;
  wheel.name = "pkg";
  wheel.version = "1.0";
  wheel.requires_python = ">=3.9";
  wheel.requires_dist = {"numpy", "click"};
  wheel.platform_tags = {"linux_x86_64"};
  wheel.windows_files = {"pkg/x.pyd"};
  ExternalLibrary external;
  external.name = "libz.so.1";
  wheel.external = {external};
  const auto add = [&](const std::string& member, bool with_image = true) {
    WheelFile file;
    file.member = member;
    if (with_image) file.image = std::make_shared<Image>();
    wheel.files.push_back(file);
  };
  add("pkg.libs/liba-91cc3cb1.so.3");
  add("pkg.libs/libb-91cc3cb.so.3");
  add("pkg.libs/libc-91cc3cbx.so.3");
  add("pkg.libs/libd-91cc3cb12.so.3");
  add("pkg.libs/libe-91cc3cb1");
  add("pkg/libf.so");
  add("pkg/unread.so", false);
  const auto sheet = facts_of(wheel);
  std::string parts;
  for (const auto& [part, facts] : sheet) parts += part + "\n";
  CHECK(parts ==
        "\n"
        "pkg.libs/liba.so.3\n"
        "pkg.libs/libb-91cc3cb.so.3\n"
        "pkg.libs/libc-91cc3cbx.so.3\n"
        "pkg.libs/libd-91cc3cb12.so.3\n"
        "pkg.libs/libe-91cc3cb1\n"
        "pkg/libf.so\n"
        "pkg/x.pyd\n");
  const auto whole = fact_words(sheet.at(""));
  for (const auto* line : {"from outside: libz.so.1\n", "name: pkg\n", "platform tag: linux_x86_64\n",
                           "requires: numpy click\n", "requires python: >=3.9\n", "version: 1.0\n"})
    CHECK(whole.find(line) != std::string::npos);
  CHECK(sheet.at("pkg/x.pyd").empty());
  CHECK_FALSE(sheet.at("pkg/libf.so").empty());
}

TEST_CASE("a machine is told as a whole, its frameworks and libraries by their names") {
  CudaStack stack;
  stack.platform = "linux-x86_64";
  stack.libc = "glibc 2.36";
  stack.driver.version = "470.256.02";
  stack.driver.module_version = "470.1";
  stack.gpu_models = {"NVIDIA A100"};
  stack.gpus = {{80, 0}};
  stack.toolkits = {{"/usr/local/cuda-11.8", "11.8.0", ""}, {"/usr/local/cuda", "", ""}};
  GpuFramework framework;
  framework.package = {"torch", "2.9.1"};
  framework.cuda = "12.8";
  framework.cudnn = "9.10.2";
  stack.frameworks = {framework};
  CudaCopy copy;
  copy.name = "libcudart.so.12";
  copy.library.version = "12.8";
  copy.package = PackageName{"nvidia-cuda-runtime-cu12", "12.8.90"};
  stack.copies = {copy};
  const auto sheet = facts_of(stack);
  REQUIRE(sheet.size() == 3);
  CHECK(fact_words(sheet.at("")) ==
        "GPU: NVIDIA A100 sm_80\n"
        "driver: 470.256.02\n"
        "kernel module: 470.1\n"
        "libc: glibc 2.36\n"
        "platform: linux-x86_64\n"
        "toolkit: 11.8.0 /usr/local/cuda\n");
  CHECK(fact_words(sheet.at("torch")) == "built for CUDA: 12.8\nbuilt for cuDNN: 9.10.2\nversion: 2.9.1\n");
  CHECK(fact_words(sheet.at("libcudart.so.12")) ==
        "cuda: CUDA runtime 12.8\npackage: nvidia-cuda-runtime-cu12 12.8.90\n");
  stack.copies[0].package.reset();
  CHECK(fact_words(facts_of(stack).at("libcudart.so.12")) == "cuda: CUDA runtime 12.8\n");
}

TEST_CASE("the kernel, the libraries, the flags and the processor that a file asks for are facts") {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.elf.abi_note = AbiNote{0, 3, 2, 1};
  image.elf.dlopen_notes = {{{"libz.so.1", "libz.so"}, "zlib", "", DlopenPriority::required},
                            {{"liba.so"}, "", "", DlopenPriority::suggested}};
  image.elf.symbolic = true;
  image.elf.x86_isa_needed = 0b1010;
  const std::string usual = "format: elf64\nkernel: 3.2.1\nmachine: x86_64\n";
  CHECK(fact_words(facts_of(image, {}, nullptr, nullptr)) ==
        "dlopen: libz.so.1 libz.so liba.so\nflags: SYMBOLIC\n" + usual + "processor: x86-64-v2 x86-64-v4\n");
  image.elf.dlopen_notes.clear();
  image.elf.x86_isa_needed = 0b0101;
  const auto flags = [&] { return fact_words(facts_of(image, {}, nullptr, nullptr)); };
  CHECK(flags() == "flags: SYMBOLIC\n" + usual + "processor: x86-64-baseline x86-64-v3\n");
  image.elf.x86_isa_needed.reset();
  image.elf.bind_now = image.elf.static_tls = image.elf.text_relocations = true;
  image.elf.flags_1 = df_1_nodeflib | df_1_noopen | df_1_pie;
  image.elf.executable_stack = true;
  CHECK(flags() == "flags: SYMBOLIC BIND_NOW STATIC_TLS TEXTREL NODEFLIB NOOPEN PIE EXECSTACK\n" + usual);
  image.elf.symbolic = image.elf.static_tls = false;
  image.elf.flags_1 = df_1_noopen;
  image.elf.executable_stack = false;
  CHECK(flags() == "flags: BIND_NOW TEXTREL NOOPEN\n" + usual);
  image.elf.bind_now = image.elf.text_relocations = false;
  image.elf.static_tls = true;
  image.elf.flags_1 = df_1_nodeflib;
  CHECK(flags() == "flags: STATIC_TLS NODEFLIB\n" + usual);
  image.elf.static_tls = false;
  image.elf.flags_1 = df_1_pie;
  CHECK(flags() == "flags: PIE\n" + usual);
  image.elf.flags_1 = 0;
  CHECK(flags() == usual);
}

TEST_CASE("flags of a PE file are those that loaders act upon, each by its bit") {
  Image image;
  image.format = Format::pe32_plus;
  image.machine = EM_X86_64;
  image.pe.emplace();
  const auto flags = [&](std::uint16_t characteristics, std::uint16_t of_dll) {
    image.pe->characteristics = characteristics;
    image.pe->dll_characteristics = of_dll;
    const auto facts = facts_of(image, {}, nullptr, nullptr);
    const auto found = facts.find("flags");
    return found == facts.end() ? std::vector<std::string>{} : found->second;
  };
  using Names = std::vector<std::string>;
  CHECK(flags(0, 0) == Names{});
  CHECK(flags(0xffff, 0) == Names{"RELOCS_STRIPPED", "LARGE_ADDRESS_AWARE"});
  CHECK(flags(0x0001, 0) == Names{"RELOCS_STRIPPED"});
  CHECK(flags(0x0020, 0) == Names{"LARGE_ADDRESS_AWARE"});
  const Names of_dll = {
      "HIGH_ENTROPY_VA", "DYNAMIC_BASE", "FORCE_INTEGRITY", "NX_COMPAT", "NO_ISOLATION",         "NO_SEH",
      "NO_BIND",         "APPCONTAINER", "WDM_DRIVER",      "GUARD_CF",  "TERMINAL_SERVER_AWARE"};
  CHECK(flags(0, 0xffff) == of_dll);
  for (std::size_t i = 0; i < of_dll.size(); ++i) {
    CAPTURE(of_dll[i]);
    CHECK(flags(0, static_cast<std::uint16_t>(0x20U << i)) == Names{of_dll[i]});
  }
  image.machine = 0;
  image.pe->machine = 0x1c4;
  CHECK(facts_of(image, {}, nullptr, nullptr).at("machine") == Names{"machine 0x1c4"});
}

TEST_CASE("a library of CUDA is told by what is known of it") {
  CudaLibrary cuda;
  const auto words = [&] { return facts_of(Image(), {}, nullptr, &cuda).at("cuda"); };
  using Words = std::vector<std::string>;
  CHECK(words() == Words{"CUDA runtime"});
  cuda.kind = CudaKind::cudnn;
  cuda.version = "9.1";
  cuda.release = "9.1.0.70";
  cuda.part = "ops";
  cuda.stub = true;
  cuda.is_static = true;
  cuda.built_for_cuda = "12.4";
  CHECK(words() == Words{"cuDNN 9.1 (9.1.0.70), part ops, the toolkit's stub, linked into it, built for CUDA 12.4"});
}

TEST_CASE("only what is there has a fact, and a change of what is there on one side is told") {
  CHECK(facts_of(WheelReport()).at("").count("version") == 0);
  CHECK(facts_of(CudaStack()) == FactSheet{{"", {}}});
  CHECK(compare({{"a", {{"flags", {"X"}}}}}, {{"a", {}}}).front().removed == std::vector<std::string>{"X"});
  const auto both = compare({{"a", {{"needed", {"x", "y"}}}}}, {{"a", {{"needed", {"y", "z"}}}}});
  REQUIRE(both.size() == 1);
  CHECK(both[0].subject == "a");
  CHECK(both[0].what == "needed");
  CHECK(both[0].removed == std::vector<std::string>{"x"});
  CHECK(both[0].added == std::vector<std::string>{"z"});
}

}  // namespace
}  // namespace cudald
