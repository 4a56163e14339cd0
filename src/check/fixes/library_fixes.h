#pragma once

#include <vector>

#include <cudald/report.h>

#include "check/fixes/common_fixes.h"
#include "check/fixes/whereabouts.h"
#include "store/store.h"

namespace cudald {

/// What helps against libraries that are not found, all of one report: the order in which the kinds of fixes are asked.
/// Commands are meant to be pasted, and to do what they say: after the first of them the same question is answered
/// otherwise.
class LibraryFixes {
 public:
  LibraryFixes(Report& report, Store& store) : report_(report), store_(store) {}

  /// For a finding about one search, which names its object and edge. `decisive` is the probe that ended the search at
  /// an unusable file, or nullptr.
  void add_fixes(const std::vector<Whereabouts>&, const Probe* decisive, Finding&);
  /// What installs the library that a request did not find; the finding names its object.
  void add_installs(const Edge&, Finding&);
  /// Where objects miss several libraries: to the first of these findings, what helps against all of them.
  void add_common_fixes() { cudald::add_common_fixes(report_, known_, store_.images.files()); }

 private:
  Report& report_;
  Store& store_;
  FixesOfRequesters known_;
};

}  // namespace cudald
