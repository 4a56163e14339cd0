#pragma once

#include <string>

namespace cudald {

struct Finding;  // cudald/finding.h
struct Report;   // cudald/report.h

/// Where a finding is, in the words of the question: no path of this machine stands in it.
struct Place {
  std::string target;  ///< as it was given
  std::string object;  ///< "x.whl!/torch/lib/libc10.so", or a file's name; empty: the target as a whole
};

Place place_of(const Report&, const Finding&);

/// Target by which all of a question is called: the first that was given.
std::string name_of_question(const Report&);

/// By which the same finding is known again where the files have moved, or a new version of the package is there:
/// code, file within its package, and what is concerned.
std::string fingerprint_of(const Report&, const Finding&);

}  // namespace cudald
