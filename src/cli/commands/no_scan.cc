// The build for Windows cannot scan: that takes a process for each target.
#include "base/usage_error.h"
#include "cli/commands/merge.h"
#include "cli/commands/scan.h"

namespace cudald {

Result<int> scan(const Options&, const TextStyle&, const Host&, Output&) {
  return usage_error("cudald for Windows cannot scan yet; `cudald check DIR` judges what is in a directory");
}

Result<int> merge(const Options&, const TextStyle&, const Host&, Output&) {
  return usage_error("cudald for Windows cannot merge scans yet; use cudald for Linux");
}

}  // namespace cudald
