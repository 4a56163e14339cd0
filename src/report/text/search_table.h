#pragma once

#include <string>
#include <vector>

#include <cudald/resolution.h>

#include "report/text/text.h"

namespace cudald {

/// One line of the table "searched, in this order": a place, and what was there.
struct SearchRow {
  std::size_t number{};  ///< 0: the line continues the rule above
  std::string rule;      ///< "DT_RPATH of python3.11"; empty in a line that continues
  std::string place;     ///< a folder or file; may be empty
  std::string result;
  Tone tone{};
};

/// The word under which people know a rule: "DT_RUNPATH", "/etc/ld.so.cache".
std::string_view spoken(SearchRule);
/// The short form that stands in brackets: "[runpath]", "[ld.so.cache]".
std::string bracketed(SearchRule);
/// What a probe found, in a reader's words.
std::string result_words(const Probe&);

/// Tells a recorded search. Folders without a hit are folded together, unless `every_probe` is set.
std::vector<SearchRow> search_rows(const Resolution&, ObjectId requester, const Edge&, bool every_probe);

/// The same in one line: "LD_LIBRARY_PATH (not set), DT_RUNPATH /opt/lib, 4 system directories".
std::string searched_words(const Resolution&, ObjectId requester, const Edge&);

void write_search_table(const std::vector<SearchRow>&, TextWriter&);

}  // namespace cudald
