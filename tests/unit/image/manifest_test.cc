#include "image/manifest.h"

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

}  // namespace
}  // namespace cudald
