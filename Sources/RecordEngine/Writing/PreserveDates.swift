internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Imports: records whose writer says when they were made or changed, and by whom.
///
/// The id of such a record does not tell when it was made, so that its type has queries and sorts by `createdTimestamp`
/// answered from an index from then on. What the server's clock said is kept besides (`RecordTable.setReceived`): times of
/// creation of other types are still found by halves.
extension Schemas {
    /// Notes that a request's types have preserved dates, in a commit before the request's own: no view has such a record and a
    /// schema that does not know of it.
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
}

/// What a transaction does with records whose writer says when they were made or changed, and by whom.
struct PreservedDates {
    let transaction: WriteTransaction

    /// Refuses callers without the right to say who made a record: grants give its creator rights in it.
    func allow(_ caller: Caller) throws(RecordError) {
        let caller = try transaction.callers.current(caller)
        guard Authorization.authorize(caller, .changeRights) == .allowed else {
            throw RecordError(
                Authorization.refusal(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "'preserve' takes the right changeRights: who made a record may have rights in it",
                details: [("right", .text(AdministratorOperation.changeRights.rawValue))])
        }
    }

    /// Notes that ids of a type do not tell when its records were made, and gives it an index that does.
    func note(in known: RecordTypeDefinition) throws(RecordError) {
        guard !known.hasPreservedDates else { return }
        var type = known
        type.hasPreservedDates = true
        let id = type.id
        try transaction.store.schemas.setHasPreservedDates(type: id)
        transaction.schema.set(type)
        transaction.rightsChanged = true
        guard type.indexes.count < IndexDefinition.maxPerType else { return }
        let column = IndexDefinition.Column(.system(.createdTimestamp))
        let wish = IndexWish(indexes: [IndexWish.Shape(kind: .ordered, columns: [column])])
        _ = try transaction.schemas.addIndexes(wish, to: type.name)
    }

    /// Tells the audit log of records that were made with dates and users that the request has said.
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
