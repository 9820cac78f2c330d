#pragma once

#include <pugixml.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace espalier::importers {

/// An XML file, and where in it things are.
class XmlFile {
public:
    /// Throws InputError naming file and line where it can't be read or is malformed.
    explicit XmlFile(const std::string& path);
    /// Parses a file whose content is known.
    XmlFile(std::string path, std::string text);

    [[nodiscard]] pugi::xml_node root() const { return document_->document_element(); }
    /// Throws InputError naming the file and the line on which `node` begins.
    [[noreturn]] void fail(const pugi::xml_node& node, const std::string& problem) const;

private:
    [[nodiscard]] std::size_t line_at(std::ptrdiff_t offset) const;

    std::string path_;
    std::string text_;
    std::unique_ptr<pugi::xml_document> document_;
};

}  // namespace espalier::importers
