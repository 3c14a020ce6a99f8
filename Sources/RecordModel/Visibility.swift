/// What one caller may do with the records of one type in one database, and what it may know of them: found once, then asked
/// for each record.
///
/// Answers, refusals, conditions, indexes and the feed ask here before they tell something, so that all of them tell the same.
package struct Visibility: Sendable {
    package let caller: Caller
    package let scope: DatabaseScope
    /// The records that the caller may read, among those without an access list.
    package let reads: Reach
    /// Those that it may write.
    package let writes: Reach
    /// `nil` if no field is held back.
    package let fields: FieldAccess?

    package init(of type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope) {
        self.caller = caller
        self.scope = scope
        reads = Authorization.reach(of: .read, for: caller, in: scope, type: type)
        writes = Authorization.reach(of: .write, for: caller, in: scope, type: type)
        fields = Authorization.fields(of: type, for: caller, in: scope)
    }

    package func mayRead(_ record: RecordFacts) -> Bool {
        Authorization.judge(caller, .read, in: scope, reads, record).isAllowed
    }

    package func mayWrite(_ record: RecordFacts) -> Bool {
        Authorization.judge(caller, .write, in: scope, writes, record).isAllowed
    }

    /// Whether a record exists for the caller. What it may neither read nor write answers as a missing one does, in
    /// every detail: status, order of checks, conditions.
    package func knows(_ record: RecordFacts) -> Bool {
        mayRead(record) || mayWrite(record)
    }

    /// Refuses a caller that may not change a record it knows of.
    ///
    /// - Parameter type: The record's.
    package func requireWriting(_ record: RecordFacts, of type: RecordTypeName) throws(RecordError) {
        if !mayWrite(record) { throw .refused(caller, .write, .record(type)) }
    }

    /// Whether the feed tells the caller, once, that a record which it may not read is gone.
    ///
    /// - Parameters:
    ///   - formerReaders: As they are stored with the record.
    ///   - sequence: Up to where the caller knows everything.
    package func couldRead(creator: UserID, formerReaders: [UInt8], after sequence: Int64) -> Bool {
        Authorization.couldRead(
            caller, in: scope, reach: reads, creator: creator, formerReaders: formerReaders, after: sequence)
    }

    // MARK: Fields

    /// Whether the caller has created a record, which gives it the rights of `_creator` on its fields.
    package func isOwn(_ creator: UserID) -> Bool { creator == caller.userID }

    /// The numbers of the fields that it does not read in a record that it may read, ascending.
    package func unreadable(creator: UserID) -> [Int] {
        fields?.unreadable(isOwn: isOwn(creator)) ?? []
    }

    /// The numbers of those that it does not write in one that it may write.
    package func unwritable(creator: UserID) -> [Int] {
        fields?.unwritable(isOwn: isOwn(creator)) ?? []
    }

    /// Whether the caller reads a field of a record; else what stands in it must not be confirmed.
    package func mayRead(field: Int, of record: RecordFacts) -> Bool {
        guard mayRead(record) else { return false }
        guard let fields else { return true }
        return !fields.unreadable(isOwn: record.creator.map(isOwn) ?? false).contains(field)
    }
}
