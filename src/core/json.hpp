#pragma once

#include <nlohmann/json_fwd.hpp>

namespace espalier {

/// Keeps the order in which fields are written: files are read by people too. Declared only, since
/// its definition takes long to compile: who reads or makes one includes core/json_reader.hpp.
using Json = nlohmann::ordered_json;

class JsonValue;

}  // namespace espalier
