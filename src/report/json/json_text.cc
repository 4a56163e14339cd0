#include "report/json/json_text.h"

#include "report/json/json_writer.h"

namespace cudald {

void write_document(const Json& document, bool compact, std::ostream& out) {
  JsonWriter writer(out, compact);
  writer.value(document);
  writer.finish();
}

}  // namespace cudald
