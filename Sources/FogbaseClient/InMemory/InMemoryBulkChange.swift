internal import RecordModel
internal import RecordWire

/// The routes of bulk update and bulk delete.
struct InMemoryBulkChange {
    let call: InMemoryCall
    private var request: InMemoryRequest { call.request }

    /// Executes the request, and returns the response `{"matched","deleted"|"updated","skipped","skipReasons"?}`, or the
    /// job if the request prefers one or more records match than one request may change.
    func respond(in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse {
        let typeName = try request.typeName
        let operation = try operation(typeName)
        let isDeletion = request.method == "DELETE"
        let input = try request.condition
        let isBlank = input.condition?.allSatisfy(\.isWhitespace) ?? true
        guard isBlank == (try request.word("all")) else {
            throw .badRequest(
                isBlank
                    ? "Without 'where' this concerns every record of the type. Say all=true if you mean that"
                    : "'all' goes without 'where'. Leave one of them out")
        }
        let isDryRun = try request.word("dryRun")
        var done = (matched: 0, changed: 0, skips: SkippedRecords())
        let mayHaveJob = call.caller != .anonymous && !isDryRun
        if let type = database.schema[typeName] {
            if call.caller == .anonymous, call.permitted(.write, type) == .none {
                throw .rejected(call.caller, .write, .records(typeName))
            }
            if isDeletion, typeName == .users, call.scope == .publicDatabase { throw .userRecordStays }
            let condition = try InMemoryCondition(
                input, of: type, now: database.now, InMemoryTargets(call: call, database: database))
            let matches = try call.records(of: type, in: database).filter(condition.holds)
            done.matched = matches.count
            if !isDryRun {
                try checkSize(matches.count, mayHaveJob ? .max : database.limits.setRecords)
                (done.changed, done.skips) = try change(matches, operation, type, condition, in: &database)
            }
        }
        if mayHaveJob, prefersJob || done.matched > database.limits.setRecords {
            let kind = isDeletion ? JobKind.deleteRecords : .updateRecords
            return InMemoryJobs(call: call).add(
                kind, task(kind, input), matched: done.matched, done: done.changed, skips: done.skips,
                prefersJob: prefersJob, to: &database)
        }
        var object = JSONObject([
            ("matched", .integer(Int64(done.matched))),
            (isDeletion ? "deleted" : "updated", .integer(Int64(done.changed))),
            ("skipped", .integer(Int64(done.skips.count))),
        ])
        if done.skips.count > 0 { object["skipReasons"] = done.skips.json }
        if isDryRun { object["dryRun"] = true }
        return TransportResponse(json: .object(object))
    }

    /// Returns the operation to execute for each record.
    private func operation(_ type: RecordTypeName) throws(RecordError) -> InMemoryOperation {
        guard request.field("if-match") == nil, request.field("if-none-match") == nil else {
            throw .badRequest("If-Match and If-None-Match guard one record. A set takes 'where' alone")
        }
        if request.method == "DELETE" {
            guard request.body.isEmpty else {
                throw .badRequest("DELETE takes no body. The condition is the query parameter 'where'")
            }
            return InMemoryOperation(.delete(ignoresMissing: false), type, nil, RecordInput())
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

    private var prefersJob: Bool {
        (request.field("prefer") ?? "").lowercased().split { ",; ".contains($0) }.contains("respond-async")
    }

    /// Returns the task of the job.
    private func task(_ kind: JobKind, _ input: QueryInput) -> JSONObject {
        var task = JSONObject([("recordType", .string(request.path[1])), ("kind", .string(kind.rawValue))])
        let body = try? JSONValue.parse(request.body)
        for key in ["fields", "acl"] { if let value = body?[key] { task[key] = value } }
        if let condition = input.condition { task["where"] = .string(condition) }
        if !input.arguments.isEmpty { task["args"] = .array(input.arguments.map(\.json)) }
        if request["all"] == "true" { task["all"] = true }
        if let most = request["maxAffected"].flatMap(Int64.init) { task["maxAffected"] = .integer(most) }
        return task
    }

    private func checkSize(_ matched: Int, _ mostInRequest: Int) throws(RecordError) {
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
        guard matched <= mostInRequest else {
            throw .badRequest("More records match than one request may change", cause: .tooLarge)
        }
    }

    private func change(
        _ matches: [InMemoryRecord], _ operation: InMemoryOperation, _ type: RecordTypeDefinition,
        _ condition: InMemoryCondition, in database: inout InMemoryDatabase
    ) throws(RecordError) -> (changed: Int, skips: SkippedRecords) {
        try database.transaction { database throws(RecordError) in
            var done = (changed: 0, skips: SkippedRecords())
            for match in matches {
                // The deletion of another matching record can have deleted this record too, by `DELETE_SELF`.
                guard let record = database.find(match.key.name, zone: call.zone) else {
                    done.skips.add(.deletedSinceMatched, name: nil)
                    continue
                }
                guard call.may(.write, record, type) else {
                    done.skips.add(.rejected(call.caller, .write, .record(type.name)), name: record.key.name)
                    continue
                }
                guard condition.holds(for: record) else {
                    done.skips.add(.changedSinceMatched, name: record.key.name)
                    continue
                }
                do throws(RecordError) {
                    var (writer, operation) = (InMemoryWriter(call: call), operation)
                    operation.recordName = record.key.name
                    _ = try writer.performAlone(operation, in: &database)
                    done.changed += 1
                } catch {
                    // An error that is not specific to one record would occur for all records, so reject the whole
                    // request.
                    guard error.isOfOneRecord(isDeletion: request.method == "DELETE") else {
                        var failure = error
                        // Report 0 changes, because the transaction is rolled back.
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
    /// Whether the error is specific to one record, so that the change can succeed for other records.
    fileprivate func isOfOneRecord(isDeletion: Bool) -> Bool {
        switch code {
        case .validatingReferenceError, .conflict, .exists, .notFound, .accessDenied: true
        case .badRequest, .quotaExceeded: isDeletion || cause == .tooLarge
        default: false
        }
    }
}
