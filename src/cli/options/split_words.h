#pragma once

#include <string>
#include <vector>

#include <cudald/result.h>

namespace cudald {

struct OptionRule;  // cli/options/option_table.h

/// An option of the command line with its value, or an argument.
struct Word {
  const OptionRule* option = nullptr;  ///< nullptr: it is an argument
  std::string value;                   ///< empty where the option takes none
  bool is_long = false;                ///< the option is written out: --help, not -h
};

/// The words of a command line by the options that there are, as Boost takes them apart; its exceptions end here:
/// "--name", "--name value" and "--name=value", "-n",
/// "-nvalue" and "-n value", letters of options without values in one word ("-qv"); all is an argument behind "--".
/// Names are not abbreviated: an abbreviation would stop working when a longer option with the same beginning is added.
Result<std::vector<Word>> split_words(const std::vector<std::string>& words);

/// "`--sysroot`" or "`-f`": a word of the command line in a message.
std::string backquoted(std::string_view word);

}  // namespace cudald
