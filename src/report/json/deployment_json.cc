#include <cudald/deployment.h>

#include "report/json/json_text.h"
#include "report/json/report_json.h"

namespace cudald {
namespace {

Json package_json(const DeployedPackage& package) {
  return JsonObject(14)
      .add("name", json_text(package.name))
      .add("version", json_text(package.version))
      .add("file", json_text_or_null(package.file))
      .add("archive", json_text_or_null(package.archive))
      .add("sha256", json_text_or_null(package.sha256))
      .add("state", to_string(package.state))
      .add("size", package.size == 0 ? Json(nullptr) : Json(package.size))
      .add("top_level", package.top_level)
      .add("required_by", json_texts(package.required_by))
      .add("missing", json_texts(package.missing))
      .add("cuda", json_text_or_null(package.cuda.release))
      .add("cudnn", json_text_or_null(package.cuda.cudnn))
      .add("part_of_cuda", package.cuda.is_part)
      .take();
}

void write_process(JsonWriter& out, const DeployedPackage& package, const Report& report) {
  out.begin_object();
  out.field("package", package.name)
      .field("verdict", to_string(report.verdict))
      .field("headline", report.headline)
      .array("findings", report.findings, write_finding)
      .end_object();
}

Json support_json(const PackageGpus& row, const std::vector<GpuArchitecture>& asked) {
  Json::array_t support;
  for (std::size_t i = 0; i < asked.size() && i < row.support.size(); ++i)
    support.push_back(
        JsonObject(2).add("gpu", to_string(asked[i])).add("code", std::string(to_string(row.support[i]))).take());
  return JsonObject(2).add("package", json_text(row.package)).add("support", std::move(support)).take();
}

}  // namespace

void write_deployment_json(const Deployment& all, bool compact, std::ostream& out) {
  const Json document =
      JsonObject(13)
          .add("schema", "cudald/deployment")
          .add("schema_version", "1.1")
          .add("tool", JsonObject(2).add("name", "cudald").add("version", CUDALD_VERSION).take())
          .add("lock", JsonObject(2).add("path", json_text(all.given)).add("kind", json_text(all.kind)).take())
          .add("python", json_text(all.python))
          .add("platform", json_text(all.platform))
          .add("verdict", to_string(all.together.verdict))
          .add("headline", json_text(all.together.headline))
          .add("driver",
               all.driver.empty()
                   ? Json(nullptr)
                   : JsonObject(2).add("version", json_text(all.driver)).add("by", json_text(all.driver_by)).take())
          .add("bytes", JsonObject(3)
                            .add("all", all.bytes)
                            .add("cuda", all.cuda_bytes)
                            .add("sizes_unknown", all.sizes_unknown)
                            .take())
          .add("packages", json_array(all.packages, package_json))
          .add("gpus",
               json_array(all.gpus, [&](const auto& row) { return support_json(row, all.together.query.gpus); }))
          .add("left_out", all.left_out)
          .take();
  JsonWriter writer(out, compact);
  writer.begin_object();
  for (const auto& [name, of] : document.get_ref<const Json::object_t&>()) writer.field(name, of);
  writer.key("alone").begin_array();
  for (std::size_t i = 0; i < all.alone.size(); ++i) write_process(writer, all.packages[all.asked[i]], all.alone[i]);
  writer.end_array();
  writer.key("together");
  write_report(writer, all.together);
  writer.end_object();
  writer.finish();
}

}  // namespace cudald
