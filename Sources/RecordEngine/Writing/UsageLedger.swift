internal import RecordModel
internal import RecordStorage

/// Tracks the storage usage of accounts and enforces quotas.
///
/// Updating an account's usage with each write would write one more row per write. Therefore changes are summed up in
/// memory, and written once per account and group in the group's transaction. Confined to the writer's thread.
final class UsageLedger {
    private let table: UsageTable
    private let quotas: Quotas
    /// The changes by the running request, which `undo` can discard.
    private var request: [(owner: UserID, change: AccountUsage)] = []
    /// The changes by the finished requests of the group.
    private var group: [UserID: AccountUsage] = [:]
    /// A cache of committed usage, for accounts whose quota was checked.
    private var committed: [UserID: AccountUsage] = [:]

    /// The number of entries at which the cache is cleared.
    private static let cacheEntries = 10_000

    init(_ table: UsageTable, quotas: Quotas) {
        self.table = table
        self.quotas = quotas
    }

    /// Adds a change of an account's usage.
    ///
    /// Bytes that a caller adds to a record of another account count for the other account, but must also fit in the
    /// caller's own quota. Such additions are compared only with the other account's usage of the public database.
    /// Otherwise a caller could measure writes to the other account's private database by testing how many bytes fit.
    /// What participants of shares add to a private database must fit in its owner's quota alone.
    /// Records without an account, and records of the operator, count only for the container.
    ///
    /// - Parameter isPublic: Whether the record is in the public database.
    /// - Throws: QUOTA_EXCEEDED if the change increases a usage beyond its limit.
    func note(
        _ change: Usage, of owner: UserID, isPublic: Bool, by caller: Caller, in transaction: WriteTransaction
    ) throws(RecordError) {
        guard change != Usage() else { return }
        if quotas.areSet, change.records > 0 || change.bytes > 0 || change.assetBytes > 0 {
            let writer = caller.writerID
            if writer != owner, isPublic, !SystemUser.isSpecial(writer) {
                try usage(of: writer, in: transaction).all.check(adding: change, within: quotas.user, .ofCaller)
            }
            if !SystemUser.isSpecial(owner) {
                let used = try usage(of: owner, in: transaction)
                if caller.administrator == nil, writer != owner {
                    let counted = isPublic ? used.ofPublic : used.all
                    try counted.check(adding: change, within: quotas.user, .ofStranger)
                } else {
                    try used.all.check(
                        adding: change, within: quotas.user, caller.administrator != nil ? .ofUser : .ofCaller)
                }
            }
            try usage(of: UsageTable.everybody, in: transaction).all
                .check(adding: change, within: quotas.container, .ofAll)
        }
        noteUnchecked(change, of: owner, isPublic: isPublic)
    }

    /// Adds a change of an account's usage that the server itself makes. No quota limits it.
    func noteUnchecked(_ change: Usage, of owner: UserID, isPublic: Bool) {
        request.append((owner, AccountUsage(all: change, ofPublic: isPublic ? change : Usage())))
    }

    /// Returns an account's usage, including the uncommitted changes of this transaction.
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

    /// The position in the running request, for `undo`.
    var mark: Int { request.count }

    /// Discards the changes after a mark; 0 discards all changes by the request.
    func undo(to mark: Int) {
        request.removeLast(max(0, request.count - mark))
    }

    /// Adds the changes by the request to the group's changes, after the request succeeded.
    func keep() {
        for (owner, change) in request {
            group[owner, default: AccountUsage()] += change
            group[UsageTable.everybody, default: AccountUsage()] += change
        }
        request.removeAll(keepingCapacity: true)
    }

    /// Writes the group's changes to the usage table, before the commit.
    func write() throws(RecordError) {
        for (owner, change) in group where change != AccountUsage() { try table.add(change, to: owner) }
    }

    /// Adds the group's changes to the cached usage, after the commit.
    func didCommit() {
        for (owner, change) in group where committed[owner] != nil {
            committed[owner, default: AccountUsage()] += change
        }
        group.removeAll(keepingCapacity: true)
    }

    /// Discards the changes of the previous group, which is committed or rolled back, before a new group.
    func begin() {
        request.removeAll(keepingCapacity: true)
        group.removeAll(keepingCapacity: true)
    }
}
