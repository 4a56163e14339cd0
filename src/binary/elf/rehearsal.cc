#include "binary/elf/rehearsal.h"

#include <cudald/image.h>

#include "binary/elf/symbol_table.h"

namespace cudald {

void read_all_tables(const File& file) {
  const auto image = read_image(file);
  if (image && (*image)->elf.tables.symbols.present) (void)SymbolTable::read(file, *image, 0, 0);
}

}  // namespace cudald
