internal import RecordModel

/// The queue of pending writes: first in, first out, except that small writes wait for at most one large one, and that
/// accounts take turns with their large writes.
///
/// How long a write takes is not known before: one change of a share may rewrite a hierarchy of 10,000 records. So after
/// such a write, the next writes of its account count as large.
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
    /// The accounts that had a heavy write, with the group until which their writes count as large.
    private var heavyAccounts: [UserID: Int] = [:]
    /// The number of groups so far.
    private var groups = 0
    /// The account of the last large write; `nil` for the server.
    private var lastLarge: UserID?

    /// The minimum weight of a large write. The execution and fsync of large writes take long.
    static let largeWeight = 64
    /// The number of records that make a write heavy if they follow from it.
    static let heavyRecords = 100
    /// The time on the writer's thread that makes a write heavy.
    static let heavyNanoseconds: UInt64 = 10_000_000
    /// The number of groups in which the writes of an account with a heavy write count as large.
    private static let heavyGroups = 64
    /// The number of accounts at which those are forgotten whose groups are over, or else all.
    private static let mostHeavyAccounts = 1_024

    var count: Int { waiting.count }

    var heavyAccountCount: Int { heavyAccounts.count }

    /// Creates an empty queue.
    init() {}

    mutating func append(_ write: PendingWrite) {
        waiting.append(write)
    }

    /// Records that the writer has copied the WAL, so that the small writes in the queue go before large writes.
    mutating func didHoldUp() {
        tookLarge = true
    }

    /// Records that many records followed from a write, or that it took long.
    mutating func didRunHeavy(_ write: PendingWrite) {
        tookLarge = true
        guard let account = write.callerAccount else { return }
        lastLarge = account
        if heavyAccounts.count >= Self.mostHeavyAccounts {
            heavyAccounts = heavyAccounts.filter { $0.value >= groups }
            if heavyAccounts.count >= Self.mostHeavyAccounts { heavyAccounts = [:] }
        }
        heavyAccounts[account] = groups + Self.heavyGroups
    }

    /// Whether the writes that the writer waits for have arrived.
    var isEnough: Bool { count >= awaited || isClosed }

    /// Takes the next group: writes in order up to a number of operations, or one write that needs a group of its own.
    ///
    /// After a group with a large write, the small writes in the queue go first. Therefore small writes wait for at
    /// most one batch of 8 MB, and a batch waits for one group of small writes.
    /// If the next write is a large one of the same account as the last, a large one of another account goes first.
    mutating func takeGroup(maxOperations: Int) -> [PendingWrite] {
        groups += 1
        if tookLarge {
            tookLarge = false
            let group = takeSmall(maxOperations: maxOperations)
            if !group.isEmpty { return group }
        }
        letOthersGoFirst()
        var operations = 0
        var size = 0
        for write in waiting {
            if size > 0, isAlone(write) || operations + write.weight > maxOperations { break }
            operations += write.weight
            size += 1
            if isLarge(write) {
                tookLarge = true
                lastLarge = write.callerAccount
            }
            if isAlone(write) { break }
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
        guard waiting.contains(where: isLarge) else { return [] }
        let queue = WriteQueue(judgingAs: self)
        var group: [PendingWrite] = []
        var operations = 0
        waiting.removeAll { write in
            guard !queue.isLarge(write), operations + write.weight <= maxOperations else { return false }
            operations += write.weight
            group.append(write)
            return true
        }
        return group
    }

    /// Moves the first large write of another account to the front if the account of the next one had the last turn.
    private mutating func letOthersGoFirst() {
        guard let lastLarge, let first = waiting.first, isLarge(first), first.callerAccount == lastLarge,
            let other = waiting.firstIndex(where: { $0.callerAccount != lastLarge && isLarge($0) })
        else { return }
        let write = waiting.remove(at: other)
        waiting.insert(write, at: 0)
    }

    /// Creates an empty queue that judges writes as another one does.
    private init(judgingAs other: WriteQueue) {
        (heavyAccounts, groups) = (other.heavyAccounts, other.groups)
    }

    private func isLarge(_ write: PendingWrite) -> Bool {
        write.weight >= Self.largeWeight || isAlone(write)
    }

    private func isAlone(_ write: PendingWrite) -> Bool { write.isAlone || isHeavy(write) }

    private func isHeavy(_ write: PendingWrite) -> Bool {
        guard !heavyAccounts.isEmpty, let account = write.callerAccount else { return false }
        return (heavyAccounts[account] ?? 0) > groups
    }

    /// Puts writes back at the front of the queue.
    mutating func putBack(_ writes: ArraySlice<PendingWrite>) {
        waiting.insert(contentsOf: writes, at: 0)
    }
}
