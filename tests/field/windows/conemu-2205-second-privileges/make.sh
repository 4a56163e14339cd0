#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
P='<requestedPrivileges><requestedExecutionLevel level="asInvoker" uiAccess="false"/></requestedPrivileges>'
{ echo '<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">'
  printf '<trustInfo xmlns="urn:schemas-microsoft-com:asm.v3"><security>\n%s\n%s' "$P" "$P"
  echo '</security></trustInfo></assembly>'; } >setup.manifest
stub C/get/ConEmuSetup.exe --exe --imports KERNEL32.dll:ExitProcess --manifest setup.manifest
