#include "importers/xml.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::importers {

XmlFile::XmlFile(const std::string& path) : XmlFile(path, read_file(path)) {}

XmlFile::XmlFile(std::string path, std::string text)
    : path_(std::move(path)),
      text_(std::move(text)),
      document_(std::make_unique<pugi::xml_document>()) {
    const auto result = document_->load_buffer(text_.data(), text_.size());
    if (!result)
        throw InputError(path_, fmt::format("line {}", line_at(result.offset)),
                         result.description());
}

std::size_t XmlFile::line_at(std::ptrdiff_t offset) const {
    const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(
                                         offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return 1 + static_cast<std::size_t>(std::count(text_.begin(), end, '\n'));
}

void XmlFile::fail(const pugi::xml_node& node, const std::string& problem) const {
    throw InputError(path_, fmt::format("line {}", line_at(node.offset_debug())), problem);
}

}  // namespace espalier::importers
