#include "report/html/html_graph.h"

#include <doctest/doctest.h>

#include "report/html/load_picture.h"
#include "unit/report/documents.h"

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
  CHECK(text.find("data-id=\"0\"><title>a\n</title><rect x=\"12\" y=\"12\"") != std::string::npos);
  CHECK(text.find("data-id=\"1\"><title>b\n</title><rect x=\"352\" y=\"12\"") != std::string::npos);
}

TEST_CASE("a long name is cut between characters") {
  LoadPicture picture;
  std::string name;
  for (int i = 0; i < 40; ++i) name += "\xc3\xbc";
  picture.nodes = {{name, "", LoadPicture::Kind::target}};
  CHECK(html_graph(picture).find("\xc3\xbc…</text>") != std::string::npos);
}

TEST_CASE("nodes stand in columns, and lines say who asks, how hard, and which way leads to what is missing") {
  CHECK(html_graph(picture_of(varied_report(), 100)) ==
        R"(<svg class="graph" xmlns="http://www.w3.org/2000/svg" width="1044" height="214" viewBox="0 0 1044 214" )"
        R"(role="img" aria-label="who loads what">
<path class="soft" data-from="0" data-to="6" d="M242 27C297 27 297 179 352 179"/>
<path class="hard system" data-from="2" data-to="3" d="M582 141C637 141 637 65 692 65"/>
<path class="hard" data-from="1" data-to="2" d="M582 27C642 27 292 141 352 141"/>
<path class="hard" data-from="0" data-to="2" d="M242 27C297 27 297 141 352 141"/>
<path class="hard way" data-from="0" data-to="1" d="M242 27C297 27 297 27 352 27"/>
<path class="soft lost" data-from="0" data-to="4" d="M242 27C297 27 297 65 352 65"/>
<path class="hard lost" data-from="1" data-to="7" d="M582 27C637 27 637 27 692 27"/>
<path class="hard lost" data-from="0" data-to="5" d="M242 27C297 27 297 103 352 103"/>
<g class="node target" data-id="0"><title>app
/opt/app/bin</title><rect x="12" y="12" width="230" height="30"/><text x="18" y="25">app</text><text class="where" )"
        R"(x="18" y="37">/opt/app/bin</text></g>
<g class="node found" data-id="1"><title>libfoo.so.1.2
/opt/app/lib</title><rect x="352" y="12" width="230" height="30"/><text x="358" y="25">libfoo.so.1.2</text><text )"
        R"(class="where" x="358" y="37">/opt/app/lib</text></g>
<g class="node found" data-id="2"><title>libc.so.6
/lib/x86_64-linux-gnu</title><rect x="352" y="126" width="230" height="30"/><text x="358" )"
        R"(y="139">libc.so.6</text><text class="where" x="358" y="151">/lib/x86_64-linux-gnu</text></g>
<g class="node system" data-id="3"><title>ld-linux-x86-64.so.2
/lib/x86_64-linux-gnu</title><rect x="692" y="50" width="230" height="30"/><text x="698" )"
        R"(y="63">ld-linux-x86-64.so.2</text><text class="where" x="698" y="75">/lib/x86_64-linux-gnu</text></g>
<g class="node missing" data-id="4"><title>libsoft.so
</title><rect x="352" y="50" width="230" height="30"/><text x="358" y="63">libsoft.so</text><text class="where" )"
        R"(x="358" y="75">not found</text></g>
<g class="node missing" data-id="5"><title>librefused.so
</title><rect x="352" y="88" width="230" height="30"/><text x="358" y="101">librefused.so</text><text class="where" )"
        R"(x="358" y="113">not found</text></g>
<g class="node found" data-id="6"><title>libuse.so
</title><rect x="352" y="164" width="230" height="30"/><text x="358" y="177">libuse.so</text><text class="where" )"
        R"(x="358" y="189"></text></g>
<g class="node missing" data-id="7"><title>libcudart.so.12
</title><rect x="692" y="12" width="230" height="30"/><text x="698" y="25">libcudart.so.12</text><text class="where" )"
        R"(x="698" y="37">not found</text></g>
</svg>
)");
}

TEST_CASE("whoever nobody asks for stands at the left, however many they are") {
  LoadPicture picture;
  for (const auto* name : {"a", "b", "c", "d"}) picture.nodes.push_back({name, "", LoadPicture::Kind::object});
  picture.edges = {{0, 1, "", true, true}, {2, 3, "", true, true}, {3, 1, "", true, true}};
  const auto text = html_graph(picture);
  const auto place = [&](const std::string& name) {
    const auto at = text.find("<title>" + name + "\n</title><rect x=\"") + name.size() + 25;
    return text.substr(at, text.find(" width", at) - at);
  };
  CHECK(place("a") == "12\" y=\"12\"");
  CHECK(place("c") == "12\" y=\"50\"");
  CHECK(place("b") == "352\" y=\"12\"");
  CHECK(place("d") == "352\" y=\"50\"");
}

TEST_CASE("what is asked for stands in the order of those who ask, of several that of the first") {
  LoadPicture picture;
  for (const auto* name : {"a", "b", "x", "y", "z"}) picture.nodes.push_back({name, "", LoadPicture::Kind::object});
  picture.edges = {{1, 2, "", true, true}, {1, 4, "", true, true}, {0, 4, "", true, true}, {0, 3, "", true, true}};
  const auto text = html_graph(picture);
  const auto row = [&](const std::string& name) {
    const auto before = "<title>" + name + "\n</title><rect x=\"352\" y=\"";
    const auto at = text.find(before);
    REQUIRE(at != std::string::npos);
    return text.substr(at + before.size(), 3);
  };
  CHECK(row("y") == "12\"");
  CHECK(row("z") == "50\"");
  CHECK(row("x") == "88\"");
}

TEST_CASE("what several ask for stands right of the nearest to any that nobody asks for") {
  LoadPicture picture;
  picture.nodes = {{"a", "", LoadPicture::Kind::target}};
  for (const auto* name : {"b", "c", "d"}) picture.nodes.push_back({name, "", LoadPicture::Kind::object});
  picture.edges = {{0, 2, "", true, true}, {2, 3, "", true, true}, {1, 3, "", true, true}};
  const auto text = html_graph(picture);
  CHECK(text.find("<title>c\n</title><rect x=\"352\"") != std::string::npos);
  CHECK(text.find("<title>d\n</title><rect x=\"352\"") != std::string::npos);
}

TEST_CASE("lines to the left and to oneself bend outwards") {
  LoadPicture picture;
  picture.nodes = {{"a", "", LoadPicture::Kind::object}, {"b", "", LoadPicture::Kind::object}};
  picture.edges = {{0, 1, "", true, true}, {1, 0, "", true, false}, {1, 1, "", true, true}};
  const auto text = html_graph(picture);
  CHECK(text.substr(0, text.find("<g ")) ==
        R"(<svg class="graph" xmlns="http://www.w3.org/2000/svg" width="704" height="62" viewBox="0 0 704 62" )"
        R"(role="img" aria-label="who loads what">
<path class="hard" data-from="1" data-to="1" d="M582 27C642 27 292 27 352 27"/>
<path class="soft" data-from="1" data-to="0" d="M582 27C642 27 0 27 12 27"/>
<path class="hard" data-from="0" data-to="1" d="M242 27C297 27 297 27 352 27"/>
)");
}

TEST_CASE("only the nearest who asks is on the way to what is missing") {
  LoadPicture picture;
  picture.nodes = {{"a", "", LoadPicture::Kind::target},
                   {"b", "", LoadPicture::Kind::object},
                   {"c", "", LoadPicture::Kind::object},
                   {"m", "", LoadPicture::Kind::missing}};
  picture.edges = {{2, 3, "", false, true}, {0, 1, "", true, true}, {0, 2, "", true, true}, {1, 2, "", true, true}};
  const auto text = html_graph(picture);
  const auto has = [&](const std::string& line) { return text.find(line) != std::string::npos; };
  CHECK(has("<path class=\"hard way\" data-from=\"0\" data-to=\"2\""));
  CHECK(has("<path class=\"hard\" data-from=\"1\" data-to=\"2\""));
  CHECK(has("<path class=\"hard\" data-from=\"0\" data-to=\"1\""));
  CHECK(has("<path class=\"hard lost\" data-from=\"2\" data-to=\"3\""));
  // What fails stands above what does not, though that was asked for before.
  CHECK(has("data-id=\"2\"><title>c\n</title><rect x=\"352\" y=\"12\""));
  CHECK(has("data-id=\"1\"><title>b\n</title><rect x=\"352\" y=\"50\""));
}

TEST_CASE("files of the system stand below the others, and lines to them are marked") {
  LoadPicture picture;
  picture.nodes = {
      {"a", "", LoadPicture::Kind::target}, {"s", "", LoadPicture::Kind::system}, {"b", "", LoadPicture::Kind::object}};
  picture.edges = {{0, 1, "", true, true}, {0, 2, "", true, false}};
  const auto text = html_graph(picture);
  CHECK(text.find("<path class=\"hard system\" data-from=\"0\" data-to=\"1\"") != std::string::npos);
  CHECK(text.find("<path class=\"soft\" data-from=\"0\" data-to=\"2\"") != std::string::npos);
  CHECK(text.find("<g class=\"node system\" data-id=\"1\"><title>s\n</title><rect x=\"352\" y=\"50\"") !=
        std::string::npos);
  CHECK(text.find("<g class=\"node found\" data-id=\"2\"><title>b\n</title><rect x=\"352\" y=\"12\"") !=
        std::string::npos);
}

TEST_CASE("names of thirty-two characters are shown whole, longer ones are cut") {
  LoadPicture picture;
  const std::string most(32, 'n');
  picture.nodes = {{most, most, LoadPicture::Kind::target}};
  CHECK(html_graph(picture).find(">" + most + "</text><text class=\"where\" x=\"18\" y=\"37\">" + most + "</text>") !=
        std::string::npos);
  picture.nodes = {{most + "a", most + "bc", LoadPicture::Kind::target}};
  CHECK(html_graph(picture).find(">" + most + "…</text><text class=\"where\" x=\"18\" y=\"37\">" + most + "…</text>") !=
        std::string::npos);
}

}  // namespace
}  // namespace cudald
