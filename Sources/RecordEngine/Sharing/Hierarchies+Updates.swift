internal import RecordModel
internal import RecordStorage

/// How the access list of a record in a hierarchy changes.
enum ListChange {
    case none
    /// The list loses no share that still exists.
    case widened
    /// The list loses a share that still exists.
    case narrowed
}

/// Updates of access lists, from the top of a hierarchy down.
///
/// The list of a record follows from the list of its parent and from its own share. A request looks at no more than
/// `IndexBuildOptions.inlineAccessLists` records, and leaves the others to slices (`HierarchyWork`): `access_update` has the
/// parents whose children are left. So a list that does not follow from the parent's is below such a parent. Moves,
/// deletions and new records need no care: they compute lists from the parent's current list, and later slices reach them.
///
/// No list ever gives too much. If a list loses a share that still exists, the lists below it are updated in the same
/// transaction. A share that has ended is another matter: the lists that still name it give nobody rights, because the
/// rights of a participant come from the table of shares, and the number of a share, which is a sequence number, is never
/// used again. So only the lists of ended shares, and those that lack a new share, wait for a slice.
extension Hierarchies {
    /// Brings the access lists of a record and of everything below it up to date.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE if too many records lose a share that still exists.
    func updateAccess(of record: RecordNumber, zone: ZoneID) throws(RecordError) {
        try updateAccess(below: record, after: try updateOne(record, zone: zone), zone: zone)
    }

    /// Brings the access lists below a record up to date, after its own has changed.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE if too many records lose a share that still exists.
    func updateAccess(below record: RecordNumber, after change: ListChange, zone: ZoneID) throws(RecordError) {
        guard change != .none else { return }
        let limit = transaction.indexBuilding.inlineAccessLists
        let first = Step(update: .init(below: record, zone: zone), isNarrowed: change == .narrowed)
        transaction.leftBelow += try walk(first, hasMore: transaction.checkedLists < limit) {
            transaction.checkedLists += 1
            return transaction.checkedLists < limit
        }
    }

    /// Continues an update that a request has left, until the slice's budget is spent.
    ///
    /// - Returns: The records below which lists are left.
    func resume(
        _ update: HierarchyTable.AccessUpdate, _ budget: inout SliceBudget
    ) throws(RecordError) -> [RecordNumber] {
        try walk(Step(update: update, isNarrowed: false, isStored: true), hasMore: true) {
            // In slices, the limit on entries in list indexes applies to each record.
            writer.memberEntries = 0
            budget.spend()
            return budget.hasMore
        }
    }

    /// The children of a record, on the way through a hierarchy.
    private struct Step {
        var update: HierarchyTable.AccessUpdate
        /// Whether the record has lost a share that still exists.
        var isNarrowed: Bool
        /// Whether the table has the update.
        var isStored = false
    }

    /// Updates the lists below a record, depth first, so that the change feed has each record after its parent.
    ///
    /// - Parameters:
    ///   - hasMore: Whether there is time for a record.
    ///   - spend: Called for each record. Returns whether there is time for another.
    /// - Returns: The records below which lists are left.
    private func walk(
        _ first: Step, hasMore: Bool, _ spend: () -> Bool
    ) throws(RecordError) -> [RecordNumber] {
        var (steps, left, hasMore) = ([first], [RecordNumber](), hasMore)
        while var step = steps.popLast() {
            let parent = step.update.parent
            guard let child = try hierarchies.child(of: parent, after: step.update.last) else {
                if step.isStored { try hierarchies.removeUpdate(below: parent) }
                continue
            }
            guard hasMore || step.isNarrowed else {
                try hierarchies.set(step.update)
                left.append(parent)
                continue
            }
            if step.isNarrowed { try count(1) }
            step.update.last = child
            steps.append(step)
            hasMore = spend()
            let zone = step.update.zone
            let change = first.isStored ? try updateIfPossible(child, zone: zone) : try updateOne(child, zone: zone)
            guard change != .none else { continue }
            steps.append(
                Step(update: .init(below: child, zone: zone), isNarrowed: change == .narrowed && !first.isStored))
        }
        return left
    }

    /// Brings the access list of one record up to date. The record keeps its change tag, because its owner sees no
    /// difference.
    private func updateOne(_ record: RecordNumber, zone: ZoneID) throws(RecordError) -> ListChange {
        guard let stored = try transaction.records.find(id: record), !stored.row.isDeleted else { return .none }
        var row = stored.row
        row.access = try access(under: try hierarchies.place(of: record).parent, of: record)
        guard row.access != stored.row.access else { return .none }
        return try rewrite(stored, as: &row, zone: zone)
    }

    /// Does the same in a slice. A record that cannot be written, because it is damaged or has too many index entries, keeps
    /// its list, which does not give too much. It does not stop the others.
    private func updateIfPossible(_ record: RecordNumber, zone: ZoneID) throws(RecordError) -> ListChange {
        do throws(RecordError) {
            return try updateOne(record, zone: zone)
        } catch {
            guard transaction.store.failure == nil, error.code != .tryAgainLater else { throw error }
            return .none
        }
    }

    /// Returns the shares that a list loses and that still exist.
    func lostShares(from before: [UInt8]?, to after: [UInt8]?) throws(RecordError) -> AccessList {
        guard let before else { return AccessList() }
        let kept = after.map(StoredAccess.decode) ?? AccessList()
        var lost = AccessList()
        for (principal, rights) in StoredAccess.decode(before).rights where kept[principal].isEmpty {
            if case .share(let id) = principal, try transaction.store.shares.find(id) == nil { continue }
            lost[principal] = rights
        }
        return lost
    }
}
