#include "measure/method/compute.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace espalier::measure {

namespace {

/// One field, swept back and forth between two copies.
class Stencil {
public:
    double operator()() {
        constexpr int sweeps = 8;
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            for (std::size_t row = 1; row + 1 < side; ++row)
                for (std::size_t column = 1; column + 1 < side; ++column) {
                    const std::size_t at = row * side + column;
                    now_[at] = before_[at] +
                               rate * (before_[at - 1] + before_[at + 1] + before_[at - side] +
                                       before_[at + side] - 4 * before_[at]);
                }
            std::swap(now_, before_);
        }
        return static_cast<double>(sweeps) * static_cast<double>((side - 2) * (side - 2));
    }

private:
    static constexpr std::size_t side = 256;
    static constexpr double rate = 0.1;
    std::vector<double> now_ = std::vector<double>(side * side, 1.0);
    std::vector<double> before_ = std::vector<double>(side * side, 1.0);
};

}  // namespace

Kernel stencil_kernel() {
    return [stencil = std::make_shared<Stencil>()] { return (*stencil)(); };
}

Kernel load_kernel(const std::string& path) {
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    const std::shared_ptr<void> library(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL),
                                        [](void* handle) {
                                            if (handle != nullptr) ::dlclose(handle);
                                        });
    if (!library) {
        const std::string said = ::dlerror();
        throw InputError(said.starts_with(file + ": ") ? said : file + ": " + said);
    }
    auto* const function =
        reinterpret_cast<double (*)()>(::dlsym(library.get(), "espalier_kernel"));
    if (function == nullptr)
        throw InputError(path, "", "it has no function double espalier_kernel(void)");
    return [library, function] { return function(); };
}

CycleTime time_kernel(const Kernel& kernel, const std::function<double()>& clock, double seconds) {
    constexpr std::size_t least_samples = 3;
    double longest = 0;  // of one repetition
    const auto sample = [&] {
        const double began = clock();
        const double units = kernel();
        const double taken = clock() - began;
        if (!(units > 0) || std::isinf(units))
            throw InputError("--kernel", "",
                             fmt::format("it says that it did {} units of work", units));
        longest = std::max(longest, taken);
        return taken / units;
    };
    (void)sample();
    longest = 0;
    const double began = clock();
    const double reading = clock() - began;
    std::vector<double> times;
    while (times.size() < least_samples || clock() < began + seconds) {
        times.push_back(sample());
        // A simulator's clock sees no work that it is not told of, and would hardly ever end this.
        if (times.size() == least_samples && longest <= 2 * reading) return {0, 0, least_samples};
    }
    const double middle = median(times);
    return {middle, middle > 0 ? deviation(times) / middle : 0, times.size()};
}

double together(const std::vector<double>& cycle_times) {
    double speed = 0;
    for (const double time : cycle_times) speed += 1 / time;
    return 1 / speed;
}

}  // namespace espalier::measure
