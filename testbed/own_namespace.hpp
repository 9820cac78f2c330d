#pragma once

namespace espalier::testbed {

/// Where this user may not make namespaces, this process enters a user namespace in which it may:
/// users and groups are the same there. Throws an Error where the kernel does not allow that.
void enter_own_namespace();

}  // namespace espalier::testbed
