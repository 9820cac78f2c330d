#include "runtime/device_memory.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#ifndef ESPALIER_MPI_SMPI
#include <dlfcn.h>
#include <link.h>
#endif

namespace espalier::runtime {

#ifdef ESPALIER_MPI_SMPI

// A simulation has no GPUs.
bool DeviceMemory::is_possible() { return false; }
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
void* find_loaded(const std::vector<std::string>& files, std::string_view library,
                  const char* symbol) {
    if (void* found = dlsym(RTLD_DEFAULT, symbol)) return found;
    for (const std::string& file : files) {
        const std::size_t slash = file.rfind('/');
        const std::string_view name =
            std::string_view(file).substr(slash == std::string::npos ? 0 : slash + 1);
        if (name.substr(0, library.size()) != library) continue;
        // Kept, so that it stays loaded as long as it may be asked.
        void* handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        if (void* found = dlsym(handle, symbol)) return found;
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
    cuda_ = reinterpret_cast<CudaAsk>(find_loaded(files, "libcuda.so", "cuPointerGetAttribute"));
    hip_ =
        reinterpret_cast<HipAsk>(find_loaded(files, "libamdhip64.so", "hipPointerGetAttributes"));
    level_zero_ = find_loaded(files, "libze_loader.so", "zeMemGetAllocProperties") != nullptr;
    looked_at_.store(loaded, std::memory_order_release);
}

bool DeviceMemory::is_possible() {
    look();
    return cuda_ != nullptr || hip_ != nullptr || level_zero_;
}

bool DeviceMemory::holds(const void* address) {
    if (!is_possible()) return false;
    if (level_zero_) return true;
    // Both fail for memory that they have not made.
    unsigned type = 0;
    if (const CudaAsk ask = cuda_;
        ask != nullptr &&
        ask(&type, cuda_memory_type, reinterpret_cast<unsigned long long>(address)) == 0 &&
        type != cuda_host)
        return true;
    HipAttributes attributes;
    const HipAsk ask = hip_;
    return ask != nullptr && ask(&attributes, address) == 0 && attributes.type != 0;
}

#endif

}  // namespace espalier::runtime
