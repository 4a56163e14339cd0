#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/app/dotnet.exe --exe --imports KERNEL32.dll:ExitProcess
stub $W/app/native/soem_wrapper.dll --exports Scan \
  --imports wpcap.dll:pcap_open Packet.dll:PacketOpenAdapter KERNEL32.dll:Sleep
