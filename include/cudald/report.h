#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/finding.h>
#include <cudald/knowledge.h>
#include <cudald/message.h>
#include <cudald/probe.h>
#include <cudald/query.h>
#include <cudald/resolution.h>
#include <cudald/symbols.h>

namespace cudald {

/// Whether releases of an index may help an import that fails, and have been tried.
enum class TriedReleases { none_helps, not_yet, tried };

/// The answer to a Query, with everything the writers need.
struct Report {
  Query query;
  std::shared_ptr<const Knowledge> knowledge = built_in_knowledge();  ///< by which it is judged
  Resolution resolution;
  std::optional<SymbolReport> symbols;
  std::vector<Finding> findings;  ///< worst first
  Verdict verdict = Verdict::unknown;
  std::string headline;                   ///< one sentence after the verdict
  std::optional<MessageReading> message;  ///< that the user pasted
  std::optional<ProbeReport> probe;       ///< none if nothing was to be loaded for real
  TriedReleases releases = TriedReleases::none_helps;
  std::vector<std::string> next_errors;  ///< by which the import fails once its first error is fixed, in order
};

}  // namespace cudald
