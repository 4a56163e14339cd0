#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cudald/environment.h>

#include "loader/loader.h"
#include "machine/glibc_facts.h"
#include "machine/survey/machine_gpus.h"
#include "machine/windows_host.h"
#include "session/refused_loads.h"
#include "session/shared_readings.h"
#include "store/store.h"

namespace cudald {

struct Abi;        // machine/abi.h
class WheelIndex;  // session/wheel_index.h

/// What earlier steps of a fix would bring: modules that are not installed, and names, "module.name", that modules
/// lack; and the distributions of which the newest release is installed for that, by normal names.
struct AssumedNames {
  std::set<std::string, std::less<>> modules, names, distributions;
  std::size_t size() const { return modules.size() + names.size(); }
};

/// What a session keeps between its questions, and the machine of the one that is being answered.
class SessionState {
 public:
  SessionState(const FileSystem& files, ThreadLimit& threads, std::shared_ptr<const Knowledge> knowledge,
               SharedReadings& readings)
      : given(files), shared(readings), store(files, threads, std::move(knowledge)) {
    store.images.take_facts_from(readings.facts);
  }

  /// The rules of one loader, set up once for all questions that need the same. It stays where it is.
  const ElfLoader& loader(const std::string& interpreter, const Abi&, bool musl, const Environment&);
  /// The one that was asked for last; nullptr if none was.
  const ElfLoader* last_loader() const { return last_loader_; }

  /// Those of the machine that runs, asked for once.
  const std::vector<MachineGpu>& machine_gpus();

  WheelIndex* index = nullptr;  ///< where commands that install something can be tried; mostly none
  const FileSystem& given;      ///< in which files and packages that are asked about lie, whatever the world is
  SharedReadings& shared;       ///< with other sessions
  Store store;
  std::unique_ptr<FileSystem> described;  ///< the tree of the described machine; mostly none
  std::optional<GlibcFacts> facts;        ///< of the C library in such a world; of musl, its folders
  RefusedLoads refused_loads;             ///< of the question, as it was answered before
  std::size_t rounds = 0;                 ///< how often that was
  AssumedNames assumed;                   ///< what is taken to be there, as an earlier step brings it
  bool foresees = true;                   ///< what fails once the first fault is fixed is asked for
  std::optional<WindowsHost> windows;     ///< the machine of the last process of Windows
  bool fresh_windows = false;             ///< nothing was installed on that machine

 private:
  std::unique_ptr<ElfLoader> make_loader(const std::string& interpreter, const Abi&, bool musl,
                                         const Environment&) const;

  struct KnownLoader {
    std::string interpreter;
    const Abi* abi;
    Environment environment;
    std::unique_ptr<ElfLoader> loader;
  };
  std::vector<KnownLoader> loaders_;
  std::optional<std::vector<MachineGpu>> machine_gpus_;
  const ElfLoader* last_loader_ = nullptr;
};

}  // namespace cudald
