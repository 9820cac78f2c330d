#pragma once

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::report::test {

/// An element of a picture, as a reader that knows nothing of how it was made finds it.
struct Element {
    std::string tag;
    std::map<std::string, std::string> attributes;
    std::string text;
    std::vector<Element> children;

    [[nodiscard]] std::string get(const std::string& name) const {
        const auto found = attributes.find(name);
        return found == attributes.end() ? std::string() : found->second;
    }
    [[nodiscard]] double number(const std::string& name) const {
        const std::string value = attributes.at(name);
        double out = 0;
        const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), out);
        if (fault != std::errc{} || end != value.data() + value.size())
            throw std::runtime_error(name + " is not a number: " + value);
        return out;
    }
    void each(const std::function<void(const Element&)>& visit) const {
        visit(*this);
        for (const Element& child : children) child.each(visit);
    }
    /// This element and those below it, that have this class.
    [[nodiscard]] std::vector<Element> of_class(const std::string& name) const {
        std::vector<Element> out;
        each([&](const Element& element) {
            if (element.get("class") == name) out.push_back(element);
        });
        return out;
    }
};

/// Reads the part of XML that pictures use, strictly: throws std::runtime_error where a tag does
/// not match, a name repeats, a reference is unknown or a character is not allowed.
class XmlReader {
public:
    static Element read(std::string_view text) {
        XmlReader reader(text);
        reader.skip_space();
        Element root = reader.element();
        reader.skip_space();
        if (!reader.rest_.empty()) throw std::runtime_error("text after the document");
        return root;
    }

private:
    explicit XmlReader(std::string_view text) : rest_(text) {}

    static bool is_space(char c) { return c == ' ' || c == '\n'; }
    static bool is_name(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == ':';
    }
    void skip_space() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }
    bool accept(std::string_view word) {
        if (rest_.substr(0, word.size()) != word) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    void expect(std::string_view word) {
        if (!accept(word))
            throw std::runtime_error("expected " + std::string(word) + " at " +
                                     std::string(rest_.substr(0, 40)));
    }
    std::string name() {
        std::size_t length = 0;
        while (length < rest_.size() && is_name(rest_[length])) ++length;
        if (length == 0) throw std::runtime_error("expected a name");
        std::string out(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return out;
    }
    /// Text up to a character of `stop`, its references resolved.
    std::string content(std::string_view stop) {
        std::string out;
        while (!rest_.empty() && stop.find(rest_.front()) == std::string_view::npos) {
            if (accept("&amp;")) {
                out += '&';
            } else if (accept("&lt;")) {
                out += '<';
            } else if (accept("&gt;")) {
                out += '>';
            } else if (accept("&quot;")) {
                out += '"';
            } else if (accept("&#10;")) {
                out += '\n';
            } else {
                const char c = rest_.front();
                if (c == '&' || c == '<') throw std::runtime_error("markup in text");
                if (static_cast<unsigned char>(c) < 0x20 && !is_space(c) && c != '\t')
                    throw std::runtime_error("control character");
                out += c;
                rest_.remove_prefix(1);
            }
        }
        return out;
    }
    Element element() {
        expect("<");
        Element out;
        out.tag = name();
        for (skip_space(); !accept("/>"); skip_space()) {
            if (accept(">")) {
                finish(out);
                return out;
            }
            const std::string key = name();
            expect("=\"");
            if (!out.attributes.emplace(key, content("\"")).second)
                throw std::runtime_error("attribute twice: " + key);
            expect("\"");
        }
        return out;
    }
    void finish(Element& out) {
        while (true) {
            out.text += content("<");
            if (accept("</")) break;
            out.children.push_back(element());
        }
        if (const std::string closing = name(); closing != out.tag)
            throw std::runtime_error("<" + out.tag + "> closed by </" + closing + ">");
        expect(">");
    }

    std::string_view rest_;
};

}  // namespace espalier::report::test
