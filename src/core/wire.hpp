#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace espalier {

/// A type that goes into a message as the bytes that it has in memory.
template <typename T>
concept PlainValue =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::range<T>;

/// Values one after the other as bytes, for messages between processes of one program: plain ones,
/// texts, and lists and optional values of such. A function template of a writer or a reader that
/// calls either with the same values in the same order says for both directions what is sent.
class WireWriter {
public:
    template <typename... Values>
    void operator()(const Values&... values) {
        (write(values), ...);
    }
    [[nodiscard]] const std::string& bytes() const& { return bytes_; }
    [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

private:
    template <PlainValue T>
    void write(const T& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void write(const std::string& text) {
        write(text.size());
        bytes_ += text;
    }
    template <typename T>
    void write(const std::vector<T>& list) {
        write(list.size());
        for (const T& value : list) write(value);
    }
    template <typename T>
    void write(const std::optional<T>& value) {
        write(value.has_value());
        if (value) write(*value);
    }

    std::string bytes_;
};

/// Takes out what a WireWriter put in, in the same order. Throws std::out_of_range where the bytes
/// end before that.
class WireReader {
public:
    /// `bytes` outlive it.
    explicit WireReader(const std::string& bytes) : bytes_(bytes) {}
    explicit WireReader(std::string&&) = delete;

    template <typename... Values>
    void operator()(Values&... values) {
        (read(values), ...);
    }
    template <typename T>
    [[nodiscard]] T take() {
        T value{};
        read(value);
        return value;
    }
    [[nodiscard]] bool done() const { return position_ == bytes_.size(); }

private:
    template <PlainValue T>
    void read(T& value) {
        std::memcpy(&value, next(sizeof value), sizeof value);
    }
    void read(std::string& text) {
        const auto size = take<std::size_t>();
        text.assign(next(size), size);
    }
    template <typename T>
    void read(std::vector<T>& list) {
        auto left = take<std::size_t>();
        list.clear();
        list.reserve(std::min(left, bytes_.size() - position_));
        for (; left > 0; --left) read(list.emplace_back());
    }
    template <typename T>
    void read(std::optional<T>& value) {
        value.reset();
        if (take<bool>()) read(value.emplace());
    }

    const char* next(std::size_t size) {
        if (size > bytes_.size() - position_)
            throw std::out_of_range("a message ends before its last value");
        const char* const place = bytes_.data() + position_;
        position_ += size;
        return place;
    }

    const std::string& bytes_;
    std::size_t position_ = 0;
};

}  // namespace espalier
