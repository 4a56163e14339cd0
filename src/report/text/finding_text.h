#pragma once

#include <string>
#include <string_view>

#include <cudald/report.h>

#include <cudald/load_graph.h>
#include "report/text/text.h"

namespace cudald {

/// Tells findings of one report to people.
class FindingText {
 public:
  FindingText(const Report& report, TextWriter& text) : report_(report), text_(text), graph_(report.resolution) {}

  /// Who asks, how that is known, the search, what happens, what helps and what does not.
  void tell(const Finding&);
  /// "error[CUD101] library-not-found: ...", in one line however long.
  std::string brief(const Finding&) const;
  /// Who asks for something, in which words, and on whose behalf.
  void tell_request(ObjectId requester, const Edge&);
  void tell_search(ObjectId requester, const Edge&);

 private:
  std::string head(const Finding&) const;
  void tell_evidence(const Finding&);
  void tell_fixes(const Finding&);
  void tell_chain(ObjectId);

  const Report& report_;
  TextWriter& text_;
  LoadGraph graph_;
};

/// "fix: COMMAND", or the words of a fix without one; several commands are below the label. Commands are never wrapped:
/// people paste them.
void write_fix(std::string_view label, const Fix&, std::size_t indent, TextWriter&);

}  // namespace cudald
