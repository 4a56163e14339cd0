// Another copy of a library answers for the one that a file depends on: two builds of one library are mixed, which
// crashes where they differ. Seen with psycopg2 beside eckitlib, which both have a libldap of their own, and of which
// one is opened with RTLD_GLOBAL. Source: glibc elf/dl-lookup.c, the order of scopes; LD_DEBUG=bindings shows the same.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/listed.h"
#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/whereabouts.h"

namespace cudald {
namespace {

std::string stem_of(const Object& object) {
  return unversioned_name(original_name(object.image->soname.value_or(std::string(file_name(object.path)))));
}

/// Whether half of what one library defines the other defines as well: then they are made from the same sources, as
/// libldap and libldap_r are.
bool share_names(const Object& one, const Object& other, Store& store) {
  constexpr std::size_t most_names = 20'000;
  std::size_t all = 0, shared = 0;
  const auto table = store.symbols.get(other);
  store.symbols.get(one)->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
    if (!defined || all >= most_names) return;
    ++all;
    bool found = false;
    table->visit(HashedName(name),
                 [&](const SymbolTable::Candidate& candidate) { return found = candidate.symbol.section != 0; });
    shared += found ? 1 : 0;
  });
  return all > 0 && 2 * shared >= all;
}

bool are_builds_of_one_library(const Object& one, const Object& other, Store& store) {
  if (one.id == other.id) return false;
  return stem_of(one) == stem_of(other) || (share_names(one, other, store) && share_names(other, one, store));
}

std::string with_owner(const Object& object) {
  return short_name(object) + (object.package ? " of " + object.package->name : "");
}

void tell(Report& report, const std::vector<const Interposition*>& rows) {
  const auto& objects = report.resolution.objects;
  const auto& first = *rows.front();
  const auto &definer = objects[first.definer], &own = objects[first.own];
  std::size_t count = 0;
  bool mixed = false;
  std::vector<std::string> names;
  for (const auto* row : rows) {
    count += row->count;
    mixed |= row->from_own > 0;
    names.push_back(short_name(objects[row->object]));
  }
  auto finding = make_finding("CUD205");
  finding.object = first.object;
  finding.subject = first.name;
  finding.message =
      fmt::format("{} gets {} from {}, not from its own {}", listed(names, 3),
                  count == 1 ? first.name : fmt::format("{} and {}", first.name, counted(count - 1, "more symbol")),
                  with_owner(definer), with_owner(own));
  finding.consequence =
      mixed ? "It calls both builds of the library: what one has made is given to the other, which can crash."
            : "The two builds can differ. Loaded in another order, the other one answers.";
  for (const auto& [object, what] :
       {std::pair(&definer, "answers, as it was loaded first for all (RTLD_GLOBAL, or with the program)"),
        std::pair(&own, "defines the same, and is what the file depends on")})
    finding.evidence.push_back({fmt::format("{} {}", object->path, what), object->path, Basis::proven, ""});
  finding.fixes.push_back(
      {fmt::format("one build of {} for both, as by installing the packages from source", stem_of(own)), "", ""});
  finding.fixes.push_back({fmt::format("or let the program open {} without RTLD_GLOBAL", with_owner(definer)), "", ""});
  report.findings.push_back(std::move(finding));
}

}  // namespace

void check_interposition(const Case& given) {
  auto& report = given.report;
  if (!report.symbols) return;
  const auto& objects = report.resolution.objects;
  std::map<std::pair<ObjectId, ObjectId>, std::vector<const Interposition*>> pairs;
  for (const auto& row : report.symbols->interposed) pairs[{row.definer, row.own}].push_back(&row);
  for (const auto& [pair, rows] : pairs)
    if (are_builds_of_one_library(objects[pair.first], objects[pair.second], given.store)) tell(report, rows);
}

}  // namespace cudald
