#include "store/symbol_store.h"

#include <algorithm>
#include <atomic>

#include <cudald/image.h>

#include "base/parallel.h"
#include "base/refusals.h"
#include "binary/elf/symbol_table.h"
#include "knowledge/runtime_function.h"
#include "machine/abi.h"

namespace cudald {

std::shared_ptr<const SymbolTable> SymbolStore::get(const Object& object, bool with_defined) {
  const auto* key = object.image.get();
  if (const auto described = known_.find(key); described != known_.end()) return described->second.first;
  const auto known = kept_.find(key);
  if (known != kept_.end() && !with_defined) return paid(known->second);
  static const auto nothing = std::make_shared<const SymbolTable>();
  if (!object.image->elf.tables.symbols.present) return nothing;
  auto ahead = ahead_.extract(key);
  auto found = ahead ? std::move(ahead.mapped()) : std::nullopt;
  if (!found) {
    const auto file = files_.open(object.path);
    note_if_refused(file);  // its image was read, so it is there
    if (!file) return nothing;
    found = read(**file, object, with_defined);
  }
  auto& [table, cost] = *found;
  cost.kept = 0;  // gone when the symbols are bound
  const auto bytes = table->memory();
  if (with_defined || bytes > most_kept_bytes / 4) return paid(*found);
  if (kept_bytes_ + bytes > most_kept_bytes) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += bytes;
  return paid(kept_.emplace(key, std::move(*found)).first->second);
}

SymbolStore::Known SymbolStore::read(const File& file, const Object& object, bool with_defined) const {
  const auto* abi = find_abi(object.image->machine, object.image->format, object.image->byte_order);
  Budget budget(limits_of_one_file);
  const auto defined = with_defined ? DefinedNames{is_any_name, {}} : DefinedNames{is_runtime_function, runtime_signs};
  auto table = SymbolTable::read(file, object.image, abi != nullptr ? abi->jump_slot : 0,
                                 abi != nullptr ? abi->copy : 0, defined, budget, reopener_.of(object.path));
  return {std::move(table), budget.cost()};
}

void SymbolStore::read_ahead(const std::vector<Object>& objects, bool with_defined, ThreadLimit& threads) {
  constexpr std::uint64_t least_bytes = std::uint64_t{32} << 10;    // of one: smaller ones are read when asked for
  constexpr std::uint64_t least_of_all = std::uint64_t{256} << 10;  // below, a thread costs more than it saves
  constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;    // of all: the rest is read when it is asked for
  ahead_.clear();
  std::vector<const Object*> wanted;
  for (const auto& object : objects) {
    const auto* key = object.image.get();
    const auto& tables = object.image->elf.tables;
    const bool at_hand = known_.contains(key) || (kept_.contains(key) && !with_defined);
    if (!at_hand && tables.symbols.present && tables.declared_strings_size >= least_bytes &&
        ahead_.try_emplace(key).second)
      wanted.push_back(&object);
  }
  if (wanted.size() < 2) return;
  std::uint64_t all = 0;
  for (const auto* object : wanted) all += object->image->elf.tables.declared_strings_size;
  // Large ones first, so that none of them is begun last.
  std::stable_sort(wanted.begin(), wanted.end(), [](const Object* a, const Object* b) {
    return a->image->elf.tables.declared_strings_size > b->image->elf.tables.declared_strings_size;
  });
  std::atomic<std::uint64_t> bytes = 0;
  ThreadLimit alone(1);
  for_each_index(all < least_of_all ? alone : threads, wanted.size(), [&](std::size_t i) {
    if (bytes > most_bytes) return;
    const auto file = files_.open(wanted[i]->path);
    if (!file || (*file)->is_stream()) return;  // streams are read in the order of their archive
    auto& known = ahead_.find(wanted[i]->image.get())->second;
    known = read(**file, *wanted[i], with_defined);
    bytes += known->table->memory();
  });
}

std::shared_ptr<const SymbolTable> SymbolStore::paid(const Known& known) {
  return budget_.add(known.cost) ? known.table : SymbolTable::beyond(budget_);
}

}  // namespace cudald
