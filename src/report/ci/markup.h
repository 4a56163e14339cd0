#pragma once

#include <string>
#include <string_view>

namespace cudald {

// Text from files, which may mean harm, made fit for the formats of others. Each takes any bytes: what is no valid
// UTF-8, moves a cursor or turns text around becomes a visible escape first, as on a terminal.

/// For text and attributes of XML and HTML.
std::string xml_text(std::string_view);
/// For text of GitHub's Markdown, also within elements of HTML: no markup, no link, and nobody is mentioned.
std::string markdown_text(std::string_view);
/// What stands between quotes in DOT.
std::string dot_text(std::string_view);
/// What stands between quotes in a node or on an edge of Mermaid.
std::string mermaid_text(std::string_view);
/// The text of a command of GitHub's workflows, and the value of one of its properties.
std::string workflow_text(std::string_view);
std::string workflow_property(std::string_view);
/// A path as a reference of a URI: relative as it is given, absolute with file://.
std::string uri_of_path(std::string_view);

}  // namespace cudald
