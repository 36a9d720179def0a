// Lets a torch that was built for CPUs alone carry fake tensors of an accelerator through autograd and autocast:
// it only says that such a device exists.  Nothing runs on it.
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace c10::impl {
struct Pretended final : public NoOpDeviceGuardImpl<DeviceType::CUDA> {
  DeviceIndex deviceCount() const noexcept override { return 1; }
};
C10_REGISTER_GUARD_IMPL(CUDA, Pretended);
}  // namespace c10::impl
