#include <doctest/doctest.h>

#include "embedded.h"
#include "unit/report/documents.h"

namespace cudald {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("the page has the verdict, the story, the search, the picture and the table") {
  const auto text = document(make_html_writer(), {failing_report(), healthy_report()});
  for (const auto* part : {"<h1>cudald: 1 of 2 targets load</h1>", "<span class=\"verdict fails\">FAILS</span>",
                           "<h3>searched, in this order</h3>", "<pre>pip install nvidia-cuda-runtime-cu12</pre>",
                           "<svg class=\"graph\"", "class=\"hard lost\"", "<td class=\"bad\">libcudart.so.12</td>",
                           "prefers-color-scheme: dark", "@media print"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("nothing is fetched, and no script runs but the page's own") {
  const auto text = document(make_html_writer(), {hostile_report()});
  CHECK(is_harmless(text));
  CHECK(count(text, "<script") == 1);
  CHECK(count(text, "default-src 'none'") == 1);
  CHECK(text.find("src=") == std::string::npos);
  CHECK(text.find("<link") == std::string::npos);
  CHECK(text.find("]]>") == std::string::npos);
}

}  // namespace
}  // namespace cudald
