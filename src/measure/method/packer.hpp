#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace espalier::measure {

/// Values one after the other as bytes, for messages between processes of one program.
class Packer {
public:
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void put_all(const std::vector<T>& values) {
        put(values.size());
        for (const T& value : values) put(value);
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// Takes out what a Packer put in, in the same order.
class Unpacker {
public:
    explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}
    explicit Unpacker(std::string&&) = delete;
    template <typename T>
    requires std::is_trivially_copyable_v<T> T take() {
        T value{};
        bytes_.copy(reinterpret_cast<char*>(&value), sizeof value, position_);
        position_ += sizeof value;
        return value;
    }
    template <typename T>
    requires std::is_trivially_copyable_v<T> std::vector<T> take_all() {
        std::vector<T> values(take<std::size_t>());
        for (T& value : values) value = take<T>();
        return values;
    }
    [[nodiscard]] bool done() const { return position_ >= bytes_.size(); }

private:
    const std::string& bytes_;
    std::size_t position_ = 0;
};

}  // namespace espalier::measure
