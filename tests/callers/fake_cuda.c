/* A GPU's driver for tests: it says of one range of memory that it is a device's. */
#include <stddef.h>

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
