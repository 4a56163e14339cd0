// Files that are one text: what describes machines, packages and indexes, and what people paste.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <cudald/cuda_stack.h>
#include <cudald/linux_host_file.h>
#include <cudald/message.h>
#include <cudald/windows_host_file.h>
#include <cudald/writers.h>

#include "archive/gzip.h"
#include "base/bounded_json.h"
#include "base/demangler.h"
#include "base/toml.h"
#include "common/memory_file_system.h"
#include "index/cached_wheels.h"
#include "index/index_page.h"
#include "index/keyring.h"
#include "index/keyring_transport.h"
#include "index/netrc.h"
#include "knowledge/newer_tables.h"
#include "knowledge/unset_variable.h"
#include "lock/choose.h"
#include "lock/lock_file.h"
#include "lock/wheel_choice.h"
#include "machine/ld_so_cache.h"
#include "machine/ld_so_conf.h"
#include "made_tree.h"
#include "package/requirement.h"
#include "package/version.h"
#include "package/wheel_texts.h"
#include "targets.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

constexpr std::size_t most_entries = 1000, most_keyring_indexes = 20;
constexpr std::uint64_t most_host_bytes = 1 << 20;

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
  auto named = LockKind::requirements;
  for (const auto* name :
       {"pylock.toml", "uv.lock", "requirements.txt", "report.json", "conda-lock.yml", "explicit.txt"})
    if (recognise_lock(name, bytes, named)) (void)name_of(named);
  (void)requirement_lines(bytes);
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

/// What was read is written again, as far as it is the described machine itself.
void fuzz_host(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/host.json", bytes);
  const auto text = read_plain_or_compressed(files, "/host.json", most_host_bytes);
  if (!text) return;
  (void)read_windows_host(*text);
  const auto host = read_linux_host(*text);
  if (!host) return;
  std::ostringstream out;
  write_host({}, *host, out);
}

void fuzz_conf(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/etc/ld.so.conf", bytes);
  files.add_file("/etc/ld.so.conf.d/a.conf", bytes);
  (void)read_ld_so_conf(files);
}

namespace {

/// A server that wants a login at first, and answers with the same text then.
class StubbornServer final : public HttpTransport {
 public:
  explicit StubbornServer(std::string body) : body_(std::move(body)) {}
  Result<HttpAnswer> transfer(const HttpRequest& request) override {
    HttpAnswer answer;
    answer.status = request.login ? http_ok : http_wants_login;
    answer.body = body_;
    return answer;
  }
  void add_login(const std::string& /*origin*/, const Login& /*login*/) override {}

 private:
  static constexpr int http_ok = 200, http_wants_login = 401;
  std::string body_;
};

/// The lines are what a keyring is asked for, and answers.
void ask_keyrings(const std::string& bytes) {
  for (const bool as_uv : {false, true}) {
    auto settings = std::make_shared<KeyringSettings>();
    settings->as_uv = as_uv;
    settings->netrc = bytes;
    for (const auto line : lines_of(bytes)) {
      if (settings->indexes.size() == most_keyring_indexes) break;
      settings->indexes.emplace_back(line);
      if (line.size() % 2 == 0) settings->always.emplace_back(line);
    }
    const auto answer = [&](const std::string& service, const std::string& user) {
      if (service.size() % 3 == 0) return KeyringAnswer{{}, "none", service.size() % 2 == 0};
      return KeyringAnswer{Login{user.empty() ? service : user, bytes}, ""};
    };
    const auto transport = make_keyring_transport(std::make_unique<StubbornServer>(bytes), settings, answer);
    for (const auto& index : settings->indexes) {
      HttpRequest request;
      request.url = index + "/x/";
      (void)transport->transfer(request);
    }
  }
}

}  // namespace

void fuzz_index(const std::string& bytes) {
  for (const auto read : {read_index_page, read_index_html}) {
    const auto files = read(bytes, "https://example.org/simple/x/");
    if (!files) continue;
    const WheelEnvironment python{.python_version = "3.11", .machine = "x86_64"};
    for (const auto* specifiers : {"", ">=1.0,!=1.1", "==2.*"}) (void)choose_wheel(*files, {specifiers}, python);
    LockedPackage package;
    package.name = "m";
    package.version = "1.0";
    take_wheels(*files, package);
  }
  (void)login_in_netrc(bytes, "example.org", "");
  ask_keyrings(bytes);
}

/// What an index has answered, as it lies in the cache.
void fuzz_kept(const std::string& bytes) {
  const ScratchFolder folder;
  LockedPackage package;
  package.name = "m";
  package.version = "1.0";
  package.wheels = {{"m-1.0-py3-none-any.whl", "https://example.org/m.whl", "", "00", 3}};
  const KeptWheels kept(folder.path(), "https://example.org/simple", {});
  kept.keep(package, std::chrono::seconds(1));
  require(kept.find(package).has_value());
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))
    if (file.is_regular_file()) std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << bytes;
  (void)kept.find(package);
}

}  // namespace cudald
