internal import Threads

/// The memory of pieces that are on the disk, for pieces to come.
///
/// The allocator gives large blocks back to the system as soon as a few of them lie together, and each page of the next
/// ones is then cleared and mapped anew: a twelfth of what an upload costs.
package final class PieceBuffers: Sendable {
    private let spare = Locked<[[UInt8]]>([])
    private let most: Int

    /// Smaller ones are not worth it: the allocator keeps them itself.
    static let smallest = 64 << 10

    /// - Parameter most: How many are kept.
    init(most: Int) {
        self.most = most
    }

    /// An empty array, if possible one with room for `count` bytes, and never one with much more: many uploads have small
    /// pieces so that all of them together take little.
    package func take(_ count: Int) -> [UInt8] {
        guard count >= Self.smallest else { return [] }
        var found: [UInt8] = []
        // Those that do not fit are of another time, with more uploads or fewer.
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
        // In place, unless somebody still reads the array.
        found.removeAll(keepingCapacity: true)
        return found
    }

    /// Keeps the memory of an array that nobody needs any more.
    func giveBack(_ piece: [UInt8]) {
        guard piece.capacity >= Self.smallest else { return }
        spare.withLock { if $0.count < most { $0.append(piece) } }
    }

    /// Lets go of all of them.
    func drop() {
        // The memory itself goes when the lock is free again.
        _ = spare.withLock { spare in
            defer { spare = [] }
            return spare
        }
    }

    /// How many are kept now.
    var count: Int { spare.withLock { $0.count } }
}
