#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cudald/report.h>

#include "package/package_tree.h"

namespace cudald {

/// Where a library stands that was found nowhere, in the world of a package's tag.
struct Account {
  Standing standing = Standing::undeclared;
  std::vector<std::string> by;  ///< the distributions that bring it, or may
};

/// That what requirements bring which are not at hand is known from a table, as evidence; nothing if all are at hand.
void add_requirements_source(const World&, Finding&);

/// What packages may count on, asked for each library that was not found. What it is made of must outlive it.
class Accounts {
 public:
  Accounts(const Report&, const PackageTree&);

  /// Of a request that found no file at all; the first one for a name speaks for all.
  const Account& of(const Edge&) const;
  /// Whether a miss is told as what a package needs and may not count on (CUD501).
  bool tells(const Edge&) const;
  /// The request that fails because an edge found nothing; nullptr if none does.
  const Target* failing_request(ObjectId requester, const Edge&) const;
  /// The dlopen, made by the user or an import, that an edge records; one that must not fail before others.
  const Target* failed_dlopen(const Edge&) const;

 private:
  Account find(const std::string& name, const Edge&) const;
  /// The requirements that are not at hand and may have what an edge did not find.
  std::vector<std::string> may_bring(const Edge&) const;

  static constexpr std::size_t most_named = 6;  ///< of those that may bring a library

  const Report& report_;
  std::set<std::string, std::less<>> absent_;                           ///< required and not at hand
  std::vector<std::string> unknown_;                                    ///< of which it is not known what they bring
  mutable std::map<std::string, Account> known_;                        ///< by name
  std::unordered_map<std::string, const Package*> carriers_;            ///< by the name of a library
  std::unordered_map<std::string_view, const Target*> failed_dlopens_;  ///< by their error
};

}  // namespace cudald
