#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "scan/record.h"

namespace cudald {

/// "torch" of a wheel or conda package, in the form in which names are compared; the file's name of anything else.
std::string package_of(const std::string& target);

/// What the records of a scan come to.
class Totals {
 public:
  struct Kind {
    Level level = Level::note;  ///< the worst that it had
    std::string_view name;
    std::size_t findings = 0, targets = 0;
    std::set<std::string> packages;
    std::vector<std::string> examples;  ///< a message each, with its target before it
  };
  struct Package {
    std::size_t targets = 0;
    std::uint64_t bytes = 0;
    std::map<Verdict, std::size_t> verdicts;
    std::set<std::string_view> codes;
  };
  struct NotJudged {
    std::string target;
    Outcome outcome{};
    std::string message;
  };

  /// `report` is that of the record; none: it was not judged.
  void add(const RecordHead&, const std::optional<Report>& report, std::string message);

  /// A finding about the scan as a whole.
  void add(const Finding&);

  std::size_t targets = 0;
  std::uint64_t bytes = 0;
  std::map<Verdict, std::size_t> verdicts;
  std::map<std::string_view, Kind> kinds;  ///< by code
  std::map<std::string, Package> packages;
  std::vector<NotJudged> not_judged;
};

/// The worst verdict of a package: what fails goes before what is unknown, and that before a risk.
Verdict worst_of(const std::map<Verdict, std::size_t>&);

}  // namespace cudald
