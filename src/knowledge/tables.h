#pragma once

#include <string>
#include <vector>

#include <cudald/knowledge.h>

namespace cudald {

/// A table of knowledge, by its file in data/, and the day on which its rows were checked last: "2026-11-22".
struct TableDay {
  std::string table, day;
};

/// In the order of the names; of data/cuda.json each section, as these knowledge has them.
std::vector<TableDay> table_days(const Knowledge&);

}  // namespace cudald
