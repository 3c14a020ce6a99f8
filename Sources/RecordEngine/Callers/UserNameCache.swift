internal import RecordModel
internal import RecordStorage

/// A cache of the record names of accounts, by account number. Each reader and the writer has its own cache. Confined
/// to one thread.
///
/// Numbers of deleted accounts are never reused, so a name stays valid until the account is deleted.
final class UserNameCache {
    private let accounts: AccountTable
    private var names: [UserID: String] = [:]
    /// The result of the last lookup. Consecutive records of a page often have the same writer.
    private var last: (id: UserID, name: String)?

    /// The number of entries at which the cache is cleared.
    private static let most = 10_000

    init(_ accounts: AccountTable) { self.accounts = accounts }

    /// Returns the name of a record's creator or modifier; `_deleted` for a deleted account.
    func name(of id: UserID) throws(RecordError) -> String {
        if let last, last.id == id { return last.name }
        if let special = SystemUser.name(id) { return special }
        if let name = names[id] {
            last = (id, name)
            return name
        }
        let account = try accounts.find(id: id)
        let name = account?.recordName ?? SystemUser.deleted
        if names.count >= Self.most { names.removeAll(keepingCapacity: true) }
        names[id] = name
        last = (id, name)
        return name
    }

    /// Removes an account from the cache, when the account is deleted or its creation may be rolled back.
    func forget(_ id: UserID) {
        names[id] = nil
        if last?.id == id { last = nil }
    }

    func clear() {
        names.removeAll(keepingCapacity: true)
        last = nil
    }
}
