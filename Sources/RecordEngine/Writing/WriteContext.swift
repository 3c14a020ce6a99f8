internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Who writes where, inside which transaction: what all parts of a write know.
///
/// A class, so that the parts share it. Confined to the writer's thread.
final class WriteContext {
    let transaction: WriteTransaction
    let caller: Caller
    let address: DatabaseAddress

    init(transaction: WriteTransaction, caller: Caller, address: DatabaseAddress) {
        self.transaction = transaction
        self.caller = caller
        self.address = address
    }

    func visibility(of type: RecordTypeDefinition) -> Visibility {
        Visibility(of: type, for: caller, in: address.scope)
    }

    // MARK: What the records of accounts take

    /// Whom a record counts for: whose private database it is in, else who created it.
    func owner(of row: RecordRow) -> UserID {
        if case .privateDatabase(let owner) = address.scope { owner } else { row.creator }
    }

    /// Notes that a record is made, changed or removed, before that is done.
    ///
    /// - Throws: QUOTA_EXCEEDED.
    func noteUsage(of plan: WritePlan) throws(RecordError) {
        guard let row = (plan.before ?? plan.after)?.row else { return }
        let before = try plan.before?.fields.storedBytes ?? 0
        let after = try plan.after?.fields.storedBytes ?? 0
        let records: Int64 = (plan.after == nil ? 0 : 1) - (plan.before == nil ? 0 : 1)
        try note(Usage(records: records, bytes: Int64(after - before)), of: row)
    }

    /// Notes that a record has more bytes of files, or fewer.
    func noteUsage(of row: RecordRow, assetBytes: Int64) throws(RecordError) {
        try note(Usage(assetBytes: assetBytes), of: row)
    }

    private func note(_ change: Usage, of row: RecordRow) throws(RecordError) {
        try transaction.usage.note(
            change, of: owner(of: row), isPublic: address.scope == .publicDatabase, by: caller, in: transaction)
    }

    // MARK: What a caller must not learn from an error

    /// The error for a caller whose value another record has: it names only fields that the caller reads.
    func withoutHiddenFields(
        _ error: RecordError, of row: RecordRow, _ type: RecordTypeDefinition
    ) -> RecordError {
        guard case .list(let names)? = error.details.first(where: { $0.key == "fields" })?.value else { return error }
        let hidden = visibility(of: type).unreadable(creator: row.creator)
        let shown = names.filter { name in type[name].map { !hidden.contains($0.id) } ?? true }
        return shown.count == names.count ? error : .uniqueViolation(shown, type: type.name, isWhole: false)
    }

    /// The error for a change that makes a record too large: it has the size only if the caller reads the whole record.
    func withoutSize(_ error: RecordError, of row: RecordRow, type: RecordTypeDefinition) -> RecordError {
        let visibility = visibility(of: type)
        guard !visibility.unreadable(creator: row.creator).isEmpty || !visibility.mayRead(row.facts) else {
            return error
        }
        var told = error
        told.details.removeAll { $0.key == "size" }
        return told
    }
}
