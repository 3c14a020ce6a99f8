internal import RecordModel
internal import RecordStorage

/// The public names of accounts, cached by their numbers: the reader's, and the writer's. Confined to one thread.
///
/// Numbers of accounts are never given again, so a name stays right until its account is removed.
final class UserNames {
    private let accounts: AccountTable
    private var names: [UserID: String] = [:]
    /// The name that was asked for last: the records of a page are often by one writer.
    private var last: (id: UserID, name: String)?

    /// The cache is cleared when it reaches this many entries.
    private static let most = 10_000

    init(_ accounts: AccountTable) { self.accounts = accounts }

    /// The public name of a record's writer; `_deleted` for an account that is gone.
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

    /// Forgets a name, for an account that goes, or that may not come.
    func forget(_ id: UserID) {
        names[id] = nil
        if last?.id == id { last = nil }
    }

    func clear() {
        names.removeAll(keepingCapacity: true)
        last = nil
    }
}
