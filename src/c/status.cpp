#include "handles.hpp"

#include "core/error.hpp"

#include <exception>

namespace espalier::c {

namespace {

/// One line; never longer than what fits, so that it can always be kept.
class LastError {
public:
    void set(const char* line) noexcept {
        try {
            line_ = in_one_line(line);
        } catch (...) {
            line_.clear();
        }
    }
    [[nodiscard]] const char* text() const noexcept {
        return line_.empty() ? "not enough memory for what was asked for" : line_.c_str();
    }

private:
    std::string line_ = "no call has failed";
};

LastError& last_error() noexcept {
    thread_local LastError error;
    return error;
}

}  // namespace

void refuse_null(const char* name) { throw InputError(name, "", "it is NULL"); }

espalier_status guarded(const std::function<void()>& work) noexcept {
    try {
        work();
        return ESPALIER_OK;
    } catch (const Error& error) {
        last_error().set(error.what());
        return static_cast<espalier_status>(error.status());
    } catch (const std::bad_alloc&) {
        last_error().set("");
    } catch (const std::exception& error) {
        last_error().set(error.what());
    } catch (...) {
        last_error().set("a fault that does not say what it is");
    }
    return ESPALIER_FAULT;
}

}  // namespace espalier::c

int espalier_version() { return ESPALIER_C_VERSION; }

const char* espalier_version_text() { return ESPALIER_VERSION; }

const char* espalier_last_error() { return espalier::c::last_error().text(); }
