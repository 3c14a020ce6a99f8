internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// What the records of accounts take.
extension RecordWriter {
    /// Whom a record counts for: whose private database it is in, else who created it.
    func owner(of row: RecordRow) -> UserID {
        if case .privateDatabase(let owner) = address.scope { owner } else { row.creator }
    }

    private var isPublic: Bool { address.scope == .publicDatabase }

    /// Notes that a record is made, changed or taken away, before that is done.
    ///
    /// - Throws: QUOTA_EXCEEDED.
    func noteUsage(of row: RecordRow, from old: StoredFields?, to new: StoredFields?) throws(RecordError) {
        let before = try old.map { fields throws(RecordError) in try fields.storedBytes } ?? 0
        let after = try new.map { fields throws(RecordError) in try fields.storedBytes } ?? 0
        let records: Int64 = (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        try transaction.usage.note(
            Usage(records: records, bytes: Int64(after - before)), of: owner(of: row), isPublic: isPublic, by: caller,
            in: transaction)
    }

    /// What a caller is told whose change makes a record too large: how large, only if it reads all of it.
    func withoutSize(_ error: RecordError, of row: RecordRow, type: RecordTypeDefinition) -> RecordError {
        let visibility = visibility(of: type)
        guard !visibility.unreadable(creator: row.creator).isEmpty || !visibility.mayRead(row.facts) else {
            return error
        }
        var told = error
        told.details.removeAll { $0.key == "size" }
        return told
    }

    /// Notes that a record has more bytes of files, or fewer.
    func noteUsage(of row: RecordRow, assetBytes: Int64) throws(RecordError) {
        try transaction.usage.note(
            Usage(assetBytes: assetBytes), of: owner(of: row), isPublic: isPublic, by: caller, in: transaction)
    }
}
