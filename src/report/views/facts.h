#pragma once

#include <map>
#include <string>
#include <vector>

namespace cudald {

struct CudaLibrary;  // cudald/cuda_library.h
struct CudaStack;    // cudald/cuda_stack.h
struct GpuCode;      // cudald/gpu_code.h
struct Image;        // cudald/image.h
struct PeSymbols;    // cudald/pe_symbols.h
struct WheelReport;  // cudald/wheel.h

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
