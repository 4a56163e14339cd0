#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/writers.h>

#include "cli/options/formats.h"
#include "cli/options/options.h"

namespace cudald {

// What the commands answer with, and who writes it: views.cc has a table for each view, with a row for each format.

struct Change;          // report/views/facts.h
struct Deployment;      // cudald/deployment.h
struct Host;            // cli/output/host.h
struct RepairedTarget;  // repair/repaired_target.h

/// An answer of explain, check, probe, tree or why.
struct ReportView {
  const Options& options;
  const TextStyle& style;
  const Host& host;
  const Report& report;
};

/// A file as show tells of it.
struct FileView {
  std::string path;
  const Image& image;
  const PeSymbols& symbols;
  const GpuCode* gpu = nullptr;
  const CudaLibrary* cuda = nullptr;
  const LibraryTexts* texts = nullptr;
};

/// What differs between two things.
struct DiffView {
  std::string a, b;
  const std::vector<Change>& changes;
};

/// Writes one report in the way that was asked for; returns the exit status that it stands for.
int write_view(const ReportView&, std::ostream&);
void write_view(OutputFormat, const FileView&, const TextStyle&, std::ostream&);
void write_view(OutputFormat, const WheelReport&, const TextStyle&, std::ostream&);
void write_view(OutputFormat, const Deployment&, const TextStyle&, std::ostream&);
void write_view(OutputFormat, const CudaStack&, const TextStyle&, std::ostream&);
void write_view(OutputFormat, const DiffView&, const TextStyle&, std::ostream&);
void write_view(OutputFormat, const std::vector<RepairedTarget>&, const TextStyle&, std::ostream&);
void write_view(OutputFormat, const MessageReading&, const TextStyle&, std::ostream&);
/// Which packages carry files of these names. False if one is in no package that is known.
bool write_view(OutputFormat, const ProvidesQuestion&, const TextStyle&, std::ostream&);

/// Who writes the document of all answers that the format is; nullptr if each answer is written by itself.
std::unique_ptr<DocumentWriter> make_document_writer(const Options&);

}  // namespace cudald
