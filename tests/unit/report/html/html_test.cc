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
  for (const auto* part : {"<h1>cudald: 2 targets: 1 FAILS, 1 LOADS</h1>", "<span class=\"verdict fails\">FAILS</span>",
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

TEST_CASE("a page has a table of all answers, and of each its findings, the picture and the objects") {
  auto text = document(make_html_writer(), {varied_report(), healthy_report()});
  const auto picture = text.find("<svg"), end = text.find("</svg>\n") + 7;
  text.erase(picture, end - picture);
  const auto first = text.find("<table>"), second = text.find("<section>", text.find("<section>") + 1);
  CHECK(text.substr(first, second - first) ==
        R"(<table><thead><tr><th>verdict</th><th>target</th><th></th><th>findings</th></tr></thead><tbody>
<tr data-row><td><span class="verdict fails">FAILS</span></td><td><a href="#answer1">./app</a></td><td>app does not )"
        R"(load: libcudart.so.12 is not found in any directory the loader searches</td><td class="number">3</td></tr>
<tr data-row><td><span class="verdict loads">LOADS</span></td><td><a href="#answer2">./app</a></td><td>app loads, )"
        R"(with 4 other files</td><td class="number">0</td></tr>
</tbody></table>
<section>
<h2 id="answer1">./app</h2>
<p><span class="verdict fails">FAILS</span> app does not load: libcudart.so.12 is not found in any directory )"
        R"(the loader )"
        R"(searches</p>
<p class="faint">Judged for this machine</p>
<details data-row data-level="error" open><summary><span class="level error">error</span> CUD101 )"
        R"(library-not-found: libcudart.so.12 is )"
        R"(not found in any directory the loader searches</summary>
<dl>
<dt>fix</dt><dd><p>install the runtime</p><pre>pip install nvidia-cuda-runtime-cu12</pre><p>for one )"
        R"(shell</p><pre>export LD_LIBRARY_PATH=/opt/cuda
./app</pre><p class="faint">all programs see it</p></dd>
<dt>won't help</dt><dd>a symlink from libcudart.so.13</dd>
<dt>file</dt><dd><code>/opt/app/lib/libfoo.so.1.2</code></dd>
<dt>result</dt><dd>The program does not start.</dd>
<dt>because</dt><dd>a DT_RUNPATH switches DT_RPATH off <span class="faint">rule: ld.so(8)</span></dd>
<dt>because</dt><dd>lies beside it <code>/opt/other/libcudart.so.13</code> <span class="faint">proven</span></dd>
</dl>
<h3>searched, in this order</h3>
<table><thead><tr><th></th><th>rule</th><th>place</th><th>result</th></tr></thead><tbody>
<tr><td class="number">1</td><td>DT_RPATH of app</td><td><code>$ORIGIN/../lib</code></td><td>not used: the requester )"
        R"(has a DT_RUNPATH</td></tr>
<tr><td class="number">2</td><td>LD_LIBRARY_PATH</td><td><code></code></td><td>not set</td></tr>
<tr><td class="number">3</td><td>DT_RUNPATH</td><td><code>/opt/cuda/lib  and 2 directories below )"
        R"(it</code></td><td>not )"
        R"(there</td></tr>
<tr><td class="number"></td><td></td><td><code>/opt/arm/lib</code></td><td>for another machine: aarch64</td></tr>
<tr><td class="number"></td><td></td><td><code>current directory</code></td><td>not there</td></tr>
<tr><td class="number">4</td><td>/etc/ld.so.cache</td><td><code></code></td><td>no entry for this name</td></tr>
<tr><td class="number">5</td><td>system directories</td><td><code>/lib/x86_64-linux-gnu ... /lib</code></td><td>2 )"
        R"(directories, not there</td></tr>
</tbody></table>
</details>
<details data-row data-level="warning"><summary><span class="level warning">warning</span> CUD109 shadowed: one )"
        R"(hides the other</summary>
<dl>
<dt>file</dt><dd><code>/lib/x86_64-linux-gnu/libc.so.6</code></dd>
</dl>
</details>
<details data-row data-level="note"><summary><span class="level note">note</span> CUD904 unreadable: nothing of )"
        R"(it is known</summary>
<dl>
</dl>
</details>
<h3>who loads what</h3>
<p class="faint">Callers are on the left; missing files are red and come first. <span )"
        R"(class="needs-script">Click a library )"
        R"(to see who needs it and what it needs.</span></p>
<input class="systems" type="checkbox" id="systems1"><label for="systems1"> with libraries of the system</label>
<div class="scroll">
</div>
<h3>4 files</h3>
<table><thead><tr><th>library</th><th>path</th><th>first needed by</th><th>found )"
        R"(by</th><th>package</th></tr></thead><tbody>
<tr data-row><td class="bad">librefused.so</td><td>refused</td><td>app</td><td></td><td></td></tr>
<tr data-row><td class="bad">libcudart.so.12</td><td>not found</td><td>libfoo.so.1.2</td><td></td><td></td></tr>
<tr data-row><td>app</td><td><code>/opt/app/bin/app</code></td><td></td><td></td><td></td></tr>
<tr data-row><td>libfoo.so.1.2</td><td><code>/opt/app/lib/libfoo.so.1.2</code></td>)"
        R"(<td>app</td><td class="rule">DT_RPATH</td><td>fo)"
        R"(o 1.0</td></tr>
<tr data-row><td>libc.so.6</td><td><code>/lib/x86_64-linux-gnu/libc.so.6</code></td>)"
        R"(<td>app</td><td class="rule">/etc/ld.so.cache</)"
        R"(td><td>libc</td></tr>
<tr data-row><td>ld-linux-x86-64.so.2</td><td><code>/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2</code></td><td></td><td)"
        R"(></td><td></td></tr>
<tr data-row><td class="faint">libsoft.so</td><td>not found</td><td>app</td><td></td><td></td></tr>
</tbody></table>
</section>
)");
  CHECK(
      text.find("<h2 id=\"answer2\">./app</h2>\n<p><span class=\"verdict loads\">LOADS</span> app loads, with 4 other "
                "files</p>\n<p class=\"faint\">Judged for this machine</p>\n<h3>who loads what</h3>\n") == second + 10);
  const auto alone = document(make_html_writer(), {healthy_report()});
  CHECK(alone.find("<th>findings</th>") == std::string::npos);
}

TEST_CASE("what ends a search is bad, and where nothing was searched there is no table") {
  auto report = failing_report();
  auto& search = report.resolution.objects[1].edges[0].search;
  search.skipped.clear();
  search.probes.resize(1);
  search.probes[0].result = ProbeResult::not_elf;
  search.probes[0].ends_search = true;
  CHECK(document(make_html_writer(), {report})
            .find("</code></td><td class=\"bad\">not an ELF file; the loader gives up here"
                  "</td></tr>\n</tbody>") != std::string::npos);
  search.probes.clear();
  CHECK(document(make_html_writer(), {report}).find("searched, in this order") == std::string::npos);
  const auto has_search = [&] {
    return document(make_html_writer(), {report}).find("searched, in this order") != std::string::npos;
  };
  report = failing_report();
  CHECK(has_search());
  report.findings[0].edge.reset();
  CHECK_FALSE(has_search());
  report.findings[0].edge = 0;
  report.findings[0].object.reset();
  CHECK_FALSE(has_search());
}

TEST_CASE("a fix in words has no command, and a finding about nothing that was loaded no place") {
  auto report = unreadable_report();
  report.findings[0].object = 0;
  report.findings[0].fixes = {{"in words", "", ""}};
  const auto text = document(make_html_writer(), {report});
  CHECK(text.find(R"(<details data-row data-level="error" open><summary><span class="level error">error</span> CUD904 )"
                  R"(unreadable: )"
                  R"(nothing.so: No such file or directory</summary>
<dl>
<dt>fix</dt><dd><p>in words</p></dd>
</dl>
</details>
</section>
)") != std::string::npos);
}

TEST_CASE("of very many requests three thousand are drawn, and the rest is counted") {
  auto report = healthy_report();
  auto& edges = report.resolution.objects[2].edges;
  auto edge = edges[0];
  while (edges.size() < 2995) {
    edge.name = "l" + std::to_string(edges.size());
    edges.push_back(edge);
  }
  CHECK(document(make_html_writer(), {report}).find("left out") == std::string::npos);
  edge.name = "m";
  edges.push_back(edge);
  edge.name = "n";
  edges.push_back(edge);
  CHECK(document(make_html_writer(), {report}).find("</div>\n<p class=\"faint\">2 more requests are left out.</p>\n") !=
        std::string::npos);
}

TEST_CASE("who brought an object in is the file whose request loaded it, not one that found it there") {
  auto report = healthy_report();
  auto& objects = report.resolution.objects;
  // libfoo asks for the C library first, and does not load it.
  std::swap(objects[0].edges[0], objects[0].edges[1]);
  std::swap(objects[0], objects[1]);
  objects[0].edges[1].object = 2;
  const auto text = document(make_html_writer(), {report});
  CHECK(text.find("libc.so.6</code></td><td>app</td><td class=\"rule\">/etc/ld.so.cache</td><td></td></tr>\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace cudald
