#include <algorithm>

#include "base/budget.h"
#include "base/path.h"
#include "knowledge/frameworks.h"
#include "knowledge/knowledge.h"
#include "machine/survey/survey.h"
#include "package/version.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_framework_text = 4 << 20;

/// The first text in quotes, up to the line's end.
std::string quoted(std::string_view text) {
  const auto line = text.substr(0, std::min(text.find('\n'), text.size()));
  const auto open = line.find_first_of("'\"");
  if (open == std::string_view::npos) return "";
  const auto rest = line.substr(open + 1);
  return std::string(rest.substr(0, std::min(rest.find_first_of("'\""), rest.size())));
}

/// What is assigned to a name at the beginning of a line, cuda: Optional[str] = '12.8', else what stands behind it as a
/// text: ('cuda_version', '11.2').
std::string value_of(std::string_view text, const std::string& name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;  // before anything is looked for behind it: a name may stand anywhere
    const auto rest = text.substr(at + name.size());
    const auto line = rest.substr(0, rest.find('\n'));
    const auto equals = line.find('=');
    const bool is_name = !line.empty() && (line[0] == ' ' || line[0] == ':' || line[0] == '=');
    if (is_name && equals != std::string_view::npos) return quoted(line.substr(equals));
  }
  for (const char quote : {'\'', '"'}) {
    const auto key = quote + name + quote;
    if (const auto at = text.find(key); at != std::string_view::npos) return quoted(text.substr(at + key.size()));
  }
  return "";
}

/// "64_112" on Windows, "11.2" elsewhere.
std::string plain_version(std::string text) {
  if (!text.starts_with("64_")) return text;
  text.erase(0, 3);
  if (text.size() > 2) text.insert(text.size() - 1, ".");
  return text;
}

void read_own_words(const FileSystem& files, const std::string& folder, GpuFramework& framework, Budget& budget) {
  const auto* known = framework_of_distribution(framework.package.name);
  if (known == nullptr || known->built_for.file.empty() || budget.exhausted()) return;
  const auto& [file, cuda, cudnn] = known->built_for;
  const auto text = read_file(files, folder + "/" + file, most_framework_text);
  if (!text || !budget.read(text->size())) return;
  framework.cuda = plain_version(value_of(*text, cuda));
  if (!cudnn.empty()) framework.cudnn = plain_version(value_of(*text, cudnn));
  if (!framework.cuda.empty()) framework.known_by = folder + "/" + file;
}

void read_table(GpuFramework& framework, const Knowledge& knowledge) {
  const auto version = without_local(framework.package.version);
  const auto build = knowledge.framework(framework.package.name, version, CudaPlatform::linux);
  if (!build) return;
  // A build with another CUDA, "+cu118", has another cuDNN as well.
  if (!framework.cuda.empty() && framework.cuda != build->cuda) return;
  if (framework.cuda.empty() && framework.package.version.find('+') != std::string::npos) return;
  if (framework.known_by.empty()) framework.known_by = "table: " + build->source();
  framework.cuda = build->cuda;
  if (framework.cudnn.empty()) framework.cudnn = build->cudnn;
}

}  // namespace

std::vector<GpuFramework> find_frameworks(const FileSystem& files, const std::string& folder,
                                          const Knowledge& knowledge) {
  std::vector<GpuFramework> frameworks;
  const auto entries = files.list(folder);
  if (!entries) return frameworks;
  Budget budget({.read = 4 * most_framework_text});
  for (const auto& entry : *entries) {
    constexpr std::string_view ending = ".dist-info";
    if (!entry.ends_with(ending)) continue;
    const auto base = std::string_view(entry).substr(0, entry.size() - ending.size());
    const auto dash = base.rfind('-');
    if (dash == std::string_view::npos || framework_of_distribution(base.substr(0, dash)) == nullptr) continue;
    GpuFramework framework;
    framework.package = {std::string(base.substr(0, dash)), std::string(base.substr(dash + 1))};
    std::replace(framework.package.name.begin(), framework.package.name.end(), '_', '-');
    read_own_words(files, folder, framework, budget);
    read_table(framework, knowledge);
    frameworks.push_back(std::move(framework));
  }
  return frameworks;
}

}  // namespace cudald
