#include <cudald/image.h>
#include <cudald/wheel.h>
#include <cudald/writers.h>

#include "report/json/image_facts.h"
#include "report/json/json_text.h"

namespace cudald {
namespace {

Json need_json(const WheelNeed& need) {
  return JsonObject(3)
      .add("name", json_text(need.name))
      .add("inside", json_text_or_null(need.inside))
      .add("loader", need.is_loader)
      .take();
}

Json file_json(const WheelFile& file) {
  return JsonObject(7)
      .add("member", json_text(file.member))
      .add("machine", machine_name(file.image->machine))
      .add("soname", json_optional(file.image->soname))
      .add("extension_module", file.extension_module)
      .add("set_aside", json_text_or_null(file.set_aside))
      .add("isa", json_texts(isa_names(*file.image)))
      .add("needed", json_array(file.needs, need_json))
      .take();
}

Json external_json(const ExternalLibrary& library) {
  const auto version_json = [](const ExternalLibrary::Version& version) {
    return JsonObject(2).add("name", json_text(version.name)).add("weak", version.weak).take();
  };
  return JsonObject(6)
      .add("name", json_text(library.name))
      .add("loader", library.is_loader)
      .add("versions", json_array(library.versions, version_json))
      .add("members", json_texts(library.members))
      .add("packages", json_texts(library.packages))
      .add("standing", to_string(library.standing))
      .take();
}

Json tag_json(const PolicyFit& fit, std::size_t tag) {
  return tag < fit.tags.size() ? Json(fit.tags[tag]) : Json(nullptr);
}

Json fit_json(const PolicyFit& fit) {
  const auto obstacle_json = [&fit](const PolicyObstacle& obstacle) {
    return JsonObject(5)
        .add("kind", to_string(obstacle.kind))
        .add("library", json_text_or_null(obstacle.library))
        .add("name", json_text_or_null(obstacle.name))
        .add("allowed_from", tag_json(fit, obstacle.since))
        .add("members", json_texts(obstacle.members))
        .take();
  };
  return JsonObject(6)
      .add("family", fit.family)
      .add("tags", json_texts(fit.tags))
      .add("fits", tag_json(fit, fit.fits))
      .add("fits_but_for_libraries", tag_json(fit, fit.fits_but_for_libraries))
      .add("claimed", json_text_or_null(fit.claimed_tag))
      .add("obstacles", json_array(fit.obstacles, obstacle_json))
      .take();
}

}  // namespace

void write_wheel_json(const WheelReport& wheel, bool compact, std::ostream& out) {
  const Json document = JsonObject(18)
                            .add("schema", "cudald/wheel")
                            .add("schema_version", "1.0")
                            .add("path", json_text(wheel.path))
                            .add("name", json_text(wheel.name))
                            .add("version", json_text(wheel.version))
                            .add("requires_python", json_text_or_null(wheel.requires_python))
                            .add("requires_dist", json_texts(wheel.requires_dist))
                            .add("python_tags", json_texts(wheel.python_tags))
                            .add("abi_tags", json_texts(wheel.abi_tags))
                            .add("platform_tags", json_texts(wheel.platform_tags))
                            .add("machine", json_text_or_null(wheel.machine))
                            .add("fitting_tag", json_text_or_null(wheel.fitting_tag()))
                            .add("complete", wheel.complete)
                            .add("unread", json_texts(wheel.unread))
                            .add("policy", wheel.fit ? fit_json(*wheel.fit) : Json(nullptr))
                            .add("external", json_array(wheel.external, external_json))
                            .add("windows_files", json_texts(wheel.windows_files))
                            .add("files", json_array(wheel.files, file_json))
                            .add("problems", wheel.problems)
                            .take();
  write_document(document, compact, out);
}

}  // namespace cudald
