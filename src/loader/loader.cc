#include "loader/loader.h"

#include <cudald/image.h>

namespace cudald {
namespace {

class Collector final : public SearchVisitor {
 public:
  explicit Collector(const std::vector<std::string>& subfolders) : subfolders_(subfolders) {}

  Next candidate(const Candidate& candidate) override {
    if (candidate.subfolders)
      for (const auto& subfolder : subfolders_)
        plan_.candidates.push_back(
            {candidate.folder + subfolder + candidate.name, candidate.rule, candidate.of, true, ""});
    plan_.candidates.push_back(
        {candidate.folder + candidate.name, candidate.rule, candidate.of, false, candidate.refusal});
    return Next::go_on;
  }

  void skipped(SkippedRule rule) override {
    rule.before = plan_.candidates.size();
    plan_.skipped.push_back(std::move(rule));
  }

  SearchPlan take() { return std::move(plan_); }

 private:
  const std::vector<std::string>& subfolders_;
  SearchPlan plan_;
};

}  // namespace

SearchPlan Loader::candidates(const Request& request, const Resolution& resolution) const {
  Collector collector(subfolders());
  search(request, resolution, collector);
  return collector.take();
}

std::vector<Need> ElfLoader::needs(const Image& image) const {
  std::vector<Need> needs;
  needs.reserve(image.elf.needed.size());
  for (const auto& [tag, name] : image.elf.needed) {
    if (tag != NeededTag::needed && !follows_filters()) continue;
    const auto kind = tag == NeededTag::needed   ? EdgeKind::needed
                      : tag == NeededTag::filter ? EdgeKind::filter
                                                 : EdgeKind::auxiliary;
    needs.push_back({name, kind, tag != NeededTag::auxiliary});
  }
  return needs;
}

// glibc elf/dl-load.c, _dl_new_object and add_name_to_object; musl's shortname serves the same end.
std::vector<std::string> ElfLoader::names(const Request& request, const std::string& path, bool is_new) const {
  if (!is_new) return {request.name};
  if (request.name == path) return {path};
  return {path, request.name};
}

}  // namespace cudald
