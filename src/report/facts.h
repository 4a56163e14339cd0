#pragma once

#include <map>
#include <string>
#include <vector>

#include <cudald/cuda_stack.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/pe_symbols.h>
#include <cudald/wheel.h>

namespace cudald {

/// What is said of one thing, by what it is about: "needed" -> the libraries, in order.
using Facts = std::map<std::string, std::vector<std::string>>;

/// The facts of a file, wheel or machine by its parts: the empty name for the whole, else members and libraries.
using FactSheet = std::map<std::string, Facts>;

/// What the loader reads out of a file, and what it is to CUDA.
Facts facts_of(const Image&, const PeSymbols&, const GpuCode*, const CudaLibrary*);
FactSheet facts_of(const WheelReport&);
/// Libraries by their names.
FactSheet facts_of(const CudaStack&);

/// Something that differs.
struct Change {
  std::string subject;  ///< a part; empty: the whole
  std::string what;     ///< "needed"; "part" where the part itself is only on one side
  std::vector<std::string> removed, added;
};

std::vector<Change> compare(const FactSheet& a, const FactSheet& b);

}  // namespace cudald
