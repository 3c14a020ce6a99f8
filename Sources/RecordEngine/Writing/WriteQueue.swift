/// The queue of pending writes: first in, first out, except that small writes wait for at most one large one.
struct WriteQueue {
    private var waiting: [PendingWrite] = []
    /// Whether the writer's thread is working. The thread checks the queue again before it stops.
    var isDraining = false
    /// The number of queued writes at which the writer stops waiting; 0 while the writer does not wait.
    var awaited = 0
    /// Whether the queue rejects writes, because the database closes or has failed.
    var isClosed = false
    /// Whether the last group had a large write, or the writer did other long work after it.
    private var tookLarge = false

    /// The minimum weight of a large write. The execution and fsync of large writes take long.
    private static let largeWeight = 64

    var count: Int { waiting.count }

    mutating func append(_ write: PendingWrite) {
        waiting.append(write)
    }

    /// Records that the writer has copied the WAL, so that the small writes in the queue go before large writes.
    mutating func didHoldUp() {
        tookLarge = true
    }

    /// Whether the writes that the writer waits for have arrived.
    var isEnough: Bool { count >= awaited || isClosed }

    /// Takes the next group: writes in order up to a number of operations, or one write that needs a group of its own.
    ///
    /// After a group with a large write, the small writes in the queue go first. Therefore small writes wait for at
    /// most one batch of 8 MB, and a batch waits for one group of small writes.
    mutating func takeGroup(maxOperations: Int) -> [PendingWrite] {
        if tookLarge {
            tookLarge = false
            let group = takeSmall(maxOperations: maxOperations)
            if !group.isEmpty { return group }
        }
        var operations = 0
        var size = 0
        for write in waiting {
            if size > 0, write.isAlone || operations + write.weight > maxOperations { break }
            operations += write.weight
            size += 1
            if Self.isLarge(write) { tookLarge = true }
            if write.isAlone { break }
        }
        if size == waiting.count {
            // In the usual case, return the whole array without moving elements or keeping references to them.
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(size) }
        return Array(waiting[..<size])
    }

    private mutating func takeSmall(maxOperations: Int) -> [PendingWrite] {
        guard waiting.contains(where: Self.isLarge) else { return [] }
        var group: [PendingWrite] = []
        var operations = 0
        waiting.removeAll { write in
            guard !Self.isLarge(write), operations + write.weight <= maxOperations else { return false }
            operations += write.weight
            group.append(write)
            return true
        }
        return group
    }

    private static func isLarge(_ write: PendingWrite) -> Bool {
        write.isAlone || write.weight >= largeWeight
    }

    /// Puts writes back at the front of the queue.
    mutating func putBack(_ writes: ArraySlice<PendingWrite>) {
        waiting.insert(contentsOf: writes, at: 0)
    }
}
