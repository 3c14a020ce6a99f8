internal import RecordModel
internal import RecordWire

extension RecordError {
    /// BAD_REQUEST for a field without a required index. The sentence is CloudKit's, followed by the remedy.
    static func notIndexed(_ missingIndex: QueryRequirements.MissingIndex, type: RecordTypeDefinition) -> RecordError {
        let (field, word) =
            switch missingIndex {
            case .queryable(let field): (field, "queryable")
            case .sortable(let field): (field, "sortable")
            case .searchable(let field): (field, "searchable")
            }
        var column = field.name
        if case .searchable = missingIndex { column += "[words]" }
        let failed = type.indexes.contains { index in
            index.isFailed && index.columns.contains { $0.source == field.anySource }
        }
        let remedy =
            if failed {
                "Its index has failed: GET /schema/types/\(type.name) says why. Once the cause is fixed, an administrator builds it again with PUT /schema"
            } else if type.indexes.count >= IndexDefinition.maxPerType {
                "The type has \(IndexDefinition.maxPerType) indexes, as many as it may. An administrator drops unneeded ones with PUT /schema"
            } else {
                "An administrator adds the index with POST /schema/types/\(type.name)/indexes and the body {\"fields\":[\"\(column)\"]}"
            }
        return .badRequest(
            "Field '\(field.name)' is not marked \(word). \(remedy)", cause: .notIndexed,
            details: [("field", .text(field.name)), ("recordType", .text(type.name.text))])
    }

    static func indexBuilding(_ type: RecordTypeName, retryAfter: Int) -> RecordError {
        RecordError(
            .tryAgainLater,
            "An index that the query needs is being built. Try again when it is done; /schema/types/\(type) shows how far it is",
            cause: .indexBuilding, details: [("recordType", .text(type.text))], retryAfter: retryAfter)
    }

    static let queryTooExpensive = RecordError.badRequest(
        "The query took more time than a query may, and was stopped. Narrow its condition, or add the index that /schema/advice names",
        cause: .queryTooExpensive)

    static func tooManyZones(_ limit: Int) -> RecordError {
        .badRequest(
            "The database has more than \(limit) zones, as many as one query can search. Name the zone",
            cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
    }

    static let conditionTooExpensive = RecordError.badRequest(
        "The condition compares long lists or texts of one record too often for a change. Ask in fewer tests",
        cause: .queryTooExpensive)

    static let requestAbandoned = RecordError(
        .tryAgainLater, "The request was abandoned before its response. Send it again", cause: .requestAbandoned)

    static func setTooLarge(_ matched: Int, limit: Int) -> RecordError {
        .badRequest(
            "More records match than one request may change. Narrow the condition, for instance by a range of time, and repeat",
            cause: .tooLarge, details: [("matched", .number(Int64(matched))), ("limit", .number(Int64(limit)))])
    }

    static func tooManyAffected(_ matched: Int, limit: Int) -> RecordError {
        RecordError(
            .conflict, "More records match than maxAffected allows; none was changed", cause: .tooManyAffected,
            details: [("matched", .number(Int64(matched))), ("maxAffected", .number(Int64(limit)))])
    }

    static let setRunning = RecordError(
        .tryAgainLater, "A request with this Idempotency-Key is still running. Send it again to get its response",
        retryAfter: 1)

    /// BAD_REQUEST for an idempotency key whose bulk update was interrupted.
    ///
    /// - Parameter begun: The stored progress of the bulk update.
    static func setInterrupted(_ begun: WriteResponse) -> RecordError {
        let counts = try? JSONValue.parse(begun.document)
        func count(_ key: String) -> Int64 { counts?[key]?.integer ?? 0 }
        return .badRequest(
            "The change with this Idempotency-Key was broken off: \(count("updated")) of \(count("matched")) records were changed and stay so. To change the others use a new key, and a condition that those do not meet",
            cause: .setInterrupted,
            details: [
                ("matched", .number(count("matched"))), ("changed", .number(count("updated"))),
                ("skipped", .number(count("skipped"))),
            ])
    }

    static let conditionMissing = RecordError.badRequest(
        "A change without a condition is a change of all records of the type. Give 'where', or say all=true")
}
