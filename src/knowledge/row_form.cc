#include "knowledge/row_form.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cudald {
namespace {

using Json = nlohmann::json;

struct Key {
  std::string name;
  char type = 't';
  bool nullable = false, identifies = false;
};

std::vector<Key> keys_of(std::string_view form) {
  std::vector<Key> keys;
  bool identifies = true;
  std::string name;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == ' ') continue;
    if (form[i] == '|') {
      identifies = false;
    } else if (form[i] != ':') {
      name += form[i];
    } else {
      const char type = form[++i];
      const bool nullable = type >= 'A' && type <= 'Z';
      keys.push_back(
          {std::exchange(name, ""), nullable ? static_cast<char>(type + ('a' - 'A')) : type, nullable, identifies});
    }
  }
  return keys;
}

bool is_version(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return !text.empty() && text.find_first_not_of("0123456789.post") == std::string::npos;
}

/// Names in braces, each between texts, or at an end.
bool is_message(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  bool inside = false, any_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens = text[i] == '{', closes = text[i] == '}';
    if (opens ? inside || (i > 0 && text[i - 1] == '}') : closes && !inside) return false;
    if (opens || closes)
      inside = opens;
    else
      any_text |= !inside;
  }
  return any_text && !inside;
}

bool is_of_type(const Json& value, char type) {
  switch (type) {
    case 'v': return is_version(value);
    case 'n': return value.is_number_unsigned();
    case 'k': return value.is_string() && kind_named(value.get_ref<const std::string&>());
    case 'p': return value == "linux" || value == "windows";
    case 'b': return value.is_boolean();
    case 'l':
      return value.is_array() &&
             std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_string(); });
    case 'm': return is_message(value);
    case 'o': return value.is_structured();
    default: return value.is_string() && !value.get_ref<const std::string&>().empty();
  }
}

std::string_view wanted(char type) {
  switch (type) {
    case 'v': return "a version";
    case 'n': return "a number";
    case 'k': return "a kind of library that cudald knows";
    case 'p': return "\"linux\" or \"windows\"";
    case 'b': return "true or false";
    case 'l': return "a list of texts";
    case 'm': return "a text, or texts with names in braces between them";
    case 'o': return "a list or an object";
    default: return "a text";
  }
}

}  // namespace

std::optional<CudaKind> kind_named(std::string_view word) {
  constexpr std::array kinds = {CudaKind::cudart,   CudaKind::cudnn,          CudaKind::cublas,    CudaKind::cublas_lt,
                                CudaKind::cufft,    CudaKind::curand,         CudaKind::cusolver,  CudaKind::cusparse,
                                CudaKind::nvrtc,    CudaKind::nvrtc_builtins, CudaKind::nvjitlink, CudaKind::nccl,
                                CudaKind::tensorrt, CudaKind::driver};
  for (const auto kind : kinds)
    if (to_string(kind) == word) return kind;
  return std::nullopt;
}

std::string fault_of_row(std::string_view form, const Json& row) {
  if (!row.is_object()) return "is not an object";
  std::set<std::string> known = {"source", "checked", "proof"};
  for (const auto& key : keys_of(form)) {
    known.insert(key.name);
    const auto value = row.find(key.name);
    if (value == row.end()) {
      if (!key.nullable) return fmt::format("lacks `{}`", key.name);
    } else if (!(key.nullable && value->is_null()) && !is_of_type(*value, key.type)) {
      return fmt::format("`{}` must be {}{}", key.name, wanted(key.type), key.nullable ? " or null" : "");
    }
  }
  for (const auto& [name, value] : row.items())
    if (!known.contains(name)) return fmt::format("`{}` is not known", name);
  for (const auto* name : {"source", "checked"})
    if (row.contains(name) && !row.at(name).is_string()) return fmt::format("`{}` must be a text", name);
  if (const auto proof = row.value("proof", Json()); !proof.is_null() && !proof.is_string() && !proof.is_array())
    return "`proof` must be a text or null";
  return "";
}

bool is_same_row(std::string_view form, const Json& one, const Json& other) {
  const auto value = [](const Json& row, const std::string& name) { return row.value(name, Json()); };
  for (const auto& key : keys_of(form))
    if (key.identifies && value(one, key.name) != value(other, key.name)) return false;
  return true;
}

}  // namespace cudald
