internal import RecordModel
internal import RecordWire

/// Queries, and changes by condition: every record of the type is asked.
extension InMemoryDatabase {
    mutating func query(_ call: InMemoryCall) throws -> TransportResponse {
        let input = try queryInput(of: call.request)
        if input.explain { throw InMemoryRefusal.notThere("plans of queries") }
        let limit = try limits.pageLength(input.limit)
        guard let typeName = input.recordType else {
            throw RecordError.badRequest("The body needs 'recordType', the type whose records are asked for")
        }
        guard let type = schema[typeName] else {
            return TransportResponse(json: input.count ? ["records": [], "count": 0] : ["records": []])
        }
        var call = call
        call.fields = input.fields
        var records = try readable(type, call)
        let owner = "query \(call.caller.writerID) \(call.zone) \(String(decoding: input.identity, as: UTF8.self))"
        var (moment, last): (Int64, KeptRecord?) = (now, nil)
        if let cursor = input.cursor {
            guard case .query(let record, let start)? = positions[cursor, owner] else { throw RecordError.cursorIsNone }
            (moment, last) = (start, record)
        }
        let bound = try bind(input, to: type, now: moment)
        records.removeAll { !bound.predicate.evaluate(subject($0)) }
        let count = records.count
        records.sort { isBefore($0, $1, bound.sort) }
        if let last { records.removeAll { !isBefore(last, $0, bound.sort) } }
        var page = try InMemoryPage(records, limit: limit, of: self, call)
        if let last = page.last { page.close(cursor: positions.keep(.query(after: last, now: moment), owner)) }
        if input.count { page.append(count: count) }
        return TransportResponse(json: page.finish())
    }

    private func queryInput(of request: InMemoryRequest) throws(RecordError) -> QueryInput {
        if request.method == "POST" { return try QueryInput.read(request.body) }
        var input = try condition(of: request)
        if let sort = request["sort"] { input.sort = try QueryInput.sort(sort) }
        input.limit = try request.limit(limits)
        input.fields = request.shownFields
        input.cursor = request["cursor"]
        input.count = try request.word("count")
        input.explain = try request.word("explain")
        return input
    }

    private func condition(of request: InMemoryRequest) throws(RecordError) -> QueryInput {
        var input = QueryInput()
        input.recordType = try request.typeName
        input.condition = request["where"]
        input.arguments = try QueryInput.arguments(request.all("arg"))
        return input
    }

    private func bind(
        _ input: QueryInput, to type: RecordTypeDefinition, now: Int64
    ) throws(RecordError) -> BoundQuery {
        try input.bind(to: type, now: now) { name throws(RecordError) in
            if name == InMemoryAccounts.deletedUser { return .gone }
            for id in [UserID.nobody, .administrator] where accounts.name(of: id) == name { return id }
            return accounts.id(named: name)
        }
    }

    private func subject(_ record: KeptRecord) -> KeptRecord.Subject {
        record.subject { accounts.name(of: $0) == InMemoryAccounts.deletedUser ? .gone : $0 }
    }

    private func isBefore(_ left: KeptRecord, _ right: KeptRecord, _ sort: [SortTerm]) -> Bool {
        sort.areInIncreasingOrder(subject(left), id: left.id, subject(right), id: right.id)
    }

    // MARK: Changes by condition

    /// Deletes or changes all records that meet a condition: `{"matched","deleted"|"updated","skipped",
    /// "skipReasons"?}`.
    mutating func changeSet(_ call: InMemoryCall) throws(RecordError) -> TransportResponse {
        let request = call.request
        let typeName = try request.typeName
        let operation = try setOperation(request, typeName)
        let word = operation == nil ? "deleted" : "updated"
        let input = try condition(of: request)
        let isBlank = input.condition?.allSatisfy(\.isWhitespace) ?? true
        guard isBlank == (try request.word("all")) else {
            throw .badRequest(
                isBlank
                    ? "Without 'where' this concerns every record of the type. Say all=true if you mean that"
                    : "'all' goes without 'where'. Leave one of them out")
        }
        let isDryRun = try request.word("dryRun")
        var done = (matched: 0, changed: 0, skips: SetSkips())
        if let type = schema[typeName] {
            if call.caller == .anonymous, call.reach(.write, type) == .none {
                throw .refused(call.caller, .write, .records(typeName))
            }
            if operation == nil, typeName == .users, call.scope == .publicDatabase { throw .userRecordStays }
            let bound = try bind(input, to: type, now: now)
            let matches = try readable(type, call).filter { bound.predicate.evaluate(subject($0)) }
            done.matched = matches.count
            if !isDryRun {
                try checkSize(matches.count, request)
                (done.changed, done.skips) = try change(matches, operation, type, bound.predicate, call)
            }
        }
        var object = JSONObject([
            ("matched", .integer(Int64(done.matched))), (word, .integer(Int64(done.changed))),
            ("skipped", .integer(Int64(done.skips.count))),
        ])
        if done.skips.count > 0 { object["skipReasons"] = done.skips.json }
        if isDryRun { object["dryRun"] = true }
        return TransportResponse(json: .object(object))
    }

    /// What is done to each record; `nil` deletes it.
    private func setOperation(
        _ request: InMemoryRequest, _ type: RecordTypeName
    ) throws(RecordError) -> InMemoryOperation? {
        guard request.field("if-match") == nil, request.field("if-none-match") == nil else {
            throw .badRequest("If-Match and If-None-Match guard one record. A set takes 'where' alone")
        }
        if request.method == "DELETE" {
            guard request.body.isEmpty else {
                throw .badRequest("DELETE takes no body. The condition is the query parameter 'where'")
            }
            return nil
        }
        let input = try RecordInput.readSingle(request.body)
        guard input.recordName == nil, input.recordType == nil || input.recordType == type else {
            throw .badRequest("A change by condition concerns many records of the type in the path")
        }
        guard !input.fields.isEmpty || input.hasACL else {
            throw .badRequest("The body names nothing to change: {\"fields\":{…}}")
        }
        _ = try input.accessChange()
        return InMemoryOperation(.modify(createsMissing: false, replacesAll: false), type, nil, input)
    }

    private func checkSize(_ matched: Int, _ request: InMemoryRequest) throws(RecordError) {
        if let text = request["maxAffected"] {
            guard let most = Int(text), most >= 0 else {
                throw .badRequest("'maxAffected' is a number from 0 on", details: [("parameter", .text("maxAffected"))])
            }
            guard matched <= most else {
                throw RecordError(
                    .conflict, "More records match than maxAffected allows; none was changed", cause: .tooManyAffected,
                    details: [("matched", .number(Int64(matched))), ("maxAffected", .number(Int64(most)))])
            }
        }
        guard matched <= limits.setRecords else {
            throw .badRequest("More records match than one request may change", cause: .tooLarge)
        }
    }

    private mutating func change(
        _ matches: [KeptRecord], _ operation: InMemoryOperation?, _ type: RecordTypeDefinition,
        _ predicate: Predicate, _ call: InMemoryCall
    ) throws(RecordError) -> (changed: Int, skips: SetSkips) {
        try transaction { database throws(RecordError) in
            var done = (changed: 0, skips: SetSkips())
            for match in matches {
                // An earlier deletion may have taken it along.
                guard let record = database.find(match.key.name, zone: call.zone) else {
                    done.skips.add(.goneSinceMatched, name: nil)
                    continue
                }
                guard call.may(.write, record, type) else {
                    done.skips.add(.refused(call.caller, .write, .record(type.name)), name: record.key.name)
                    continue
                }
                guard predicate.evaluate(database.subject(record)) else {
                    done.skips.add(.changedSinceMatched, name: record.key.name)
                    continue
                }
                do throws(RecordError) {
                    try database.transaction { database throws(RecordError) in
                        var writer = InMemoryWriter(call: call)
                        if var operation {
                            operation.recordName = record.key.name
                            _ = try writer.perform(operation, position: 0, in: &database)
                        } else {
                            try writer.bury(record, position: 0, in: &database)
                        }
                        if let (_, error) = writer.brokenPromise(in: database) { throw error }
                    }
                    done.changed += 1
                } catch {
                    // What is wrong with the change itself is wrong with it for all records.
                    guard error.isOfOneRecord(isDeletion: operation == nil) else {
                        var failure = error
                        // All of it is undone.
                        failure.details += [
                            ("matched", .number(Int64(matches.count))), ("changed", .number(0)),
                            ("skipped", .number(0)),
                        ]
                        throw failure
                    }
                    done.skips.add(error, name: record.key.name)
                }
            }
            return done
        }
    }
}

extension RecordError {
    /// Whether others of a set may fare better.
    fileprivate func isOfOneRecord(isDeletion: Bool) -> Bool {
        switch code {
        case .validatingReferenceError, .conflict, .exists, .notFound, .accessDenied: true
        case .badRequest, .quotaExceeded: isDeletion || cause == .tooLarge
        default: false
        }
    }
}
