#include "directory/open_source.hpp"

#include "directory/prometheus.hpp"
#include "directory/sqlite_directory.hpp"

namespace espalier::directory {

bool is_source(const std::string& path_or_url) {
    return is_prometheus_url(path_or_url) || is_sqlite_file(path_or_url);
}

std::unique_ptr<Source> open_source(const std::string& path_or_url) {
    if (is_prometheus_url(path_or_url)) return open_prometheus(path_or_url);
    return std::make_unique<SqliteDirectory>(path_or_url, SqliteDirectory::Access::read);
}

}  // namespace espalier::directory
