internal import Threads

/// A pool of buffers for chunks of uploads.
///
/// Without the pool, the allocator returns large free blocks to the system. The system then clears and maps each page
/// of the next block again, which took a twelfth of the CPU time of an upload.
package final class ChunkBuffers: Sendable {
    private let spare = Locked<[[UInt8]]>([])
    private let most: Int

    /// The smallest buffer to keep, in bytes. The allocator itself keeps smaller blocks.
    static let smallest = 64 << 10

    /// - Parameter most: The maximum number of buffers to keep.
    init(most: Int) {
        self.most = most
    }

    /// Returns an empty array for `count` bytes. Reuses a kept buffer if its capacity is at least `count` bytes and at
    /// most twice as much. The upper limit keeps the memory of many concurrent uploads with small chunks low.
    package func take(_ count: Int) -> [UInt8] {
        guard count >= Self.smallest else { return [] }
        var found: [UInt8] = []
        // Free buffers of other sizes, which remain from a time with more or fewer uploads.
        var misfits: [[UInt8]] = []
        spare.withLock { spare in
            while let last = spare.popLast() {
                guard last.capacity >= count, last.capacity <= 2 * count else {
                    misfits.append(last)
                    continue
                }
                found = last
                return
            }
        }
        // This keeps the memory of the array, unless the array is still referenced elsewhere.
        found.removeAll(keepingCapacity: true)
        return found
    }

    /// Keeps the memory of an unused array for a later call of `take`.
    func giveBack(_ piece: [UInt8]) {
        guard piece.capacity >= Self.smallest else { return }
        spare.withLock { if $0.count < most { $0.append(piece) } }
    }

    /// Frees all buffers.
    func drop() {
        // Free the memory after releasing the lock.
        _ = spare.withLock { spare in
            defer { spare = [] }
            return spare
        }
    }

    /// The number of buffers that are kept now.
    var count: Int { spare.withLock { $0.count } }
}
