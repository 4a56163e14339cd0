// What shells are told of commands and options. That the scripts are read by these shells, tests of the program see.

#include "cli/commands/completion.h"

#include <string>

#include <doctest/doctest.h>

#include "cli/options/option_table.h"
#include "common/example_report.h"

namespace cudald {
namespace {

/// The whole line in which the text stands first; empty if there is none.
std::string line_with(const std::string& script, const std::string& part) {
  const auto at = script.find(part);
  if (at == std::string::npos) return "";
  const auto begin = script.rfind('\n', at) + 1;
  return script.substr(begin, script.find('\n', at) - begin);
}

std::string completion(std::string_view shell) {
  return written([&](std::ostream& out) { write_completion(shell, out); });
}

TEST_CASE("bash completes words, folders and files by the option, and the options and words of a command") {
  const auto script = completion("bash");
  CHECK(line_with(script, "--color)") ==
        "    --color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- \"$cur\"); return ;;");
  CHECK(line_with(script, "--prefix)") == "    --prefix) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;");
  for (const auto* file : {"--preload", "--baseline"})
    CHECK(line_with(script, std::string("    ") + file + ") ") ==
          std::string("    ") + file + ") mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;");
  CHECK(line_with(script, "-l|--lib)") == "    -l|--lib) return ;;");
  CHECK(line_with(script, "--driver)") == "    --driver) return ;;");
  CHECK(line_with(script, "--strict)").empty());
  CHECK(line_with(script, "    cache) ") ==
        R"(    cache) options='--color --ascii --width --no-pager -h --help -V --version' words='show clear' ;;)");
  CHECK(line_with(script, "    completion) ").ends_with(" words='bash zsh fish powershell' ;;"));
  CHECK(line_with(script, "    config) ").ends_with(" words='show init' ;;"));
  CHECK(line_with(script, "    rule) ").find(" words='CUD101 CUD102 ") != std::string::npos);
  CHECK(line_with(script, "    help) ")
            .ends_with(" words='explain check probe repair tree why show env diff scan merge "
                       "provides rule config cache schema completion help' ;;"));
  CHECK(line_with(script, "    tree) ").ends_with(" words='' ;;"));
  CHECK(line_with(script, "case $word in") ==
        "    case $word in explain|check|probe|repair|tree|why|show|env|diff|scan|merge|provides|rule|config|cache|"
        "schema|completion|help) command=$word; break ;; esac");
}

TEST_CASE("zsh has an array for each option, with what stands for its value") {
  const auto script = completion("zsh");
  CHECK(line_with(script, "typeset -ga option_color=") ==
        R"(typeset -ga option_color=('*--color[use colours (default\: auto)]:WHEN:(auto always never)'))");
  CHECK(line_with(script, "typeset -ga option_prefix=") ==
        R"(typeset -ga option_prefix=('*--prefix[a venv or conda environment, or a site-packages directory, to look )"
        R"(up names in]:DIR:_files -/'))");
  CHECK(line_with(script, "typeset -ga option_lib=") ==
        R"(typeset -ga option_lib=('*-l[report on this library only, even if it was found]:NAME:' )"
        R"('*--lib[report on this library only, even if it was found]:NAME:'))");
  CHECK(line_with(script, "typeset -ga option_extras=").find(R"( `pip install '\''NAME\[EXTRA\]'\''`; )") !=
        std::string::npos);
  CHECK(line_with(script, "typeset -ga option_preload=") ==
        R"(typeset -ga option_preload=('*--preload[preload a library, before those of LD_PRELOAD; )"
        R"(repeatable]:FILE:_files'))");
  CHECK(line_with(script, "typeset -ga option_clear_env=") ==
        R"(typeset -ga option_clear_env=('*--clear-env[start from an empty environment]'))");
  CHECK(line_with(script, "typeset -ga option_gpu=") ==
        R"(typeset -ga option_gpu=('*--gpu[a GPU of the machine, such as sm_90 or 9.0; libraries need code for )"
        R"(it; repeatable]:GPU:'))");
  CHECK(line_with(script, "'explain:") == R"(    'explain:why a target loads or fails (default command)')");
  const auto of_cache = script.substr(script.find("    cache)\n"));
  CHECK(of_cache.substr(0, of_cache.find(";;")) == R"(    cache)
      options=( $option_color $option_ascii $option_width $option_no_pager $option_help $option_version )"
                                                   R"('*:show|clear:(show clear)') )");
  CHECK(script.find("    explain)\n") == std::string::npos);
  CHECK(script.find(" $option_clear_env") != std::string::npos);
  CHECK(script.find(" '*:TARGET...:_files') ;;\n  esac\n") != std::string::npos);
}

TEST_CASE("fish has a line for each command and option, with the commands that take it") {
  const auto script = completion("fish");
  CHECK(line_with(script, "-a cache ") ==
        R"(complete -c cudald -n __fish_use_subcommand -a cache -d 'show or clear the cache of wheels, imports, )"
        R"(libraries')");
  CHECK(line_with(script, "__fish_seen_subcommand_from cache' -a") ==
        R"(complete -c cudald -f -n '__fish_seen_subcommand_from cache' -a 'show clear')");
  CHECK(line_with(script, " -l color ") ==
        R"(complete -c cudald -l color -x -a 'auto always never' -d 'use colours (default: auto)')");
  CHECK(line_with(script, " -l prefix ") ==
        R"(complete -c cudald -n 'not __fish_seen_subcommand_from show diff merge provides rule config cache schema )"
        R"(completion help' -l prefix -x -a '(__fish_complete_directories)' -d 'a venv or conda environment, or a )"
        R"(site-packages directory, to look up names in')");
  CHECK(line_with(script, " -l lib ") ==
        R"(complete -c cudald -n 'not __fish_seen_subcommand_from check probe repair tree why show env diff scan )"
        R"(merge provides rule config cache schema completion help' -s l -l lib -x -d 'report on this library only, )"
        R"(even if it was found')");
  CHECK(line_with(script, " -l preload ") ==
        R"(complete -c cudald -n 'not __fish_seen_subcommand_from show env diff merge provides rule config cache )"
        R"(schema completion help' -l preload -r -F -d 'preload a library, before those of LD_PRELOAD; repeatable')");
  CHECK(line_with(script, " -l driver ") ==
        R"(complete -c cudald -n 'not __fish_seen_subcommand_from show diff merge provides rule config cache schema )"
        R"(completion help' -l driver -x -d 'the NVIDIA driver version of the machine, such as 535.104, or a )"
        R"(branch, 535')");
  CHECK(line_with(script, " -l strict ") ==
        R"(complete -c cudald -n 'not __fish_seen_subcommand_from repair tree why show env diff scan merge provides )"
        R"(rule config cache schema completion help' -l strict -d 'exit status 3 if an import requests something )"
        R"(that is decided at run time')");
  CHECK(line_with(script, " -l state ") ==
        R"(complete -c cudald -n '__fish_seen_subcommand_from scan' -l state -x -a '(__fish_complete_directories)' -d )"
        R"('the directory for the list and results of a scan; workers share it')");
  CHECK(line_with(script, " -l help ") == R"(complete -c cudald -s h -l help -d '-h: one screen; --help: full help')");
}

TEST_CASE("PowerShell has tables of commands, their words, and options with their values") {
  const auto script = completion("powershell");
  CHECK(line_with(script, "    'cache' = '") ==
        R"(    'cache' = 'show or clear the cache of wheels, imports, libraries')");
  CHECK(line_with(script, "    'cache' = @(") == "    'cache' = @('show', 'clear')");
  CHECK(line_with(script, "    'tree' = @(").empty());
  CHECK(line_with(script, "name = '--color'") ==
        R"(    @{ name = '--color'; summary = 'use colours (default: auto)'; commands = @('explain', 'check', )"
        R"('probe', 'repair', 'tree', 'why', 'show', 'env', 'diff', 'scan', 'merge', 'provides', 'rule', 'config', )"
        R"('cache', 'schema', 'completion', 'help'); values = @('auto', 'always', 'never') })");
  CHECK(line_with(script, "name = '--state'") ==
        R"(    @{ name = '--state'; summary = 'the directory for the list and results of a scan; workers )"
        R"(share it'; commands = @('scan'); values = @() })");
}

}  // namespace
}  // namespace cudald
