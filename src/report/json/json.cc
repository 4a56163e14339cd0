#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/demangler.h"
#include "report/json/image_facts.h"
#include "report/json/json_text.h"
#include "report/json/probe_json.h"
#include "report/json/report_json.h"

namespace cudald {
namespace {

/// null if no target could be read and the user did not say.
std::optional<std::string> platform(const Report& report) {
  if (report.resolution.windows) return "windows-" + machine_name(report.resolution.machine);
  if (!report.resolution.objects.empty()) return "linux-" + machine_name(report.resolution.machine);
  const auto& stated = report.query.environment.machine;
  return stated ? std::optional("linux-" + machine_name(*stated)) : std::nullopt;
}

void write_required(JsonWriter& out, const RequiredPackage& required) {
  out.begin_object();
  out.field("name", required.name)
      .field("specifiers", required.specifiers)
      .field("by", required.by)
      .field("at_hand", required.at_hand)
      .texts("libraries", required.libraries)
      .end_object();
}

void write_world(JsonWriter& out, const Report& report) {
  const LibcVersion& libc = report.resolution.libc;
  const auto& place = report.resolution.world;
  const bool windows = report.resolution.windows;
  const auto version = windows ? std::nullopt : std::optional(fmt::format("{}.{}", libc.major, libc.minor));
  out.begin_object();
  out.field("kind", to_string(place.kind))
      .text_or_null("name", place.name)
      .array("requirements", place.requirements, write_required)
      .field("platform", platform(report))
      .field("loader", windows                       ? "windows"
                       : libc.kind == LibcKind::musl ? "musl"
                                                     : "glibc")
      .field("libc", version)
      .field("sysroot", report.query.sysroot)
      .field("prefix", report.query.prefix)
      .text_or_null("driver", report.query.environment.driver)
      .array("gpus", report.query.gpus, [](JsonWriter& to, GpuArchitecture gpu) { to.value(to_string(gpu)); })
      .end_object();
}

Verdict verdict_of(const Target& target, Verdict of_process) {
  if (target.unreadable) return Verdict::unknown;
  if (!target.error.empty()) return Verdict::fails;
  const bool weaker = of_process == Verdict::risk || of_process == Verdict::cpu_only;
  return weaker ? of_process : Verdict::loads;
}

void write_missing_module(JsonWriter& out, const Import::MissingModule& missing) {
  out.begin_object();
  out.field("name", missing.name)
      .text_or_null("asked_at", missing.asked_at)
      .field("required", missing.required)
      .end_object();
}

void write_lacked_name(JsonWriter& out, const Import::LackedName& lacked) {
  out.begin_object();
  out.field("name", lacked.name)
      .field("module", lacked.module)
      .text_or_null("file", lacked.file)
      .text_or_null("asked_at", lacked.asked_at)
      .end_object();
}

void write_imported_package(JsonWriter& out, const Import::Package& package) {
  out.begin_object();
  out.field("name", package.name).text_or_null("asked_at", package.asked_at).end_object();
}

void write_import(JsonWriter& out, const Import& import) {
  out.begin_object();
  out.field("module", import.module)
      .text_or_null("python", import.python)
      .text_or_null("python_version", import.python_version)
      .field("modules", import.modules)
      .field("followed", import.followed)
      .array("packages", import.packages, write_imported_package)
      .array("missing", import.missing, write_missing_module);
  if (import.lacked) write_lacked_name(out.key("lacked"), *import.lacked);
  out.texts("notes", import.notes).end_object();
}

void write_unfollowed(JsonWriter& out, const Report& report) {
  out.key("unfollowed").begin_array();
  for (const Import& import : report.resolution.imports)
    for (const auto& one : import.unfollowed) {
      out.begin_object();
      out.field("what", one.what)
          .field("certain", one.certain)
          .field("file", one.file)
          .field("line", one.line)
          .field("module", one.module)
          .field("code", one.code)
          .end_object();
    }
  out.end_array();
}

void write_target(JsonWriter& out, const Report& report, std::size_t index) {
  const Target& target = report.resolution.targets[index];
  const std::string error =
      target.error.empty() && target.unreadable ? target.given + ": " + target.unreadable->message : target.error;
  std::vector<const Import*> imports;
  for (const Import& import : report.resolution.imports)
    if (import.target == index) imports.push_back(&import);
  out.begin_object();
  out.field("given", target.given)
      .field("object", target.object)
      .field("verdict", to_string(verdict_of(target, report.verdict)))
      .text_or_null("error", error);
  if (!imports.empty())
    out.array("imports", imports, [](JsonWriter& to, const Import* import) { write_import(to, *import); });
  out.end_object();
}

/// What the user asked for; the requests that an import or a package is made up of are edges.
void write_targets(JsonWriter& out, const Report& report) {
  out.key("targets").begin_array();
  for (std::size_t i = 0; i < report.resolution.targets.size(); ++i)
    if (!report.resolution.targets[i].part_of) write_target(out, report, i);
  out.end_array();
}

void write_tried(JsonWriter& out, const Probe& probe) {
  out.begin_object();
  out.field("path", probe.path)
      .field("rule", to_string(probe.rule))
      .field("of", probe.of)
      .field("result", to_string(probe.result))
      .end_object();
}

void write_edge(JsonWriter& out, const Edge& edge) {
  out.begin_object();
  out.field("name", edge.name).field("kind", to_string(edge.kind));
  out.field("hard", edge.hard).field("status", to_string(edge.status)).field("object", edge.object);
  out.field("rule", edge.object ? std::optional(to_string(edge.rule)) : std::nullopt);
  if (!edge.asked_at.empty()) out.field("asked_at", edge.asked_at);
  if (!edge.known.source.empty()) out.field("known_from", edge.known.source);
  out.array("tried", edge.search.probes, write_tried).end_object();
}

void write_may_open(JsonWriter& out, const Edge& edge) {
  const auto& probes = edge.search.probes;
  const bool found = !probes.empty() && probes.back().result == ProbeResult::found;
  out.begin_object();
  out.field("name", edge.name)
      .field("offset", edge.known.text_at)
      .field("calls", edge.known.function)
      .field("status", to_string(edge.status))
      .field("object", edge.object)
      .field("rule", found || edge.object ? std::optional(to_string(edge.rule)) : std::nullopt)
      .array("tried", probes, write_tried)
      .end_object();
}

void write_package(JsonWriter& out, const std::optional<PackageName>& package) {
  out.key("package");
  if (!package) {
    out.value(nullptr);
    return;
  }
  out.begin_object();
  out.field("name", package->name).field("version", package->version).end_object();
}

void write_object(JsonWriter& out, ObjectId id, const Object& object) {
  out.begin_object();
  out.field("id", id).field("path", object.path);
  write_package(out, object.package);
  out.field("soname", soname_of(*object.image))
      .field("format", to_string(format_of(*object.image)))
      .field("machine", machine_name(machine_of(*object.image)))
      .field("gpu", gpu_json(object.gpu.get()))
      .field("cuda", cuda_json(object.cuda.get()));
  if (object.unmapped) out.field("mapped", false);
  if (object.known_by_name) out.field("known_by_name", true);
  out.array("needed", object.edges, write_edge);
  if (!object.may_open.empty()) out.array("may_open", object.may_open, write_may_open);
  out.end_object();
}

void write_objects(JsonWriter& out, const Report& report) {
  const auto& objects = report.resolution.objects;
  out.key("objects").begin_array();
  for (ObjectId id = 0; id < objects.size(); ++id) write_object(out, id, objects[id]);
  out.end_array();
}

void write_missing(JsonWriter& out, const MissingSymbol& symbol, Demangler& demangler) {
  out.begin_object();
  out.field("object", symbol.object)
      .field("name", symbol.name)
      .text_or_null("version", symbol.version)
      .field("weak", false)
      .field("lazy", symbol.lazy)
      .text_or_null("demangled", demangler(symbol.name))
      .end_object();
}

void write_binding(JsonWriter& out, const Binding& binding) {
  out.begin_object();
  out.field("object", binding.object)
      .field("name", binding.name)
      .text_or_null("version", binding.version)
      .field("definer", binding.definer)
      .end_object();
}

void write_symbols(JsonWriter& out, const Report& report) {
  static const SymbolReport not_asked;
  const SymbolReport& symbols = report.symbols ? *report.symbols : not_asked;
  Demangler demangler;
  out.key("symbols").begin_object();
  out.field("scope", report.symbols ? "all" : "none")
      .field("checked", symbols.checked)
      .array("missing", symbols.missing,
             [&demangler](JsonWriter& to, const MissingSymbol& symbol) { write_missing(to, symbol, demangler); });
  if (report.query.keep_bindings) out.array("bindings", symbols.bindings, write_binding);
  out.end_object();
}

void write_evidence(JsonWriter& out, const Evidence& evidence) {
  out.begin_object();
  out.field("text", evidence.text).text_or_null("path", evidence.path).field("basis", to_string(evidence.basis));
  if (!evidence.source.empty()) out.field("source", evidence.source);
  out.end_object();
}

void write_fix(JsonWriter& out, const Fix& fix) {
  out.begin_object();
  out.field("title", fix.title)
      .text_or_null("command", fix.command)
      .text_or_null("side_effect", fix.side_effect)
      .end_object();
}

}  // namespace

void write_finding(JsonWriter& out, const Finding& finding) {
  out.begin_object();
  out.field("code", finding.code)
      .field("name", finding.name)
      .field("level", to_string(finding.level))
      .field("object", finding.object)
      .field("subject", finding.subject)
      .field("message", finding.message)
      .text_or_null("consequence", finding.consequence)
      .array("evidence", finding.evidence, write_evidence)
      .array("fixes", finding.fixes, write_fix)
      .texts("does_not_help", finding.does_not_help)
      .end_object();
}

namespace {

void write_message(JsonWriter& out, const MessageReading& message) {
  out.begin_object();
  out.field("text", message.text)
      .text_or_null("library", message.library)
      .text_or_null("symbol", message.symbol)
      .text_or_null("version", message.version)
      .text_or_null("module", message.module)
      .field("kind", to_string(message.kind))
      .field("who", message.who)
      .field("means", message.means)
      .field("harmless", message.effect == MessageEffect::nothing)
      .field("source", message.source)
      .end_object();
}

}  // namespace

void write_message_json(const MessageReading& message, bool compact, std::ostream& out) {
  JsonWriter writer(out, compact);
  write_message(writer, message);
  writer.finish();
}

void write_report(JsonWriter& out, const Report& report) {
  out.begin_object();
  out.field("schema", "cudald/report").field("schema_version", "1.1");
  out.key("tool").begin_object();
  out.field("name", "cudald").field("version", CUDALD_VERSION).end_object();
  out.key("world");
  write_world(out, report);
  out.field("verdict", to_string(report.verdict));
  write_targets(out, report);
  write_objects(out, report);
  write_symbols(out, report);
  out.array("findings", report.findings, write_finding);
  write_unfollowed(out, report);
  if (report.message) {
    out.key("message");
    write_message(out, *report.message);
  }
  if (report.probe) out.field("probe", probe_json(*report.probe));
  out.end_object();
}

void write_json(const Report& report, bool compact, std::ostream& out) {
  JsonWriter writer(out, compact);
  write_report(writer, report);
  writer.finish();
}

}  // namespace cudald
