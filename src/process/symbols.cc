#include <cudald/image.h>
#include <cudald/symbols.h>

#include <elf.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/demangler.h"
#include "base/extension_suffix.h"
#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "knowledge/runtime_function.h"
#include "loader/relocation_order.h"
#include "loader/symbol_match.h"
#include "machine/abi.h"
#include "process/symbols.h"

namespace cudald {
namespace {

constexpr const char* failed_assertion =
    "Inconsistency detected by ld.so: dl-lookup.c: 107: check_match: Assertion `version->filename == NULL || "
    "! _dl_name_match_p (version->filename, map)' failed!";

/// One object with what a look-up needs at hand.
struct Member {
  std::shared_ptr<const SymbolTable> table;
  /// Which object each needed version names as its provider, by version index.
  std::vector<std::optional<ObjectId>> providers;
  std::uint64_t long_steps = 0;  ///< taken along chains that are longer than those of any linker
  bool limited = false;          ///< its limit was told
};

constexpr std::size_t longest_usual_chain = 64;
constexpr std::uint64_t most_long_steps = 8'000'000;                  // of one table
constexpr std::uint64_t most_missing_text = std::uint64_t{64} << 20;  // of all that is missing
constexpr std::uint64_t most_table_bytes = std::uint64_t{1} << 30;    // of all tables
constexpr std::size_t most_interposed = 1000;                         // threes of files that are kept
constexpr std::size_t most_located = 2000;                            // missing symbols that are looked for elsewhere

/// Whether NVIDIA's driver may define it: cuInit, nvmlInit_v2.
bool is_driver_function(std::string_view name) {
  return (name.size() > 2 && name.starts_with("cu") && std::isupper(static_cast<unsigned char>(name[2])) != 0) ||
         name.starts_with("nvml");
}

/// Whether it is a definition that others may use.
bool is_definition(const SymbolEntry& symbol) {
  const auto visibility = symbol.other & 3;
  return symbol.section != SHN_UNDEF && type_counts(symbol.type()) && binding_counts(symbol.binding()) &&
         visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

class Binder {
 public:
  Binder(const Resolution& resolution, const Environment& environment, SymbolStore& store, bool keep_bindings)
      : resolution_(resolution), musl_(resolution.libc.kind == LibcKind::musl), keep_bindings_(keep_bindings) {
    // musl does not read the variable.
    const auto bind_now = environment.variable("LD_BIND_NOW");
    bind_now_ = bind_now && !bind_now->empty() && !musl_;
    // Up to 2.29 a look-up ended at the file that the version names, found or not.
    dynamic_weak_ = environment.variables.contains("LD_DYNAMIC_WEAK") && !environment.secure;
    stops_at_provider_ = !musl_ && !resolution.libc.at_least(2, 30);
    // From 2.41 on a definition in a file without versions fits there too.
    asserts_versions_ = !musl_ && !resolution.libc.at_least(2, 41);
    std::uint64_t table_bytes = 0;
    for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
      members_.push_back({store.get(resolution.objects[id], keep_bindings), {}});
      auto& table = members_.back().table;
      if ((table_bytes += table->memory()) > most_table_bytes) {
        table = std::make_shared<const SymbolTable>();
        note_limit(id, "the symbol tables of this process are larger than is read");
      }
      report_.complete &= table->complete() && !(musl_ && table->is_unhashed());
      if (table->damage()) report_.damaged.push_back({id, *table->damage()});
      if (table->limit()) note_limit(id, table->limit()->message);
    }
  }

  SymbolReport run() {
    // Files are relocated from the last to the first of each start or dlopen: that decides which error is the first.
    for (std::size_t target = 0; target < resolution_.targets.size(); ++target) {
      add_scope(resolution_.targets[target]);
      const auto missing_before = report_.missing.size(), aborting_before = report_.aborting.size();
      for (const auto id : relocation_order(resolution_, target)) bind_object(id);
      const bool binds = !any_ends(report_.missing, missing_before) && !any_ends(report_.aborting, aborting_before);
      if (binds) add_to_global(resolution_.targets[target]);
    }
    return std::move(report_);
  }

 private:
  void note_limit(ObjectId id, std::string message) {
    if (!std::exchange(members_[id].limited, true))
      report_.limits.push_back({id, {std::move(message), std::nullopt, true}});
  }

  bool any_ends(const std::vector<MissingSymbol>& missing, std::size_t from) const {
    return std::any_of(missing.begin() + static_cast<std::ptrdiff_t>(from), missing.end(), ends_its_request);
  }

  /// One scope for all that a start or dlopen brings in: the global one and the target's own list.
  void add_scope(const Target& target) {
    if (target.kind == TargetKind::start) global_ = joined(target.search_list, libraries_of_python(target));
    scopes_.push_back(target.traits.deepbind ? joined(target.search_list, global_)
                                             : joined(global_, target.search_list));
    names_.emplace_back();
  }

  /// The first object of a scope that answers to a name.
  std::optional<ObjectId> provider_named(std::string_view name, std::size_t target) {
    auto& names = names_[target];
    if (!names) {
      names.emplace();
      for (const auto id : scopes_[target]) {
        const auto& object = resolution_.objects[id];
        if (object.image->soname) names->try_emplace(*object.image->soname, id);
        for (const auto& other : object.names) names->try_emplace(other, id);
      }
    }
    const auto found = names->find(name);
    return found == names->end() ? std::nullopt : std::optional(found->second);
  }

  // glibc elf/dl-open.c, dl_open_worker: only once all is relocated; musl ldso/dynlink.c, dlopen, likewise.
  void add_to_global(const Target& target) {
    if (target.traits.global && target.error.empty()) global_ = joined(global_, target.search_list);
  }

  /// An interpreter that is not there would have brought libm along, as each CPython does.
  /// Source: CPython 3.11 configure.ac, LIBM.
  SearchList libraries_of_python(const Target& start) const {
    SearchList libraries;
    if (start.given != neutral_python) return libraries;
    for (ObjectId id = 0; id < resolution_.objects.size(); ++id)
      if (resolution_.objects[id].image->soname == "libm.so.6") libraries.push_back(id);
    return libraries;
  }

  SearchList joined(const SearchList& first, const SearchList& second) const {
    SearchList result;
    std::vector<bool> seen(resolution_.objects.size(), false);
    for (const auto* list : {&first, &second})
      for (const auto id : *list)
        if (!seen[id]) {
          seen[id] = true;
          result.push_back(id);
        }
    return result;
  }

  const SearchList& scope_of(ObjectId id) const { return scopes_[resolution_.objects[id].target]; }

  void find_providers(ObjectId id) {
    auto& member = members_[id];
    for (const auto& need : resolution_.objects[id].image->elf.version_needs) {
      const auto provider = provider_named(need.file, resolution_.objects[id].target);
      for (const auto& version : need.versions) {
        if (version.index >= member.providers.size()) member.providers.resize(version.index + std::size_t{1});
        member.providers[version.index] = provider;
      }
    }
  }

  /// Python opens its modules with RTLD_NOW. Source: CPython, sys.getdlopenflags.
  bool is_python_module(const Target& target) const {
    return target.object && has_python_suffix(file_name(resolution_.objects[*target.object].path));
  }

  void bind_object(ObjectId id) {
    find_providers(id);
    const auto& object = resolution_.objects[id];
    const auto& target = resolution_.targets[object.target];
    // musl binds everything at a start; a dlopen may leave calls for later.
    const bool by_itself = object.image->elf.bind_now || target.traits.bind_now || is_python_module(target) ||
                           (musl_ && target.kind == TargetKind::start);
    const bool now = bind_now_ || by_itself;
    for (const auto& reference : members_[id].table->references()) {
      report_.checked += reference.defined ? 0 : 1;
      const auto& version = members_[id].table->version(reference.version);
      const IndexedVersion* wanted = version.hash != 0 ? &version : nullptr;
      const HashedName name(reference.name);
      bool missing = false, lazy = false, by_variable = false;
      Fatal fatal;
      const auto look_up = [&](bool used, LookUp use) {
        if (!used) return;
        auto outcome = find(id, name, wanted, reference.version, use);
        if (reference.is_protected && reference.defined && outcome.definer) outcome.definer = id;
        if (outcome.unknown) return;
        if (outcome.definer) {
          if (wanted != nullptr) note_foreign(id, reference, *wanted, *outcome.definer);
          note_interposition(id, name, wanted, use, *outcome.definer);
          if ((keep_bindings_ || is_runtime_function(name.name)) &&
              (report_.bindings.empty() || report_.bindings.back().object != id ||
               report_.bindings.back().name != reference.name || report_.bindings.back().definer != *outcome.definer))
            report_.bindings.push_back({id, std::string(reference.name),
                                        wanted != nullptr ? std::string(wanted->name) : "", *outcome.definer});
          return;
        }
        if (reference.weak && outcome.fatal.kind == Fatal::Kind::none) return;
        const bool may_be_lazy = use == LookUp::call && !reference.use.immediate;
        lazy = (!missing || lazy) && may_be_lazy && !now;
        by_variable = (!missing || by_variable) && may_be_lazy && !by_itself && bind_now_;
        missing = true;
        if (fatal.kind == Fatal::Kind::none) fatal = outcome.fatal;
      };
      look_up(reference.use.copy, LookUp::copy);
      look_up(reference.use.data_class, LookUp::data);
      look_up(reference.use.plt_class, LookUp::call);
      if (missing) add_missing(id, reference, wanted, lazy, by_variable, fatal);
    }
    for (auto& each : report_.interposed)
      if (each.object == id && !answered_by_.empty()) each.from_own = answered_by_[each.own];
    answered_by_.clear();
  }

  /// How the loader ends over a reference, where it does not merely say "undefined symbol".
  struct Fatal {
    enum class Kind { none, not_in_provider, assertion };
    Kind kind = Kind::none;
    std::string text;
  };

  struct Outcome {
    std::optional<ObjectId> definer;
    Fatal fatal;
    bool unknown = false;  ///< a limit was reached on the way
  };

  /// Whether a table may still be searched. A table with long chains is searched so often only.
  bool is_searchable(ObjectId id) {
    if (members_[id].long_steps <= most_long_steps) return true;
    note_limit(id, "the chains of its hash table are so long that not all symbols were looked for in it");
    return false;
  }

  Outcome find(ObjectId from, const HashedName& name, const IndexedVersion* wanted, std::uint16_t version_index,
               LookUp use) {
    const auto& member = members_[from];
    const auto provider =
        wanted != nullptr && version_index < member.providers.size() ? member.providers[version_index] : std::nullopt;
    std::optional<ObjectId> weak_definer;
    const auto& scope = scope_of(from);
    // A symbolic library is its own first scope.
    const bool own_first = !musl_ && resolution_.objects[from].image->elf.symbolic;
    for (std::size_t at = own_first ? 0 : 1; at <= scope.size(); ++at) {
      const auto id = at == 0 ? from : scope[at - 1];
      if (use == LookUp::copy && resolution_.objects[id].main_program) continue;
      const auto& table = *members_[id].table;
      if (table.empty()) continue;
      if (!is_searchable(id)) return {std::nullopt, {}, true};
      std::size_t steps = 0;
      const auto symbol = musl_ ? musl_match(table, name, use, steps) : glibc_match(table, name, wanted, use, steps);
      if (steps > longest_usual_chain) members_[id].long_steps += steps;
      // check_match: a version cannot come from a file that has none; up to 2.40 glibc takes that for its own fault.
      if (symbol && wanted != nullptr && asserts_versions_ && !table.has_versions() && provider == id)
        return {std::nullopt, {Fatal::Kind::assertion, failed_assertion}};
      // A definition that is hidden or internal counts for its own file only.
      if (symbol && !musl_ && ((symbol->other & 3) == STV_HIDDEN || (symbol->other & 3) == STV_INTERNAL)) continue;
      if (symbol) {
        if (symbol->binding() == STB_GNU_UNIQUE && !musl_)
          return {unique_.emplace(std::string(name.name), id).first->second, {}};
        if (!dynamic_weak_ || symbol->binding() != STB_WEAK) return {id, {}};
        if (!weak_definer) weak_definer = id;
      }
      if (stops_at_provider_ && provider == id && !weak_definer)
        return {std::nullopt, not_in_provider(name.name, *wanted)};
    }
    if (!weak_definer)
      for (const auto id : scope)
        if (may_define(id, name.name, wanted)) return {id, {}};
    // The loader defines what is asked of it by its name, whether or not it is in the scope.
    if (!weak_definer && wanted != nullptr)
      if (const auto loader = known_loader(); loader && resolution_.objects[*loader].image->soname == wanted->file)
        return {*loader, {}};
    return {weak_definer, {}};
  }

  /// The dynamic loader, if only its name is known.
  std::optional<ObjectId> known_loader() const {
    for (ObjectId id = 0; id < resolution_.objects.size(); ++id)
      if (resolution_.objects[id].dynamic_loader)
        return resolution_.objects[id].known_by_name ? std::optional(id) : std::nullopt;
    return std::nullopt;
  }

  /// Whether an object of which only the name is known may have a symbol, or one that is described without them.
  bool may_define(ObjectId id, std::string_view name, const IndexedVersion* wanted) const {
    const auto& object = resolution_.objects[id];
    const bool described = object.image->source == ImageSource::description && members_[id].table->empty();
    if (!object.known_by_name && !described) return false;
    // Of glibc the loader has few functions, and all are asked for by version; of musl it is the C library.
    if (object.dynamic_loader && !musl_ && wanted == nullptr) return false;
    if (wanted != nullptr && std::find(object.names.begin(), object.names.end(), wanted->file) == object.names.end() &&
        object.image->soname != wanted->file)
      return false;
    switch (object.image->source) {
      case ImageSource::driver: return is_driver_function(name);
      // C++ that promised libraries have is the standard library's and the compiler's own; a version shows that the
      // promised file itself defined the name when the requester was linked.
      case ImageSource::promise: return wanted != nullptr || !is_foreign_cpp(name);
      default: return true;
    }
  }

  /// Whether a symbol is of C++ outside of `std` and of what GCC's library has beside it. Sources: Itanium C++
  /// ABI, 5.1, "Mangling"; the namespaces of the names in libstdc++.so.6 of GCC 14.
  static bool is_foreign_cpp(std::string_view name) {
    if (!name.starts_with("_ZN")) return false;
    name.remove_prefix(3);
    while (name.starts_with('K') || name.starts_with('V') || name.starts_with('R') || name.starts_with('O'))
      name.remove_prefix(1);
    constexpr std::string_view of_library[] = {"9__gnu_cxx",       "10__cxxabiv1", "11__gnu_debug",
                                               "14__gnu_parallel", "10__gnu_norm", "14__gnu_internal"};
    return !name.empty() && name[0] >= '0' && name[0] <= '9' &&
           std::none_of(std::begin(of_library), std::end(of_library),
                        [&](std::string_view beginning) { return name.starts_with(beginning); });
  }

  static Fatal not_in_provider(std::string_view name, const IndexedVersion& wanted) {
    return {Fatal::Kind::not_in_provider, "symbol " + std::string(name) + " version " + std::string(wanted.name) +
                                              " not defined in file " + std::string(wanted.file) +
                                              " with link time reference"};
  }

  /// glibc elf/dl-lookup.c, check_match: a definition in a file without versions fits every version.
  void note_foreign(ObjectId id, const Reference& reference, const IndexedVersion& wanted, ObjectId definer) {
    if (definer == id || members_[definer].table->has_versions()) return;
    const auto& providers = members_[id].providers;
    const auto provider = reference.version < providers.size() ? providers[reference.version] : std::nullopt;
    if (!provider || *provider == definer) return;
    const auto [known, is_new] = foreign_.try_emplace({id, definer}, report_.foreign.size());
    if (is_new) {
      report_.foreign.push_back({id, std::string(reference.name), std::string(wanted.name), definer});
      report_.foreign_counts.push_back(0);
    }
    ++report_.foreign_counts[known->second];
  }

  /// The files that an object depends on, in the order in which they would be searched.
  const SearchList& dependencies_of(ObjectId id) {
    auto& known = dependencies_[id];
    if (known) return *known;
    known.emplace(SearchList{id});
    std::vector<bool> seen(resolution_.objects.size(), false);
    seen[id] = true;
    for (std::size_t at = 0; at < known->size(); ++at)
      for (const auto& edge : resolution_.objects[(*known)[at]].edges)
        if (edge.object && edge.kind != EdgeKind::dlopen && edge.kind != EdgeKind::preload && !seen[*edge.object]) {
          seen[*edge.object] = true;
          known->push_back(*edge.object);
        }
    return *known;
  }

  bool is_preloaded(ObjectId id) const {
    const auto& edges = resolution_.objects.front().edges;
    return std::any_of(edges.begin(), edges.end(),
                       [&](const Edge& edge) { return edge.kind == EdgeKind::preload && edge.object == id; });
  }

  std::optional<SymbolEntry> match_in(ObjectId id, const HashedName& name, const IndexedVersion* wanted,
                                      LookUp use) const {
    std::size_t steps = 0;
    const auto& table = *members_[id].table;
    if (table.empty()) return std::nullopt;
    return musl_ ? musl_match(table, name, use, steps) : glibc_match(table, name, wanted, use, steps);
  }

  /// Programs and preloads come first on purpose; of weak and unique symbols, as C++ has them in every file that uses a
  /// template, one for all is what is wanted.
  void note_interposition(ObjectId id, const HashedName& name, const IndexedVersion* wanted, LookUp use,
                          ObjectId definer) {
    if (definer == id) return;
    if (answered_by_.empty()) answered_by_.resize(resolution_.objects.size());
    ++answered_by_[definer];
    const auto& object = resolution_.objects[definer];
    if (object.main_program || object.known_by_name || object.dynamic_loader || is_preloaded(definer)) return;
    const auto& own = dependencies_of(id);
    if (std::find(own.begin(), own.end(), definer) != own.end()) return;
    const auto symbol = match_in(definer, name, wanted, use);
    if (!symbol || symbol->binding() != STB_GLOBAL) return;
    for (const auto other : own) {
      if (other == id || !match_in(other, name, wanted, use)) continue;
      for (auto& known : report_.interposed)
        if (known.object == id && known.definer == definer && known.own == other) return void(++known.count);
      if (report_.interposed.size() < most_interposed)
        report_.interposed.push_back({id, definer, other, std::string(name.name), 1});
      return;
    }
  }

  /// A library judged without its program may expect symbols without versions from that. A Python that is not at hand
  /// defines none of C++; but what a request lacks of libraries may define them.
  bool is_of_files(ObjectId id, const MissingSymbol& missing) {
    if (program_is_known_ || !missing.version.empty()) return true;
    const auto target = resolution_.objects[id].target;
    if (resolution_.targets[target].traits.asked_at.empty() || !missing.name.starts_with("_Z")) return false;
    auto& lacks = lacks_library_[target];
    if (!lacks)
      lacks = std::any_of(resolution_.objects.begin(), resolution_.objects.end(), [&](const Object& object) {
        return object.target == target && std::any_of(object.edges.begin(), object.edges.end(),
                                                      [](const Edge& edge) { return edge.hard && !edge.object; });
      });
    return !*lacks;
  }

  /// Where else the process defines a name that the search has not found: in another version, or in a file of another
  /// dlopen, which that did not make global.
  std::optional<OtherDefinition> other_definition(ObjectId from, std::string_view text) {
    if (located_ >= most_located) return std::nullopt;
    const HashedName name(text);
    const auto& scope = scope_of(from);
    if (const auto damaged = damaged_definition(scope, text)) return damaged;
    std::optional<OtherDefinition> first;
    for (ObjectId id = 0; id < resolution_.objects.size(); ++id) {
      const auto& table = *members_[id].table;
      if (id == from || resolution_.objects[id].unmapped || table.empty() || !is_searchable(id)) continue;
      const auto version = version_of_definition(id, name);
      if (!version) continue;
      const bool in_scope = std::find(scope.begin(), scope.end(), id) != scope.end();
      if (!first || (first->in_scope && !in_scope)) first = OtherDefinition{id, in_scope, *version};
      if (!in_scope) break;
    }
    located_ += first ? 0 : 1;
    return first;
  }

  /// A file of the search that defines a name, or may, and in which no loader finds it.
  std::optional<OtherDefinition> damaged_definition(const SearchList& scope, std::string_view name) {
    for (const auto id : scope)
      if (members_[id].table->is_unhashed() && names_of_unhashed(id).contains(name))
        return OtherDefinition{id, true, "", OtherDefinition::Obstacle::no_hash_table};
    for (const auto id : scope)
      if (members_[id].table->is_nameless() && !name.empty())
        return OtherDefinition{id, true, "", OtherDefinition::Obstacle::no_names};
    return std::nullopt;
  }

  const std::unordered_set<std::string_view>& names_of_unhashed(ObjectId id) {
    auto& names = unhashed_[id];
    if (!names) {
      names.emplace();
      members_[id].table->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
        if (defined) names->insert(name);
      });
    }
    return *names;
  }

  /// The version in which a file defines a name, empty if it has none; nullopt if it does not define it.
  std::optional<std::string> version_of_definition(ObjectId id, const HashedName& name) {
    const auto& table = *members_[id].table;
    std::optional<std::string> version;
    const auto steps = table.visit(name, [&](const SymbolTable::Candidate& candidate) {
      if (!is_definition(candidate.symbol)) return false;
      version = std::string(table.version(candidate.version_index).name);
      return true;
    });
    if (steps > longest_usual_chain) members_[id].long_steps += steps;
    return version;
  }

  void add_missing(ObjectId id, const Reference& reference, const IndexedVersion* wanted, bool lazy, bool by_variable,
                   const Fatal& fatal) {
    MissingSymbol missing;
    missing.object = id;
    missing.name = reference.name;
    missing.lazy = lazy;
    missing.by_variable = by_variable;
    const auto& from = resolution_.objects[id].load_name;
    if (wanted != nullptr) {
      missing.version = wanted->name;
      missing.version_file = wanted->file;
    }
    missing.of_files = reference.defined || missing.name.empty() || is_of_files(id, missing);
    if (musl_) {
      missing.message = "Error relocating " + from + ": " + missing.name + ": symbol not found";
    } else if (fatal.kind == Fatal::Kind::assertion) {
      missing.message = fatal.text;
    } else {
      // A start names the kind of error first; dlerror does not.
      const bool start = resolution_.targets[resolution_.objects[id].target].kind == TargetKind::start;
      const bool none = fatal.kind == Fatal::Kind::none;
      const auto* kind = !start ? "" : none ? "symbol lookup error: " : "relocation error: ";
      const auto undefined =
          "undefined symbol: " + missing.name + (wanted != nullptr ? ", version " + missing.version : "");
      missing.message = kind + from + ": " + (none ? undefined : fatal.text);
    }
    if (missing.of_files) missing.other = other_definition(id, reference.name);
    missing_text_ += sizeof(MissingSymbol) + missing.name.size() + missing.version.size() +
                     missing.version_file.size() + missing.message.size();
    if (missing_text_ > most_missing_text)
      return note_limit(id, "more of its symbols are missing than are listed, or they have longer names");
    (fatal.kind == Fatal::Kind::assertion ? report_.aborting : report_.missing).push_back(std::move(missing));
  }

  const Resolution& resolution_;
  bool musl_, bind_now_ = false, stops_at_provider_ = false, asserts_versions_ = false, dynamic_weak_ = false,
              keep_bindings_;
  std::vector<Member> members_;
  std::vector<SearchList> scopes_;  ///< by target
  SearchList global_;
  std::vector<std::optional<std::unordered_map<std::string_view, ObjectId>>> names_;  ///< by target, of its scope
  bool program_is_known_ = program_interpreter(*resolution_.objects.front().image).has_value();
  std::map<std::size_t, std::optional<bool>> lacks_library_;                          ///< by target
  std::map<ObjectId, std::optional<std::unordered_set<std::string_view>>> unhashed_;  ///< what such files define
  std::uint64_t missing_text_ = 0;
  std::map<ObjectId, std::optional<SearchList>> dependencies_;
  std::vector<std::size_t> answered_by_;  ///< of the file that is being bound: how many references each answers
  std::size_t located_ = 0;               ///< missing symbols that were looked for in all files
  std::unordered_map<std::string, ObjectId> unique_;
  std::map<std::pair<ObjectId, ObjectId>, std::size_t> foreign_;
  SymbolReport report_;
};

}  // namespace

bool defines(const SymbolTable& table, std::string_view name) {
  bool found = false;
  table.visit(HashedName(name), [&](const SymbolTable::Candidate& one) { return found = is_definition(one.symbol); });
  return found;
}

bool ends_its_request(const MissingSymbol& missing) { return !missing.lazy && missing.of_files; }

SymbolReport bind_symbols(const Resolution& resolution, const Environment& environment, SymbolStore& store,
                          bool keep_bindings) {
  return Binder(resolution, environment, store, keep_bindings).run();
}

std::string demangled(const std::string& name) { return Demangler()(name); }

}  // namespace cudald
