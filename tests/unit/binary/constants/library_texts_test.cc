#include "binary/constants/library_texts.h"

#include <elf.h>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/library_texts.h>

#include "common/fatbin_file.h"
#include "common/pe_builder.h"
#include "unit/binary/image_of.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

LibraryTexts texts_of(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  const auto image = read_image(**file);
  REQUIRE(image);
  return read_library_texts(**file, **image);
}

/// "dlopen: liba.so libb.so", and "..." if that is not all.
std::string words(const LibraryTexts& found) {
  auto text = found.function + ":";
  for (const auto& one : found.texts) text += " " + one.name;
  return text + (found.complete ? "" : " ...");
}

const ElfSpec caller{.uses = {{"dlopen", ElfUse::call}}};

std::string with_constants(const ElfSpec& spec, const std::string& bytes) {
  return with_sections(elf(spec), {{".rodata", bytes}});
}

/// Texts with the zero that ends each.
std::string ended(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const auto& text : texts) bytes += text + '\0';
  return bytes;
}

std::string wide(const std::string& text) {
  std::string bytes;
  for (const char c : text + '\0') bytes += {c, '\0'};
  return bytes;
}

TEST_CASE("what is the name of a library, and what only looks like one") {
  for (const auto* name : {"libcuda.so.1", "libcudart.so.11.0", "libm.so", "libstdc++.so.6",
                           "libnvrtc-builtins.so.12.8", "libgio-2.0.so.0", "libfoo.something.so.1",
                           "/usr/lib64/libnvidia-ml.so.1", "$ORIGIN/../lib/libx.so", "/opt/cuda-12/lib/libcudart.so"})
    CHECK_MESSAGE(is_library_text(name, false), name);
  for (const auto* text : {"",
                           ".so",
                           "lib.so",
                           "lib%s.so",
                           "libcudart.so.%d",
                           "lib*.so",
                           "lib?.so.1",
                           "lib[a-z]+\\.so",
                           "cannot open libcuda.so.1",
                           "libcuda.so.1: not found",
                           "libcuda.so.",
                           "libcuda.so.1.",
                           "libcuda.so..1",
                           "libcuda.so.x",
                           "libx.sock",
                           "libx.source",
                           "x.so",
                           "cudart.so",
                           "lib..so",
                           "lib-.so",
                           "/libjvm.so",
                           "/hotspot/libjvm.so",
                           "usr/lib/libx.so",
                           "${LIB}/libx.so",
                           "$ORIGINAL/libx.so",
                           "libcuda.so.1\n",
                           "libfoo.so,libbar.so",
                           "nvcuda.dll"})
    CHECK_FALSE_MESSAGE(is_library_text(text, false), text);
  for (const auto* name : {"nvcuda.dll", "CUDART64_110.DLL", "cudnn_ops_infer64_8.dll", "zlib1.dll"})
    CHECK_MESSAGE(is_library_text(name, true), name);
  for (const auto* text : {".dll", "%s.dll", "*.dll", "C:\\x.dll", "a b.dll", "x.dllx", "cudart64_%d.dll",
                           "api-ms-win-core-fibers-l1-1-1.dll", "ext-ms-win-x.dll", "libcuda.so.1", "nvcuda"})
    CHECK_FALSE_MESSAGE(is_library_text(text, true), text);
}

TEST_CASE("names among the constants of a file that calls dlopen are told with their place") {
  const auto bytes = with_constants(
      caller, ended({"libcuda.so.1", "error: %s", "/usr/lib64/libx.so", "not libcuda.so.1", "libcuda.so.1"}));
  const auto found = texts_of(bytes);
  CHECK(words(found) == "dlopen: libcuda.so.1 /usr/lib64/libx.so");
  CHECK(bytes.substr(found.texts[1].offset, 19) == std::string("/usr/lib64/libx.so\0", 19));
  CHECK(words(texts_of(with_constants({.uses = {{"dlmopen", ElfUse::call}}}, ended({"libx.so"})))) ==
        "dlmopen: libx.so");
}

TEST_CASE("a file that does not call dlopen opens nothing") {
  const auto constants = ended({"libcuda.so.1"});
  CHECK(words(texts_of(with_constants({}, constants))) == ":");
  CHECK(words(texts_of(
            with_constants({.uses = {{"my_dlopen", ElfUse::call}, {"dlopener", ElfUse::call}}}, constants))) == ":");
  CHECK(words(texts_of(with_constants({.defines = {{"dlopen"}}}, constants))) == ":");
  CHECK(words(texts_of("not an ELF file, libcuda.so.1")) == ":");
}

TEST_CASE("of an ELF file of each kind") {
  for (const bool is_64 : {true, false})
    for (const auto order : {ByteOrder::little, ByteOrder::big}) {
      ElfSpec spec = caller;
      spec.is_64 = is_64;
      spec.byte_order = order;
      spec.machine = is_64 ? (order == ByteOrder::little ? EM_X86_64 : EM_S390) : EM_386;
      CHECK(texts_of(elf(spec)).function == "dlopen");
    }
}

TEST_CASE("names that its own headers hold are known better from there") {
  ElfSpec spec = caller;
  spec.soname = "libself.so.1";
  spec.needed = {"libneeded.so.2"};
  spec.dlopen_notes = {R"([{"soname":["libnoted.so.3"]}])"};
  CHECK(words(texts_of(with_constants(spec, ended({"libself.so.1", "libneeded.so.2", "libnoted.so.3",
                                                   "libother.so.4"})))) == "dlopen: libother.so.4");
}

TEST_CASE("a text must stand alone and have an end") {
  // The linker lets a longer text serve as a shorter one; that is not known to be one.
  CHECK(words(texts_of(with_constants(caller, "xlibcuda.so.1" + std::string(1, '\0')))) == "dlopen:");
  CHECK(words(texts_of(with_constants(caller, "\1libx.so" + std::string(1, '\0')))) == "dlopen:");
  const auto whole = with_constants(caller, "libcuda.so.1");
  CHECK(words(texts_of(whole)) == "dlopen:");
  CHECK(words(texts_of(with_constants(caller, ended({"lib" + std::string(300, 'x') + ".so", "libx.so"})))) ==
        "dlopen: libx.so");
}

TEST_CASE("blocks in which the data is read do not cut names") {
  constexpr std::size_t block = 1 << 17;
  for (const std::size_t before : {block - 20, block - 13, block - 12, block - 5, block - 1, block, block + 1}) {
    CAPTURE(before);
    CHECK(words(texts_of(with_constants(caller, std::string(before - 1, 'x') + '\0' + ended({"libcuda.so.1"})))) ==
          "dlopen: libcuda.so.1");
  }
}

TEST_CASE("hostile constants cost no more than others") {
  std::string dots;
  while (dots.size() < (std::size_t{8} << 20)) dots += ".so";
  CHECK(words(texts_of(with_constants(caller, dots + '\0'))) == "dlopen:");
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back(fmt::format("lib{}.so", i));
  const auto found = texts_of(with_constants(caller, ended(many)));
  CHECK(found.texts.size() == 256);
  CHECK_FALSE(found.complete);
}

TEST_CASE("sections that lie about their place are read as far as the file goes") {
  auto bytes = with_constants(caller, ended({"libcuda.so.1"}));
  CHECK(words(texts_of(bytes.substr(0, bytes.size() - 1))).starts_with("dlopen:"));
  for (std::size_t at = bytes.size() > 512 ? bytes.size() - 512 : 0; at + 8 <= bytes.size(); at += 8) {
    auto damaged = bytes;
    damaged.replace(at, 8, 8, '\xff');
    CHECK(texts_of(damaged).texts.size() <= 1);
  }
}

TEST_CASE("a DLL names DLLs in narrow and wide characters, in capital and small letters") {
  PeSpec spec;
  spec.name = "self.dll";
  spec.imports = {{"KERNEL32.dll", {{"LoadLibraryExW", 0}}}, {"later.dll", {{"f", 0}}, true}};
  spec.constants = '\0' + ended({"nvcuda.dll", "NVCUDA.DLL", "%s.dll", "self.dll", "LATER.dll", "kernel32.dll"}) +
                   std::string(1, '\0') + wide("cudart64_110.dll") + wide("not.dll at all");
  const auto bytes = build_pe(spec).bytes;
  const auto found = texts_of(bytes);
  CHECK(words(found) == "LoadLibraryExW: nvcuda.dll cudart64_110.dll");
  CHECK(bytes.substr(found.texts[1].offset, 4) == std::string("c\0u\0", 4));
  spec.imports = {{"KERNEL32.dll", {{"GetModuleHandleW", 0}}}};
  CHECK(words(texts_of(pe(spec))) == ":");
}

TEST_CASE("what is a name by each of its parts") {
  for (const auto* name : {"lib_x.so", "lib1.so", "libx+y-z.1.so.2.3", "/lib/libx.so", "/lib32/libx.so",
                           "/libx32/libx.so", "/etc/a/libx.so", "/var/lib/libx.so", "/run/libx.so", "liba.so.b.so"})
    CHECK_MESSAGE(is_library_text(name, false), name);
  for (const auto* name : {"lib-x.so", "lib..x.so", "lib+.so", "liba b.so", "libx.so.", "libx.so.1.", "libx.so.1..2",
                           "libx.so1", "libx.so.1a2", "libx.so.1-2", "libx.soa", "libx", "x.so", "/usr/l b/libx.so",
                           "/home/libx.so", "/lib64", "lib/libx.so"})
    CHECK_MESSAGE(!is_library_text(name, false), name);
  for (const auto* name : {"a.dll", "_x.DLL", "1.dll", "Foo-bar+1.2.Dll"})
    CHECK_MESSAGE(is_library_text(name, true), name);
  for (const auto* name : {".dll", "dll", "a.dl", "a.dll.mui", "a..dll", "-a.dll", "a b.dll", "api-ms-win-core.dll",
                           "EXT-MS-win.dll", "c:\\a.dll"})
    CHECK_MESSAGE(!is_library_text(name, true), name);
}

TEST_CASE("dlopen comes before dlmopen, wherever their names stand") {
  const auto function = [](std::vector<ElfReference> uses) {
    return texts_of(elf({.uses = std::move(uses)})).function;
  };
  CHECK(function({{"dlmopen"}, {"dlopen"}}) == "dlopen");
  CHECK(function({{"dlopen"}, {"dlmopen"}}) == "dlopen");
  CHECK(function({{"a"}, {"dlmopen"}, {"z"}}) == "dlmopen");
  CHECK(function({{"dlope"}, {"dlopen2"}, {"xdlopen"}}) == "");
  // Names that lie further apart than a block of them.
  const std::string far(20'000, 'n');
  CHECK(function({{far}, {"dlopen"}}) == "dlopen");
  CHECK(function({{far}, {"dlmopen"}, {far + "n"}, {"dlopen"}}) == "dlopen");
  CHECK(function({{far}, {"dlmopen"}, {far + "n"}}) == "dlmopen");
  for (std::size_t length = 16'360; length < 16'390; ++length)
    REQUIRE(function({{"a"}, {std::string(length, 'n')}, {"dlmopen"}, {"x"}}) == "dlmopen");
}

TEST_CASE("so many texts are told") {
  for (const int count : {256, 257}) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back("lib" + std::to_string(i) + ".so");
    const auto found = texts_of(with_constants(caller, ended(names)));
    CHECK(found.texts.size() == 256);
    CHECK(found.texts.back().name == "lib255.so");
    CHECK(found.complete == (count == 256));
  }
}

TEST_CASE("symbols over the border of blocks are seen, and names that cannot be read are none") {
  ElfSpec spec;
  constexpr std::uint64_t count = 5600;
  for (std::uint64_t i = 0; i < count; ++i) spec.uses.push_back({"n" + std::to_string(i)});
  spec.uses.push_back({"dlopen"});
  spec.hash = ElfHash::none;
  const auto built = build_elf(spec);
  const auto symbols = built.at.at("symbols"), last = symbols + (count + 1) * sizeof(Elf64_Sym);
  const auto name =
      static_cast<std::uint32_t>(built.bytes.find(std::string("\0dlopen", 7)) + 1 - built.at.at("strings"));
  for (std::uint64_t i = 5458; i < 5466; ++i) {
    auto bytes = built.bytes;
    poke(bytes, last, std::uint32_t{0});
    poke(bytes, symbols + i * sizeof(Elf64_Sym), name);
    CHECK(texts_of(bytes).function == "dlopen");
  }
  const auto bytes = elf(caller);
  const auto image = *read_image(FaultyFile(bytes));
  const auto place = bytes.find("dlopen");
  CHECK(loading_function(FaultyFile(bytes, place + 6, true), *image) == "");
  CHECK(loading_function(FaultyFile(bytes, place + 6, false), *image) == "");
  CHECK(loading_function(FaultyFile(bytes), *image) == "dlopen");
}

TEST_CASE("symbols end where any other table begins, and those that are hashed are the file's own") {
  const auto built = build_elf({.uses = {{"a"}, {"dlopen"}}, .hash = ElfHash::none});
  const FaultyFile file(built.bytes);
  const auto image = **read_image(file);
  const auto symbols = built.at.at("symbols");
  for (const auto table :
       {&ElfTables::symbol_versions, &ElfTables::gnu_hash, &ElfTables::sysv_hash, &ElfTables::relocations,
        &ElfTables::plt_relocations, &ElfTables::relr, &ElfTables::implicit_relocations}) {
    const auto with = [&](std::uint64_t offset, bool present) {
      auto other = image;
      other.elf.tables.*table = {.offset = offset, .size = 8, .present = present};
      return loading_function(file, other);
    };
    CHECK(with(symbols + 2 * sizeof(Elf64_Sym), true) == "");
    CHECK(with(symbols + 2 * sizeof(Elf64_Sym), false) == "dlopen");
    CHECK(with(symbols, true) == "dlopen");
  }
  auto without = image;
  without.elf.tables.symbols.present = false;
  CHECK(loading_function(file, without) == "");
  without = image;
  without.elf.tables.strings.present = false;
  CHECK(loading_function(file, without) == "");
  // The names end where it is said that they do.
  const auto name = built.bytes.find(std::string("\0dlopen", 7)) + 1 - built.at.at("strings");
  for (const std::uint64_t size : {name, name + 6, name + 7}) {
    auto shorter = image;
    shorter.elf.tables.declared_strings_size = size;
    CHECK(loading_function(file, shorter) == (size == name + 7 ? "dlopen" : ""));
  }
  const auto hashed = [&](std::uint32_t first) {
    auto bytes = built.bytes + std::string(8, '\0');
    poke(bytes, bytes.size() - 4, first);
    auto other = image;
    other.elf.tables.gnu_hash = {.offset = bytes.size() - 8, .size = 8, .present = true};
    return loading_function(FaultyFile(bytes), other);
  };
  CHECK(hashed(0) == "dlopen");
  CHECK(hashed(1) == "dlopen");
  CHECK(hashed(2) == "");
  CHECK(hashed(3) == "dlopen");
}

TEST_CASE("functions of Windows that load libraries, the wider ones first") {
  const auto function = [](std::vector<ImportedFunction> functions) {
    return texts_of(pe({.imports = {{"KERNEL32.dll", std::move(functions)}, {"b.dll", {{"f"}}}}})).function;
  };
  CHECK(function({{"LoadLibraryA"}, {"LoadLibraryExW"}}) == "LoadLibraryExW");
  CHECK(function({{"LoadPackagedLibrary"}, {"LoadLibraryA"}}) == "LoadLibraryA");
  CHECK(function({{"LoadLibraryA"}, {"LoadLibraryW"}}) == "LoadLibraryW");
  CHECK(function({{"LoadLibraryW"}, {"LoadLibraryExA"}}) == "LoadLibraryExA");
  CHECK(function({{"LoadPackagedLibrary"}}) == "LoadPackagedLibrary");
  CHECK(function({{"LoadLibrary"}, {"GetModuleHandleW"}}) == "");
}

TEST_CASE("the longest texts are found wherever they lie over the border of two blocks, in both widths") {
  constexpr std::ptrdiff_t block = 1 << 17;
  const auto name = "lib" + std::string(249, 'n') + ".so";
  CHECK(name.size() == 255);
  const auto found_at = [&](const std::string& text, std::ptrdiff_t begin) {
    const std::string zeros(2, '\0');
    const auto constants = std::string(static_cast<std::size_t>(begin) - 2, 'x') + zeros + text + zeros;
    return words(texts_of(with_constants(caller, constants))) == "dlopen: " + name;
  };
  for (const std::ptrdiff_t way : {-515, -514, -512, -511, -510, -257, -256, -255, -2, -1, 0, 1, 2, 3}) {
    CAPTURE(way);
    CHECK(found_at(name, block + way));
    auto widened = wide(name);
    widened.resize(widened.size() - 2);
    CHECK(found_at(widened, block + way));
  }
}

}  // namespace
}  // namespace cudald
