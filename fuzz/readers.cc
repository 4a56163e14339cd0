// The readers of strangers' bytes, as targets of libFuzzer: one program, whose variable CUDALD_FUZZ names the target.
// tools/fuzz builds and runs it. A fault is whatever the sanitizers report, a run of more than five seconds, or more
// than 512 MB. Source: https://llvm.org/docs/LibFuzzer.html

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/image.h>
#include <cudald/linux_host_file.h>
#include <cudald/message.h>
#include <cudald/pe_symbols.h>
#include <cudald/query.h>
#include <cudald/report.h>
#include <cudald/session.h>
#include <cudald/windows_host_file.h>
#include <cudald/writers.h>
#include <nlohmann/json.hpp>

#include "archive/image_tar.h"
#include "archive/zip_directory.h"
#include "base/bounded_json.h"
#include "base/demangler.h"
#include "base/toml.h"
#include "binary/elf/rehearsal.h"
#include "binary/image_store.h"
#include "common/example_report.h"
#include "common/memory_file_system.h"
#include "index/index_page.h"
#include "index/netrc.h"
#include "knowledge/newer_tables.h"
#include "knowledge/unset_variable.h"
#include "lock/choose.h"
#include "lock/lock_file.h"
#include "machine/ld_so_cache.h"
#include "machine/ld_so_conf.h"
#include "package/package_tree.h"
#include "package/requirement.h"
#include "package/version.h"
#include "package/wheel_texts.h"
#include "pyimport/run_import.h"
#include "pyimport/sources/source.h"
#include "pyimport/syntax/refused_syntax.h"
#include "rewrite/edit_elf.h"
#include "rewrite/edit_zip.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_bodies = 1000;

void read_library(ImageStore& images, const std::string& path) {
  const auto& opened = images.open(path);
  const auto file = images.files().open(path);
  if (!opened.image || !file) return;
  images.gpu_code(path);
  images.library_texts(path);
  (void)read_pe_symbols(**file, *opened.image);
  read_all_tables(**file);
}

void fuzz_library(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/libx.so", bytes);
  ImageStore images(files);
  read_library(images, "/libx.so");
}

void fuzz_package(const std::string& bytes, const std::string& name) {
  MemoryFileSystem files;
  files.add_file(name, bytes);
  PackageTree tree(files, read_all_tables);
  const auto number = tree.install(name);
  if (!number) return;
  ImageStore images(tree);
  for (const auto& library : tree.packages()[*number].libraries) read_library(images, library);
}

void fuzz_wheel(const std::string& bytes) { fuzz_package(bytes, "/x-1.0-cp311-cp311-linux_x86_64.whl"); }
void fuzz_conda(const std::string& bytes) { fuzz_package(bytes, "/x-1.0-py311_0.conda"); }

void fuzz_tar(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/x.tar", bytes);
  auto file = files.open("/x.tar");
  if (!file) return;
  const auto tar = open_image_tar(std::shared_ptr<const File>(std::move(*file)), "/x.tar", read_all_tables, "amd64");
  if (!tar) return;
  for (const auto* path : {"/", "/etc", "/lib", "/a/../b"}) {
    (void)tar->files->status(path);
    (void)tar->files->list(path);
  }
}

void fuzz_cache(const std::string& bytes) {
  const auto cache = LdSoCache::parse(bytes);
  if (!cache) return;
  for (std::size_t i = 0; i < cache->size() && i < most_bodies; ++i) {
    const auto entry = cache->entry(i);
    if (entry) (void)cache->find(entry->key, {.flags = entry->flags});
  }
  (void)cache->hwcap_names();
}

void fuzz_toml(const std::string& bytes) { (void)read_toml(bytes, "tool.cudald"); }

void fuzz_lock(const std::string& bytes) {
  const auto kinds = {LockKind::pylock,     LockKind::uv_lock,        LockKind::requirements,
                      LockKind::pip_report, LockKind::conda_explicit, LockKind::conda_lock};
  for (const auto kind : kinds) {
    const auto lock = read_lock(kind, bytes, [&](const std::string&) { return Result<std::string>(bytes); });
    if (!lock) continue;
    const WheelEnvironment linux_python{.python_version = "3.11", .machine = "x86_64"};
    (void)choose_packages(*lock, make_lock_environment(linux_python, {"a"}, {"dev"}));
  }
}

void fuzz_metadata(const std::string& bytes) {
  (void)parse_wheel_metadata(bytes);
  (void)parse_record(bytes);
  const auto requirement = parse_requirement(bytes);
  if (requirement) (void)holds(requirement->marker, linux_marker_values("3.11", "x86_64"), {"a"});
  (void)holds(bytes, windows_marker_values("3.11", "AMD64"), {});
  (void)parse_version(bytes);
  (void)Demangler()(bytes);
}

/// All that was parsed, bodies of functions as well.
void visit(const python::Source& source, const python::Node& node, std::uint64_t& bodies) {
  if (node.is(python::NodeKind::unread_body) && ++bodies < most_bodies) visit(source, source.body(node), bodies);
  for (std::size_t i = 0; i < node.size(); ++i) visit(source, node[i], bodies);
}

void fuzz_python(const std::string& bytes) {
  Budget budget(python_limits);
  const auto source = python::Source::parse("/m.py", bytes, budget);
  std::uint64_t bodies = 0;
  visit(*source, source->block(), bodies);
  (void)source->first_trick();
  for (const int minor : {6, 9, 12, 15}) (void)python::refused_syntax(bytes, minor, budget);
}

void fuzz_import(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/s/m.py", bytes);
  files.add_file("/s/other.py", "x = 1\n");
  PythonEnvironment python;
  python.version = "3.11";
  python.path = {"/s"};
  PythonLoader loader;
  loader.load = [](const LoadStep& step) { return LoadAnswer{step.path.size() % 2 == 0, "no"}; };
  loader.mapped = [](const std::string&) { return false; };
  Budget budget({.kept = std::uint64_t{64} << 20, .steps = 10'000'000, .depth = 200});
  constexpr std::string_view rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob"]},
                                         "rules": [], "libraries": {"rows": {}}})";
  (void)run_import("m", python, files, loader, rules, budget);
}

void fuzz_message(const std::string& bytes) {
  auto message = read_message(bytes, *built_in_knowledge());
  if (!message) message = read_unset_variable(bytes, *built_in_knowledge());
  if (!message) return;
  std::ostringstream out;
  write_message(*message, {}, out);
  write_message_json(*message, true, out);
}

void fuzz_knowledge(const std::string& bytes) {
  (void)read_knowledge(bytes);
  Budget budget(json_limits);
  const auto document = parse_json(bytes, budget);
  if (!document) return;
  const auto table = table_named(*document);
  if (!table.empty() && fault_of_table(table, *document).empty())
    (void)laid_over(table, built_in_table(table), *document);
}

void fuzz_host(const std::string& bytes) {
  (void)read_linux_host(bytes);
  (void)read_windows_host(bytes);
}

void fuzz_conf(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf", bytes);
  files.add_file("/etc/ld.so.conf.d/a.conf", bytes);
  (void)read_ld_so_conf(files);
}

void fuzz_index(const std::string& bytes) {
  (void)read_index_page(bytes, "https://example.org/simple/x/");
  (void)read_index_html(bytes, "https://example.org/simple/x/");
  (void)login_in_netrc(bytes, "example.org", "");
}

/// The first bytes say what is to be edited.
void fuzz_rewrite(const std::string& bytes) {
  if (bytes.empty()) return;
  MemoryFileSystem files;
  files.add_file("/x", bytes.substr(1));
  auto opened = files.open("/x");
  if (!opened) return;
  const std::shared_ptr<const File> file = std::move(*opened);
  const auto choice = static_cast<unsigned char>(bytes[0]);
  ElfEdits edits;
  if (choice & 1) edits.search_path = choice & 2 ? std::string(choice, 'a') : "$ORIGIN";
  if (choice & 4) edits.renamed = {{"libc.so.6", "libother.so.6"}};
  if (choice & 8) edits.added = {"libadded.so"};
  if (choice & 16) edits.soname = "libnew.so";
  edits.clear_executable_stack = (choice & 32) != 0;
  if (!edits.empty()) (void)edit_elf(file, "/x", edits);
  const auto directory = read_zip_directory(*file);
  if (directory && !directory->members().empty()) (void)edit_zip(*file, *directory, {{0, std::nullopt}});
}

void require(bool condition) {
  if (!condition) std::abort();
}

/// No byte may move a cursor or end a line of what is quoted.
void require_no_controls(const std::string& text) {
  for (const auto c : text) require(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
}

/// Every format is written, and those that others parse are whole.
void write_all(const Report& report) {
  std::ostringstream json, text;
  write_json(report, true, json);
  require(nlohmann::json::accept(json.str()));
  TextStyle style;
  style.verbosity = 2;
  write_explanation(report, style, text);
  write_findings(report, {}, text);
  (void)write_tree(report, {}, "", text);
  require_no_controls(text.str());
  std::vector<std::pair<std::unique_ptr<DocumentWriter>, bool>> writers;  // and whether it is JSON
  writers.emplace_back(make_sarif_writer(), true);
  writers.emplace_back(make_cyclonedx_writer(), true);
  writers.emplace_back(make_junit_writer(Level::error), false);
  writers.emplace_back(make_github_writer(), false);
  writers.emplace_back(make_markdown_writer(), false);
  writers.emplace_back(make_html_writer(), false);
  writers.emplace_back(make_dot_writer(), false);
  writers.emplace_back(make_mermaid_writer(), false);
  for (auto& [writer, is_json] : writers) {
    std::ostringstream out;
    writer->add(report);
    writer->finish(out);
    require(is_json ? nlohmann::json::accept(out.str()) : !out.str().empty());
    if (!is_json) require_no_controls(out.str());
  }
}

/// An environment whose files are the parts of the bytes, and the whole answer about a module or a script in it.
void fuzz_environment(const std::string& bytes) {
  constexpr std::string_view site = "/v/lib/python3.11/site-packages/";
  const std::vector<std::string> names = {std::string(site) + "m.py",
                                          std::string(site) + "x.pth",
                                          std::string(site) + "m-1.0.dist-info/RECORD",
                                          std::string(site) + "m-1.0.dist-info/METADATA",
                                          "/v/pyvenv.cfg",
                                          std::string(site) + "m-1.0.dist-info/direct_url.json",
                                          std::string(site) + "m-1.0.dist-info/entry_points.txt",
                                          "/v/conda-meta/m-1.0-0.json",
                                          "/w/train.py"};
  MemoryFileSystem files;
  std::size_t begin = 0;
  for (const auto& name : names) {
    const auto end = std::min(bytes.find("\n%%\n", begin), bytes.size());
    if (begin < bytes.size()) files.add_file(name, bytes.substr(begin, end - begin));
    begin = std::min(end + 4, bytes.size());
  }
  files.add_file("/v/bin/python3", "");
  files.add_file(std::string(site) + "a.so",
                 "\x7f"
                 "ELF");
  Query query;
  query.targets = {bytes.size() % 2 == 0 ? "py:m" : "/w/train.py"};
  query.prefix = "/v";
  query.environment.cwd = "/w";
  query.costs.steps = 10'000'000;
  query.message = read_message(bytes, *built_in_knowledge());
  Session session(files);
  write_all(session.explain(query));
}

/// A report with these names.
void fuzz_writers(const std::string& bytes) {
  Report report = bytes.size() % 2 == 0 ? failing_report() : healthy_report();
  const auto half = bytes.size() / 2;
  const auto left = bytes.substr(0, half), right = bytes.substr(half);
  report.query.targets = {left};
  report.headline = right;
  auto& objects = report.resolution.objects;
  objects[0].path = "/" + left;
  objects[1].load_name = right;
  objects[1].edges[0].name = left;
  objects[1].edges[0].error = right;
  report.resolution.targets.front().given = left;
  for (auto& finding : report.findings) {
    finding.subject = left;
    finding.message = right;
    finding.evidence[0].text = left;
    finding.evidence[1].path = right;
    finding.fixes[0].title = left;
    finding.does_not_help = {right};
  }
  write_all(report);
}

const std::map<std::string_view, void (*)(const std::string&)> targets = {
    {"library", fuzz_library},
    {"wheel", fuzz_wheel},
    {"conda", fuzz_conda},
    {"tar", fuzz_tar},
    {"cache", fuzz_cache},
    {"toml", fuzz_toml},
    {"lock", fuzz_lock},
    {"metadata", fuzz_metadata},
    {"python", fuzz_python},
    {"import", fuzz_import},
    {"message", fuzz_message},
    {"knowledge", fuzz_knowledge},
    {"host", fuzz_host},
    {"conf", fuzz_conf},
    {"index", fuzz_index},
    {"rewrite", fuzz_rewrite},
    {"environment", fuzz_environment},
    {"writers", fuzz_writers},
};

void (*target)(const std::string&) = nullptr;

}  // namespace
}  // namespace cudald

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  const char* name = std::getenv("CUDALD_FUZZ");
  const auto found = cudald::targets.find(name == nullptr ? "" : name);
  if (found == cudald::targets.end()) {
    std::fputs("CUDALD_FUZZ is one of:", stderr);
    for (const auto& known : cudald::targets) std::fprintf(stderr, " %s", known.first.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  cudald::target = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cudald::target(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
