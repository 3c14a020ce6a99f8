internal import RecordModel
internal import RecordStorage
internal import Synchronization

/// The work that updates the access lists which a request, or an interrupted work, has left.
///
/// Unchecked `Sendable`: see `SlicedWork`.
final class HierarchyWork: SlicedWork, @unchecked Sendable {
    /// The records below which lists are left; `nil` for all of the database.
    private var parents: [RecordNumber]?
    private var next: (parents: [RecordNumber]?, rewritten: Int) = (nil, 0)
    /// Whether the last time slice failed. After a failure, the next slice does as little work as possible.
    private var hasFailed = false
    private let total = Atomic<Int>(0)

    /// The account whose request has left the lists. Its slices and its large writes take turns with those of others.
    let account: UserID?

    /// The number of records that the work has rewritten.
    var rewritten: Int { total.load(ordering: .relaxed) }

    /// Creates the work that a request has left.
    init(below parents: [RecordNumber], for account: UserID?) {
        self.parents = parents
        self.account = account
    }

    /// Creates the work that is left in the database.
    init() { account = nil }

    var weight: Int { WriteQueue.largeWeight }
    var pace: SliceBudget.Pace { parents == nil ? .background : .awaited }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        if hasFailed { budget.limit(to: 1) }
        let table = transaction.store.hierarchies
        var left = parents
        var isDone = false
        while budget.hasMore, !isDone {
            let update: HierarchyTable.AccessUpdate?
            if let parent = left?.popLast() {
                update = try table.update(below: parent)
            } else {
                update = left == nil ? try table.firstUpdate() : nil
                isDone = update == nil
            }
            guard let update else { continue }
            guard let address = try transaction.privateAddress(of: update.zone) else {
                // The zone is deleted, and its records are being erased.
                try table.removeUpdate(below: update.parent)
                budget.spend()
                continue
            }
            let request = WriteRequest(
                caller: .administrator(.bootstrap), address: address, shape: .single, operations: [])
            let more = try Hierarchies(writer: RecordWriter(transaction, request)).resume(update, &budget)
            left?.append(contentsOf: more)
        }
        next = (left, transaction.followed)
        return SliceProgress(hasMore: !isDone, done: budget.done)
    }

    func didCommit(_ progress: SliceProgress) -> AfterCommit? {
        hasFailed = false
        parents = next.parents
        total.add(next.rewritten, ordering: .relaxed)
        return nil
    }

    func didFail(_ error: RecordError) -> SliceRetry {
        hasFailed = true
        return .later
    }
}

extension WriteTransaction {
    /// Returns the address of a custom zone of a private database; `nil` for a zone that is deleted.
    fileprivate func privateAddress(of zone: ZoneID) throws(RecordError) -> DatabaseAddress? {
        guard let stored = try zones.address(of: zone), stored.scope == 1, let name = ZoneName(stored.name) else {
            return nil
        }
        return DatabaseAddress(scope: .privateDatabase(owner: stored.owner), zone: name)
    }
}
