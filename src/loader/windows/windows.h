#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "loader/loader.h"
#include "loader/windows/windows_assemblies.h"
#include "machine/windows_host.h"

namespace cudald {

/// What the rules of Windows are answered from, beside the request. The process keeps it true as it goes on.
struct WindowsFacts {
  WindowsHost host;
  std::uint16_t machine = 0;  ///< of the program
  Format format = Format::unknown;
  std::map<ObjectId, ActivationContext> contexts;  ///< of the objects that have a manifest
};

/// The loader of Windows: which DLL a name means, and why a file is not taken.
/// Source: Microsoft's "Dynamic-link library search order", "Factors that affect searching".
class WindowsLoader final : public Loader {
 public:
  /// The facts outlive the loader.
  explicit WindowsLoader(const WindowsFacts& facts) : facts_(facts) {}

  /// Imports are mapped with the file, delay imports when a function of theirs is first called.
  std::vector<Need> needs(const Image&) const override;
  /// As windows_module_name.
  Result<std::string> expanded_name(const Request&, const Resolution&) const override;
  /// A loaded module of that name, wherever it came from; of an API set, the DLL that it stands for; of a file of an
  /// assembly, that file.
  std::optional<Reuse> reuse(const Request&, const Resolution&, const std::vector<ObjectId>& named) const override;
  void search(const Request&, const Resolution&, SearchVisitor&) const override;
  const std::vector<std::string>& subfolders() const override;
  /// A DLL of Windows, of a described machine or of python.org's Python, of which only the name is known.
  bool known_by_name(const std::string& path) const override;
  /// A file for another machine is passed over, which leaves error 193 if nothing else is found; whatever is no PE file
  /// ends the search. Source: wine dlls/ntdll/loader.c, search_dll_file; ReactOS does the same for Windows 10
  /// (LdrpMapDllSearchPath).
  Judgement judge(const OpenedFile&, const Request&) const override;
  /// What is taken is mapped: DllMain is not simulated.
  Judgement admit(const OpenedFile&, const Request&, const Resolution&) const override { return {}; }
  std::vector<std::string> names(const Request&, const std::string& path, bool is_new) const override;
  /// A side-by-side assembly that is missing: "Microsoft.VC90.CRT 9.0.21022.8".
  std::string objection(ObjectId, const Resolution&) const override;
  std::string not_found(const Request&, const Resolution&, const Search&) const override;
  std::string refused(const Request&, const std::string& subject, const std::string& text,
                      const Resolution&) const override;
  std::string origin(const std::string& load_name) const override;
  /// The object that calls LoadLibrary has no search path of its own.
  bool dlopen_searches_for_caller() const override { return true; }

 private:
  bool is_api_set_here(const std::string& lower_name) const;
  bool is_known_dll_here(const std::string& lower_name) const;
  /// The file of an assembly that the name, in lower case, means for a requester; nullptr if it means none.
  const std::string* redirected(const std::string& lower_name, ObjectId requester, const Resolution&) const;

  const WindowsFacts& facts_;
};

}  // namespace cudald
