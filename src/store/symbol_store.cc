#include "store/symbol_store.h"

#include <cudald/image.h>

#include "cuda/runtime_function.h"
#include "env/abi.h"
#include "image/symbol_table.h"

namespace cudald {

std::shared_ptr<const SymbolTable> SymbolStore::get(const Object& object, bool with_defined) {
  const auto* key = object.image.get();
  if (const auto described = known_.find(key); described != known_.end()) return described->second.first;
  const auto known = kept_.find(key);
  if (known != kept_.end() && !with_defined) return paid(known->second);
  static const auto nothing = std::make_shared<const SymbolTable>();
  if (!object.image->elf.tables.symbols.present) return nothing;
  const auto file = files_.open(object.path);
  if (!file) return nothing;
  const auto* abi = find_abi(object.image->machine, object.image->format, object.image->byte_order);
  Budget budget(limits_of_one_file);
  const auto defined = with_defined ? DefinedNames{is_any_name, {}} : DefinedNames{is_runtime_function, runtime_signs};
  Known read{SymbolTable::read(**file, object.image, abi != nullptr ? abi->jump_slot : 0,
                               abi != nullptr ? abi->copy : 0, defined, budget, reopener_.of(object.path)),
             budget.cost()};
  read.cost.kept = 0;  // gone when the symbols are bound
  const auto bytes = read.table->memory();
  if (with_defined || bytes > most_kept_bytes / 4) return paid(read);
  if (kept_bytes_ + bytes > most_kept_bytes) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += bytes;
  return paid(kept_.emplace(key, std::move(read)).first->second);
}

std::shared_ptr<const SymbolTable> SymbolStore::paid(const Known& known) {
  return budget_.add(known.cost) ? known.table : SymbolTable::beyond(budget_);
}

}  // namespace cudald
