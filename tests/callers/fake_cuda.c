/* A GPU's driver for tests: it says of one range of memory, once there is one, that it is a
   device's, and that its context is active. With LEVEL_ZERO, a loader of drivers that finds none.
 */
#include <stddef.h>

#ifdef LEVEL_ZERO

int zeDriverGet(unsigned* count, void* drivers) {
    (void)drivers;
    *count = 0;
    return 0;
}

#else

static const char* device;
static size_t length;

void fake_cuda_own(const void* begin, size_t bytes) {
    device = begin;
    length = bytes;
}

int cuPointerGetAttribute(void* data, int attribute, unsigned long long address) {
    const int memory_type = 2, is_device = 2, invalid_value = 1;
    const char* asked = (const char*)(size_t)address;
    if (attribute != memory_type || asked < device || asked >= device + length)
        return invalid_value;
    *(unsigned*)data = is_device;
    return 0;
}

int cuCtxGetCurrent(void** context) {
    *context = NULL;
    return 0;
}

int cuDeviceGetCount(int* count) {
    *count = 2;
    return 0;
}

int cuDevicePrimaryCtxGetState(int number, unsigned* flags, int* active) {
    *flags = 0;
    *active = number == 1 && device != NULL;
    return 0;
}

#endif
