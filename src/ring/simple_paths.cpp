#include "ring/simple_paths.hpp"

namespace espalier::ring {
namespace {

class Walk {
public:
    Walk(const Platform& platform, Vertex target, std::size_t most)
        : platform_(platform),
          target_(target),
          most_(most),
          steps_left_(1000 * (most + 1)),
          visited_(platform.vertices(), 0) {}

    /// false: there are too many.
    bool go_on_from(Vertex vertex) {
        if (vertex == target_) {
            found_.push_back(path_);
            return found_.size() <= most_;
        }
        visited_[vertex] = 1;
        for (const auto& arc : platform_.leaving(vertex)) {
            if (steps_left_ == 0) return false;
            --steps_left_;
            if (visited_[arc.to] != 0) continue;
            path_.push_back(arc.link);
            if (!go_on_from(arc.to)) return false;
            path_.pop_back();
        }
        visited_[vertex] = 0;
        return true;
    }

    std::vector<Path> take() { return std::move(found_); }

private:
    const Platform& platform_;
    Vertex target_;
    std::size_t most_;
    std::size_t steps_left_;
    std::vector<char> visited_;
    Path path_;
    std::vector<Path> found_;
};

}  // namespace

std::optional<std::vector<Path>> simple_paths(const Platform& platform, Host from, Host to,
                                              std::size_t most) {
    if (from == to) return std::vector<Path>{{}};
    if (platform.has_routes()) return std::vector<Path>{platform.route(from, to)};
    Walk walk(platform, platform.vertex_of(to), most);
    if (!walk.go_on_from(platform.vertex_of(from))) return std::nullopt;
    return walk.take();
}

}  // namespace espalier::ring
