internal import RecordModel
internal import RecordStorage

/// The work that deletes the records of deleted zones.
///
/// Unchecked `Sendable`: see `SlicedWork`.
final class ZoneRemovalWork: SlicedWork, @unchecked Sendable {
    /// Whether the last time slice failed. After a failure, the next slice does as little work as possible.
    private var hasFailed = false

    var frees: Bool { true }

    /// The number of records per step, each with up to 1 MB.
    private static let recordsAtOnce = 8

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        if hasFailed { budget.limit(to: 1) }
        let zones = transaction.zones
        var next = try zones.firstDetached()
        while let zone = next, budget.hasMore {
            if try !empty(zone.id, of: zone.owner, transaction, &budget) { next = try zones.firstDetached() }
        }
        // Only the zone whose records are being deleted, because many zones may wait.
        let jobs = try transaction.store.jobs.unfinished(.removeZone)
        let done = jobs.first { $0.subject == next?.id.rawValue }?.progress.done ?? 0
        try transaction.jobs.show(
            .removeZone, left: next.map { [$0.id.rawValue: (done + Int64(budget.done), nil)] } ?? [:])
        return SliceProgress(hasMore: next != nil, done: budget.done)
    }

    /// Deletes some records of a zone, or the empty zone.
    ///
    /// - Returns: Whether the zone had records.
    private func empty(
        _ zone: ZoneID, of owner: UserID, _ transaction: WriteTransaction, _ budget: inout SliceBudget
    ) throws(RecordError) -> Bool {
        let removals = transaction.store.removals
        let records = try removals.records(zone: zone, limit: Self.recordsAtOnce)
        guard !records.isEmpty else {
            try removals.removeZone(zone)
            budget.spend()
            return false
        }
        let request = WriteRequest(
            caller: .administrator(.bootstrap), address: DatabaseAddress(scope: .privateDatabase(owner: owner)),
            shape: .single, operations: [])
        let writer = RecordWriter(transaction, request)
        for id in records {
            if let record = try transaction.records.find(id: id) { try writer.erase(record, zone: zone) }
        }
        budget.spend(records.count)
        return true
    }

    func didCommit(_ progress: SliceProgress) -> AfterCommit? {
        hasFailed = false
        return nil
    }

    func didFail(_ error: RecordError) -> SliceRetry {
        hasFailed = true
        return .later
    }
}
