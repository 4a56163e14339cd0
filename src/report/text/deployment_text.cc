#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/deployment.h>
#include <cudald/writers.h>

#include "base/size_words.h"
#include "report/text/finding_text.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {

std::string_view to_string(LockedState state) {
  switch (state) {
    case LockedState::read: return "read";
    case LockedState::declared: return "declared";
    case LockedState::unknown: return "unknown";
    case LockedState::source: return "source";
    case LockedState::misfit: return "misfit";
  }
  return "unknown";
}

std::string_view to_string(GpuSupport support) {
  switch (support) {
    case GpuSupport::machine_code: return "machine code";
    case GpuSupport::ptx: return "PTX";
    case GpuSupport::none: return "none";
  }
  return "none";
}

namespace {

constexpr std::size_t most_lines = 12, most_parts = 3;

std::string cuda_words(const CudaPart& cuda) {
  std::string text;
  if (!cuda.release.empty()) text = "CUDA " + cuda.release;
  if (!cuda.cudnn.empty()) text += (text.empty() ? "cuDNN " : ", cuDNN ") + cuda.cudnn;
  return text;
}

class DeploymentText {
 public:
  DeploymentText(const Deployment& all, TextWriter& text) : all_(all), text_(text) {}

  void tell() {
    FindingText findings(all_.together, text_);
    for (const auto& finding : all_.together.findings) {
      if (text_.style().verbosity > 0)
        findings.tell(finding), text_.line();
      else
        text_.line(findings.brief(finding));
    }
    if (!all_.together.findings.empty()) text_.line();
    tell_lock();
    tell_packages();
    tell_gpus();
    tell_driver();
    tell_cost();
    if (text_.style().verbosity == 0 && all_.together.verdict != Verdict::loads) write_best_fix(all_.together, text_);
    text_.line();
    write_verdict(all_.together, text_);
    text_.line(counts_line(all_.together));
  }

 private:
  void tell_lock() {
    std::size_t read = 0;
    for (const auto& package : all_.packages) read += package.state == LockedState::read ? 1 : 0;
    const auto others = all_.left_out == 0 ? "" : fmt::format("; {} of the lock are for others", all_.left_out);
    const bool installed = all_.kind == "environment";
    text_.labelled(
        installed ? "Environment" : "Lock",
        fmt::format("{}{}: {} for Python {} on {}{}; {} read", escaped(all_.given),
                    installed || all_.given.ends_with(all_.kind) ? std::string() : fmt::format(" ({})", all_.kind),
                    counted(all_.packages.size(), "package"), all_.python, all_.platform, others, read));
    for (const auto& note : all_.notes) text_.labelled("", escaped(note));
  }

  void tell_packages() {
    std::vector<std::size_t> top;
    for (std::size_t i = 0; i < all_.packages.size(); ++i)
      if (all_.packages[i].top_level) top.push_back(i);
    // First what was read, and what has to do with CUDA.
    std::stable_sort(top.begin(), top.end(), [this](std::size_t a, std::size_t b) { return place(a) < place(b); });
    std::size_t widest = 0;
    for (const auto number : top) {
      const auto& package = all_.packages[number];
      widest = std::max(widest, package.name.size() + package.version.size() + 1);
    }
    const auto shown = text_.style().verbosity > 0 ? top.size() : std::min(top.size(), most_lines);
    std::string label = "Per package";
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& package = all_.packages[top[i]];
      const auto name = escaped(package.name + " " + package.version);
      text_.labelled(label, fmt::format("{:<{}}  {}", name, widest, outcome(top[i])));
      label.clear();
    }
    if (shown < top.size()) text_.labelled("", fmt::format("and {} more; -v names all", top.size() - shown));
  }

  int place(std::size_t number) const {
    const auto& package = all_.packages[number];
    return (package.state == LockedState::read ? 0 : 2) + (package.cuda.release.empty() ? 1 : 0);
  }

  std::string outcome(std::size_t number) const {
    const auto& package = all_.packages[number];
    const auto cuda = cuda_words(package.cuda);
    const auto behind = cuda.empty() ? "" : "  " + cuda;
    const auto place = std::find(all_.asked.begin(), all_.asked.end(), number);
    if (place == all_.asked.end()) return fmt::format("{:<9}{}", "not read", behind);
    const auto& report =
        all_.alone.empty() ? all_.together : all_.alone[static_cast<std::size_t>(place - all_.asked.begin())];
    const auto verdict = spoken(report.verdict);
    return text_.painted(tone_of(report.verdict), fmt::format("{:<9}", verdict)) + behind;
  }

  /// A row for each package that has GPU code, a column for each GPU that was asked about; those first that lack some.
  void tell_gpus() {
    if (all_.gpus.empty()) return;
    auto rows = all_.gpus;
    const auto worst = [](const PackageGpus& row) { return *std::max_element(row.support.begin(), row.support.end()); };
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return worst(a) > worst(b); });
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, row.package.size());
    constexpr std::size_t column = 14;
    std::string head(widest, ' ');
    for (const auto gpu : all_.together.query.gpus) head += fmt::format("  {:<{}}", to_string(gpu), column);
    text_.labelled("GPU code", head);
    const auto shown = text_.style().verbosity > 0 ? rows.size() : std::min(rows.size(), most_lines);
    for (std::size_t i = 0; i < shown; ++i) {
      auto line = fmt::format("{:<{}}", escaped(rows[i].package), widest);
      for (const auto support : rows[i].support) line += fmt::format("  {:<{}}", to_string(support), column);
      text_.labelled("", line);
    }
    if (shown < rows.size()) text_.labelled("", fmt::format("and {} more; -v names all", rows.size() - shown));
  }

  void tell_driver() {
    if (!all_.driver.empty())
      text_.labelled("Driver", fmt::format("{} or newer, for {}", all_.driver, escaped(all_.driver_by)));
  }

  void tell_cost() {
    if (all_.bytes == 0) return;
    std::vector<const DeployedPackage*> parts;
    for (const auto& package : all_.packages)
      if (package.cuda.is_part && package.size != 0) parts.push_back(&package);
    std::sort(parts.begin(), parts.end(), [](const auto* a, const auto* b) { return a->size > b->size; });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(parts.size(), most_parts); ++i)
      names.push_back(fmt::format("{} {}", escaped(parts[i]->name), size_words(parts[i]->size)));
    auto line = fmt::format("{} {}", size_words(all_.bytes), all_.kind == "environment" ? "on disk" : "in wheels");
    if (all_.cuda_bytes != 0)
      line += fmt::format(", {} of it libraries of CUDA ({}{})", size_words(all_.cuda_bytes), fmt::join(names, ", "),
                          parts.size() > most_parts ? ", ..." : "");
    if (all_.sizes_unknown != 0)
      line += fmt::format("; of {} the size is not known", counted(all_.sizes_unknown, "package"));
    text_.labelled("Size", line);
  }

  const Deployment& all_;
  TextWriter& text_;
};

}  // namespace

void write_deployment(const Deployment& deployment, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  if (style.verbosity < 0)
    write_verdict(deployment.together, text);
  else
    DeploymentText(deployment, text).tell();
}

}  // namespace cudald
