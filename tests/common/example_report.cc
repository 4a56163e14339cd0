#include "common/example_report.h"

#include <elf.h>

#include <cudald/image.h>

namespace cudald {
namespace {

std::shared_ptr<Image> image(std::optional<std::string> soname) {
  auto result = std::make_shared<Image>();
  result->format = Format::elf64;
  result->elf.header.has_magic = true;
  result->machine = EM_X86_64;
  result->type = FileType::shared;
  result->soname = std::move(soname);
  return result;
}

Object object(const std::string& path, std::shared_ptr<Image> file) {
  Object result;
  result.path = path;
  result.load_name = path;
  result.image = std::move(file);
  return result;
}

Edge loaded(const std::string& name, ObjectId id, SearchRule rule, Search search) {
  Edge edge;
  edge.name = name;
  edge.status = EdgeStatus::loaded;
  edge.object = id;
  edge.rule = rule;
  edge.search = std::move(search);
  return edge;
}

Edge already_loaded(const std::string& name, ObjectId id) {
  Edge edge;
  edge.name = name;
  edge.status = EdgeStatus::already_loaded;
  edge.object = id;
  edge.rule = SearchRule::already_loaded;
  edge.matched = MatchedBy::soname;
  return edge;
}

Edge missing_cudart() {
  Edge edge;
  edge.name = "libcudart.so.12";
  edge.error = "libcudart.so.12: cannot open shared object file: No such file or directory";
  edge.search.skipped = {
      {SearchRule::rpath, 0, "$ORIGIN/../lib", "not used: the requester has a DT_RUNPATH", 0},
      {SearchRule::ld_library_path, std::nullopt, "", "not set", 0},
      {SearchRule::cache, std::nullopt, "", "no entry for this name", 5},
  };
  edge.search.probes = {
      {"/opt/cuda/lib/glibc-hwcaps/x86-64-v3/libcudart.so.12", SearchRule::runpath, 1, ProbeResult::absent, "", false,
       false},
      {"/opt/cuda/lib/tls/libcudart.so.12", SearchRule::runpath, 1, ProbeResult::absent, "", false, false},
      {"/opt/cuda/lib/libcudart.so.12", SearchRule::runpath, 1, ProbeResult::absent, "", false, false},
      {"/opt/arm/lib/libcudart.so.12", SearchRule::runpath, 1, ProbeResult::wrong_machine, "aarch64", false, false},
      {"libcudart.so.12", SearchRule::runpath, 1, ProbeResult::absent, "", false, false},
      {"/lib/x86_64-linux-gnu/libcudart.so.12", SearchRule::default_folder, std::nullopt, ProbeResult::absent, "",
       false, false},
      {"/lib/libcudart.so.12", SearchRule::default_folder, std::nullopt, ProbeResult::absent, "", false, false},
  };
  return edge;
}

Finding not_found() {
  Finding finding;
  finding.code = "CUD101";
  finding.name = "library-not-found";
  finding.object = 1;
  finding.edge = 0;
  finding.subject = "libcudart.so.12";
  finding.message = "libcudart.so.12 is not found in any directory the loader searches";
  finding.consequence = "The program does not start.";
  finding.evidence = {{"a DT_RUNPATH switches DT_RPATH off", "", Basis::rule, "ld.so(8)"},
                      {"lies beside it", "/opt/other/libcudart.so.13", Basis::proven, ""}};
  finding.fixes = {{"install the runtime", "pip install nvidia-cuda-runtime-cu12", ""},
                   {"for one shell", "export LD_LIBRARY_PATH=/opt/cuda\n./app", "all programs see it"}};
  finding.does_not_help = {"a symlink from libcudart.so.13"};
  return finding;
}

Report report_without_cudart() {
  Report report;
  report.query.targets = {"./app"};
  auto& resolution = report.resolution;
  resolution.machine = EM_X86_64;
  resolution.objects = {object("/opt/app/bin/app", image(std::nullopt)),
                        object("/opt/app/lib/libfoo.so.1.2", image("libfoo.so.1")),
                        object("/lib/x86_64-linux-gnu/libc.so.6", image("libc.so.6")),
                        object("/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", image("ld-linux-x86-64.so.2"))};
  auto& objects = resolution.objects;
  objects[0].main_program = true;
  objects[1].loader = 0;
  objects[3].dynamic_loader = true;
  objects[0].edges = {
      loaded("libfoo.so.1", 1, SearchRule::rpath,
             {{{"/opt/app/lib/libfoo.so.1", SearchRule::rpath, 0, ProbeResult::found, "", false, false}}, {}}),
      loaded(
          "libc.so.6", 2, SearchRule::cache,
          {{{"/lib/x86_64-linux-gnu/libc.so.6", SearchRule::cache, std::nullopt, ProbeResult::found, "", false, false}},
           {{SearchRule::ld_library_path, std::nullopt, "", "not set", 0}}})};
  objects[1].edges = {missing_cudart(), already_loaded("libc.so.6", 2)};
  objects[2].edges = {already_loaded("ld-linux-x86-64.so.2", 3)};
  Target target;
  target.given = "./app";
  target.object = 0;
  resolution.targets = {target};
  return report;
}

}  // namespace

Report failing_report() {
  Report report = report_without_cudart();
  report.resolution.targets.front().error = report.resolution.objects[1].edges[0].error;
  report.findings = {not_found()};
  report.verdict = Verdict::fails;
  report.headline = "app does not load: libcudart.so.12 is not found in any directory the loader searches";
  SymbolReport symbols;
  symbols.checked = 17;
  symbols.missing = {{1, "_ZN3foo3barEv", "LIBFOO_1", "libfoo.so.1", true, true, "undefined symbol"}};
  report.symbols = symbols;
  return report;
}

Report healthy_report() {
  Report report = report_without_cudart();
  auto& objects = report.resolution.objects;
  objects.push_back(object("/opt/cuda/lib/libcudart.so.12", image("libcudart.so.12")));
  objects[1].edges[0] =
      loaded("libcudart.so.12", 4, SearchRule::runpath,
             {{{"/opt/cuda/lib/libcudart.so.12", SearchRule::runpath, 1, ProbeResult::found, "", false, false}}, {}});
  objects[4].edges = {already_loaded("libc.so.6", 2)};
  report.verdict = Verdict::loads;
  report.headline = "app loads, with 4 other files";
  return report;
}

Report unreadable_report() {
  Report report;
  report.query.targets = {"nothing.so"};
  Target target;
  target.given = "nothing.so";
  target.unreadable = Error{ErrorCode::absent, "No such file or directory", "nothing.so", std::nullopt, 2};
  report.resolution.targets = {target};
  report.verdict = Verdict::unknown;
  report.headline = "nothing.so: No such file or directory";
  Finding finding;
  finding.code = "CUD904";
  finding.name = "unreadable";
  finding.subject = "nothing.so";
  finding.message = report.headline;
  report.findings = {finding};
  return report;
}

TextStyle plain_style() { return {}; }

}  // namespace cudald
