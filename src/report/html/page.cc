#include "report/html/page.h"

#include <ostream>

#include <fmt/format.h>

#include "embedded.h"

namespace cudald {
namespace {

/// SHA-256 of page.js, so that no other script would run whatever else stood in the page; a test compares them.
constexpr std::string_view hash_of_script = "4X+gWiFe9GHo5L3A7430VVqTPmDuL+DlhGZ8NE1Mysg=";

}  // namespace

void write_page_start(std::string_view title, std::ostream& out) {
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << fmt::format(
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
             "script-src 'sha256-{}'\">\n",
             hash_of_script)
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>cudald: " << title
      << "</title>\n<style>\n"
      << embedded_page_style() << "</style>\n</head>\n<body>\n"
      << fmt::format("<h1>cudald: {}</h1>\n", title)
      << "<div class=\"find needs-script\"><input id=\"find\" type=\"search\" placeholder=\"search: a library, a "
         "package, CUD101\" aria-label=\"search\"> <select id=\"level\" aria-label=\"severity\"><option "
         "value=\"note\">all findings</option><option value=\"warning\">errors and warnings</option><option "
         "value=\"error\">errors</option></select> <span id=\"found\" class=\"faint\" "
         "aria-live=\"polite\"></span></div>\n";
}

void write_page_end(std::ostream& out) {
  out << "<p class=\"faint\">cudald " CUDALD_VERSION "</p>\n<script>\n"
      << embedded_page_script() << "</script>\n</body>\n</html>\n";
}

}  // namespace cudald
