#pragma once

// cudald as a library: what happens when a program or library is loaded, without running it.
//
//   auto files = cudald::make_disk_file_system("/");
//   cudald::Session session(*files);
//   cudald::Query query;
//   query.targets = {"/usr/lib/libfoo.so"};
//   query.environment = cudald::host_environment();
//   const cudald::Report report = session.explain(query);
//   for (const cudald::Object& object : report.resolution.objects) std::puts(object.path.c_str());
//
// Before version 1.0 the command line is the stable interface; these headers may still change.

#include <cudald/cuda_library.h>
#include <cudald/cuda_objects.h>
#include <cudald/cuda_stack.h>
#include <cudald/deployment.h>
#include <cudald/elf.h>
#include <cudald/elf_entries.h>
#include <cudald/environment.h>
#include <cudald/file_system.h>
#include <cudald/finding.h>
#include <cudald/format.h>
#include <cudald/gpu_architecture.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/knowledge.h>
#include <cudald/library_texts.h>
#include <cudald/limits.h>
#include <cudald/linux_host_file.h>
#include <cudald/load_graph.h>
#include <cudald/message.h>
#include <cudald/pe.h>
#include <cudald/pe_symbols.h>
#include <cudald/policy.h>
#include <cudald/probe.h>
#include <cudald/query.h>
#include <cudald/report.h>
#include <cudald/request.h>
#include <cudald/resolution.h>
#include <cudald/result.h>
#include <cudald/session.h>
#include <cudald/symbols.h>
#include <cudald/wheel.h>
#include <cudald/windows_host_file.h>
#include <cudald/world.h>
#include <cudald/writers.h>
