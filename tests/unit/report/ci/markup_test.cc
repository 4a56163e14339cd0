#include "report/ci/markup.h"

#include <doctest/doctest.h>

#include "base/utf8.h"
#include "unit/report/documents.h"

namespace cudald {

bool is_harmless(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (c != '\n') plain += c;
  return escaped(plain) == plain;
}

namespace {

TEST_CASE("each format has its own way to say what means something in it") {
  CHECK(xml_text("a<b> & \"c\" 'd' ]]>") == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; ]]&gt;");
  CHECK(xml_text("\xef\xbf\xbe\xef\xbf\xbf") == "\\ufffe\\uffff");
  CHECK(markdown_text("*a* @b #1 x|y") == "&#42;a&#42; @<!-- -->b &#35;<!-- -->1 x&#124;y");
  CHECK(markdown_text("http://www.b") == "http:<!-- -->//www<!-- -->.b");
  CHECK(dot_text("a\"b\\N") == "a\\\"b\\\\N");
  CHECK(mermaid_text("a\"]:#x;`%%") == "a#34;#93;#58;#35;x#59;#96;#37;#37;");
  CHECK(workflow_text("50%\n::error::") == "50%25\\x0a::error::");
  CHECK(workflow_property("a,b:c%") == "a%2Cb%3Ac%25");
  CHECK(uri_of_path("dist/a b#?.whl") == "dist/a%20b%23%3F.whl");
  CHECK(uri_of_path("/opt/\xff") == "file:///opt/%FF");
  CHECK(uri_of_path("py:torch") == "py%3Atorch");
}

TEST_CASE("what cannot be shown stays visible, and nothing else goes through") {
  for (auto* form : {xml_text, markdown_text, dot_text, mermaid_text, workflow_text, workflow_property, uri_of_path}) {
    const auto text = form(hostile_name);
    CAPTURE(text);
    CHECK(is_harmless(text));
    CHECK(text.find('\n') == std::string::npos);
  }
  CHECK(xml_text("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
}

TEST_CASE("what means nothing in a format stays as it is") {
  const std::string words = "azAZ09";
  CHECK(uri_of_path("-._~/" + words) == "-._~/" + words);
  CHECK(uri_of_path("@[`{:+") == "%40%5B%60%7B%3A%2B");
  CHECK(mermaid_text(words + " ./+-_,=()\xc3\xa9") == words + " ./+-_,=()\xc3\xa9");
  CHECK(mermaid_text("@[`{/:") == "#64;#91;#96;#123;/#58;");
  CHECK(xml_text(words + "\x7e:@#%\\") == words + "\x7e:@#%\\");
  CHECK(markdown_text("\\`*_[]|~$<>&") == "&#92;&#96;&#42;&#95;&#91;&#93;&#124;&#126;&#36;&#60;&#62;&#38;");
  CHECK(markdown_text(words + "()!.-+\"'{}www ww.") == words + "()!.-+\"'{}www ww.");
  CHECK(markdown_text("www.a www.b") == "www<!-- -->.a www<!-- -->.b");
  CHECK(workflow_text("a,b:c") == "a,b:c");
  CHECK(workflow_property("a b;c") == "a b;c");
  CHECK(dot_text("a<b>{c}|'") == "a<b>{c}|'");
}

}  // namespace
}  // namespace cudald
