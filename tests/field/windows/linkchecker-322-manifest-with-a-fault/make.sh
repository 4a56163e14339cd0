#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32 C/LinkChecker C/app
for d in kernel32 ntdll kernelbase; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
TOP='<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">'
identity() { # VERSION
  echo '<assemblyIdentity type="win32" name="Microsoft.VC90.CRT"' version=$1
  echo 'processorArchitecture="amd64" publicKeyToken="1fc8b3b9a1e18e3b"/>'
}
program() { # FILE VERSION: needs that version of the assembly
  { echo "$TOP<dependency><dependentAssembly>"; identity "\"$2\""
    echo '</dependentAssembly></dependency></assembly>'; } >app.manifest
  stub $1 --exe --imports MSVCR90.dll:malloc KERNEL32.dll:ExitProcess --manifest app.manifest
  stub "$(dirname $1)/msvcr90.dll" --exports malloc
}
program C/LinkChecker/linkchecker.exe 9.0.21022.8
{ echo '<?xml version="1.0"?>'; echo "$TOP"; echo '<noInheritable/>'; identity 9.0.21022.8; echo '</assembly>'
} >C/LinkChecker/Microsoft.VC90.CRT.manifest
program C/app/padherder.exe 9.0.30729.6161
{ echo "$TOP<noInheritable/>"; identity '"9.0.21022.8"'; echo '<file name="msvcr90.dll"/></assembly>'
} >C/app/Microsoft.VC90.CRT.manifest
