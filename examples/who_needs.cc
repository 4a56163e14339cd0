// Who needs what: for each library that FILE needs, directly or around, who asks for it, and which file answers or why
// none does.
//
//     g++ -std=c++20 who_needs.cc $(pkg-config --cflags --libs cudald) -o who_needs
//     ./who_needs FILE [LD_LIBRARY_PATH]
//
// Exit status: 0 if everything was found, 1 if something is missing, 2 if FILE cannot be read.

#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <cudald/cudald.h>

namespace {

/// One library that somebody asks for.
struct Library {
  std::vector<cudald::ObjectId> askers;   ///< in load order
  const cudald::Edge* request = nullptr;  ///< the first of them
};

std::map<std::string, Library> libraries_of(const cudald::Resolution& resolution) {
  std::map<std::string, Library> libraries;
  for (cudald::ObjectId id = 0; id < resolution.objects.size(); ++id)
    for (const auto& request : resolution.objects[id].edges) {
      auto& library = libraries[request.name];
      library.askers.push_back(id);
      if (library.request == nullptr) library.request = &request;
    }
  return libraries;
}

/// The shortest way from the program to an object: "/bin/main > /lib/liba.so".
std::string way_to(cudald::ObjectId id, const cudald::Resolution& resolution) {
  std::string way;
  if (const auto chain = cudald::LoadGraph(resolution).shortest_chain(id))
    for (const auto& hop : *chain) way += resolution.objects[hop.from].path + " > ";
  return way + resolution.objects[id].path;
}

/// False if it is missing, and nothing works without it.
bool tell(const std::string& name, const Library& library, const cudald::Resolution& resolution) {
  const auto& request = *library.request;
  const bool missing = !request.object && request.hard;
  const auto answer = request.object ? resolution.objects[*request.object].path : request.error;
  std::cout << cudald::escaped(name) << "\n  " << (missing ? "MISSING: " : "") << cudald::escaped(answer) << '\n';
  for (const auto id : library.askers) std::cout << "  needed by " << cudald::escaped(way_to(id, resolution)) << '\n';
  for (const auto& probe : request.search.probes)
    std::cout << "  tried " << cudald::escaped(probe.path) << ": " << to_string(probe.result) << '\n';
  return !missing;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "usage: who_needs FILE [LD_LIBRARY_PATH]\n";
    return 2;
  }
  const auto files = cudald::make_disk_file_system("/");  // must outlive the session
  cudald::Session session(*files);
  cudald::Query query;
  query.targets = {std::filesystem::absolute(words[1]).string()};
  query.environment = cudald::host_environment();
  if (count > 2) query.environment.variables["LD_LIBRARY_PATH"] = words[2];
  const auto report = session.explain(query);
  // `explain` always answers: what could not be read is part of the answer.
  if (const auto& fault = report.resolution.targets.front().unreadable) {
    std::cerr << "who_needs: " << words[1] << ": " << fault->message << "\n";
    return 2;
  }
  bool complete = true;
  for (const auto& [name, library] : libraries_of(report.resolution))
    complete = tell(name, library, report.resolution) && complete;
  return complete ? 0 : 1;
}
