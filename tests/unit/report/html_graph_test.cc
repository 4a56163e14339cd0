#include "report/html_graph.h"

#include <doctest/doctest.h>

#include "common/example_report.h"
#include "report/load_picture.h"

namespace cudald {
namespace {

TEST_CASE("who asks stands left of what it asks for, and what is missing is drawn last") {
  const auto text = html_graph(picture_of(failing_report(), 100));
  CHECK(text.find("<g class=\"node target\" data-id=\"0\"><title>app") != std::string::npos);
  CHECK(text.find("<rect x=\"12\"") != std::string::npos);
  CHECK(text.find("<rect x=\"352\"") != std::string::npos);
  CHECK(text.rfind("<path class=\"hard lost\"") == text.rfind("<path"));
}

TEST_CASE("libraries that need one another are drawn all the same") {
  LoadPicture picture;
  picture.nodes = {{"a", "", LoadPicture::Kind::object}, {"b", "", LoadPicture::Kind::object}};
  picture.edges = {{0, 1, "", true, true}, {1, 0, "", true, true}, {1, 1, "", true, true}};
  const auto text = html_graph(picture);
  CHECK(text.find("data-id=\"1\"") != std::string::npos);
}

TEST_CASE("a long name is cut between characters") {
  LoadPicture picture;
  std::string name;
  for (int i = 0; i < 40; ++i) name += "\xc3\xbc";
  picture.nodes = {{name, "", LoadPicture::Kind::target}};
  CHECK(html_graph(picture).find("\xc3\xbc…</text>") != std::string::npos);
}

}  // namespace
}  // namespace cudald
