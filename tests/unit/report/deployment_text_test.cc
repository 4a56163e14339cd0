#include <sstream>

#include <doctest/doctest.h>

#include <cudald/deployment.h>

namespace cudald {
namespace {

std::string deployment_words(const Deployment& deployment) {
  TextStyle style;
  style.width = 100;
  std::ostringstream out;
  write_deployment(deployment, style, out);
  return out.str();
}

TEST_CASE("GPU code is a table of packages and GPUs, those first that lack some") {
  Deployment deployment;
  deployment.given = "uv.lock";
  deployment.kind = "uv.lock";
  CHECK(deployment_words(deployment).find("GPU code") == std::string::npos);
  deployment.together.query.gpus = {{80, 0}, {120, 0}};
  deployment.gpus = {{"torch", {GpuSupport::machine_code, GpuSupport::ptx}},
                     {"cupy", {GpuSupport::machine_code, GpuSupport::none}}};
  const auto text = deployment_words(deployment);
  const auto head = text.find("GPU code"), cupy = text.find("cupy"), torch = text.find("torch");
  REQUIRE(head != std::string::npos);
  CHECK(text.substr(head, text.find('\n', head) - head).find("sm_80           sm_120") != std::string::npos);
  CHECK(head < cupy);
  CHECK(cupy < torch);
  CHECK(text.substr(cupy, torch - cupy).find("machine code    none") != std::string::npos);
  CHECK(text.substr(torch).find("machine code    PTX") != std::string::npos);
}

TEST_CASE("an environment is told as what is installed") {
  Deployment deployment;
  deployment.given = ".venv";
  deployment.kind = "environment";
  deployment.bytes = 5'000'000;
  const auto text = deployment_words(deployment);
  CHECK(text.find("Installed     .venv, an environment: 0 packages") != std::string::npos);
  CHECK(text.find("5 MB on disk") != std::string::npos);
}

}  // namespace
}  // namespace cudald
