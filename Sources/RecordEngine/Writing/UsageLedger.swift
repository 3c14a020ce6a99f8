internal import RecordModel
internal import RecordStorage

/// Keeps what accounts take, and refuses what would be too much.
///
/// A sum per account that each write changed would cost each write a row more. So changes are gathered, and written once
/// per account and group, in the group's own transaction. Confined to the writer's thread.
final class UsageLedger {
    private let table: UsageTable
    private let quotas: Quotas
    /// What the running request has changed; it may be undone.
    private var request: [(owner: UserID, change: AccountUsage)] = []
    /// What the group has changed.
    private var group: [UserID: AccountUsage] = [:]
    /// What is committed, of accounts that a quota was asked for.
    private var committed: [UserID: AccountUsage] = [:]

    /// Caches are cleared when they reach this many entries.
    private static let cacheEntries = 10_000

    init(_ table: UsageTable, quotas: Quotas) {
        self.table = table
        self.quotas = quotas
    }

    /// Notes a change of what an account takes.
    ///
    /// What somebody adds to the record of another counts for that one, but is no more than who adds it could still have
    /// itself: nobody's records and the operator's are within the quota of all alone. It is compared with what the owner has
    /// in the public database: else a stranger, by trying how much fits, would measure each write to the private one.
    ///
    /// - Parameter isPublic: Whether the record lies in the public database.
    /// - Throws: QUOTA_EXCEEDED for more of what there is too much of already.
    func note(
        _ change: Usage, of owner: UserID, isPublic: Bool, by caller: Caller, in transaction: WriteTransaction
    ) throws(RecordError) {
        guard change != Usage() else { return }
        if quotas.areSet, change.records > 0 || change.bytes > 0 || change.assetBytes > 0 {
            let writer = caller.writerID
            if writer != owner, !SystemUser.isSpecial(writer) {
                try usage(of: writer, in: transaction).all.check(adding: change, within: quotas.user, .ofCaller)
            }
            if !SystemUser.isSpecial(owner) {
                let used = try usage(of: owner, in: transaction)
                if caller.administrator == nil, writer != owner {
                    try used.ofPublic.check(adding: change, within: quotas.user, .ofStranger)
                } else {
                    try used.all.check(
                        adding: change, within: quotas.user, caller.administrator != nil ? .ofUser : .ofCaller)
                }
            }
            try usage(of: UsageTable.everybody, in: transaction).all
                .check(adding: change, within: quotas.container, .ofAll)
        }
        request.append((owner, AccountUsage(all: change, ofPublic: isPublic ? change : Usage())))
    }

    /// What an account takes, with everything that this transaction has done so far.
    private func usage(of owner: UserID, in transaction: WriteTransaction) throws(RecordError) -> AccountUsage {
        if committed[owner] == nil {
            if committed.count >= Self.cacheEntries { committed.removeAll(keepingCapacity: true) }
            committed[owner] = try table.usage(of: owner)
        }
        var usage = (committed[owner] ?? AccountUsage()) + (group[owner] ?? AccountUsage())
        for change in request where owner == UsageTable.everybody || change.owner == owner { usage += change.change }
        return usage
    }

    // MARK: Undoing

    /// Where the running request stands, for an operation that may be undone.
    var mark: Int { request.count }

    /// Undoes what came after a mark; 0 undoes the request.
    func undo(to mark: Int) {
        request.removeLast(max(0, request.count - mark))
    }

    /// The request stands.
    func keep() {
        for (owner, change) in request {
            group[owner, default: AccountUsage()] += change
            group[UsageTable.everybody, default: AccountUsage()] += change
        }
        request.removeAll(keepingCapacity: true)
    }

    /// Writes what the group has changed, before it is committed.
    func write() throws(RecordError) {
        for (owner, change) in group where change != AccountUsage() { try table.add(change, to: owner) }
    }

    func didCommit() {
        for (owner, change) in group where committed[owner] != nil {
            committed[owner, default: AccountUsage()] += change
        }
        group.removeAll(keepingCapacity: true)
    }

    /// Nothing of an earlier group is left: it was committed, or rolled back.
    func begin() {
        request.removeAll(keepingCapacity: true)
        group.removeAll(keepingCapacity: true)
    }
}
