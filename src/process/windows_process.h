#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <cudald/pe_symbols.h>
#include <cudald/query.h>
#include <cudald/resolution.h>
#include <cudald/symbols.h>

#include "loader/windows/windows.h"
#include "loader/windows/windows_errors.h"
#include "machine/windows_host.h"
#include "machine/windows_tree.h"
#include "process/activation_contexts.h"
#include "process/walk.h"

namespace cudald {

/// A simulated process of Windows: turns requests for DLLs into a Resolution.
class WindowsProcess final : public Walk {
 public:
  /// With `bind`, every function that is imported is looked up as well.
  WindowsProcess(ImageStore& images, WindowsHost host, bool bind);

  /// Starts the program at `path` of the tree; its image must be readable.
  void start(const std::string& given, const std::string& path);
  /// Starts a neutral program that imports `needs` alone, for DLLs that some program will load.
  void start_host(const std::string& given, const std::string& name, const Image& like,
                  const std::vector<std::string>& needs = {});
  /// LoadLibraryEx(name, flags) of a bare name or a full path of Windows. Of `call` it takes what says how bad a
  /// failure is. Returns the error's number, 0 if it loads; `refused_by_python` if the system would have loaded it.
  int load(const std::string& given, const std::string& name, const WindowsLoadFlags&, WindowsCaller,
           const DlopenRequest& call);
  /// A load that somebody may make later: it is searched as it would be, nothing is mapped.
  void note_soft_load(const std::string& name, const WindowsLoadFlags&, const std::string& asked_at);

  // What later loads search.
  bool has_folder(const std::string& path);
  void add_dll_directory(const std::string& path);
  /// SetDllDirectory; an empty path takes the current folder out of the search.
  void set_dll_directory(const std::string& path) { facts_.host.dll_directory = path; }
  /// The variable PATH.
  void set_path(const std::string& folders);

  const WindowsHost& host() const { return facts_.host; }
  WindowsTree& tree() { return tree_; }
  SymbolReport take_symbols() { return std::move(symbols_); }
  Resolution take() override;

 private:
  struct Functions {
    PeSymbols symbols;
    std::unordered_map<std::string_view, const ExportedFunction*> by_name;
    std::unordered_map<std::uint32_t, const ExportedFunction*> by_ordinal;
  };

  void add_start(const std::string& given, const Image& like);
  /// Maps what an object needs, and puts all of it into the list of the last target.
  void map(ObjectId, ObjectId first_new, const WindowsLoad&);
  void note_objections(ObjectId first_new);
  WindowsFailure bind_functions(ObjectId first_new, const WindowsLoad&);
  WindowsFailure bind(ObjectId user, const ImportedFunction&, ObjectId provider, const WindowsLoad&);
  /// Nullopt if some DLL has it; else what is wrong. Follows forwarders, which load DLLs.
  std::optional<std::string> find_function(const ImportedFunction&, ObjectId provider, const WindowsLoad&, int depth);
  const Functions& functions_of(ObjectId);
  WindowsFailure finish(ObjectId first_new, const WindowsLoad&);

  const Loader& rules() const override { return loader_; }
  /// Finds the assemblies of its manifest, which may redirect what it imports.
  void entered(ObjectId) override;
  std::optional<std::string> place_of(const std::string& path) override;

  WindowsFacts facts_;
  WindowsLoader loader_;
  WindowsTree tree_;
  ActivationContexts manifests_;
  bool bind_ = true;
  SymbolReport symbols_;
  std::unordered_map<const Image*, std::unique_ptr<Functions>> functions_;
};

}  // namespace cudald
