#include "report/json_text.h"

namespace cudald {

void write_document(const Json& document, bool compact, std::ostream& out) {
  constexpr int indent = 2, in_one_line = -1;
  constexpr bool ascii = true;
  out << document.dump(compact ? in_one_line : indent, ' ', ascii) << '\n';
}

}  // namespace cudald
