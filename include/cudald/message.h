#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/knowledge.h>

namespace cudald {

/// What a message means for the program that prints it.
enum class MessageKind {
  soft,  ///< it goes on
  hard,  ///< the load fails
  gpu,   ///< a call of CUDA fails
};

std::string_view to_string(MessageKind);

/// What a message proves of the program that printed it.
enum class MessageEffect {
  nothing,   ///< all works as before
  cpu_only,  ///< the GPU is not used
  risk,      ///< something failed: at the start, or when it was used
};

/// What the build of a framework does not fit, as a message says.
enum class UnfitFor { nothing, gpu, driver };

/// What a message that a user pasted says, as far as data/messages.json knows it.
struct MessageReading {
  std::string text;       ///< the line that was recognised
  std::string library;    ///< that it names, or is about; empty if there is none
  std::string needed_by;  ///< the library that was to be loaded, and needs that one; empty: that one itself
  std::string symbol, version, module;  ///< likewise
  /// What installs the module, or the file below a site-packages, that it names; empty if that is not known.
  std::string distribution;
  std::string extension_of;  ///< the framework that this was compiled against in another release; or empty
  /// The path at which it names the library, where nothing is, and where one of that name lies. Empty: not looked for.
  std::string named_path, other_path;
  std::string built_with;  ///< the release that what prints it was compiled with, if it says so
  MessageKind kind = MessageKind::hard;
  std::string who;  ///< who prints it
  std::string means;
  std::string source;
  MessageEffect effect = MessageEffect::risk;
  std::string fix, command;     ///< what helps, in words, and what to paste; may be empty
  bool opens = false;           ///< the library was opened by its name: nothing in the files has to name it
  std::string plugin;           ///< "platforms/qxcb": the plug-in that it is about; may be empty
  bool native_binding = false;  ///< of a package of npm, whose compiled file is missing or does not load
  bool dotnet = false;          ///< of .NET on Linux, which tries several names and places of one library
  bool about_search = false;    ///< that is to take another copy out of the search, which the files show or refute
  /// What helps where the library is installed and not searched for: {folder} is its directory, {toolkit} the one two
  /// above, in which a toolkit has it. May be empty.
  std::string found_fix, found_command;
  std::vector<std::string> speakers;  ///< Python modules one of which prints it; empty: anything may
  std::string cuda;                   ///< "11", which these are built for; empty: any
  std::vector<std::string> findings;  ///< codes of what the files show then, at whatever level
  UnfitFor unfit_for = UnfitFor::nothing;
  bool needs_newer_driver = false;  ///< the driver is older than what runs was made for
  std::string unconfigured;  ///< a word of directories that ld.so.conf.d is not to bring into the search; or empty
  std::string conda_prefix;  ///< the environment of conda that a path in the pasted text leads into, or empty
  std::string number;        ///< of that GPU, "sm_120", or the newest CUDA of that driver, "11.4"; empty: it names none
  std::string fixed_text;    ///< the longest part of the message that never varies: who prints it holds it
};

/// Finds the first message in a text that the table knows; nullopt if there is none. Lines of more than 4,096 bytes,
/// and what comes after the first megabyte, are passed over.
std::optional<MessageReading> read_message(std::string_view pasted, const Knowledge&);

}  // namespace cudald
