#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/knowledge.h>

namespace cudald {

struct CudaLibrary;     // cuda_library.h
struct CudaStack;       // cuda_stack.h
struct FindingRule;     // finding.h
struct GpuCode;         // gpu_code.h
struct Image;           // image.h
struct LibraryTexts;    // library_texts.h
struct LinuxHostFile;   // linux_host_file.h
struct MessageReading;  // message.h
struct PeSymbols;       // pe_symbols.h
struct Report;          // report.h
struct WheelReport;     // wheel.h
enum class Level;       // finding.h

/// Writes one JSON document (schema cudald/report 1.0) and a newline; `compact` puts it on one line.
void write_json(const Report&, bool compact, std::ostream&);

/// How text is written for people.
struct TextStyle {
  bool colour = false;
  bool ascii = false;  ///< no marks or box lines outside ASCII
  std::size_t width = 100;
  int verbosity = 0;       ///< -1 quiet (the verdict line), 0 usual, 1 every probe, 2 also a trace of all
  std::string library;     ///< tell only this library's story; empty: all
  std::size_t depth = 64;  ///< of trees
  std::string pages;       ///< where the pages of findings are published, to which codes lead; empty: no links
};

/// The story: verdict, cause, evidence, consequence, fixes.
void write_explanation(const Report&, const TextStyle&, std::ostream&);
/// What a message says that was pasted without a target.
void write_message(const MessageReading&, const TextStyle&, std::ostream&);
void write_message_json(const MessageReading&, bool compact, std::ostream&);
/// The findings alone, one line each, and how many there are.
void write_findings(const Report&, const TextStyle&, std::ostream&);
/// What is loaded from where, each file once. With `invert`, who needs that library. False if `invert` names nothing.
bool write_tree(const Report&, const TextStyle&, const std::string& invert, std::ostream&);
/// The shortest chain from the program to a library, or with `all` every chain. False if it is not loaded.
bool write_why(const Report&, const TextStyle&, const std::string& library, bool all, std::ostream&);
/// The same as JSON (schemas cudald/why and cudald/requesters 1.0).
bool write_why_json(const Report&, const std::string& library, bool all, bool compact, std::ostream&);
bool write_requesters_json(const Report&, const std::string& library, bool compact, std::ostream&);
/// The file's own words.
void write_image(const std::string& path, const Image&, const PeSymbols&, const TextStyle&, std::ostream&,
                 const GpuCode* = nullptr, const CudaLibrary* = nullptr, const LibraryTexts* = nullptr);
void write_image_json(const std::string& path, const Image&, const PeSymbols&, bool compact, std::ostream&,
                      const GpuCode* = nullptr, const CudaLibrary* = nullptr, const LibraryTexts* = nullptr);
/// The CUDA stack of a machine on one page, and its description for --host elsewhere (schema cudald/host 1.1).
void write_env(const CudaStack&, const TextStyle&, std::ostream&);
void write_env_json(const CudaStack&, bool compact, std::ostream&);
void write_host(const CudaStack&, const LinuxHostFile&, std::ostream&);
/// A library that a package puts into site-packages.
struct PlacedLibrary {
  std::string name, folder;
};
/// What is known of a package that was asked about by its name.
struct ProvidedPackage {
  std::string name;           ///< normal
  std::string version, file;  ///< of the wheel that was looked into; empty where tables tell
  std::vector<PlacedLibrary> libraries;
  std::vector<std::string> requires_dist;  ///< of that wheel
  std::string source;                      ///< by what it is known
  std::string error;                       ///< why nothing is known; empty if something is
};
/// Names of libraries, and by what it is told to which releases they belong; and packages.
struct ProvidesQuestion {
  std::vector<std::string> names;
  std::vector<ProvidedPackage> packages = {};
  std::shared_ptr<const Knowledge> knowledge = built_in_knowledge();
};
/// Which packages carry files of these names, those that were asked about among them, and what these carry. False if a
/// file is in no package that is known, or nothing is known of a package.
bool write_provides(const ProvidesQuestion&, const TextStyle&, std::ostream&);
bool write_provides_json(const ProvidesQuestion&, bool compact, std::ostream&);
/// What a wheel holds, needs and may be called.
void write_wheel(const WheelReport&, const TextStyle&, std::ostream&);
/// One JSON document (schema cudald/wheel 1.0) and a newline.
void write_wheel_json(const WheelReport&, bool compact, std::ostream&);
/// Takes the answers of a run, one after another, and writes one document of all of them.
class DocumentWriter {
 public:
  virtual ~DocumentWriter() = default;
  virtual void add(const Report&) = 0;
  virtual void finish(std::ostream&) = 0;
};

/// Text about several targets: their verdicts, the worst first, then the findings of each.
std::unique_ptr<DocumentWriter> make_check_writer(const TextStyle&);
/// SARIF 2.1.0, for code scanning. At most 5,000 results, the worst first.
std::unique_ptr<DocumentWriter> make_sarif_writer();
/// JUnit's XML: a suite for each question, a case for each kind of finding. Findings at or above the level are
/// failures; none: no finding is.
std::unique_ptr<DocumentWriter> make_junit_writer(std::optional<Level> fail_on);
/// Commands of GitHub's workflows that annotate a run; 10 of each level, and a summary.
std::unique_ptr<DocumentWriter> make_github_writer();
/// Markdown for a comment on a pull request.
std::unique_ptr<DocumentWriter> make_markdown_writer();
/// One page that needs no other file and no network; `about`: the command and day, for its head.
std::unique_ptr<DocumentWriter> make_html_writer(const std::string& about = "");
/// Who loads what, for Graphviz and for Mermaid.
std::unique_ptr<DocumentWriter> make_dot_writer();
std::unique_ptr<DocumentWriter> make_mermaid_writer();
/// CycloneDX 1.6: packages, and the libraries of CUDA that are known by their bytes.
std::unique_ptr<DocumentWriter> make_cyclonedx_writer();

/// Pages of findings as one JSON document (schema cudald/rules 1.0).
void write_rules_json(const std::vector<const FindingRule*>&, bool compact, std::ostream&);
/// One finding's page, or with nullptr the list of all.
void write_rule(const FindingRule*, const TextStyle&, std::ostream&);

/// Text from a file made fit for a terminal and the log of a build: control, bidirectional and invalid UTF-8 become
/// visible escapes, and so does what GitHub, Azure Pipelines or TeamCity would take for a command.
std::string escaped(std::string_view text);

}  // namespace cudald
