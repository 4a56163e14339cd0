#include "cli/settings/online.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/writers.h>

#include "base/parallel.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/usage_error.h"
#include "cache/cached_file.h"
#include "cache/cached_tree.h"
#include "cli/settings/cache.h"
#include "index/index_page.h"
#include "index/keyring_choice.h"
#include "index/keyring_transport.h"

namespace cudald {
namespace {

constexpr std::size_t most_connections = 6;
constexpr std::uint64_t most_metadata_bytes = 8 << 20;

}  // namespace

Result<std::unique_ptr<Online>> Online::open(const Options& options, const Host& host, const FileSystem& files) {
  if (!options.packages.online) return std::unique_ptr<Online>(new Online(host, files, nullptr));
  const auto asked = options.arguments.empty() ? "" : options.arguments.front();
  const auto uv =
      read_uv_settings(normal_path(parent_path(absolute_path(asked, host.environment.cwd))), host.environment, files);
  if (!uv) return uv.error();
  auto settings = read_index_settings(*uv, host.environment, files);
  HttpSettings http;
  http.ca_file = settings.ca_file;
  http.proxy = settings.proxy;
  http.plain_proxy = settings.plain_proxy;
  http.netrc_file = settings.netrc_file;
  if (settings.timeout) http.connect_timeout = http.stalled_after = *settings.timeout;
  auto transport = make_http_transport(http);
  if (!transport) return usage_error("--online: " + transport.error().message);
  const auto keyring = choose_keyring(settings, host.environment, files);
  if (!keyring) return keyring.error();
  if (*keyring)
    *transport = make_keyring_transport(std::move(*transport), *keyring,
                                        [keyring = *keyring](const std::string& service, const std::string& user) {
                                          return ask_keyring(*keyring, service, user);
                                        });
  for (const auto& [origin, login] : settings.logins) (*transport)->add_login(origin, login);
  std::unique_ptr<Online> online(new Online(host, files, std::move(*transport)));
  online->indexes_ = std::move(settings);
  online->keyring_ = *keyring;
  online->folder_ = cache_folder(options, host);
  if (!online->folder_.empty() && !make_cache(online->folder_)) online->folder_.clear();
  return online;
}

Result<Online::Page> Online::page_of(const std::string& index, const std::string& project) const {
  HttpRequest request;
  request.url = fmt::format("{}/{}/", index, project);
  request.accept = index_page_type;
  const auto answer = fetch(*transport_, request);
  if (!answer) return answer.error();
  auto wheels = read_index_page(answer->body, request.url);
  if (!wheels) return wheels.error();
  return Page{std::move(*wheels), answer->max_age - answer->age};
}

Result<Online::Page> Online::pages_of(const std::string& project) const {
  std::optional<Page> all;
  for (const auto& index : indexes_.indexes) {
    auto page = page_of(index, project);
    // What an index would have that cannot be asked may be what is installed.
    if (!page && page.error().code != ErrorCode::absent) return page.error();
    if (!page) continue;
    if (all) page->fresh_for = std::min(page->fresh_for, all->fresh_for);
    if (all) page->wheels.insert(page->wheels.begin(), all->wheels.begin(), all->wheels.end());
    all = std::move(*page);
    if (indexes_.first_alone) break;
  }
  if (!all) return Error{ErrorCode::absent, "it does not know it"};
  return std::move(*all);
}

std::optional<Error> Online::lacks_index() const {
  if (!indexes_.indexes.empty()) return std::nullopt;
  return usage_error("--online: no index is named; state one in PIP_INDEX_URL or UV_DEFAULT_INDEX");
}

Result<std::vector<LockedFile>> Online::wheels_of(const std::string& project) {
  if (auto error = lacks_index()) return *std::move(error);
  auto pages = pages_of(project);
  if (!pages) return pages.error();
  if (pages->wheels.empty()) return Error{ErrorCode::absent, "the index has no wheel of it"};
  return std::move(pages->wheels);
}

std::optional<Error> Online::find_wheels(LockedPackage& package, const KeptWheels& kept) const {
  if (auto wheels = kept.find(package)) {
    package.wheels = std::move(*wheels);
    return std::nullopt;
  }
  const auto pages = pages_of(package.name);
  if (pages) take_wheels(pages->wheels, package);
  if (!package.wheels.empty()) {
    kept.keep(package, pages->fresh_for);
    return std::nullopt;
  }
  const auto told = pages ? fmt::format("it has no wheel of version {}{}", package.version,
                                        package.hashes.empty() ? "" : " with one of the hashes")
                          : pages.error().message;
  return usage_error(fmt::format("--online: {} {}: the index: {}", package.name, package.version, told));
}

std::optional<Error> Online::name_wheels(LockFile& lock) {
  if (!is_on()) return std::nullopt;
  if (lock.kind == LockKind::requirements)
    for (auto& package : lock.packages)
      for (auto& wheel : package.wheels) wheel.url = with_variables(wheel.url, host_.environment);
  std::vector<LockedPackage*> nameless;
  for (auto& package : lock.packages)
    if (package.wheels.empty() && !package.from_source && !package.is_root) nameless.push_back(&package);
  if (nameless.empty()) return std::nullopt;
  add_locked_indexes(lock.indexes, host_.environment, indexes_);
  for (const auto& [origin, login] : indexes_.logins) transport_->add_login(origin, login);
  if (keyring_) keyring_->indexes = indexes_.keyring.indexes;
  if (indexes_.indexes.empty())
    return usage_error(
        fmt::format("--online: the lock does not say where the wheel of {} is, and no index is named; "
                    "state one in PIP_INDEX_URL or UV_DEFAULT_INDEX",
                    nameless.front()->name));
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const KeptWheels kept(
      folder_, fmt::format("{}{}", fmt::join(indexes_.indexes, " "), indexes_.first_alone ? "" : ", all"), now);
  std::vector<std::optional<Error>> errors(nameless.size());
  ThreadLimit connections(most_connections);
  for_each_index(connections, nameless.size(), [&](std::size_t i) { errors[i] = find_wheels(*nameless[i], kept); });
  for (const auto& error : errors)
    if (error) host_.complaints << "cudald: " << escaped(error->message) << '\n';
  return std::nullopt;
}

std::string Online::reach(const LockedFile& file) {
  KeptPlace kept;
  if (!folder_.empty() && !file.sha256.empty()) {
    // Of another address with the same hash nothing is known: what a server sends is held against it only on request.
    kept.key = file.sha256 + "\n" + without_login(file.url).url;
    kept.path = kept_path(folder_, kept.key);
  }
  return tree_.add(file.name, {file.url, file.sha256, file.size}, std::move(kept));
}

Result<std::string> Online::metadata(const LockedFile& file) const {
  HttpRequest request;
  request.url = file.url + ".metadata";
  request.most_bytes = most_metadata_bytes;
  auto answer = fetch(*transport_, request);
  if (!answer) return answer.error();
  if (!file.metadata_sha256.empty() && sha256(answer->body) != file.metadata_sha256)
    return Error{ErrorCode::malformed, "its SHA-256 is not the one that the index states"};
  return std::move(answer->body);
}

void Online::keep() {
  if (folder_.empty()) return;
  if (!tree_.keep()) host_.complaints << "cudald: cannot keep what was read in " << escaped(folder_) << '\n';
  trim_cache_now_and_then(folder_, most_cache_bytes);
}

std::optional<Error> verify_hash(const FileSystem& files, const std::string& path,
                                 const std::vector<std::string>& hashes) {
  const auto opened = files.open(path);
  if (!opened) return opened.error();
  const auto* kept = (*opened)->kept();
  const File& file = kept != nullptr ? kept->passing() : **opened;
  Sha256 sum;
  std::vector<std::byte> buffer(1 << 20);
  for (std::uint64_t at = 0, size = file.status().size; at < size;) {
    const auto got = file.read(at, buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    sum.add(std::span(buffer).first(*got));
    at += *got;
  }
  const auto found = sum.finish();
  if (std::find(hashes.begin(), hashes.end(), found) != hashes.end()) return std::nullopt;
  return Error{ErrorCode::malformed,
               fmt::format("its SHA-256 is {}, and the lock pins {}", found, fmt::join(hashes, " or ")), path};
}

}  // namespace cudald
