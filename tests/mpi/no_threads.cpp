// Linked with a test, lets no C++ thread start.

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <string_view>

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*routine)(void*), void* argument) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(routine), &info) != 0 && info.dli_fname != nullptr &&
        std::string_view(info.dli_fname).find("libstdc++") != std::string_view::npos)
        return EAGAIN;
    static const auto own =
        reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return own(thread, attributes, routine, argument);
}
