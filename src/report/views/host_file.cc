#include <fmt/format.h>

#include <cudald/cuda_stack.h>
#include <cudald/linux_host_file.h>
#include <cudald/writers.h>

#include "machine/host_library.h"
#include "machine/ld_so_cache.h"
#include "report/json/json_text.h"

namespace cudald {
namespace {

constexpr const char* cache_path = "/etc/ld.so.cache";

/// One line; everything outside ASCII is escaped.
std::string line(const Json& json) { return json.dump(-1, ' ', true); }

/// A list with a row on each line, so that two descriptions can be compared by lines.
template <typename Items, typename Convert>
void write_rows(const Items& items, Convert convert, std::ostream& out) {
  out << '[';
  const char* separator = "\n";
  for (const auto& item : items) {
    out << separator << "  " << line(convert(item));
    separator = ",\n";
  }
  out << ']';
}

Json texts_json(const std::map<std::string, std::string>& texts) {
  Json object = Json::object();
  for (const auto& [path, text] : texts)
    if (path != cache_path) object[valid_utf8(path)] = valid_utf8(text);
  return object;
}

/// Rows of [name, path, flags] or [name, path, flags, hwcap]; null for a cache that loaders do not take.
void write_cache(const std::string& bytes, std::ostream& out) {
  const auto cache = LdSoCache::parse(bytes);
  if (!cache) {
    out << "null";
    return;
  }
  Json hwcaps = Json::array();
  for (const auto name : cache->hwcap_names()) hwcaps.push_back(valid_utf8(name));
  std::vector<Json> rows;
  for (std::size_t i = 0; i < cache->size(); ++i) {
    const auto entry = cache->entry(i);
    if (!entry) continue;
    rows.push_back(Json::array({valid_utf8(entry->key), valid_utf8(entry->value), entry->flags}));
    if (entry->hwcap != 0) rows.back().push_back(entry->hwcap);
  }
  out << "{\"hwcaps\": " << line(hwcaps) << ", \"entries\": ";
  write_rows(rows, [](const Json& row) { return row; }, out);
  out << '}';
}

}  // namespace

void write_host(const CudaStack& stack, const LinuxHostFile& host, std::ostream& out) {
  const auto field = [&out](const char* key) -> std::ostream& { return out << ",\n\"" << key << "\": "; };
  const bool has_level = stack.x86_64_level > 0 && host.platform == "linux-x86_64";
  out << "{\n\"schema\": \"cudald/host\"";
  field("schema_version") << "\"1.1\"";
  field("platform") << line(json_text_or_null(host.platform.empty() ? stack.platform : host.platform));
  field("libc") << line(json_text_or_null(host.libc.empty() ? stack.libc : host.libc));
  field("isa") << line(has_level ? Json(fmt::format("x86-64-v{}", stack.x86_64_level)) : Json(nullptr));
  field("driver") << line(json_text_or_null(stack.driver.version));
  field("driver_module") << line(json_text_or_null(stack.driver.module_version));
  field("gpus") << line(json_array(stack.gpus, [](GpuArchitecture gpu) { return Json(to_string(gpu)); }));
  field("gpu_models") << line(json_texts(stack.gpu_models));
  Json variables = Json::object();
  for (const auto& [name, value] : stack.variables) variables[valid_utf8(name)] = valid_utf8(value);
  field("variables") << line(variables);
  if (host.cpu && host.cpu->x86_64_level > 0) {
    const Json names = host.cpu->hwcap_names;
    field("cpu") << line(Json({{"platform", valid_utf8(host.cpu->platform)}, {"hwcaps", names}}));
  }
  field("symbols") << (host.with_symbols ? "true" : "false");
  field("loaders");
  write_rows(
      host.loaders,
      [](const HostLoader& loader) {
        return JsonObject(3)
            .add("path", json_text(loader.path))
            .add("version", json_text(loader.version))
            .add("folders", json_texts(loader.folders))
            .take();
      },
      out);
  field("texts") << line(texts_json(host.texts));
  field("cache");
  const auto cache = host.texts.find(cache_path);
  write_cache(cache == host.texts.end() ? "" : cache->second, out);
  field("folders");
  write_rows(host.folders, [](const std::string& folder) { return json_text(folder); }, out);
  if (!host.noexec.empty()) {
    field("noexec");
    write_rows(host.noexec, [](const std::string& folder) { return json_text(folder); }, out);
  }
  field("links") << line(texts_json(host.links));
  field("limits") << line(json_texts(host.limits));
  field("libraries");
  const auto usual = usual_machine(host.platform);
  write_rows(host.libraries, [&](const HostLibrary& library) { return library_row(library, usual); }, out);
  out << "\n}\n";
}

}  // namespace cudald
