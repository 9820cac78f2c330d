#pragma once

namespace espalier::measure {

/// The tags of a stream's messages and of their answers, which come from the other end. `index`
/// counts the streams between two hosts, in one direction; few of them are under way at once. All
/// are among those that every MPI has (0 to 32767), and no other messages of measuring have them.
struct StreamTags {
    static constexpr int apart = 8000;

    int data;
    int credit;

    explicit constexpr StreamTags(int index)
        : data(apart + index % apart), credit(2 * apart + index % apart) {}
};

}  // namespace espalier::measure
