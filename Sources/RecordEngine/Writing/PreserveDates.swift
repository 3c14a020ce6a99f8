package import RecordModel
internal import RecordStorage
internal import RecordWire

/// Imports of records with their original dates and users.
///
/// The id of an imported record does not show its creation time. Therefore, after the first import of a type, queries
/// and sorts of the type by `createdTimestamp` use an index. The time of the import is stored as well
/// (`RecordTable.setReceived`), so that binary search by creation time still works for other types.
extension Schemas {
    /// Marks the types of a request as having preserved dates, in a commit before the request's own commit. Therefore
    /// no snapshot contains a record with preserved dates but a schema without the mark.
    ///
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED if the caller may not change rights.
    func admitPreservedDates(of request: WriteRequest) async throws(RecordError) {
        let names = Set(request.operations.compactMap(\.typeName))
        let current = database.schema
        guard names.contains(where: { current[$0].map { !$0.hasPreservedDates } ?? false }) else { return }
        let caller = request.caller
        try await change { transaction throws(RecordError) in
            try transaction.preservedDates.allow(caller)
            for name in names.sorted(by: { $0.text < $1.text }) {
                guard let type = transaction.schema[name] else { continue }
                try transaction.preservedDates.note(in: type)
            }
        }
    }

    /// Adds an index on `createdTimestamp` to each type that lacks one, if the ids of records do not show the creation
    /// time since the system clock went back. Call it after the database was opened, and after the clock went back.
    package func indexCreationTimes() async throws(RecordError) {
        guard !database.createdFollowsIDs else { return }
        @Sendable func lacks(_ type: RecordTypeDefinition) -> Bool {
            type.name != .share && type.indexes.count < IndexDefinition.maxPerType
                && PreservedDates.wish.indexes.contains { shape in !type.indexes.contains { $0.shape.serves(shape) } }
        }
        guard database.schema.types.values.contains(where: lacks) else { return }
        try await change { transaction throws(RecordError) in
            for type in transaction.schema.types.values.filter(lacks).sorted(by: { $0.id < $1.id }) {
                try transaction.preservedDates.index(type)
            }
        }
    }
}

/// Checks, marks and audits records with preserved dates and users in a transaction.
struct PreservedDates {
    let transaction: WriteTransaction

    /// Denies callers that may not change rights. Choosing a record's creator changes rights, since the creator has the
    /// permissions of `_creator` on the record.
    ///
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED.
    func allow(_ caller: Caller) throws(RecordError) {
        let caller = try transaction.callers.current(caller)
        guard Authorization.authorize(caller, .changeRights) == .allowed else {
            throw RecordError(
                Authorization.rejection(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "'preserve' takes the right changeRights: who made a record may have rights in it",
                details: [("right", .text(AdministratorOperation.changeRights.rawValue))])
        }
    }

    /// Marks a type as having ids that do not show the creation time, and adds an index on `createdTimestamp`.
    func note(in known: RecordTypeDefinition) throws(RecordError) {
        guard !known.hasPreservedDates else { return }
        var type = known
        type.hasPreservedDates = true
        let id = type.id
        try transaction.store.schemas.setHasPreservedDates(type: id)
        transaction.schema.set(type)
        transaction.rightsChanged = true
        try index(type)
    }

    /// Adds an index on `createdTimestamp`, if the type has none and is not full.
    fileprivate func index(_ type: RecordTypeDefinition) throws(RecordError) {
        // Shares are never sorted.
        guard type.name != .share, type.indexes.count < IndexDefinition.maxPerType else { return }
        _ = try transaction.schemas.addIndexes(Self.wish, to: type.name)
    }

    fileprivate static let wish = IndexRequest(indexes: [
        IndexRequest.Shape(kind: .ordered, columns: [IndexDefinition.Column(.system(.createdTimestamp))])
    ])

    /// Writes an audit entry about a number of records that were created with preserved dates and users.
    func audit(_ count: Int, _ request: WriteRequest) throws(RecordError) {
        guard count > 0 else { return }
        let types = Set(request.operations.compactMap(\.typeName?.text)).sorted()
        let actor = request.actor ?? AuditActor(caller: request.caller)
        try transaction.auditLog.append(
            .recordsPreserve, types.count == 1 ? types[0] : "", by: actor,
            detail: JSONObject(
                [("records", .integer(Int64(count)))] + AuditText.names(types, of: "types")))
    }
}
