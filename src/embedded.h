#pragma once

#include <string_view>

namespace cudald {

// Files of the repository as they were when the program was built (tools/embed.py). Tables, in the form that
// parse_table of base/json.h reads:
std::string_view embedded_requirements();      ///< data/requirements.json
std::string_view embedded_changed_names();     ///< data/changed-names.json
std::string_view embedded_providers();         ///< data/providers.json
std::string_view embedded_conda_packages();    ///< data/conda-packages.json
std::string_view embedded_system_packages();   ///< data/system-packages.json
std::string_view embedded_debian_libraries();  ///< data/debian-libraries.json
std::string_view embedded_first_seen();        ///< data/first-seen.json
std::string_view embedded_manylinux();         ///< data/manylinux.json
std::string_view embedded_windows();           ///< data/windows.json
std::string_view embedded_linux_names();       ///< data/linux-names.json
std::string_view embedded_module_names();      ///< data/module-names.json
std::string_view embedded_newest_releases();   ///< data/newest-releases.json
std::string_view embedded_system_releases();   ///< data/system-releases.json
std::string_view embedded_known_dlopens();     ///< data/known-dlopens.json
std::string_view embedded_gpu_use();           ///< data/gpu-use.json
std::string_view embedded_frameworks();        ///< data/frameworks.json
std::string_view embedded_cuda();              ///< data/cuda.json
std::string_view embedded_messages();          ///< data/messages.json
std::string_view embedded_stable_abi();        ///< data/stable-abi.json
std::string_view embedded_glibc_functions();   ///< data/glibc-functions.json
std::string_view embedded_python_rules();      ///< data/python-rules.json

// Texts, as they are:
std::string_view embedded_report_schema();       ///< docs/json-schema.json
std::string_view embedded_wheel_schema();        ///< docs/wheel-schema.json
std::string_view embedded_man_page();            ///< man/cudald.1.in
std::string_view embedded_page_style();          ///< src/report/html/page.css
std::string_view embedded_page_script();         ///< src/report/html/page.js
std::string_view embedded_image_schema();        ///< docs/schemas/image.json
std::string_view embedded_env_schema();          ///< docs/schemas/env.json
std::string_view embedded_provides_schema();     ///< docs/schemas/provides.json
std::string_view embedded_diff_schema();         ///< docs/schemas/diff.json
std::string_view embedded_repair_schema();       ///< docs/schemas/repair.json
std::string_view embedded_why_schema();          ///< docs/schemas/why.json
std::string_view embedded_requesters_schema();   ///< docs/schemas/requesters.json
std::string_view embedded_rules_schema();        ///< docs/schemas/rules.json
std::string_view embedded_config_schema();       ///< docs/schemas/config.json
std::string_view embedded_message_schema();      ///< docs/schemas/message.json
std::string_view embedded_host_schema();         ///< docs/schemas/host.json
std::string_view embedded_baseline_schema();     ///< docs/schemas/baseline.json
std::string_view embedded_deployment_schema();   ///< docs/schemas/deployment.json
std::string_view embedded_scan_record_schema();  ///< docs/schemas/scan-record.json
std::string_view embedded_scan_list_schema();    ///< docs/schemas/scan-list.json

}  // namespace cudald
