// Files that are one text: what describes machines, packages and indexes, and what people paste.

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <cudald/linux_host_file.h>
#include <cudald/message.h>
#include <cudald/windows_host_file.h>
#include <cudald/writers.h>

#include "base/bounded_json.h"
#include "base/demangler.h"
#include "base/toml.h"
#include "common/memory_file_system.h"
#include "index/index_page.h"
#include "index/netrc.h"
#include "knowledge/newer_tables.h"
#include "knowledge/unset_variable.h"
#include "lock/choose.h"
#include "lock/lock_file.h"
#include "machine/ld_so_cache.h"
#include "machine/ld_so_conf.h"
#include "package/requirement.h"
#include "package/version.h"
#include "package/wheel_texts.h"
#include "targets.h"

namespace cudald {
namespace {

constexpr std::size_t most_entries = 1000;

}  // namespace

void fuzz_cache(const std::string& bytes) {
  const auto cache = LdSoCache::parse(bytes);
  if (!cache) return;
  for (std::size_t i = 0; i < cache->size() && i < most_entries; ++i) {
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

}  // namespace cudald
