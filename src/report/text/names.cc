// The words of reports: JSON and text use the same.

#include <cudald/elf_entries.h>
#include <cudald/finding.h>
#include <cudald/message.h>
#include <cudald/resolution.h>

namespace cudald {

std::string_view to_string(MatchedBy matched) {
  switch (matched) {
    case MatchedBy::name: return "name";
    case MatchedBy::soname: return "soname";
    case MatchedBy::file: return "file";
  }
  return "";
}

std::string_view to_string(WorldKind kind) {
  switch (kind) {
    case WorldKind::here: return "here";
    case WorldKind::tag: return "tag";
    case WorldKind::described: return "described";
  }
  return "";
}

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::own: return "own";
    case Standing::promised: return "promised";
    case Standing::declared: return "required";
    case Standing::driver: return "driver";
    case Standing::added_later: return "redistributable";
    case Standing::possible: return "possible";
    case Standing::python: return "python";
    case Standing::undeclared: return "undeclared";
  }
  return "";
}

std::string_view to_string(MessageKind kind) {
  switch (kind) {
    case MessageKind::soft: return "soft";
    case MessageKind::hard: return "hard";
    case MessageKind::gpu: return "gpu";
  }
  return "";
}

std::string_view to_string(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::needed: return "needed";
    case EdgeKind::filter: return "filter";
    case EdgeKind::auxiliary: return "auxiliary";
    case EdgeKind::preload: return "preload";
    case EdgeKind::dlopen: return "dlopen";
    case EdgeKind::import: return "import";
    case EdgeKind::delay_import: return "delay-import";
    case EdgeKind::forwarder: return "forwarder";
  }
  return "";
}

std::string_view to_string(EdgeStatus status) {
  switch (status) {
    case EdgeStatus::loaded: return "loaded";
    case EdgeStatus::already_loaded: return "already-loaded";
    case EdgeStatus::missing: return "missing";
    case EdgeStatus::rejected: return "rejected";
    case EdgeStatus::not_loaded: return "not-loaded";
  }
  return "";
}

std::string_view to_string(SearchRule rule) {
  switch (rule) {
    case SearchRule::path: return "path";
    case SearchRule::already_loaded: return "already-loaded";
    case SearchRule::rpath: return "rpath";
    case SearchRule::ld_library_path: return "ld-library-path";
    case SearchRule::runpath: return "runpath";
    case SearchRule::cache: return "cache";
    case SearchRule::default_folder: return "default";
    case SearchRule::preload: return "preload";
    case SearchRule::manifest: return "manifest";
    case SearchRule::loaded_module: return "loaded-module";
    case SearchRule::known_dll: return "known-dll";
    case SearchRule::api_set: return "api-set";
    case SearchRule::application_folder: return "application-dir";
    case SearchRule::dll_load_folder: return "dll-load-dir";
    case SearchRule::user_folder: return "user-dir";
    case SearchRule::system_folder: return "system";
    case SearchRule::system16_folder: return "system16";
    case SearchRule::windows_folder: return "windows-dir";
    case SearchRule::current_folder: return "cwd";
    case SearchRule::path_variable: return "path";
  }
  return "";
}

std::string_view to_string(ProbeResult result) {
  switch (result) {
    case ProbeResult::found: return "found";
    case ProbeResult::absent: return "absent";
    case ProbeResult::wrong_class: return "wrong-class";
    case ProbeResult::wrong_machine: return "wrong-machine";
    case ProbeResult::not_elf: return "not-elf";
    case ProbeResult::not_pe: return "not-pe";
    case ProbeResult::unreadable: return "unreadable";
    case ProbeResult::abi_too_new: return "abi-too-new";
    case ProbeResult::isa_too_new: return "isa-too-new";
    case ProbeResult::malformed: return "malformed";
    case ProbeResult::refused: return "refused";
  }
  return "";
}

std::string_view to_string(Level level) {
  switch (level) {
    case Level::error: return "error";
    case Level::warning: return "warning";
    case Level::note: return "note";
  }
  return "";
}

std::string_view to_string(Basis basis) {
  switch (basis) {
    case Basis::proven: return "proven";
    case Basis::rule: return "rule";
    case Basis::table: return "table";
  }
  return "";
}

int rank_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::fails: return 0;
    case Verdict::unknown: return 1;
    case Verdict::risk: return 2;
    case Verdict::cpu_only: return 3;
    case Verdict::loads: break;
  }
  return 4;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::loads: return "loads";
    case Verdict::cpu_only: return "cpu-only";
    case Verdict::risk: return "risk";
    case Verdict::fails: return "fails";
    case Verdict::unknown: return "unknown";
  }
  return "";
}

}  // namespace cudald
