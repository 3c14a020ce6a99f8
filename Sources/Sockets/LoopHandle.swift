import Threads

/// An object that an event loop watches: a descriptor, a deadline or both. Use it on the loop's thread only.
///
/// Unchecked: confined to `loop`'s thread. Debug builds check this in the loop's mutating functions.
package class LoopHandle: @unchecked Sendable {
    /// The loop that watches the handle.
    package let loop: EventLoop
    /// The identifier of the handle in epoll events; `nil` if the handle is not registered.
    fileprivate(set) var token: UInt64?
    /// The time at which the loop's timer fires, in nanoseconds; `UInt64.max` if the timer is not armed.
    final var armedTime = UInt64.max

    /// Creates a handle that is not registered yet.
    package init(loop: EventLoop) {
        self.loop = loop
    }

    /// Called with the epoll events of the descriptor.
    func eventsDidCome(_ events: UInt32) {}

    /// Called at the time for which the handle was armed. The handle's deadline may have moved since then.
    func timerDidFire(at now: UInt64) {}

    /// Called when the loop stops. Release all resources here.
    func loopDidStop() {}
}

/// The handles of a loop by token.
///
/// ```
/// token (64 bits): generation of the slot, 32 | index of the slot, 32
/// ```
struct HandleTable {
    private var slots: [(handle: LoopHandle?, generation: UInt32)] = []
    private var free: [UInt32] = []

    /// The number of handles.
    var count: Int { slots.count - free.count }

    mutating func insert(_ handle: LoopHandle) -> UInt64 {
        let index: UInt32
        if let old = free.popLast() {
            index = old
            slots[Int(index)].handle = handle
        } else {
            index = UInt32(slots.count)
            slots.append((handle, 1))
        }
        let token = UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
        handle.token = token
        return token
    }

    mutating func remove(_ handle: LoopHandle) {
        guard let token = handle.token else { return }
        handle.token = nil
        let index = Int(truncatingIfNeeded: token & 0xFFFF_FFFF)
        slots[index].handle = nil
        slots[index].generation &+= 1
        free.append(UInt32(index))
    }

    /// Returns the handle of an event. `nil` if the handle was removed, even if its slot has been reused.
    subscript(token: UInt64) -> LoopHandle? {
        let index = Int(truncatingIfNeeded: token & 0xFFFF_FFFF)
        guard index < slots.count, slots[index].generation == UInt32(token >> 32) else { return nil }
        return slots[index].handle
    }

    /// All handles.
    var all: [LoopHandle] {
        slots.compactMap(\.handle)
    }
}
