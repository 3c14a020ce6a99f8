/// The permissions and knowledge of one caller for the records of one type in one database. The visibility is computed
/// once and then applied to each record.
///
/// Responses, errors, predicates, indexes and the change feed all use the same visibility, so that all of them hide the
/// same data.
package struct Visibility: Sendable {
    /// The caller whose permissions are evaluated.
    package let caller: Caller
    /// The database that contains the records.
    package let scope: DatabaseScope
    /// The records without an access list that the caller may read.
    package let reads: PermittedRecords
    /// The records without an access list that the caller may write.
    package let writes: PermittedRecords
    /// The fields that the caller may not read or write; `nil` for none.
    package let fields: FieldAccess?

    /// Computes the visibility of a type's records for a caller.
    package init(of type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope) {
        self.caller = caller
        self.scope = scope
        reads = Authorization.permitted(of: .read, for: caller, in: scope, type: type)
        writes = Authorization.permitted(of: .write, for: caller, in: scope, type: type)
        fields = Authorization.fields(of: type, for: caller, in: scope)
    }

    /// Returns whether the caller may read a record.
    package func mayRead(_ record: RecordFacts) -> Bool {
        Authorization.judge(caller, .read, in: scope, reads, record).isAllowed
    }

    /// Returns whether the caller may write a record.
    package func mayWrite(_ record: RecordFacts) -> Bool {
        Authorization.judge(caller, .write, in: scope, writes, record).isAllowed
    }

    /// Returns whether the caller may know that a record exists. If the caller may neither read nor write the record,
    /// the server responds exactly as for a missing record: same status, order of checks and preconditions.
    package func knows(_ record: RecordFacts) -> Bool {
        mayRead(record) || mayWrite(record)
    }

    /// Checks that the caller may write a record whose existence is not hidden from the caller.
    ///
    /// - Parameter type: The record's type.
    /// - Throws: `ACCESS_DENIED`; `AUTHENTICATION_REQUIRED` for an anonymous caller.
    package func requireWriting(_ record: RecordFacts, of type: RecordTypeName) throws(RecordError) {
        if !mayWrite(record) { throw .rejected(caller, .write, .record(type)) }
    }

    /// Returns whether the change feed reports an unreadable record as deleted to the caller. The feed reports this
    /// only once.
    ///
    /// - Parameters:
    ///   - formerReaders: The stored former readers of the record.
    ///   - sequence: The sequence number up to which the caller has received all changes.
    package func couldRead(creator: UserID, formerReaders: [UInt8], after sequence: Int64) -> Bool {
        Authorization.couldRead(
            caller, in: scope, permitted: reads, creator: creator, formerReaders: formerReaders, after: sequence)
    }

    // MARK: Fields

    /// Returns whether the caller created a record. The grants of `_creator` on the fields then apply.
    package func isOwn(_ creator: UserID) -> Bool { creator == caller.userID }

    /// Returns the numbers of the unreadable fields in a record that the caller may read, ascending.
    package func unreadable(creator: UserID) -> [Int] {
        fields?.unreadable(isOwn: isOwn(creator)) ?? []
    }

    /// Returns the numbers of the fields that the caller may not write in a record that the caller may write,
    /// ascending.
    package func unwritable(creator: UserID) -> [Int] {
        fields?.unwritable(isOwn: isOwn(creator)) ?? []
    }

    /// Returns whether the caller may read a field of a record. If not, no response may disclose or confirm the field's
    /// value.
    package func mayRead(field: Int, of record: RecordFacts) -> Bool {
        guard mayRead(record) else { return false }
        guard let fields else { return true }
        return !fields.unreadable(isOwn: record.creator.map(isOwn) ?? false).contains(field)
    }
}
