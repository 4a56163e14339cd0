#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/library_texts.h>
#include <cudald/pe_symbols.h>
#include <cudald/query.h>
#include <cudald/report.h>
#include <cudald/session.h>
#include <cudald/symbols.h>
#include <cudald/wheel.h>

#include <algorithm>
#include <set>
#include <utility>

#include "audit/policy.h"
#include "base/path.h"
#include "base/refusals.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "knowledge/known_dlopens.h"
#include "machine/abi.h"
#include "process/symbols.h"
#include "session/kept_requirements.h"
#include "session/next_failures.h"
#include "session/package_paths.h"
#include "session/proven_fixes.h"
#include "session/proven_installs.h"
#include "session/resolve.h"
#include "session/session_state.h"
#include "session/shared_readings.h"
#include "session/world.h"

namespace cudald {

std::shared_ptr<SharedReadings> make_shared_readings(bool for_later, std::string folder) {
  return std::make_shared<SharedReadings>(for_later, std::move(folder));
}

Session::Session(const FileSystem& files, std::shared_ptr<const Knowledge> knowledge, ThreadLimit* threads,
                 std::shared_ptr<SharedReadings> shared)
    : files_(files),
      knowledge_(knowledge ? std::move(knowledge) : built_in_knowledge()),
      own_threads_(threads == nullptr ? std::make_unique<ThreadLimit>() : nullptr),
      threads_(threads == nullptr ? *own_threads_ : *threads),
      shared_(shared ? std::move(shared) : std::make_shared<SharedReadings>(false)),
      state_(std::make_unique<SessionState>(files_, threads_, knowledge_, *shared_)) {}

Session::~Session() = default;

namespace {

/// What Python raises where a request fails: the import of a module ImportError, ctypes OSError.
std::string exception_of(const Resolution& resolution, const Target& request) {
  const bool by_ctypes = request.caller && file_name(resolution.objects[*request.caller].path).starts_with("_ctypes.");
  return by_ctypes ? "OSError: " : "ImportError: ";
}

/// A symbol that a library lacks is only known when everything is loaded: the import that asked for it fails as well.
void hand_up_errors(Resolution& resolution) {
  for (const auto& part : resolution.targets) {
    // Of a module that the import does not come to, it says nothing.
    if (!part.part_of || part.traits.optional || part.traits.when == RequestTime::unreached || part.error.empty())
      continue;
    auto& whole = resolution.targets[*part.part_of];
    if (!whole.error.empty()) continue;
    whole.error = (whole.kind == TargetKind::import ? exception_of(resolution, part) : "") + part.error;
  }
}

/// Requests whose symbols are not all found end by that, unless by something else before; those that do.
std::set<std::size_t> refuse_unbound(Report& report) {
  std::set<std::size_t> refused;
  const auto refuse = [&](ObjectId object, const std::string& message) {
    const auto number = report.resolution.objects[object].target;
    auto& target = report.resolution.targets[number];
    if (!target.error.empty()) return;
    target.error = message;
    refused.insert(number);
  };
  for (const auto& aborting : report.symbols->aborting)
    if (!aborting.lazy) refuse(aborting.object, aborting.message);
  for (const auto& missing : report.symbols->missing)
    if (ends_its_request(missing)) refuse(missing.object, missing.message);
  return refused;
}

/// What a dlopen has mapped is gone again when it fails. Source: glibc elf/dl-open.c, _dl_open.
void take_back(Resolution& resolution, const std::set<std::size_t>& refused) {
  for (auto& object : resolution.objects)
    if (refused.contains(object.target) && resolution.targets[object.target].kind == TargetKind::dlopen)
      object.unmapped = true;
}

/// Whether a CUDA runtime may have been linked into a file: it brings kernels, and needs no libcudart. NVIDIA's own
/// libraries have one, and are made to be used beside any other. `also_unmapped`: whoever asks what files carry asks
/// about all of them.
bool may_hold_runtime(const Object& object, const Resolution& resolution, bool also_unmapped) {
  const bool counts = also_unmapped || !object.unmapped;
  if (!object.image || !object.image->has_gpu_code || !counts || is_of_nvidia(object)) return false;
  // Of a runtime that is known by its name alone, the name tells.
  for (const auto& edge : object.edges) {
    const auto* cuda = edge.object ? resolution.objects[*edge.object].cuda.get() : nullptr;
    const bool named = (!edge.object || resolution.objects[*edge.object].known_by_name) &&
                       edge.name.find("cudart") != std::string::npos;
    if (edge.hard && (named || (cuda != nullptr && cuda->kind == CudaKind::cudart))) return false;
  }
  return true;
}

/// Asked again of a Windows on which nothing was installed: what handles an error may raise another one.
Report on_fresh_windows(const Query& given, const SessionState& usual, ThreadLimit& threads) {
  SessionState state(usual.given, threads, usual.store.knowledge, usual.shared);
  state.fresh_windows = true;
  state.store.begin_question(given.costs);
  Report report;
  report.query = given;
  report.query.symbols = SymbolCheck::none;
  report.query.constants = ConstantScope::none;
  report.knowledge = state.store.knowledge;
  report.resolution = resolve(report.query, state, report.symbols);
  hand_up_errors(report.resolution);
  return report;
}

void read_gpu_code(std::vector<Object>& objects, ImageStore& images) {
  std::vector<std::string> paths;
  for (const auto& object : objects) paths.push_back(object.path);
  images.prefetch_gpu_code(paths);
  for (auto& object : objects) object.gpu = images.gpu_code(object.path);
}

/// Loads that only their symbols refuse, and that code takes as attempts, with those that were known: the answer hangs
/// on what the code does then. Of what takes more rounds than a few the last answer stands.
std::optional<RefusedLoads> more_refused_loads(const Report& report, const std::set<std::size_t>& refused,
                                               const SessionState& state) {
  constexpr std::size_t most_rounds = 3;
  auto loads = refused_attempts(report.resolution.targets, refused);
  loads.insert(state.refused_loads.begin(), state.refused_loads.end());
  const bool more = loads.size() > state.refused_loads.size() && state.rounds < most_rounds;
  return more ? std::optional(std::move(loads)) : std::nullopt;
}

Report explain_again(Query, RefusedLoads, const SessionState& before, ThreadLimit&);

Report explain_in(Query asked, SessionState& state, ThreadLimit& threads) {
  Report report;
  report.query = std::move(asked);
  const auto& query = report.query;
  auto& store = state.store;
  store.begin_question(query.costs);
  report.message = query.message;
  report.knowledge = store.knowledge;
  std::set<std::size_t> refused;
  const bool with_gpu_code = query.gpu_code || !query.gpus.empty() || query.policy.reads_gpu_code();
  if (with_gpu_code) store.images.expect_gpu_code();
  report.resolution = resolve(query, state, report.symbols);
  if (!report.resolution.secure_because.empty()) report.query.environment.secure = true;
  if (report.resolution.windows && query.machine_gpus) report.query.gpus.clear();  // this machine is not a Windows
  // What Python code took is given back before tables of symbols take as much.
  if (!state.shared.for_later) state.shared.imports.forget();
  if (query.symbols != SymbolCheck::none && !report.resolution.objects.empty() && !report.resolution.windows) {
    store.symbols.read_ahead(report.resolution.objects, query.keep_bindings, threads);
    report.symbols = bind_symbols(report.resolution, query.environment, store.symbols, query.keep_bindings);
    refused = refuse_unbound(report);
    if (auto loads = more_refused_loads(report, refused, state))
      return explain_again(std::move(report.query), std::move(*loads), state, threads);
  }
  hand_up_errors(report.resolution);
  for (auto& object : report.resolution.objects)
    if (const auto* package = store.packages.package_of(object.path))
      object.package = PackageName{package->name, package->version};
    else if (const auto* claimed = store.installed.package_of(object.path))
      object.package = *claimed;
  if (with_gpu_code) read_gpu_code(report.resolution.objects, store.images);
  for (auto& object : report.resolution.objects)
    if (object.image && is_named_like_cuda(*object.image)) object.cuda = store.cuda_library(object.path, false);
  for (auto& object : report.resolution.objects)
    if (!object.cuda && may_hold_runtime(object, report.resolution, query.gpu_code))
      object.cuda = store.cuda_library(object.path, true);
  Case judged{report, store, state.last_loader(), state.windows ? &*state.windows : nullptr};
  std::optional<Report> fresh;
  if (report.resolution.windows && asks_for_fresh_windows(judged))
    judged.fresh_windows = &fresh.emplace(on_fresh_windows(query, state, threads));
  judge(judged);
  const AskAgain ask = [&](Query again, SessionState& own) { return explain_in(std::move(again), own, threads); };
  prove_fixes(report, state, threads, ask);
  prove_installs(report, state, threads, ask);
  foresee_next_failures(report, state, threads, ask);
  if (state.index == nullptr) keep_requirements(report, state.given);
  take_back(report.resolution, refused);
  show_package_paths(report, store.packages);
  return report;
}

/// From the beginning, with what is known of the loads now.
Report explain_again(Query asked, RefusedLoads loads, const SessionState& before, ThreadLimit& threads) {
  SessionState state(before.given, threads, before.store.knowledge, before.shared);
  state.refused_loads = std::move(loads);
  state.rounds = before.rounds + 1;
  state.index = before.index;
  state.assumed = before.assumed;
  state.foresees = before.foresees;
  return explain_in(std::move(asked), state, threads);
}

/// Nothing is claimed where the system refused something that was read for the answer: a search that passes a file
/// over, or a table without its symbols, is as likely to hide a fault as to make one up.
void take_back_answer(Report& report, const std::vector<Error>& refused) {
  const auto& targets = report.resolution.targets;
  const bool says_so =
      std::all_of(targets.begin(), targets.end(), [](const Target& target) { return target.unreadable.has_value(); });
  if (says_so && !targets.empty()) return;
  for (auto& target : report.resolution.targets) {
    target.error.clear();
    if (!target.unreadable)
      target.unreadable = Error{ErrorCode::unreadable, text_of_refusal(refused.front()), refused.front().path,
                                std::nullopt, refused.front().system_error};
  }
  tell_refusals(report, refused);
}

}  // namespace

Report Session::explain(const Query& query) {
  if (shared_->are_in_doubt()) {
    state_.reset();
    shared_ = shared_->anew();
    state_ = std::make_unique<SessionState>(files_, threads_, knowledge_, *shared_);
  }
  const Refusals refusals;
  auto report = explain_unless_refused(query);
  if (refusals.any()) take_back_answer(report, refusals.take());
  return report;
}

void Session::try_installs_from(WheelIndex& index) { index_ = &index; }

Report Session::explain_unless_refused(const Query& query) {
  state_->index = index_;
  const bool with_packages =
      !query.packages.empty() || std::any_of(query.targets.begin(), query.targets.end(),
                                             [](const auto& given) { return !package_target(given).archive.empty(); });
  if (!with_packages && !query.linux_host)
    return explain_in(in_its_world(query, files_, state_->machine_gpus()), *state_, threads_);
  // What is installed for one question, or described, must not be there for the next.
  SessionState own(files_, threads_, knowledge_, *shared_);
  own.index = index_;
  return explain_in(in_its_world(query, files_, state_->machine_gpus()), own, threads_);
}

Result<std::shared_ptr<const Image>> Session::image(const std::string& path) {
  const auto& opened = state_->store.images.open(path);
  if (opened.error) return *opened.error;
  return opened.image;
}

Result<PeSymbols> Session::pe_symbols(const std::string& path) {
  const auto read = image(path);
  if (!read) return read.error();
  if (!is_pe(**read)) return PeSymbols();
  const auto file = state_->store.images.files().open(path);
  if (!file) return file.error();
  return read_pe_symbols(**file, **read);
}

Result<SymbolNames> Session::elf_symbols(const std::string& path) {
  const auto read = image(path);
  if (!read) return read.error();
  SymbolNames names;
  if (!is_elf(**read)) return names;
  const auto file = state_->store.images.files().open(path);
  if (!file) return file.error();
  const auto table = SymbolTable::read(**file, *read, 0, 0);
  table->visit_all([&](std::string_view name, std::uint16_t version, bool defined) {
    const auto& of = table->version(version);
    if (name == of.name) return;  // a version is a symbol as well
    (defined ? names.exported : names.imported)
        .push_back(std::string(name) + (of.name.empty() ? "" : "@" + std::string(of.name)));
  });
  return names;
}

Result<std::shared_ptr<const GpuCode>> Session::gpu_code(const std::string& path) {
  const auto read = image(path);
  if (!read) return read.error();
  return state_->store.images.gpu_code(path);
}

Result<LibraryTexts> Session::library_texts(const std::string& path) {
  const auto read = image(path);
  if (!read) return read.error();
  auto& images = state_->store.images;
  auto texts = images.library_texts(path);
  if (!is_elf(**read)) return texts;
  std::vector<LibraryText> known;
  for (const auto& request :
       known_dlopens((*read)->soname.value_or(""), images.open(path).real_path, images.files(), *knowledge_)) {
    if (!is_opened_by(request, images.open(path).real_path, **read, images)) continue;
    known.push_back({request.call.name, 0, request.call.known.source});
    const auto& pieces = request.call.known.pieces;
    std::erase_if(texts.texts, [&](const LibraryText& text) {
      return text.name == request.call.name || std::find(pieces.begin(), pieces.end(), text.name) != pieces.end();
    });
  }
  texts.texts.insert(texts.texts.begin(), known.begin(), known.end());
  return texts;
}

Result<std::shared_ptr<const CudaLibrary>> Session::cuda_library(const std::string& path) {
  const auto read = image(path);
  if (!read) return read.error();
  return state_->store.cuda_library(path, false);
}

Result<std::shared_ptr<const CudaLibrary>> Session::linked_runtime(const std::string& path) {
  const auto read = image(path);
  if (!read) return read.error();
  auto found = state_->store.cuda_library(path, true);
  return found && found->is_static ? found : nullptr;
}

Result<WheelReport> Session::wheel(const std::string& path) {
  Store own(files_, threads_, knowledge_);
  const auto number = own.packages.install(path);
  if (!number) return number.error();
  return audit_wheel(own.packages.packages()[*number], own.packages, own.images, *own.knowledge);
}

}  // namespace cudald
