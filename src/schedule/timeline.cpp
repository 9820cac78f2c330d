#include "schedule/timeline.hpp"

namespace espalier::schedule {

std::string_view name_of(BoundScope scope) {
    return scope == BoundScope::whole_message ? "whole-message" : "any";
}

}  // namespace espalier::schedule
