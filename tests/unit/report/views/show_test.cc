#include <elf.h>

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/library_texts.h>
#include <cudald/pe_symbols.h>
#include <cudald/writers.h>

#include "base/json.h"
#include "common/example_report.h"

namespace cudald {
namespace {

Image example_image() {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  image.file_size = 4096;
  image.soname = "libfoo.so.1";
  image.elf.needed = {{NeededTag::needed, "libc.so.6"}, {NeededTag::auxiliary, "libaux.so"}};
  image.elf.runpath = "$ORIGIN:";
  image.elf.rpath = "";
  image.elf.version_needs = {{"libc.so.6", {{"GLIBC_2.34", 0, 2, false, false}, {"GLIBC_2.36", 0, 3, true, false}}}};
  image.elf.version_definitions = {{"libfoo.so.1", 0, 1, true}, {"FOO_1", 0, 2, false}};
  image.elf.bind_now = true;
  image.elf.flags_1 = df_1_nodeflib;
  image.elf.abi_note = AbiNote{0, 3, 2, 0};
  image.elf.x86_isa_needed = 0b101;
  image.elf.build_id = "abc123";
  image.elf.dlopen_notes = {{{"libzstd.so.1", "libzstd.so"}, "zstd", "compressed dumps", DlopenPriority::recommended}};
  image.defects = {{"a table runs past the end", 64, false}};
  return image;
}

TEST_CASE("a file's own words are shown") {
  const Image image = example_image();
  CHECK(written([&](std::ostream& out) { write_image("libfoo.so", image, {}, plain_style(), out); }) ==
        R"(libfoo.so
  format      elf64 x86_64 shared library, 4096 bytes
  soname      libfoo.so.1
  needed      libc.so.6
              libaux.so                                                                 DT_AUXILIARY
  rpath       (empty)
  runpath     $ORIGIN
              ""  an empty element: the current directory
  wants       libc.so.6: GLIBC_2.34 GLIBC_2.36 (weak)
  defines     FOO_1
  flags       BIND_NOW NODEFLIB
  kernel      Linux 3.2.0 or newer
  processor   x86-64-baseline x86-64-v3
  build-id    abc123
  dlopen      libzstd.so.1 or libzstd.so  for zstd: compressed dumps                     recommended
  defect      a table runs past the end                                                  offset 0x40
)");
}

TEST_CASE("a library of CUDA is named, with how it is known") {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  CudaLibrary library;
  library.kind = CudaKind::driver;
  library.stub = true;
  library.evidence = {"exports cuInit", "exports cuDriverGetVersion"};
  CHECK(written([&](std::ostream& out) { write_image("x", image, {}, plain_style(), out, nullptr, &library); }) ==
        R"(x
  format      elf64 x86_64 shared library, 0 bytes
  cuda        NVIDIA driver, the toolkit's stub
  known by    exports cuInit
              exports cuDriverGetVersion
)");
  const auto json =
      parse_json(written([&](std::ostream& out) { write_image_json("x", image, {}, true, out, nullptr, &library); }));
  CHECK(json["cuda"]["kind"] == "driver");
  CHECK(json["cuda"]["version"].is_null());
  CHECK(json["cuda"]["stub"] == true);
}

TEST_CASE("GPU code is shown by kind and architecture") {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  GpuCode code;
  code.sass = {{{90, 'a'}, 4}, {{90, 0}, 397}, {{100, 0}, 1}};
  code.ptx = {{{120, 0}, 2}};
  code.defects = {{"a fatbin runs past its section or the file", 64, false}};
  CHECK(written([&](std::ostream& out) { write_image("x", image, {}, plain_style(), out, &code); }) ==
        R"(x
  format      elf64 x86_64 shared library, 0 bytes
  sass        sm_90 (397) sm_90a (4) sm_100 (1)                 not registered with the CUDA runtime
  ptx         sm_120 (2)                                        not registered with the CUDA runtime
  defect      a fatbin runs past its section or the file                                 offset 0x40
)");
  const auto json = parse_json(written([&](std::ostream& out) { write_image_json("x", image, {}, true, out, &code); }));
  CHECK(json["gpu"].dump() == R"({"ptx":{"sm_120":2},"sass":{"sm_100":1,"sm_90":397,"sm_90a":4}})");
  CHECK(json["defects"].size() == 1);
  const auto without = parse_json(written([&](std::ostream& out) { write_image_json("x", image, {}, true, out); }));
  CHECK(without["gpu"].is_null());
}

TEST_CASE("names among a file's constants are what it may open, with their places") {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  const LibraryTexts texts{
      "dlopen", {{"libk.so", 0, "a table"}, {"libcudart.so.11.0", 0x1234}, {"libx.so", 0x5678}}, false};
  CHECK(
      written([&](std::ostream& out) { write_image("x", image, {}, plain_style(), out, nullptr, nullptr, &texts); }) ==
      R"(x
  format      elf64 x86_64 shared library, 0 bytes
  opens       libk.so                                                                 table: a table
  may open    libcudart.so.11.0                                         text at 0x1234, calls dlopen
              libx.so                                                   text at 0x5678, calls dlopen
  limit       more names of libraries among its constants, or more constants, than are read
)");
  const auto json = parse_json(
      written([&](std::ostream& out) { write_image_json("x", image, {}, true, out, nullptr, nullptr, &texts); }));
  CHECK(json["may_open"].dump() ==
        R"([{"name":"libk.so","source":"a table"},{"calls":"dlopen","name":"libcudart.so.11.0","offset":4660},)"
        R"({"calls":"dlopen","name":"libx.so","offset":22136}])");
}

TEST_CASE("a file that is no ELF is said to be none") {
  const std::string text = written([](std::ostream& out) { write_image("x", Image(), {}, plain_style(), out); });
  CHECK(text == "x\n  format      no ELF or PE file, or one without a usable header\n");
}

TEST_CASE("the same as JSON") {
  const Image image = example_image();
  const std::string text =
      written([&](std::ostream& out) { write_image_json("/lib/libfoo.so", image, {}, true, out); });
  CHECK(nlohmann::ordered_json::parse(text) == nlohmann::ordered_json::parse(R"({
    "schema": "cudald/image", "schema_version": "1.0", "path": "/lib/libfoo.so",
    "format": "elf64", "machine": "x86_64",
    "type": "shared", "size": 4096, "soname": "libfoo.so.1", "interpreter": null,
    "needed": [{"name": "libc.so.6"}, {"name": "libaux.so", "tag": "auxiliary"}], "rpath": "",
    "runpath": "$ORIGIN:",
    "audit": [], "depaudit": [],
    "version_needs": [{"file": "libc.so.6", "versions": [{"name": "GLIBC_2.34", "weak": false},
    {"name": "GLIBC_2.36", "weak": true}]}],
    "version_definitions": ["FOO_1"], "flags": ["BIND_NOW", "NODEFLIB"], "kernel": "3.2.0",
    "isa": ["x86-64-baseline", "x86-64-v3"], "build_id": "abc123",
    "dlopen_notes": [{"sonames": ["libzstd.so.1", "libzstd.so"], "feature": "zstd",
    "description": "compressed dumps", "priority": "recommended"}], "may_open": null,
    "pe": null, "gpu": null, "cuda": null,
    "defects": [{"message": "a table runs past the end", "offset": 64, "limit": false}]})"));
}

Image example_dll() {
  Image image;
  image.format = Format::pe32_plus;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  image.file_size = 4096;
  image.soname = "cudart64_12.dll";
  image.pe.emplace();
  auto& pe = *image.pe;
  pe.subsystem = 2;
  pe.dll_characteristics = 0x160;
  pe.file_version = "6.14.11.12080";
  pe.imports = {{"KERNEL32.dll", false, 0, false}, {"nvcuda.dll", true, 0, false}};
  pe.manifests = {{2, {{"Microsoft.VC90.CRT", "9.0.21022.8", "win32", "amd64", "", "", false}}}};
  pe.sections = {{".text", 0x1000, 10, 512, 512, 0}, {".nv_fatb", 0x2000, 10, 1024, 2048, 0}};
  image.defects = {{"the sections overlap", 64, false}};
  return image;
}

PeSymbols example_functions() {
  PeSymbols symbols;
  symbols.imports = {{{"ExitProcess", 0}, {"", 7}}, {{"cuInit", 0}}};
  symbols.exports = {{"cudaMalloc", 1, ""}, {"old\x1b", 2, "other.new"}, {"", 3, ""}};
  symbols.defects = {{"a forwarder has no end", std::nullopt, false}};
  return symbols;
}

TEST_CASE("a PE file's own words are shown") {
  const auto shown = [](int verbosity) {
    auto style = plain_style();
    style.verbosity = verbosity;
    return written([&](std::ostream& out) { write_image("x.dll", example_dll(), example_functions(), style, out); });
  };
  CHECK(shown(0) ==
        R"(x.dll
  format      pe32+ x86_64 DLL (windows), 4096 bytes
  name        cudart64_12.dll
  version     6.14.11.12080
  imports     KERNEL32.dll                                                               2 functions
  delayed     nvcuda.dll                                                                  1 function
  exports     3 functions
  forwards    to other.dll                                                                1 function
  manifest    Microsoft.VC90.CRT 9.0.21022.8 amd64                                        resource 2
  flags       HIGH_ENTROPY_VA DYNAMIC_BASE NX_COMPAT
  section     .nv_fatb                                                                    2048 bytes
  defect      a forwarder has no end
              the sections overlap                                                       offset 0x40
)");
  const auto in_full = shown(1);
  for (const auto* line : {"                ExitProcess\n", "                #7\n", "                cuInit\n",
                           "                cudaMalloc\n", "                #3\n", "  section     .text "}) {
    CAPTURE(line);
    CHECK(in_full.find(line) != std::string::npos);
  }
  CHECK(in_full.find(" -> other.new\n") != std::string::npos);
  CHECK(in_full.find('\x1b') == std::string::npos);
}

TEST_CASE("a PE file as JSON") {
  const auto document = parse_json(
      written([](std::ostream& out) { write_image_json("x.dll", example_dll(), example_functions(), true, out); }));
  CHECK(document["format"] == "pe32+");
  CHECK(document["machine"] == "x86_64");
  CHECK(document["soname"] == "cudart64_12.dll");
  CHECK(document["needed"] == parse_json(R"([
    {"name": "KERNEL32.dll", "kind": "import", "functions": [{"name": "ExitProcess"}, {"ordinal": 7}]},
    {"name": "nvcuda.dll", "kind": "delay-import", "functions": [{"name": "cuInit"}]},
    {"name": "other.dll", "kind": "forwarder"}])"));
  CHECK(document["pe"]["exports"] == parse_json(R"([{"name": "cudaMalloc", "ordinal": 1},
    {"name": "old\u001b", "ordinal": 2, "forwarder": "other.new"}, {"name": null, "ordinal": 3}])"));
  CHECK(document["pe"]["file_version"] == "6.14.11.12080");
  CHECK(document["pe"]["manifests"][0]["dependencies"][0]["name"] == "Microsoft.VC90.CRT");
  CHECK(document["defects"].size() == 2);
}

TEST_CASE("findings alone are one line each, and a count") {
  CHECK(written([](std::ostream& out) { write_findings(failing_report(), plain_style(), out); }) ==
        "error[CUD101] library-not-found: libcudart.so.12 is not found in any directory the loader searches  "
        "(/opt/app/lib/libfoo.so.1.2)\n"
        "FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches\n"
        "1 error (4 files).\n");
  CHECK(written([](std::ostream& out) { write_findings(healthy_report(), plain_style(), out); }) ==
        "LOADS  app loads, with 4 other files\nno findings (5 files).\n");
}

TEST_CASE("findings of several targets: the verdicts, the worst first, then the findings of each") {
  const auto writer = make_check_writer(plain_style());
  writer->add(healthy_report());
  writer->add(failing_report());
  CHECK(written([&](std::ostream& out) { writer->finish(out); }) ==
        "FAILS     app does not load: libcudart.so.12 is not found in any directory the loader searches\n"
        "LOADS     app loads, with 4 other files\n"
        "\n./app: 1 error (4 files).\n"
        "error[CUD101] library-not-found: libcudart.so.12 is not found in any directory the loader searches  "
        "(/opt/app/lib/libfoo.so.1.2)\n");
}

TEST_CASE("findings alone are told in full with -v, and quietly by the verdict") {
  auto style = plain_style();
  const auto told = [&] { return written([&](std::ostream& out) { write_findings(failing_report(), style, out); }); };
  const std::string verdict =
      "FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches\n";
  style.verbosity = -1;
  CHECK(told() == verdict);
  style.verbosity = 1;
  CHECK(told().find("searched, in this order") != std::string::npos);
  CHECK(told().ends_with("\n\n" + verdict + "1 error (4 files).\n"));
}

TEST_CASE("what else a PE file says of itself: what it is for, its flags, and what its imports are searched by") {
  const auto fact = [](const Image& image, const std::string& label) {
    PeSymbols symbols;
    symbols.imports.resize(image.pe->imports.size());
    const auto text = written([&](std::ostream& out) { write_image("x", image, symbols, plain_style(), out); });
    const auto at = text.find("\n  " + label + " ");
    return at == std::string::npos ? "" : text.substr(at + 3, text.find('\n', at + 1) - at - 3);
  };
  auto image = example_dll();
  image.pe->imports.clear();
  const std::pair<int, std::string> rows[] = {{0, "subsystem 0"},   {1, "native"}, {2, "windows"}, {3, "console"},
                                              {9, "windows-ce"},    {10, "efi"},   {13, "efi"},    {14, "xbox"},
                                              {15, "subsystem 15"}, {16, "boot"}};
  for (const auto& [number, name] : rows) {
    image.pe->subsystem = static_cast<std::uint16_t>(number);
    CHECK(fact(image, "format") == "format      pe32+ x86_64 DLL (" + name + "), 4096 bytes");
  }
  image.type = FileType::executable;
  CHECK(fact(image, "format").find(" program (boot)") != std::string::npos);
  image.type = FileType::other;
  image.machine = 0;
  image.pe->machine = 0x1c4;
  CHECK(fact(image, "format").find("pe32+ machine 0x1c4 file of no known type (boot)") != std::string::npos);
  CHECK(fact(image, "managed").empty());
  image.pe->managed = true;
  CHECK(fact(image, "managed") == "managed     holds .NET code (CLR header)");
  CHECK(fact(image, "load flags").empty());
  image.pe->dependent_load_flags = 0x800;
  CHECK(fact(image, "load flags").starts_with("load flags  0x800 "));
  CHECK(fact(image, "load flags").ends_with(" for what it imports (DependentLoadFlags)"));
  image.pe->manifests[0].dependencies[0].optional = true;
  image.pe->manifests[0].dependencies[0].public_key_token = "abc";
  CHECK(fact(image, "manifest").starts_with("manifest    Microsoft.VC90.CRT 9.0.21022.8 amd64 abc (optional) "));
  image.pe->manifests[0].dependencies.clear();
  CHECK(fact(image, "manifest").starts_with("manifest    depends on no assembly "));
  image.pe->dll_characteristics = 0;
  CHECK(fact(image, "flags").empty());
  image.pe->characteristics = 0xffff;
  CHECK(fact(image, "flags") == "flags       RELOCS_STRIPPED LARGE_ADDRESS_AWARE");
  image.pe->characteristics = 0;
  const std::pair<int, std::string> flags[] = {
      {0x20, "HIGH_ENTROPY_VA"}, {0x40, "DYNAMIC_BASE"},           {0x80, "FORCE_INTEGRITY"},
      {0x100, "NX_COMPAT"},      {0x200, "NO_ISOLATION"},          {0x400, "NO_SEH"},
      {0x800, "NO_BIND"},        {0x1000, "APPCONTAINER"},         {0x2000, "WDM_DRIVER"},
      {0x4000, "GUARD_CF"},      {0x8000, "TERMINAL_SERVER_AWARE"}};
  for (const auto& [bit, name] : flags) {
    image.pe->dll_characteristics = static_cast<std::uint16_t>(bit);
    CHECK(fact(image, "flags") == "flags       " + name);
  }
}

TEST_CASE("each flag of an ELF file, each kind and each level of processor has its name") {
  const auto document = [](const Image& image) {
    return parse_json(written([&](std::ostream& out) { write_image_json("x", image, {}, true, out); }));
  };
  const auto flags = [&](void (*set)(ElfFacts&)) {
    auto image = example_image();
    image.elf = {};
    set(image.elf);
    return document(image)["flags"].dump();
  };
  CHECK(flags([](ElfFacts&) {}) == "[]");
  CHECK(flags([](ElfFacts& elf) { elf.symbolic = true; }) == R"(["SYMBOLIC"])");
  CHECK(flags([](ElfFacts& elf) { elf.bind_now = true; }) == R"(["BIND_NOW"])");
  CHECK(flags([](ElfFacts& elf) { elf.static_tls = true; }) == R"(["STATIC_TLS"])");
  CHECK(flags([](ElfFacts& elf) { elf.text_relocations = true; }) == R"(["TEXTREL"])");
  CHECK(flags([](ElfFacts& elf) { elf.flags_1 = df_1_nodeflib; }) == R"(["NODEFLIB"])");
  CHECK(flags([](ElfFacts& elf) { elf.flags_1 = df_1_noopen; }) == R"(["NOOPEN"])");
  CHECK(flags([](ElfFacts& elf) { elf.flags_1 = df_1_pie; }) == R"(["PIE"])");
  CHECK(flags([](ElfFacts& elf) { elf.executable_stack = true; }) == R"(["EXECSTACK"])");
  CHECK(flags([](ElfFacts& elf) { elf.executable_stack = false; }) == "[]");
  auto image = example_image();
  image.elf.x86_isa_needed = 0b11111;  // the last has no name
  CHECK(document(image)["isa"].dump() == R"(["x86-64-baseline","x86-64-v2","x86-64-v3","x86-64-v4"])");
  const std::pair<FileType, std::string> kinds[] = {{FileType::none, "none"},
                                                    {FileType::relocatable, "relocatable"},
                                                    {FileType::executable, "executable"},
                                                    {FileType::shared, "shared"},
                                                    {FileType::core, "core"},
                                                    {FileType::other, "other"}};
  for (const auto& [type, name] : kinds) {
    image.type = type;
    CHECK(document(image)["type"] == name);
  }
}

TEST_CASE("of a library of CUDA all is told that its bytes say") {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  CudaLibrary library;
  library.kind = CudaKind::cudnn;
  library.version = "9.10.2";
  library.release = "9.10";
  library.part = "ops";
  library.built_for_cuda = "12.9";
  library.is_static = true;
  library.evidence = {"e"};
  CHECK(written([&](std::ostream& out) {
          write_image("x", image, {}, plain_style(), out, nullptr, &library);
        }).find("\n  cuda        cuDNN 9.10.2 (9.10), part ops, linked into it, built for CUDA 12.9\n") !=
        std::string::npos);
  const auto json =
      parse_json(written([&](std::ostream& out) { write_image_json("x", image, {}, true, out, nullptr, &library); }));
  CHECK(json["cuda"].dump() ==
        R"({"built_for_cuda":"12.9","evidence":["e"],"kind":"cudnn","part":"ops","release":"9.10","static":true,)"
        R"("stub":false,"version":"9.10.2"})");
}

std::string shown_image(const Image& image, const GpuCode* gpu = nullptr, const LibraryTexts* texts = nullptr) {
  const auto text =
      written([&](std::ostream& out) { write_image("x", image, {}, plain_style(), out, gpu, nullptr, texts); });
  return text.substr(text.find('\n') + 1);
}

Image bare_image(FileType type = FileType::shared) {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.type = type;
  return image;
}

constexpr const char* bare_words = "  format      elf64 x86_64 shared library, 0 bytes\n";

TEST_CASE("each kind of ELF file has its words") {
  for (const auto& [type, words] :
       {std::pair(FileType::executable, "program"), std::pair(FileType::shared, "shared library"),
        std::pair(FileType::relocatable, "object file"), std::pair(FileType::core, "core dump"),
        std::pair(FileType::none, "file of no known type"), std::pair(FileType::other, "file of no known type")})
    CHECK(shown_image(bare_image(type)) == std::string("  format      elf64 x86_64 ") + words + ", 0 bytes\n");
  auto pie = bare_image();
  pie.elf.flags_1 = df_1_pie;
  CHECK(shown_image(pie).starts_with("  format      elf64 x86_64 program (position-independent), 0 bytes\n"));
}

TEST_CASE("what else an ELF file says of itself") {
  auto image = bare_image();
  image.elf.interpreter = "/lib/ld.so";
  image.elf.needed = {{NeededTag::filter, "libf.so"}, {NeededTag::needed, "libn.so"}};
  image.elf.audit = {"liba.so"};
  image.elf.depaudit = {"libd.so"};
  image.elf.rpath = "/a::/b";
  image.elf.version_definitions = {{"base", 0, 1, true}, {"V1", 0, 2, false}, {"V2", 0, 3, false}};
  image.elf.tls_size = 16;
  image.elf.abi_note = AbiNote{3, 4, 5, 6};
  image.elf.dlopen_notes = {{{"libx.so"}, "", "words", DlopenPriority::required},
                            {{"liby.so"}, "feature", "", DlopenPriority::suggested}};
  image.defects = {{"more than is read", std::nullopt, true}, {"torn", 16, false}};
  const auto line = [](const std::string& left, const std::string& right) {
    return left + std::string(100 - left.size() - right.size(), ' ') + right + "\n";
  };
  CHECK(shown_image(image) ==
        bare_words + std::string("  interp      /lib/ld.so\n") + line("  needed      libf.so", "DT_FILTER") +
            "              libn.so\n"
            "  audit       liba.so\n"
            "  depaudit    libd.so\n"
            "  rpath       /a\n"
            "              \"\"  an empty element: the current directory\n"
            "              /b\n"
            "  defines     V1 V2\n"
            "  tls         16 bytes\n"
            "  kernel      system 3, 4.5.6 or newer\n" +
            line("  dlopen      libx.so: words", "required") + line("              liby.so  for feature", "suggested") +
            "  limit       more than is read\n" + line("  defect      torn", "offset 0x10"));
}

TEST_CASE("GPU code that the runtime takes over has no note, and what is not there no line") {
  GpuCode code;
  code.registered = true;
  code.ptx = {{{80, 0}, 1}};
  CHECK(shown_image(bare_image(), &code) == std::string(bare_words) + "  ptx         sm_80 (1)\n");
  code.ptx.clear();
  CHECK(shown_image(bare_image(), &code) == bare_words);
  const auto json =
      parse_json(written([&](std::ostream& out) { write_image_json("x", bare_image(), {}, true, out, &code); }));
  CHECK(json["gpu"].is_null());
}

TEST_CASE("the table by which it is known what a file opens is named once") {
  const LibraryTexts texts{"dlopen", {{"liba.so", 0, "t"}, {"libb.so", 0, "t"}, {"libc.so", 0, "u"}}, true};
  const auto line = [](const std::string& left, const std::string& right) {
    return left + std::string(100 - left.size() - right.size(), ' ') + right + "\n";
  };
  CHECK(shown_image(bare_image(), nullptr, &texts) == bare_words + line("  opens       liba.so", "table: t") +
                                                          "              libb.so\n" +
                                                          line("              libc.so", "table: u"));
}

TEST_CASE("the document of a file that is neither ELF nor PE has no machine, and tags of needs by their names") {
  const auto json = [](const Image& image) {
    return parse_json(written([&](std::ostream& out) { write_image_json("x", image, {}, true, out); }));
  };
  Image none;
  none.machine = EM_X86_64;
  none.defects = {{"no header", std::nullopt, true}};
  CHECK(json(none)["machine"].is_null());
  CHECK(json(none)["kernel"].is_null());
  CHECK(json(none)["defects"].dump() == R"([{"limit":true,"message":"no header","offset":null}])");
  CHECK(shown_image(none) ==
        "  format      no ELF or PE file, or one without a usable header\n  limit       no header\n");
  auto image = bare_image();
  image.elf.needed = {
      {NeededTag::filter, "libf.so"}, {NeededTag::auxiliary, "liba.so"}, {NeededTag::needed, "libn.so"}};
  image.elf.audit = {"a"};
  image.elf.depaudit = {"d"};
  CHECK(json(image)["needed"].dump() ==
        R"([{"name":"libf.so","tag":"filter"},{"name":"liba.so","tag":"auxiliary"},{"name":"libn.so"}])");
  CHECK(json(image)["audit"].dump() == R"(["a"])");
  CHECK(json(image)["depaudit"].dump() == R"(["d"])");
}

TEST_CASE("a PE file without a name, a version and much else has fewer lines; sections with GPU code are told") {
  auto image = example_dll();
  image.soname.reset();
  image.pe->file_version.reset();
  image.pe->imports.clear();
  image.pe->manifests.clear();
  image.pe->dll_characteristics = 0;
  image.defects.clear();
  image.pe->sections = {
      {".nvFatBi", 1, 2, 3, 4, 0}, {".nv_fatb", 5, 6, 7, 8, 0}, {".nvx", 0, 0, 0, 0, 0}, {".text", 0, 0, 0, 0, 0}};
  const auto told = shown_image(image);
  const std::string indent(14, ' ');
  CHECK(told == "  format      pe32+ x86_64 DLL (windows), 4096 bytes\n  section     .nvFatBi" + std::string(71, ' ') +
                    "4 bytes\n" + indent + ".nv_fatb" + std::string(71, ' ') + "8 bytes\n");
  for (const auto number : {10, 11, 12, 13}) {
    image.pe->subsystem = static_cast<std::uint16_t>(number);
    CHECK(shown_image(image).starts_with("  format      pe32+ x86_64 DLL (efi), 4096 bytes\n"));
  }
}

TEST_CASE("all that a PE file says is in its document") {
  auto image = example_dll();
  auto& pe = *image.pe;
  pe.dependent_load_flags = 0x800;
  pe.image_base = 0x180000000;
  pe.product_version = "12.8";
  pe.managed = true;
  pe.manifests = {{2, {{"a", "1.0", "win32", "amd64", "en", "key", true}}}};
  pe.sections.resize(1);
  auto symbols = example_functions();
  symbols.exports.clear();
  const auto document =
      parse_json(written([&](std::ostream& out) { write_image_json("x", image, symbols, true, out); }));
  CHECK(document["pe"].dump() ==
        R"({"dependent_load_flags":2048,"exports":[],"file_version":"6.14.11.12080","image_base":6442450944,)"
        R"("managed":true,"manifests":[{"dependencies":[{"architecture":"amd64","language":"en","name":"a",)"
        R"("optional":true,"public_key_token":"key","type":"win32","version":"1.0"}],"id":2}],)"
        R"("product_version":"12.8","sections":[{"address":4096,"file_size":512,"memory_size":10,"name":".text",)"
        R"("offset":512}],"subsystem":"windows"})");
}

}  // namespace
}  // namespace cudald
