#pragma once

#include <string>

#include "common/world.h"

namespace cudald {

inline const std::string packages_folder = "/venv/lib/python3.11/site-packages/";

/// The end of a command that puts directories before those of LD_LIBRARY_PATH.
inline const std::string rest_of_path = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n";

/// All that helps against the first finding, with what it does.
inline std::string fixes_of(const Report& report) {
  std::string text;
  for (const auto& fix : report.findings.at(0).fixes)
    text += fix.title + " | " + fix.command + " | " + fix.side_effect + "\n";
  return text;
}

}  // namespace cudald
