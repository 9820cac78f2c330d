#pragma once

/// CLI11's, which takes long to compile where more of it is included.
namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}
