#include "process/activation_contexts.h"

#include <doctest/doctest.h>

#include "binary/image_store.h"
#include "common/memory_file_system.h"
#include "common/pe_builder.h"

namespace cudald {
namespace {

/// The manifest of an assembly that has `file` and depends on another one; either may be empty.
std::string manifest(const std::string& file, const std::string& depends = "", const std::string& more = "") {
  auto text = std::string("<assembly>");
  if (!file.empty()) text += "<file name='" + file + "'/>";
  if (!depends.empty())
    text += "<dependency" + more + "><dependentAssembly><assemblyIdentity name='" + depends +
            "' version='1.0.0.0'/></dependentAssembly></dependency>";
  return text + "</assembly>";
}

/// A machine whose drive C: is the tree, with a program in C:\App.
class Machine {
 public:
  Machine() {
    host.application = "C:\\App";
    host.mounts = {{"C:", "/"}};
  }

  /// "b.dll=C:\D\Mine\b.dll ", then "missing NAME"; "none" where there is no manifest.
  std::string context(const std::string& load_name, const PeSpec& spec = {}) {
    files.add_file("/file.dll", pe(spec));
    ImageStore images(files);
    WindowsTree tree(images, host);
    const auto found = ActivationContexts(images, tree, host).context_of(*images.open("/file.dll").image, load_name);
    if (!found) return "none";
    std::string text;
    for (const auto& [name, path] : found->files) text += name + "=" + path + " ";
    return text + (found->missing.empty() ? "" : "missing " + found->missing);
  }

  MemoryFileSystem files;
  WindowsHost host;
};

PeSpec with_manifest(const std::string& text, std::uint32_t id = 2) { return {.resources = {{24, id, text}}}; }

TEST_CASE("the files of an assembly lie where its manifest does") {
  Machine machine;
  CHECK(machine.context("C:\\D\\a.dll") == "none");
  const auto asks = with_manifest(manifest("", "Mine"));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "missing Mine 1.0.0.0");
  machine.files.add_file("/App/Mine.manifest", manifest("B.dll"));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "b.dll=C:\\App\\B.dll ");
  machine.files.add_file("/D/Mine/Mine.manifest", manifest("B.dll"));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "b.dll=C:\\D\\Mine\\B.dll ");
  machine.files.add_file("/D/Mine.dll", pe(with_manifest(manifest("C.dll"), 1)));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "c.dll=C:\\D\\C.dll ");
}

TEST_CASE("a manifest beside the file counts if the file has none of its own") {
  Machine machine;
  machine.files.add_file("/D/a.dll.2.manifest", manifest("", "Beside"));
  CHECK(machine.context("C:\\D\\a.dll") == "missing Beside 1.0.0.0");
  CHECK(machine.context("C:\\D\\a.dll", with_manifest(manifest("", "Own"))) == "missing Own 1.0.0.0");
  CHECK(machine.context("C:\\D\\a.dll", with_manifest(manifest("", "Own"), 1)) == "missing Beside 1.0.0.0");
  machine.files.add_file("/D/a.exe.manifest", manifest("", "Program"));
  CHECK(machine.context("C:\\D\\a.exe", {.characteristics = 0x22}) == "missing Program 1.0.0.0");
}

TEST_CASE("assemblies that depend on others, on each other, and on none that must be there") {
  Machine machine;
  const auto asks = with_manifest(manifest("", "One"));
  machine.files.add_file("/D/One.manifest", manifest("1.dll", "Two"));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "1.dll=C:\\D\\1.dll missing Two 1.0.0.0");
  machine.files.add_file("/D/Two.manifest", manifest("2.dll", "One"));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "1.dll=C:\\D\\1.dll 2.dll=C:\\D\\2.dll ");
  CHECK(machine.context("C:\\D\\a.dll", with_manifest(manifest("", "None", " optional='yes'"))) == "");
  CHECK(machine.context(
            "C:\\D\\a.dll",
            with_manifest("<dependency><dependentAssembly><assemblyIdentity name='Microsoft."
                          "Windows.Common-Controls' version='6.0.0.0'/></dependentAssembly></dependency>")) == "");
}

TEST_CASE("in a copy of Windows the newest of its store counts, with the folder of the same name") {
  Machine machine;
  machine.host.has_files = true;
  const std::string store = "/Windows/WinSxS/Manifests/amd64_mine_0123_1.0.";
  machine.files.add_file(store + "1.0_none_a.manifest", manifest("b.dll"));
  machine.files.add_file(store + "2.0_none_a.manifest", manifest("b.dll"));
  CHECK(machine.context("C:\\D\\a.dll", with_manifest(manifest("", "Mine"))) ==
        "b.dll=C:\\Windows\\WinSxS\\amd64_mine_0123_1.0.2.0_none_a\\b.dll ");
}

TEST_CASE("of assemblies that are missing the first is told, and what is no manifest is none") {
  const auto told = [](const std::string& path, const std::string& bytes, const FileTraits& traits = {}) {
    Machine machine;
    machine.files.add_file(path, bytes, traits);
    return machine.context("C:\\D\\a.dll", with_manifest(manifest("", "Mine")));
  };
  const std::string missing = "missing Mine 1.0.0.0", found = "b.dll=C:\\D\\b.dll ", text = manifest("b.dll");
  CHECK(told("/D/Mine.manifest", text) == found);
  CHECK(told("/D/Mine.manifest", text, {.readable = false}) == missing);
  CHECK(told("/D/Mine.manifest/below", text) == missing);
  CHECK(told("/D/Mine.manifest", text + std::string((std::size_t{1} << 20) - text.size(), ' ')) == found);
  CHECK(told("/D/Mine.manifest", text + std::string((std::size_t{1} << 20) + 1 - text.size(), ' ')) == missing);
  CHECK(told("/D/Mine.dll", pe(with_manifest(text, 1))) == found);
  CHECK(told("/D/Mine.dll", pe(with_manifest(text, 2))) == missing);
  CHECK(told("/D/Mine.dll", pe({})) == missing);
  CHECK(told("/D/Mine.dll", "text") == missing);
  CHECK(told("/D/Mine.dll", pe(with_manifest(text, 1)), {.readable = false}) == missing);
  Machine machine;
  const auto two = manifest("", "First");
  CHECK(machine.context("C:\\D\\a.dll", with_manifest(two.substr(0, two.size() - sizeof("</assembly>") + 1) +
                                                      manifest("", "Second").substr(sizeof("<assembly>") - 1))) ==
        "missing First 1.0.0.0");
}

TEST_CASE("a store of Windows without the assembly has none, and its files lie under the whole name") {
  Machine machine;
  machine.host.has_files = true;
  const auto asks = with_manifest(manifest("", "Mine"));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "missing Mine 1.0.0.0");
  machine.files.add_file("/Windows/WinSxS/Manifests/amd64_other_0123_1.0.1.0_none_a.manifest", manifest("b.dll"));
  CHECK(machine.context("C:\\D\\a.dll", asks) == "missing Mine 1.0.0.0");
  machine.files.add_file("/Windows/WinSxS/Manifests/amd64_mine_0123_1.0.1.0_none_a.manifest", "", {.readable = false});
  CHECK(machine.context("C:\\D\\a.dll", asks) == "missing Mine 1.0.0.0");
}

TEST_CASE("assemblies are followed nine deep") {
  Machine machine;
  std::string files;
  for (int i = 1; i <= 10; ++i) {
    const auto number = std::to_string(i);
    machine.files.add_file("/D/A" + number + ".manifest", manifest(number + ".dll", "A" + std::to_string(i + 1)));
    if (i < 10) files += number + ".dll=C:\\D\\" + number + ".dll ";
  }
  CHECK(machine.context("C:\\D\\a.dll", with_manifest(manifest("", "A1"))) == files);
}

TEST_CASE("a manifest that Windows refuses, or one of another version, makes the assembly one that is not there") {
  Machine machine;
  const auto asks = with_manifest(manifest("", "Mine"));
  const auto fault = [&](const std::string& text, const PeSpec& spec) {
    machine.files.add_file("/D/Mine.manifest", text);
    machine.files.add_file("/file.dll", pe(spec));
    ImageStore images(machine.files);
    WindowsTree tree(images, machine.host);
    const auto found =
        ActivationContexts(images, tree, machine.host).context_of(*images.open("/file.dll").image, "C:\\D\\a.dll");
    REQUIRE(found);
    CHECK(found->missing.empty() == found->fault.empty());
    return found->fault;
  };
  CHECK(fault(manifest("b.dll"), asks) == "");
  CHECK(fault("<assembly>\n<file name=b.dll/></assembly>", asks) ==
        "C:\\D\\Mine.manifest, line 2: the value of name is not in quotes");
  CHECK(fault("<assembly><assemblyIdentity name='Mine' version='1.0.0.0'/></assembly>", asks) == "");
  CHECK(fault("<assembly><assemblyIdentity name='Mine' version='2.0.0.0'/></assembly>", asks) ==
        "C:\\D\\Mine.manifest is of version 2.0.0.0, and 1.0.0.0 is needed");
  CHECK(fault("", with_manifest("<assembly>")) == "C:\\D\\a.dll, line 1: <assembly> is not closed");
}

}  // namespace
}  // namespace cudald
