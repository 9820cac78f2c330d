#include "runtime/device_memory.hpp"

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#ifndef ESPALIER_MPI_SMPI
#include <dlfcn.h>
#include <link.h>
#endif

namespace espalier::runtime {

#ifdef ESPALIER_MPI_SMPI

// A simulation has no GPUs.
bool DeviceMemory::is_in_use() { return false; }
bool DeviceMemory::has_run_time() { return false; }
bool DeviceMemory::holds(const void*) { return false; }
void DeviceMemory::look() {}

#else

namespace {

// cuda.h: CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and CU_MEMORYTYPE_HOST among its values.
constexpr int cuda_memory_type = 2;
constexpr unsigned cuda_host = 1;
/// Room for hipPointerAttribute_t, whose first member is the type of memory in every version.
struct alignas(16) HipAttributes {
    int type = 0;
    std::array<char, 252> rest{};
};

/// Libraries loaded since the process began; libraries that were unloaded count, too.
unsigned long long libraries_loaded() {
    unsigned long long count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            *static_cast<unsigned long long*>(out) = info->dlpi_adds;
            return 1;
        },
        &count);
    return count;
}

/// The files of what is loaded, wherever it is visible: a run time is often loaded for one library
/// only.
std::vector<std::string> loaded_files() {
    std::vector<std::string> files;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            if (info->dlpi_name != nullptr)
                static_cast<std::vector<std::string>*>(out)->emplace_back(info->dlpi_name);
            return 0;
        },
        &files);
    return files;
}

/// `symbol` of a loaded library whose name begins with `library`, or of the program itself.
template <typename Function>
Function find_loaded(const std::vector<std::string>& files, std::string_view library,
                     const char* symbol) {
    if (void* found = dlsym(RTLD_DEFAULT, symbol)) return reinterpret_cast<Function>(found);
    for (const std::string& file : files) {
        const std::size_t slash = file.rfind('/');
        const std::string_view name =
            std::string_view(file).substr(slash == std::string::npos ? 0 : slash + 1);
        if (name.substr(0, library.size()) != library) continue;
        // Kept, so that it stays loaded as long as it may be asked.
        void* handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        if (void* found = dlsym(handle, symbol)) return reinterpret_cast<Function>(found);
        dlclose(handle);
    }
    return nullptr;
}

}  // namespace

void DeviceMemory::look() {
    const unsigned long long loaded = libraries_loaded();
    if (looked_at_.load(std::memory_order_acquire) == loaded) return;
    const std::scoped_lock lock(looking_);
    const auto files = loaded_files();
    const auto find = [&](auto& function, const char* library, const char* symbol) {
        using Function = typename std::remove_reference_t<decltype(function)>::value_type;
        function = find_loaded<Function>(files, library, symbol);
    };
    find(cuda_, "libcuda.so", "cuPointerGetAttribute");
    find(cuda_current_, "libcuda.so", "cuCtxGetCurrent");
    find(cuda_count_, "libcuda.so", "cuDeviceGetCount");
    find(cuda_state_, "libcuda.so", "cuDevicePrimaryCtxGetState");
    find(hip_, "libamdhip64.so", "hipPointerGetAttributes");
    find(level_zero_, "libze_loader.so", "zeDriverGet");
    looked_at_.store(loaded, std::memory_order_release);
}

bool DeviceMemory::has_cuda_context() const {
    if (cuda_ == nullptr) return false;
    const CudaCurrent current = cuda_current_;
    const CudaCount count = cuda_count_;
    const CudaState state = cuda_state_;
    if (current == nullptr || count == nullptr || state == nullptr) return true;
    void* context = nullptr;
    if (current(&context) == 0 && context != nullptr) return true;
    int devices = 0;
    if (count(&devices) != 0) return false;  // not even initialised
    for (int device = 0; device < devices; ++device) {
        unsigned flags = 0;
        int active = 0;
        if (state(device, &flags, &active) == 0 && active != 0) return true;
    }
    return false;
}

bool DeviceMemory::has_level_zero() const {
    const LevelZeroCount drivers = level_zero_;
    unsigned count = 0;
    return drivers != nullptr && drivers(&count, nullptr) == 0 && count > 0;
}

bool DeviceMemory::is_in_use() {
    look();
    return has_cuda_context() || hip_ != nullptr || has_level_zero();
}

bool DeviceMemory::has_run_time() {
    look();
    return cuda_ != nullptr || hip_ != nullptr || level_zero_ != nullptr;
}

bool DeviceMemory::holds(const void* address) {
    if (!has_run_time()) return false;
    // These fail for memory that they have not made.
    unsigned type = 0;
    if (const CudaAsk ask = cuda_;
        ask != nullptr &&
        ask(&type, cuda_memory_type, reinterpret_cast<unsigned long long>(address)) == 0 &&
        type != cuda_host)
        return true;
    HipAttributes attributes;
    if (const HipAsk ask = hip_;
        ask != nullptr && ask(&attributes, address) == 0 && attributes.type != 0)
        return true;
    return has_level_zero();
}

#endif

}  // namespace espalier::runtime
