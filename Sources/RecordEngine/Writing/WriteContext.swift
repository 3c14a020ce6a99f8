internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The caller, database and transaction of a write. All steps of the write share one instance.
///
/// Confined to the writer's thread.
final class WriteContext {
    let transaction: WriteTransaction
    let caller: Caller
    let address: DatabaseAddress

    init(transaction: WriteTransaction, caller: Caller, address: DatabaseAddress) {
        self.transaction = transaction
        self.caller = caller
        self.address = address
    }

    /// Returns the caller's permissions on the records and fields of a type.
    func visibility(of type: RecordTypeDefinition) -> Visibility {
        Visibility(of: type, for: caller, in: address.scope)
    }

    // MARK: Usage

    /// Returns the account whose quota a record uses: the owner of the private database, or the record's creator.
    func owner(of row: RecordRow) -> UserID {
        if case .privateDatabase(let owner) = address.scope { owner } else { row.creator }
    }

    /// Adds the effect of a plan to the usage, before the plan is executed.
    ///
    /// - Throws: QUOTA_EXCEEDED.
    func noteUsage(of plan: WritePlan) throws(RecordError) {
        guard let row = (plan.before ?? plan.after)?.row else { return }
        let before = try plan.before?.fields.storedBytes ?? 0
        let after = try plan.after?.fields.storedBytes ?? 0
        let records: Int64 = (plan.after == nil ? 0 : 1) - (plan.before == nil ? 0 : 1)
        try note(Usage(records: records, bytes: Int64(after - before)), of: row)
    }

    /// Adds a change of a record's asset bytes to the usage.
    ///
    /// - Throws: QUOTA_EXCEEDED.
    func noteUsage(of row: RecordRow, assetBytes: Int64) throws(RecordError) {
        try note(Usage(assetBytes: assetBytes), of: row)
    }

    private func note(_ change: Usage, of row: RecordRow) throws(RecordError) {
        try transaction.usage.note(
            change, of: owner(of: row), isPublic: address.scope == .publicDatabase, by: caller, in: transaction)
    }

    // MARK: Hiding details of errors

    /// Returns a UNIQUE_VIOLATION error that names only fields readable by the caller.
    func withoutHiddenFields(
        _ error: RecordError, of row: RecordRow, _ type: RecordTypeDefinition
    ) -> RecordError {
        guard case .list(let names)? = error.details.first(where: { $0.key == "fields" })?.value else { return error }
        let hidden = visibility(of: type).unreadable(creator: row.creator)
        let shown = names.filter { name in type[name].map { !hidden.contains($0.id) } ?? true }
        return shown.count == names.count ? error : .uniqueViolation(shown, type: type.name, isWhole: false)
    }

    /// Returns an error for a record that is too large. Removes the size if the caller may not read the whole record.
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
