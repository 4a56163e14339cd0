// The functions of fmt, compiled once. With FMT_HEADER_ONLY each unit would compile them again, which takes two seconds
// of each; fmt's own library would be one more for each start to load, and Debian has no static one. What fmt's headers
// only declare is all that stands here, with the templates that they take from elsewhere (fmt 9.1 to 12.1).
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto thousands_sep_impl<char>(locale_ref locale) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref locale) -> char;
template auto dragonbox::to_decimal<float>(float value) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal<double>(double value) noexcept -> dragonbox::decimal_fp<double>;
#if FMT_VERSION >= 100000 && FMT_VERSION < 110000
template void vformat_to(buffer<char>& into, string_view text, vformat_args<>::type args, locale_ref locale);
#endif

}  // namespace detail
FMT_END_NAMESPACE
