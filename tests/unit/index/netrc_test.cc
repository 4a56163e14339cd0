#include "index/netrc.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

std::string login(std::string_view text, std::string_view host, std::string_view user = "") {
  const auto found = login_in_netrc(text, host, user);
  return found ? found->user + ":" + found->password : "none";
}

TEST_CASE("a login of netrc is that of the host, of the user who is named, or the default") {
  const std::string_view text =
      "# machine a.example login x password y\nmachine a.example login me password one\n"
      "machine a.example\n\tlogin you\n\tpassword \"two\"\nmachine b.example login me\n"
      "default login any password three\n";
  CHECK(login(text, "a.example") == "me:one");
  CHECK(login(text, "a.example", "you") == "you:two");
  CHECK(login(text, "a.example", "any") == "any:three");
  CHECK(login(text, "b.example") == "any:three");
  CHECK(login(text, "c.example", "me") == "none");
}

TEST_CASE("macros and halves of entries are passed over") {
  CHECK(login("macdef init\nmachine a login b password c\n\nmachine d login e password f", "a") == "none");
  CHECK(login("macdef init\nmachine a login b password c\n\nmachine d login e password f", "d") == "e:f");
  CHECK(login("machine a login b password c\nmacdef password\nx\n\nmachine d login e password f", "a") == "b:c");
  for (const auto* half : {"", "machine", "machine a", "machine a login", "machine a login b password", "default"})
    CHECK(login(half, "a") == "none");
}

TEST_CASE("only a word between two marks is quoted") {
  const auto password = [](const std::string& word) {
    return login("machine a login me password " + word + "\n", "a");
  };
  CHECK(password("\"two\"") == "me:two");
  CHECK(password("\"two") == "me:\"two");
  CHECK(password("two\"") == "me:two\"");
  CHECK(password("\"") == "me:\"");
  CHECK(password("\"\"") == "none");
}

TEST_CASE("an entry ends where the next begins, and words in other places are none of it") {
  CHECK(login("machine a login me\nmachine b password word\n", "a") == "none");
  CHECK(login("machine a login me\nmachine b password word\n", "b") == ":word");
  CHECK(login("machine a account x login me password word", "a") == "me:word");
  CHECK(login("machine machine login default password login", "machine") == "default:login");
  CHECK(login("login me password word machine a", "a") == "none");
  CHECK(login("default password word", "a", "me") == "none");
  CHECK(login("default password word\nmachine a login me password other", "a") == ":word");
}

}  // namespace
}  // namespace cudald
