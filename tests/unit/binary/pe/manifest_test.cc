#include "binary/pe/manifest.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

std::string names(std::string_view text) {
  std::string listed;
  for (const auto& assembly : parse_manifest(text).dependencies)
    listed += assembly.name + " " + assembly.version + (assembly.optional ? " optional" : "") + "\n";
  return listed;
}

std::string dependency(std::string_view attributes) {
  return "<dependency><dependentAssembly><assemblyIdentity " + std::string(attributes) +
         "/></dependentAssembly></dependency>";
}

TEST_CASE("the assemblies that a manifest depends on are read") {
  const auto found = parse_manifest(R"(<?xml version="1.0"?>
    <asmv1:assembly xmlns:asmv1="urn:schemas-microsoft-com:asm.v1">
      <asmv1:assemblyIdentity name="own" version="1.0.0.0"/>
      <!-- <dependency><dependentAssembly><assemblyIdentity name="commented"/></dependentAssembly></dependency> -->
      <asmv1:dependency><asmv1:dependentAssembly>
        <asmv1:assemblyIdentity type='win32' name = "Microsoft.VC90.CRT" version='9.0.21022.8'
            processorArchitecture="amd64" publicKeyToken="1fc8b3b9a1e18e3b" language="*"></asmv1:assemblyIdentity>
      </asmv1:dependentAssembly></asmv1:dependency>
      <assemblyIdentity name="behind"/>
    </asmv1:assembly>)")
                         .dependencies;
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "Microsoft.VC90.CRT");
  CHECK(found[0].version == "9.0.21022.8");
  CHECK(found[0].type == "win32");
  CHECK(found[0].architecture == "amd64");
  CHECK(found[0].language == "*");
  CHECK(found[0].public_key_token == "1fc8b3b9a1e18e3b");
  CHECK_FALSE(found[0].optional);
}

TEST_CASE("several, optional ones, and names with signs of XML") {
  CHECK(names(dependency("name='a' version='1'") + dependency("name='b>c' version='2'")) == "a 1\nb>c 2\n");
  CHECK(names("<dependency optional='yes'><dependentAssembly><assemblyIdentity name='o'/>") == "o  optional\n");
  CHECK(names("<![CDATA[" + dependency("name='no'") + "]]>" + dependency("name='a'")) == "a \n");
}

TEST_CASE("UTF-16 with a byte order mark") {
  std::string little = "\xff\xfe", big = "\xfe\xff";
  for (const char c : dependency("name='wide' version='3'")) {
    (little += c) += '\0';
    (big += '\0') += c;
  }
  CHECK(names(little) == "wide 3\n");
  CHECK(names(big) == "wide 3\n");
}

TEST_CASE("the files of an assembly are read, and none of a dependency") {
  const auto found = parse_manifest(R"(<assembly manifestVersion="1.0">
    <assemblyIdentity type="win32" name="Mine" version="1.0.0.0"/>
    <file name="a.dll" hash="12"/><file name='B.DLL'><comClass clsid="x"/></file><file/><!--<file name="c.dll"/>-->
    <dependency><dependentAssembly><file name="no.dll"/></dependentAssembly></dependency>
  </assembly>)");
  CHECK(found.files == std::vector<std::string>{"a.dll", "B.DLL"});
  CHECK(found.dependencies.empty());
}

TEST_CASE("no manifest at all gives nothing") {
  for (const auto* text :
       {"", "<", "<<<>>>", "<dependency", "<!--", "<dependency><dependentAssembly><assemblyIdentity name='x",
        "<dependency><dependentAssembly><assemblyIdentity name=/>x"}) {
    CAPTURE(text);
    CHECK((names(text) == "" || names(text) == " \n"));
  }
}

TEST_CASE("signs beyond ASCII in UTF-16 are no part of a name") {
  for (const bool big : {false, true}) {
    std::string text = big ? "\xfe\xff" : "\xff\xfe";
    const auto add = [&](char high, char low) { (text += big ? high : low) += big ? low : high; };
    for (const char c : std::string("<dependency><dependentAssembly><assemblyIdentity name='a")) add('\0', c);
    add('\1', 'b');
    add('\0', '\xe9');
    add('\0', '\x7f');
    for (const char c : std::string("c'/>")) add('\0', c);
    CHECK(names(text) ==
          "a??\x7f"
          "c \n");
    CHECK(names(text + "x") ==
          "a??\x7f"
          "c \n");  // half a sign at the end
  }
}

TEST_CASE("blanks of each kind stand between attributes") {
  for (const std::string blank : {" ", "\t", "\n", "\r", " \r\n\t "})
    CHECK(names(dependency("name" + blank + "=" + blank + "'a'" + blank + "version='1'")) == "a 1\n");
  CHECK(names(dependency("name\v=\v'a'")) == " \n");
  CHECK(names(dependency("name='a' version='1")) == "");  // the quote takes the rest
  CHECK(names(dependency("name='a' version=1")) == "a \n");
  CHECK(names(dependency("name='a' version=\"1'")) == "");
}

TEST_CASE("an attribute without its other quote ends the tag's") {
  // A quote of the other kind stands where the tag ends, so that the tag itself has an end.
  CHECK(names("<dependency><dependentAssembly><assemblyIdentity name='a' version='1'x=\"'>\" y='2'/>") == "a 1\n");
}

TEST_CASE("elements that are closed or empty hold nothing") {
  const std::string identity = "<assemblyIdentity name='a'/>";
  CHECK(names("<dependency><dependentAssembly>" + identity) == "a \n");
  CHECK(names("<dependency/><dependentAssembly>" + identity) == "");
  CHECK(names("<dependency><dependentAssembly/>" + identity) == "");
  CHECK(names("<dependency></dependency><dependentAssembly>" + identity) == "");
  CHECK(names("<dependency><dependentAssembly></dependentAssembly>" + identity) == "");
  CHECK(names("<dependentAssembly>" + identity) == "");
  CHECK(names("<dependency>" + identity) == "");
  CHECK(names("<dependency><dependentAssembly></assemblyIdentity name='a'>") == "");
  CHECK(parse_manifest("<file name='a'/></file name='b'><file name=''/><dependency/><file name='c'/>").files ==
        std::vector<std::string>{"a", "c"});
}

TEST_CASE("so many assemblies and files are read") {
  std::string assemblies = "<dependency><dependentAssembly>", files;
  for (int i = 0; i < 300; ++i) assemblies += "<assemblyIdentity name='a'/>";
  for (int i = 0; i < 1100; ++i) files += "<file name='f'/>";
  CHECK(parse_manifest(assemblies).dependencies.size() == 256);
  CHECK(parse_manifest(files).files.size() == 1024);
}

TEST_CASE("an attribute whose quote is not closed ends the tag's attributes") {
  CHECK(names("<dependency><dependentAssembly><assemblyIdentity name='n' a'b='c>") == "n \n");
}

TEST_CASE("what Windows refuses in a manifest is told with its line") {
  const auto fault = [](const std::string& text) { return parse_manifest(text).fault; };
  for (const std::string good :
       {"<assembly/>", "<?xml version='1.0'?>\n<a:assembly xmlns:a=\"x\"><!-- <b> --><b c = 'd>e'/></a:assembly>\n",
        "\xef\xbb\xbf<?xml version=\"1.0\"?><assembly><![CDATA[<]]></assembly>", "",
        "<assemblyIdentity version='9.0.21022.65535'/>", "<other version='1.0'/>"})
    CHECK(fault(good) == "");
  const std::pair<const char*, const char*> rows[] = {
      {"<assembly>\n<file name=b.dll/></assembly>", "line 2: the value of name is not in quotes"},
      {"<assembly>", "line 1: <assembly> is not closed"},
      {"<a>\n<b></a></b>", "line 2: </a> closes <b>"},
      {"</a>", "line 1: </a> closes nothing"},
      {"<a b='c", "line 1: the value of b has no end"},
      {"<a", "line 1: <a is not closed with >"},
      {"<a></a", "line 1: </a is not closed with >"},
      {"<a b/>", "line 1: <a> has something beside attributes"},
      {"<!-- a", "line 1: a comment is not closed"},
      {"\n<?xml version='1.0'?><a/>", "line 2: something stands before the XML declaration"},
      {"<assemblyIdentity name='a' version='1.0'/>", "line 1: the version \"1.0\" of an assembly is not four numbers"},
      {"<x:assemblyIdentity version='1.0.0.70000'/>",
       "line 1: the version \"1.0.0.70000\" of an assembly is not four numbers"},
      {"<a>\n<requestedPrivileges></requestedPrivileges>\n<b:requestedPrivileges></b:requestedPrivileges></a>",
       "line 3: a second <requestedPrivileges>, of which a manifest may have one"}};
  for (const auto& [text, told] : rows) CHECK(fault(text) == told);
  // Of what is longer than is read, the end is not there.
  CHECK(fault("<a>" + std::string(1 << 20, ' ')) == "");
}

}  // namespace
}  // namespace cudald
