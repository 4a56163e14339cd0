#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/demangler.h"
#include "report/image_facts.h"
#include "report/json_text.h"
#include "report/probe_json.h"
#include "report/report_json.h"

namespace cudald {
namespace {

Json id_or_null(const std::optional<ObjectId>& id) { return id ? Json(*id) : Json(nullptr); }

/// null if no target could be read and the user did not say.
Json platform(const Report& report) {
  if (report.resolution.windows) return "windows-" + machine_name(report.resolution.machine);
  if (!report.resolution.objects.empty()) return "linux-" + machine_name(report.resolution.machine);
  const auto& stated = report.query.environment.machine;
  return stated ? Json("linux-" + machine_name(*stated)) : Json(nullptr);
}

Json required_json(const RequiredPackage& required) {
  return JsonObject(5)
      .add("name", json_text(required.name))
      .add("specifiers", json_text(required.specifiers))
      .add("by", json_text(required.by))
      .add("at_hand", required.at_hand)
      .add("libraries", json_texts(required.libraries))
      .take();
}

Json world(const Report& report) {
  const LibcVersion& libc = report.resolution.libc;
  const auto& place = report.resolution.world;
  return JsonObject(10)
      .add("kind", to_string(place.kind))
      .add("name", json_text_or_null(place.name))
      .add("requirements", json_array(place.requirements, required_json))
      .add("platform", platform(report))
      .add("loader", report.resolution.windows     ? "windows"
                     : libc.kind == LibcKind::musl ? "musl"
                                                   : "glibc")
      .add("libc", report.resolution.windows ? Json(nullptr) : Json(fmt::format("{}.{}", libc.major, libc.minor)))
      .add("sysroot", json_text(report.query.sysroot))
      .add("prefix", json_optional(report.query.prefix))
      .add("driver", json_text_or_null(report.query.environment.driver))
      .add("gpus", json_array(report.query.gpus, [](GpuArchitecture gpu) { return Json(to_string(gpu)); }))
      .take();
}

Verdict verdict_of(const Target& target, Verdict of_process) {
  if (target.unreadable) return Verdict::unknown;
  if (!target.error.empty()) return Verdict::fails;
  const bool weaker = of_process == Verdict::risk || of_process == Verdict::cpu_only;
  return weaker ? of_process : Verdict::loads;
}

Json missing_module_json(const Import::MissingModule& missing) {
  return JsonObject(3)
      .add("name", json_text(missing.name))
      .add("asked_at", json_text_or_null(missing.asked_at))
      .add("required", missing.required)
      .take();
}

Json imported_package_json(const Import::Package& package) {
  return JsonObject(2).add("name", json_text(package.name)).add("asked_at", json_text_or_null(package.asked_at)).take();
}

Json import_json(const Import& import) {
  return JsonObject(8)
      .add("module", json_text(import.module))
      .add("python", json_text_or_null(import.python))
      .add("python_version", json_text_or_null(import.python_version))
      .add("modules", import.modules)
      .add("followed", import.followed)
      .add("packages", json_array(import.packages, imported_package_json))
      .add("missing", json_array(import.missing, missing_module_json))
      .add("notes", json_texts(import.notes))
      .take();
}

Json unfollowed_json(const Report& report) {
  Json::array_t all;
  for (const Import& import : report.resolution.imports)
    for (const auto& one : import.unfollowed)
      all.push_back(JsonObject(6)
                        .add("what", json_text(one.what))
                        .add("certain", one.certain)
                        .add("file", json_text(one.file))
                        .add("line", one.line)
                        .add("module", json_text(one.module))
                        .add("code", json_text(one.code))
                        .take());
  return all;
}

Json target_json(const Report& report, std::size_t index) {
  const Target& target = report.resolution.targets[index];
  const std::string error =
      target.error.empty() && target.unreadable ? target.given + ": " + target.unreadable->message : target.error;
  JsonObject fields(5);
  fields.add("given", json_text(target.given));
  fields.add("object", id_or_null(target.object));
  fields.add("verdict", to_string(verdict_of(target, report.verdict)));
  fields.add("error", json_text_or_null(error));
  Json::array_t imports;
  for (const Import& import : report.resolution.imports)
    if (import.target == index) imports.push_back(import_json(import));
  if (!imports.empty()) fields.add("imports", std::move(imports));
  return std::move(fields).take();
}

/// What the user asked for; the requests that an import or a package is made up of are edges.
Json::array_t target_list(const Report& report) {
  Json::array_t list;
  for (std::size_t i = 0; i < report.resolution.targets.size(); ++i)
    if (!report.resolution.targets[i].part_of) list.push_back(target_json(report, i));
  return list;
}

Json probe_json(const Probe& probe) {
  return JsonObject(4)
      .add("path", json_text(probe.path))
      .add("rule", to_string(probe.rule))
      .add("of", id_or_null(probe.of))
      .add("result", to_string(probe.result))
      .take();
}

Json edge_json(const Edge& edge) {
  const bool by_tag = edge.kind == EdgeKind::filter || edge.kind == EdgeKind::auxiliary;
  JsonObject fields(10);
  fields.add("name", json_text(edge.name));
  fields.add("kind", to_string(by_tag ? EdgeKind::needed : edge.kind));
  if (by_tag) fields.add("tag", to_string(edge.kind));
  fields.add("hard", edge.hard);
  fields.add("status", to_string(edge.status));
  fields.add("object", id_or_null(edge.object));
  fields.add("rule", edge.object ? Json(to_string(edge.rule)) : Json(nullptr));
  if (!edge.asked_at.empty()) fields.add("asked_at", json_text(edge.asked_at));
  if (!edge.known.source.empty()) fields.add("known_from", json_text(edge.known.source));
  fields.add("tried", json_array(edge.search.probes, probe_json));
  return std::move(fields).take();
}

Json may_open_json(const Edge& edge) {
  const auto& probes = edge.search.probes;
  const bool found = !probes.empty() && probes.back().result == ProbeResult::found;
  return JsonObject(7)
      .add("name", json_text(edge.name))
      .add("offset", edge.known.text_at)
      .add("calls", edge.known.function)
      .add("status", to_string(edge.status))
      .add("object", id_or_null(edge.object))
      .add("rule", found || edge.object ? Json(to_string(edge.rule)) : Json(nullptr))
      .add("tried", json_array(probes, probe_json))
      .take();
}

Json package_json(const std::optional<PackageName>& package) {
  if (!package) return nullptr;
  return JsonObject(2).add("name", json_text(package->name)).add("version", json_text(package->version)).take();
}

Json object_json(ObjectId id, const Object& object) {
  JsonObject fields(12);
  fields.add("id", id);
  fields.add("path", json_text(object.path));
  fields.add("package", package_json(object.package));
  fields.add("soname", json_optional(soname_of(*object.image)));
  fields.add("format", to_string(format_of(*object.image)));
  fields.add("machine", machine_name(machine_of(*object.image)));
  fields.add("gpu", gpu_json(object.gpu.get()));
  fields.add("cuda", cuda_json(object.cuda.get()));
  if (object.unmapped) fields.add("mapped", false);
  if (object.known_by_name) fields.add("known_by_name", true);
  fields.add("needed", json_array(object.edges, edge_json));
  if (!object.may_open.empty()) fields.add("may_open", json_array(object.may_open, may_open_json));
  return std::move(fields).take();
}

Json missing_json(const MissingSymbol& symbol, Demangler& demangler) {
  return JsonObject(6)
      .add("object", symbol.object)
      .add("name", json_text(symbol.name))
      .add("version", json_text_or_null(symbol.version))
      .add("weak", false)
      .add("lazy", symbol.lazy)
      .add("demangled", json_text_or_null(demangler(symbol.name)))
      .take();
}

Json binding_json(const Binding& binding) {
  return JsonObject(4)
      .add("object", binding.object)
      .add("name", json_text(binding.name))
      .add("version", json_text_or_null(binding.version))
      .add("definer", binding.definer)
      .take();
}

Json symbols_json(const Report& report) {
  static const SymbolReport not_asked;
  const SymbolReport& symbols = report.symbols ? *report.symbols : not_asked;
  JsonObject fields(4);
  fields.add("scope", report.symbols ? "all" : "none");
  fields.add("checked", symbols.checked);
  Demangler demangler;
  const auto missing = [&demangler](const MissingSymbol& symbol) { return missing_json(symbol, demangler); };
  fields.add("missing", json_array(symbols.missing, missing));
  if (report.query.keep_bindings) fields.add("bindings", json_array(symbols.bindings, binding_json));
  return std::move(fields).take();
}

Json evidence_json(const Evidence& evidence) {
  JsonObject fields(4);
  fields.add("text", json_text(evidence.text));
  fields.add("path", json_text_or_null(evidence.path));
  fields.add("basis", to_string(evidence.basis));
  if (!evidence.source.empty()) fields.add("source", json_text(evidence.source));
  return std::move(fields).take();
}

Json fix_json(const Fix& fix) {
  return JsonObject(3)
      .add("title", json_text(fix.title))
      .add("command", json_text_or_null(fix.command))
      .add("side_effect", json_text_or_null(fix.side_effect))
      .take();
}

}  // namespace

Json finding_json(const Finding& finding) {
  return JsonObject(10)
      .add("code", finding.code)
      .add("name", finding.name)
      .add("level", to_string(finding.level))
      .add("object", id_or_null(finding.object))
      .add("subject", json_text(finding.subject))
      .add("message", json_text(finding.message))
      .add("consequence", json_text_or_null(finding.consequence))
      .add("evidence", json_array(finding.evidence, evidence_json))
      .add("fixes", json_array(finding.fixes, fix_json))
      .add("does_not_help", json_texts(finding.does_not_help))
      .take();
}

namespace {

Json message_json(const MessageReading& message) {
  return JsonObject(10)
      .add("text", json_text(message.text))
      .add("library", json_text_or_null(message.library))
      .add("symbol", json_text_or_null(message.symbol))
      .add("version", json_text_or_null(message.version))
      .add("module", json_text_or_null(message.module))
      .add("kind", json_text(to_string(message.kind)))
      .add("who", json_text(message.who))
      .add("means", json_text(message.means))
      .add("harmless", message.effect == MessageEffect::nothing)
      .add("source", json_text(message.source))
      .take();
}

}  // namespace

void write_message_json(const MessageReading& message, bool compact, std::ostream& out) {
  write_document(message_json(message), compact, out);
}

Json report_json(const Report& report) {
  const auto& objects = report.resolution.objects;
  Json::array_t object_list;
  object_list.reserve(objects.size());
  for (ObjectId id = 0; id < objects.size(); ++id) object_list.push_back(object_json(id, objects[id]));

  JsonObject document(11);
  document.add("schema", "cudald/report");
  document.add("schema_version", "1.1");
  document.add("tool", JsonObject(2).add("name", "cudald").add("version", CUDALD_VERSION).take());
  document.add("world", world(report));
  document.add("verdict", to_string(report.verdict));
  document.add("targets", target_list(report));
  document.add("objects", std::move(object_list));
  document.add("symbols", symbols_json(report));
  document.add("findings", json_array(report.findings, finding_json));
  document.add("unfollowed", unfollowed_json(report));
  if (report.message) document.add("message", message_json(*report.message));
  if (report.probe) document.add("probe", probe_json(*report.probe));
  return std::move(document).take();
}

void write_json(const Report& report, bool compact, std::ostream& out) {
  write_document(report_json(report), compact, out);
}

}  // namespace cudald
