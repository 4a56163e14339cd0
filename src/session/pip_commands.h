#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/report.h>

namespace cudald {

/// What follows `install` or `uninstall` in a command of pip or uv, and which of the two it is.
struct PipCommand {
  bool install = true;
  std::vector<std::string> words;  ///< without the Python that uv is given
};

/// nullopt if the line is no such command.
std::optional<PipCommand> pip_command(const std::string& line);

/// The commands of a report that install something, the first ones.
std::vector<std::string> installs_of(const Report&);

/// One command that installs what both do; nullopt where they are of different programs or for different Pythons, or
/// the second one has options.
std::optional<std::string> joined_installs(const std::string& one, const std::string& other);

}  // namespace cudald
