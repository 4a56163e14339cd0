#include "knowledge/newer_tables.h"

#include <doctest/doctest.h>

#include <cudald/message.h>

#include <nlohmann/json.hpp>

#include "common/built_in.h"
#include "knowledge/conda_packages.h"
#include "knowledge/first_seen.h"
#include "knowledge/gpu_use.h"
#include "knowledge/knowledge.h"
#include "knowledge/providers.h"
#include "knowledge/tables.h"

namespace cudald {
namespace {

using nlohmann::json;

/// The tables with these rows laid over one of them.
std::shared_ptr<const Knowledge> with(const std::string& table, const std::string& key, const std::string& rows) {
  const auto read = lay_over(*built_in_knowledge(), R"({"schema": "cudald/)" + table +
                                                        R"(", "checked": "2030-01-02", "source": "notes", ")" + key +
                                                        R"(": [)" + rows + "]}");
  CAPTURE(read ? "" : read.error().message);
  REQUIRE(read);
  return *read;
}

TEST_CASE("each table that is built in has the form that newer rows of it must have") {
  for (const auto* name :
       {"conda-packages", "first-seen", "gpu-use", "known-dlopens", "messages", "providers", "system-packages"}) {
    CAPTURE(name);
    auto table = built_in_table(name);
    CHECK(table_named(table) == name);
    table["checked"] = "2030-01-02";
    table["source"] = "notes";
    CHECK(fault_of_table(name, table) == "");
  }
  CHECK(table_named(json{{"schema", "cudald/manylinux"}}).empty());
  CHECK(table_named(json::array()).empty());
}

TEST_CASE("a row of packages on the index takes the place of the one of its name, and others stay") {
  const std::string pip =
      R"([{"distribution": "mine", "oldest": "1", "version": "2", "folder": "m", "platform": "linux"}])";
  const auto newer =
      with("providers", "providers",
           R"({"name": "libcublas.so.12", "pip": )" + pip + R"(}, {"name": "libm.so.99", "pip": )" + pip + "}");
  REQUIRE(providers_of("libcublas.so.12", *newer).size() == 1);
  CHECK(providers_of("libcublas.so.12", *newer)[0].distribution == "mine");
  CHECK(providers_of("libm.so.99", *newer).size() == 1);
  CHECK(providers_of("libm.so.99", built_in()).empty());
  CHECK(providers_of("libcublas.so.11", *newer).size() == providers_of("libcublas.so.11", built_in()).size());
  CHECK(libraries_of("mine", false, *newer).size() == 2);
  // Of what names no test that repeats it, it is told that it is likely; rows that were there stay as they were.
  const auto mine = providers_of("libcublas.so.12", *newer)[0], other = providers_of("libcublas.so.11", *newer)[0];
  CHECK(mine.likely);
  CHECK(carries(mine) == "likely provides");
  CHECK(mine.source == "likely, by notes, 2030-01-02");
  CHECK_FALSE(other.likely);
  CHECK(other.source == providers_source(built_in()));
  const auto proven =
      with("providers", "providers", R"({"name": "libm.so.99", "proof": "a test", "pip": )" + pip + "}");
  CHECK_FALSE(providers_of("libm.so.99", *proven)[0].likely);
  CHECK(providers_of("libm.so.99", *proven)[0].source == "notes, 2030-01-02");
  for (const auto& day : table_days(*newer))
    if (day.table == "providers") CHECK(day.day == "2030-01-02");
}

TEST_CASE("rows of the other tables are asked as well") {
  const auto conda = with("conda-packages", "rows", R"({"package": "p", "channel": "c", "cuda": null, "oldest": null,
      "newest": null, "requirement": ["p"], "libraries": ["libp.so.1"], "source": "its recipe"})");
  REQUIRE(conda_packages_of("libp.so.1", *conda).size() == 1);
  CHECK(conda_packages_of("libp.so.1", *conda)[0].source == "likely, by its recipe, 2030-01-02");
  CHECK(conda_packages_of("libp.so.1", *conda)[0].likely);
  const auto proven =
      with("conda-packages", "rows", R"({"package": "p", "channel": "c", "cuda": null, "proof": "a test",
      "requirement": ["p"], "libraries": ["libp.so.1"], "source": "its recipe"})");
  CHECK_FALSE(conda_packages_of("libp.so.1", *proven)[0].likely);
  CHECK(libraries_of_conda("p", 12, *conda).libraries.size() == 1);
  CHECK(libraries_of_conda("p", 12, *conda).likely);
  CHECK_FALSE(libraries_of_conda("p", 12, *proven).likely);
  const auto system = with("system-packages", "by_hand", R"({"library": "libp.so.1", "command": "apt install p",
      "version": null, "system": "Debian 14", "folder": "/usr/lib"})");
  REQUIRE(system_packages_of("libp.so.1", *system).size() == 1);
  CHECK(system_packages_of("libp.so.1", *system)[0].source == "likely, by notes, 2030-01-02");
  CHECK(system_packages_of("libp.so.1", *system)[0].likely);
  const auto functions = with("first-seen", "rows", R"({"library": "libp.so.1", "oldest": "1.0", "newest": "1.1",
      "releases": 2, "first": {"1.1": ["p"]}, "last": {}})");
  REQUIRE(history_of("libp.so.1", "p", *functions));
  CHECK(history_of("libp.so.1", "p", *functions)->source == "likely, by notes, 2030-01-02");
  const auto said = with("messages", "rows", R"({"text": "P is not {library}", "kind": "hard", "who": "P",
      "means": "that"})");
  CHECK(read_message("P is not libp.so.1", *said)->library == "libp.so.1");
  CHECK(read_message("P is not libp.so.1", *said)->source.starts_with("likely, by notes"));
  CHECK_FALSE(read_message("P is not libp.so.1", built_in()));
}

TEST_CASE("files are laid over one another") {
  const auto one = with("gpu-use", "rows", R"({"module": "one", "through": "p", "extra": "x", "require": "p",
      "before": "use", "lost": "all"})");
  const auto nothing = [](const std::string&) { return false; };
  CHECK(gpu_use_of("one", nothing, *one));
  CHECK_FALSE(gpu_use_of("one", nothing, built_in()));
  CHECK_FALSE(one->driver_of("99.0", CudaPlatform::linux));
  const auto two = lay_over(*one, R"({"schema": "cudald/cuda", "driver": {"source": "s", "checked": "2030-01-02",
      "proof": "a test", "rows": [{"cuda": "99.0", "linux": "9999.1", "windows": null}]}})");
  REQUIRE(two);
  CHECK((*two)->driver_of("99.0", CudaPlatform::linux)->version == "9999.1");
  CHECK(gpu_use_of("one", nothing, **two));
}

TEST_CASE("a fault is told with its place") {
  const auto fault = [](const std::string& text) {
    const auto read = lay_over(*built_in_knowledge(), text);
    return read ? "" : read.error().message;
  };
  const std::string head = R"({"schema": "cudald/providers", "checked": "2030-01-02", "source": "s", "providers": )";
  CHECK(fault(R"({"schema": "cudald/providers"})").ends_with("`checked` must be a text"));
  CHECK(fault(head + "1}").ends_with("`providers` must be a list"));
  CHECK(fault(head + R"([{"name": "x"}]})").ends_with("providers, row 1: lacks `pip`"));
  CHECK(fault(head + R"([{"name": "x", "pip": [{"distribution": "d"}]}]})")
            .ends_with("providers, row 1: pip 1: lacks `oldest`"));
  CHECK(
      fault(R"({"schema": "cudald/providers", "checked": "2030-01-02", "rows": []})").ends_with("`rows` is not known"));
}

const std::string pip_of_mine =
    R"([{"distribution": "mine", "oldest": "1", "version": "2", "folder": "m", "platform": "linux"}])";

TEST_CASE("rows are laid over rows that were laid over the table before") {
  const auto one = with("providers", "providers", R"({"name": "libm.so.98", "pip": )" + pip_of_mine + "}");
  const auto two = lay_over(*one, R"({"schema": "cudald/providers", "checked": "2031-01-02", "source": "more",
    "providers": [{"name": "libm.so.99", "pip": )" +
                                      pip_of_mine + "}]}");
  REQUIRE(two.has_value());
  CHECK(providers_of("libm.so.98", **two).at(0).source == "likely, by notes, 2030-01-02");
  CHECK(providers_of("libm.so.99", **two).at(0).source == "likely, by more, 2031-01-02");
  CHECK(providers_of("libm.so.98", *one).size() == 1);
  CHECK(providers_of("libm.so.99", *one).empty());
  const auto providers = [](const Knowledge& knowledge) {
    std::string day;
    for (const auto& each : table_days(knowledge))
      if (each.table == "providers") day = each.day;
    return day;
  };
  CHECK(providers(**two) == "2031-01-02");
}

TEST_CASE("which table a document is of") {
  CHECK(table_named(json{{"schema", "cudald/messages"}}) == "messages");
  CHECK(table_named(json{{"schema", "messages"}}) == "");
  CHECK(table_named(json{{"schema", "cudalx/messages"}}) == "");
  CHECK(table_named(json{{"schema", 5}}) == "");
  CHECK(table_named(json{{"scheme", "cudald/messages"}}) == "");
  CHECK(table_named(json{{"schema", "cudald/cuda"}}) == "");
  CHECK(table_named(json("cudald/messages")) == "");
}

/// What is wrong with a table of rows that look as these.
std::string fault_in(const std::string& table, const std::string& rest) {
  const auto read = lay_over(*built_in_knowledge(), R"({"schema": "cudald/)" + table + "\", " + rest + "}");
  if (read) return "";
  CHECK(read.error().code == ErrorCode::usage);
  const std::string start = "no table of knowledge: ";
  REQUIRE(read.error().message.starts_with(start));
  return read.error().message.substr(start.size());
}

TEST_CASE("what is wrong with the head of a table") {
  const std::string rows = R"("rows": [])";
  CHECK(fault_in("messages", rows) == "`checked` must be a text");
  CHECK(fault_in("messages", R"("checked": 5, )" + rows) == "`checked` must be a text");
  CHECK(fault_in("messages", R"("checked": "d", "source": 5, )" + rows) == "`source` must be a text");
  CHECK(fault_in("messages", R"("checked": "d", "proof": 5, )" + rows) == "`proof` must be a text or null");
  CHECK(fault_in("messages", R"("checked": "d", "proof": null, )" + rows) == "");
  CHECK(fault_in("messages",
                 R"("checked": "d", "proof": "p", "source": "s", "version": 1, "how_to_read": [], )" + rows) == "");
  CHECK(fault_in("messages", R"("checked": "d", "row": [])") == "`row` is not known");
  CHECK(fault_in("messages", R"("checked": "d", "rows": {})") == "`rows` must be a list");
  CHECK(fault_in("system-packages", R"("checked": "d", "by_hand": [], "debian": 5)") == "`debian` must be a list");
}

TEST_CASE("what is wrong with a row of a table, or with what stands below it") {
  const std::string head = R"("checked": "d", "source": "s", "rows": [)";
  const std::string message = R"({"text": "t", "kind": "hard", "who": "w", "means": "m"})";
  CHECK(fault_in("messages", head + message + "]") == "");
  CHECK(fault_in("messages", R"("checked": "d", "rows": [)" + message + "]") ==
        "rows, row 1: lacks `source`, as its table does");
  CHECK(fault_in("messages", R"("checked": "d", "rows": [{"source": "s", )" + message.substr(1) + "]") == "");
  CHECK(fault_in("messages", head + message + R"(, {"text": "t"}])") == "rows, row 2: lacks `kind`");
  const auto saying = [&](const std::string& text) {
    return fault_in("messages", head + R"({"text": ")" + text + R"(", "kind": "hard", "who": "w", "means": "m"}])");
  };
  CHECK(saying("{library} is not {path}") == "");
  for (const std::string text : {"no {library", "{library}", "{library}{path} x", "no {a{b}} x", "no library} x"})
    CHECK(saying(text) == "rows, row 1: `text` must be a text, or texts with names in braces between them");
  const auto seen = [&](const std::string& first, const std::string& last) {
    return fault_in("first-seen", head + R"({"library": "l", "oldest": "1", "newest": "2", "releases": 2, "first": )" +
                                      first + R"(, "last": )" + last + "}]");
  };
  CHECK(seen(R"({"1.1": ["f"]})", "{}") == "");
  CHECK(seen(R"({"1.1": ["f"], "1.2": 5})", "{}") == "rows, row 1: first 2: `texts` must be a list of texts");
  CHECK(seen("{}", R"({"1.1": [5]})") == "rows, row 1: last 1: `texts` must be a list of texts");
  CHECK(seen("[]", "{}") == "rows, row 1: first must be a list, or an object by names");
  const auto opens = [&](const std::string& more) {
    return fault_in("known-dlopens",
                    head + R"({"file": "f.dll", "without": "w", "values": {}, "asks": )" + more + "}]");
  };
  const std::string ask = R"([{"name": "n", "at": "load", "gpu": true}])";
  CHECK(opens(ask) == "");
  CHECK(opens("{}") == "rows, row 1: asks must be a list, or an object by names");
  CHECK(opens(R"([{"name": "n", "at": "load"}])") == "rows, row 1: asks 1: lacks `gpu`");
  CHECK(opens(ask + R"(, "if": {"file": "f"})") == "rows, row 1: if lacks `contains`");
  CHECK(opens(ask + R"(, "if": null, "facts": null)") == "");
  CHECK(opens(ask + R"(, "facts": [{"text": "t", "source": "s"}, {"text": "t"}])") ==
        "rows, row 1: facts 2: lacks `source`");
  CHECK(opens(ask + R"(, "values": {"v": {"file": "f"}})") == "rows, row 1: values 1: lacks `key`");
  CHECK(opens(ask + R"(, "values": [])") == "rows, row 1: values must be a list, or an object by names");
}

TEST_CASE("a null in a row is as if nothing were there, but for a proof that is taken back") {
  const auto newer = json::parse(R"({"schema": "cudald/messages", "checked": "2030-01-02", "source": "s",
    "proof": "a test", "rows": [
      {"text": "one", "library": null, "kind": "hard", "who": "w", "means": "m", "fix": null},
      {"text": "two", "kind": "hard", "who": "w", "means": "m", "proof": null},
      {"text": "three", "kind": "soft", "who": "w", "means": "m", "source": "own", "checked": "2029-01-02",
       "proof": "its own"}]})");
  auto table = json::parse(R"({"schema": "cudald/messages", "checked": "2020-01-02", "source": "old", "rows": [
      {"text": "two", "kind": "gpu"}, {"text": "four", "kind": "gpu"}, {"text": "five", "checked": "2019-01-02"}]})");
  const auto laid = laid_over("messages", table, newer);
  CHECK(laid.at("checked") == "2030-01-02");
  CHECK(laid.at("rows") == json::parse(R"([
      {"text": "one", "kind": "hard", "who": "w", "means": "m", "source": "s", "checked": "2030-01-02",
       "proof": "a test"},
      {"text": "two", "kind": "hard", "who": "w", "means": "m", "source": "likely, by s", "checked": "2030-01-02",
       "proof": null},
      {"text": "three", "kind": "soft", "who": "w", "means": "m", "source": "own", "checked": "2029-01-02",
       "proof": "its own"},
      {"text": "four", "kind": "gpu", "checked": "2020-01-02"}, {"text": "five", "checked": "2019-01-02"}])"));
  table.erase("checked");
  CHECK_FALSE(laid_over("messages", table, newer).at("rows").at(3).contains("checked"));
}

}  // namespace
}  // namespace cudald
