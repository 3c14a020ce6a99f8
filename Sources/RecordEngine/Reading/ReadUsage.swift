package import RecordModel
internal import RecordStorage

extension RecordReader {
    /// Returns the storage usage and the quota of a caller's account. For an administrator, returns those of the whole
    /// container.
    ///
    /// - Returns: `nil` for callers without an account.
    /// - Throws: The store's error.
    package func usage(for caller: Caller) throws(RecordError) -> (used: Usage, quota: Usage)? {
        let quotas = database.limits.quotas
        switch caller {
        case .anonymous: return nil
        case .administrator: return (try usage(of: UsageTable.everybody), quotas.container)
        case .user(let id, _), .participant(let id, _, _): return (try usage(of: id), quotas.user)
        case .service(let key): return (try usage(of: key.account), quotas.user)
        }
    }

    private func usage(of owner: UserID) throws(RecordError) -> Usage {
        let table = store.usage
        return try table.usage(of: owner).all
    }
}
