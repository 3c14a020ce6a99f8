/// The writes that wait for the writer: in the order in which they came, but that small ones wait for one large one at most.
struct WriteQueue {
    private var waiting: [PendingWrite] = []
    /// The writer's thread is at work, and looks again before it stops.
    var isDraining = false
    /// The writer waits until this many writes are there; 0 while it does not.
    var awaited = 0
    /// No more writes are taken: the database closes or has failed.
    var isClosed = false
    /// The group that was taken last had a large write in it, or the writer did something else that took long.
    private var tookLarge = false

    /// What weighs so much takes long: it, and its bytes on their way to the disk.
    private static let largeWeight = 64

    var count: Int { waiting.count }

    mutating func append(_ write: PendingWrite) {
        waiting.append(write)
    }

    /// The writer has copied the log: small writes that have waited for it go before large ones.
    mutating func didHoldUp() {
        tookLarge = true
    }

    /// Whether what the writer waits for has come.
    var isEnough: Bool { count >= awaited || isClosed }

    /// Takes the next group: writes in order up to a number of operations, or one that wants to be alone.
    ///
    /// After a group with a large write come the small ones that wait. So those who write little wait for one batch of
    /// eight megabytes and not for all that came before them, and batches for one group of small writes each.
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
            // The usual case moves nothing, and what was taken is not kept alive here.
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

    /// Puts writes back to where they were taken from.
    mutating func putBack(_ writes: ArraySlice<PendingWrite>) {
        waiting.insert(contentsOf: writes, at: 0)
    }
}
