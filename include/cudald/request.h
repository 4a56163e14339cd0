#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudald {

/// A row of a table: one sentence, and where it comes from.
struct KnownFact {
  std::string text, source;
};

/// How it is known that somebody asks for a library, where neither the headers of a file nor Python code say so.
struct HowKnown {
  std::string source;               ///< of the table's row; empty if no table says it
  std::vector<std::string> pieces;  ///< texts in the file of which it may make the name
  std::vector<KnownFact> facts;     ///< what is known beside, told if the request fails
  std::string function;       ///< that the file calls, "dlopen", and may hand a text to that is the name; else empty
  std::uint64_t text_at = 0;  ///< where in the file that text begins
};

/// When a request is made.
enum class RequestTime {
  now,        ///< as the program starts, or where the code that is followed makes it
  later,      ///< only on use: what it brings in is not mapped now
  unreached,  ///< never by the import that is followed: of an extension module that it does not come to
};

/// What is said of a request beside the name that it asks for: how it is made, and what hangs on it.
struct RequestTraits {
  bool global = false;    ///< RTLD_GLOBAL
  bool bind_now = false;  ///< RTLD_NOW
  bool deepbind = false;  ///< RTLD_DEEPBIND
  bool optional = false;  ///< a failure is no failure of the whole: it is caught, or nothing surely asks
  bool warned = false;    ///< of a failure that is caught: the code prints or logs it
  bool gpu = false;       ///< if it fails, the GPU is not used
  RequestTime when = RequestTime::now;
  std::string without;   ///< what happens if it fails, in sentences; may be empty
  std::string asked_at;  ///< as Edge::asked_at
};

/// A call of dlopen or LoadLibrary that is simulated after the start.
struct DlopenRequest {
  std::string name;
  std::string caller = {};  ///< soname, file name or path of a loaded object; empty: the main program
  RequestTraits traits = {};
  HowKnown known = {};
};

}  // namespace cudald
