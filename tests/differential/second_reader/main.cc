// Reads files twice, with cudald and with LIEF, and says where the two differ: for each path on standard input a line
// of JSON. LIEF reads in a process of its own, with limits on its time and memory, so that no file can end this one.
//
//   {"path": "/lib/libc.so.6", "lief": "read", "faults": [], "facts": 3151, "differences": {}}
//
// `lief` is "read", "refused" or how its process ended; `faults` are the defects that cudald tells; of a difference the
// texts that one alone has are given, or `"order": true` if they are the same in another order.

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include <nlohmann/json.hpp>

#include "facts.h"

namespace second_reader {
namespace {

using Json = nlohmann::json;

constexpr rlim_t most_seconds = 20;
constexpr rlim_t most_bytes = rlim_t{4} << 30;

std::string valid(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return text;
}

/// Facts on their way through a pipe: each text with its length before it.
void put(std::string& out, const std::string& text) { ((out += std::to_string(text.size())) += ' ') += text; }

std::string packed(const Facts& facts) {
  std::string out;
  for (const auto& [kind, texts] : facts) {
    put(out, kind);
    put(out, std::to_string(texts.size()));
    for (const auto& text : texts) put(out, text);
  }
  return out;
}

Facts unpacked(const std::string& in) {
  std::size_t at = 0;
  const auto next = [&] {
    const auto space = in.find(' ', at);
    const auto size = std::stoul(in.substr(at, space - at));
    at = space + 1 + size;
    return in.substr(space + 1, size);
  };
  Facts facts;
  while (at < in.size()) {
    auto& texts = facts[next()];
    for (auto count = std::stoul(next()); count > 0; --count) texts.push_back(next());
  }
  return facts;
}

/// What LIEF's process does; never comes back.
[[noreturn]] void be_lief(const std::string& path, int out) {
  const rlimit seconds{most_seconds, most_seconds}, bytes{most_bytes, most_bytes}, none{0, 0};
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_AS, &bytes);
  setrlimit(RLIMIT_CORE, &none);
  const auto facts = read_with_lief(path);
  const auto text = facts ? "+" + packed(*facts) : "-";
  for (std::size_t done = 0; done < text.size();) {
    const auto count = write(out, text.data() + done, text.size() - done);
    if (count <= 0) _exit(1);
    done += static_cast<std::size_t>(count);
  }
  _exit(0);
}

/// What LIEF reads; nullopt, and how it ended, if it gives nothing.
std::optional<Facts> ask_lief(const std::string& path, std::string& how) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const auto child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    be_lief(path, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char block[1 << 16];
  for (;;) {
    pollfd waiting{ends[0], POLLIN, 0};
    if (poll(&waiting, 1, 4 * 1000 * static_cast<int>(most_seconds)) == 0) kill(child, SIGKILL);
    const auto count = read(ends[0], block, sizeof block);
    if (count <= 0) break;
    text.append(block, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    how = "signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    how = "exit status " + std::to_string(WEXITSTATUS(status));
  } else if (text.starts_with('-')) {
    how = "refused";
  } else {
    how = "read";
    return unpacked(text.substr(1));
  }
  return std::nullopt;
}

Json only_in(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::string> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  auto list = Json::array();
  for (auto& text : rest) list.push_back(valid(std::move(text)));
  return list;
}

Json differences(Facts ours, Facts liefs) {
  auto result = Json::object();
  for (const auto* facts : {&ours, &liefs})
    for (const auto& [kind, texts] : *facts) {
      const auto &mine = ours[kind], &its = liefs[kind];
      if (mine == its || result.contains(kind)) continue;
      result[kind] = {{"cudald", only_in(mine, its)}, {"lief", only_in(its, mine)}};
      if (result[kind]["cudald"].empty() && result[kind]["lief"].empty()) result[kind] = {{"order", true}};
    }
  return result;
}

Json compare(const std::string& path) {
  Json line{{"path", valid(path)}, {"faults", Json::array()}, {"facts", 0}, {"differences", Json::object()}};
  std::string how;
  const auto liefs = ask_lief(path, how);
  line["lief"] = how;
  std::vector<std::string> faults;
  const auto ours = read_with_cudald(path, faults);
  line["cudald"] = ours ? "read" : "refused";
  for (auto& fault : faults) line["faults"].push_back(valid(std::move(fault)));
  if (!ours || !liefs) return line;
  std::size_t count = 0;
  for (const auto& [kind, texts] : *ours) count += texts.size();
  line["facts"] = count;
  line["differences"] = differences(*ours, *liefs);
  return line;
}

}  // namespace
}  // namespace second_reader

int main() {
  for (std::string path; std::getline(std::cin, path);) std::cout << second_reader::compare(path).dump() << std::endl;
}
