#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cudald/resolution.h>

namespace cudald {

struct Report;  // cudald/report.h

/// Who loads what, for formats that draw it. What fails stands first.
struct LoadPicture {
  enum class Kind { target, object, system, missing };
  struct Node {
    std::string name;   ///< "libcudart.so.12"
    std::string where;  ///< the folder or archive that it comes from; empty if it is nowhere
    Kind kind{};
    std::vector<std::string> files = {};  ///< of a node that stands for several: their names
  };
  struct Edge {
    std::size_t from{}, to{};  ///< indexes of nodes
    std::string word;          ///< "runpath", "dlopen, ld.so.cache", "not found"
    bool found = true;
    bool hard = true;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::size_t left_out = 0;  ///< edges beyond the number asked for
};

/// Whether files that are alike are one node: those of one package that the same files ask for, and that ask for the
/// same libraries but for those of the system, as a package of Python has a hundred modules.
enum class Alike { apart, together };

/// At most so many edges; nodes that none of them touches are left out, but for targets.
LoadPicture picture_of(const Report&, std::size_t most_edges, Alike = Alike::together);

}  // namespace cudald
