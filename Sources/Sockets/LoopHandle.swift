import Threads

/// Something that an event loop watches: a descriptor, a deadline, or both. Touched on the loop's thread only.
///
/// Unchecked: confined to `loop`'s thread, which each mutating entry checks in debug builds.
package class LoopHandle: @unchecked Sendable {
    /// The loop it belongs to.
    package let loop: EventLoop
    /// Its place in the loop's table, and how often that place has been used: what epoll hands back with an event.
    fileprivate(set) var token: UInt64?
    /// When the loop's timers call it; `UInt64.max` if they do not.
    final var armedTime = UInt64.max

    package init(loop: EventLoop) {
        self.loop = loop
    }

    /// Events came for the descriptor.
    func eventsDidCome(_ events: UInt32) {}

    /// A moment for which the handle was armed has come; the deadline may have moved meanwhile.
    func timerDidFire(at now: UInt64) {}

    /// The loop ends: let go of everything.
    func loopDidStop() {}
}

/// The handles of a loop, by token.
struct HandleTable {
    private var slots: [(handle: LoopHandle?, generation: UInt32)] = []
    private var free: [UInt32] = []

    /// How many handles there are.
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

    /// The handle an event is for; `nil` if it has gone since, and its place perhaps been given to another.
    subscript(token: UInt64) -> LoopHandle? {
        let index = Int(truncatingIfNeeded: token & 0xFFFF_FFFF)
        guard index < slots.count, slots[index].generation == UInt32(token >> 32) else { return nil }
        return slots[index].handle
    }

    /// All handles, to end them.
    var all: [LoopHandle] {
        slots.compactMap(\.handle)
    }
}
