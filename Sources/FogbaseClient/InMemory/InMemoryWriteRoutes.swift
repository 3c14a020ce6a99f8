internal import RecordModel
internal import RecordWire

/// The routes that write one record or a batch.
struct InMemoryWriteRoutes {
    let call: InMemoryCall

    func performOne(_ verb: WriteVerb, in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse {
        let request = call.request
        let type = try request.typeName
        let name: RecordName? = verb == .create ? nil : try request.recordName
        let isDeletion = verb == .delete(ignoresMissing: false)
        let input = isDeletion ? RecordInput() : try RecordInput.readSingle(request.body)
        guard input.recordType == nil || input.recordType == type,
            name == nil || input.recordName == nil || input.recordName == name
        else { throw .badRequest("The body names another type or record than the path. Leave them out") }
        var operation = InMemoryOperation(verb, type, name ?? input.recordName, input)
        if verb != .create { operation.precondition = try request.precondition }
        var writer = InMemoryWriter(call: call)
        guard case .saved(let record, let isNew) = try writer.performAlone(operation, in: &database) else {
            return TransportResponse(status: 204)
        }
        var fields = ["etag": "\"\(record.tag)\""]
        if isNew {
            let (type, name) = (Connection.encode(type.text), Connection.encode(record.key.name.text))
            fields["location"] = "/records/\(type)/\(name)"
        }
        if request.field("prefer") == "return=minimal" {
            fields["preference-applied"] = "return=minimal"
            return TransportResponse(status: isNew ? 201 : 204, fields: fields)
        }
        let json = try call.json(of: record, in: database)
        return TransportResponse(json: json, status: isNew ? 201 : 200, fields: fields)
    }

    func performBatch(in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse {
        let batch = try BatchInput.read(call.request.body, maxOperations: database.limits.batchOperations)
        var call = call
        call.fields = call.fields ?? batch.desiredKeys
        var items: [[UInt8]] = []
        for run in try runs(of: batch) {
            let operations = Array(batch.operations[run.operations])
            let named: InMemoryCall
            do throws(RecordError) {
                named = try call.addressing(run.zone, of: database)
            } catch {
                items += reject(operations, with: error, isAtomic: batch.atomic)
                continue
            }
            let writer = InMemoryWriter(call: named)
            items +=
                try batch.atomic
                ? performAll(operations, writer, in: &database) : performEach(operations, writer, in: &database)
        }
        var json = Array(#"{"records":["#.utf8)
        for (index, item) in items.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json += item
        }
        return TransportResponse(json: json + Array("]}".utf8))
    }

    /// Returns the runs of a batch, in order. A run has consecutive operations in one zone.
    ///
    /// - Throws: BAD_REQUEST if an atomic batch has more than one run for a zone.
    private func runs(
        of batch: BatchInput
    ) throws(RecordError) -> [(zone: ZoneName, operations: Range<Int>)] {
        var runs: [(zone: ZoneName, operations: Range<Int>)] = []
        for (position, item) in batch.operations.enumerated() {
            let zone = item.record.zone ?? batch.zone ?? call.zoneName
            if let last = runs.last, last.zone == zone {
                runs[runs.count - 1].operations = last.operations.lowerBound..<(position + 1)
            } else {
                runs.append((zone, position..<(position + 1)))
            }
        }
        if batch.atomic, Set(runs.map(\.zone)).count < runs.count {
            throw .badRequest(
                "An atomic batch is atomic in each zone. Put the operations of a zone one after the other")
        }
        return runs
    }

    /// Returns the items of operations in a zone that does not exist.
    private func reject(_ items: [OperationInput], with rejection: RecordError, isAtomic: Bool) -> [[UInt8]] {
        items.enumerated().map { index, item in
            let error = isAtomic && index > 0 ? RecordError.innocent : rejection
            return error.json(of: item.record.recordName)
        }
    }

    /// Executes the operations of an atomic batch in one zone. If an operation fails, its item in the response has the
    /// error, and all other items have ATOMIC_ERROR.
    private func performAll(
        _ items: [OperationInput], _ writer: InMemoryWriter, in database: inout InMemoryDatabase
    ) throws(RecordError) -> [[UInt8]] {
        var guilty = 0
        do throws(RecordError) {
            return try database.transaction { database throws(RecordError) in
                var writer = writer
                var responses: [[UInt8]] = []
                for (position, item) in items.enumerated() {
                    guilty = position
                    let operation = try InMemoryOperation(item)
                    let outcome = try writer.perform(operation, position: position, in: &database)
                    responses.append(try json(of: outcome, operation, writer.call, in: database))
                }
                if let (position, error) = writer.brokenPromise(in: database) {
                    guilty = position
                    throw error
                }
                return responses
            }
        } catch {
            var error = error
            error.serverRecord = shown(error.serverRecord, to: writer)
            if error.serverRecord != nil, let name = items[guilty].record.recordName {
                // Read the record again, because the error can contain a state that was rolled back.
                error.serverRecord = try database.find(name, zone: writer.call.zone).map { record throws(RecordError) in
                    try writer.call.json(of: record, in: database)
                }
            }
            return items.enumerated().map { ($0 == guilty ? error : .innocent).json(of: $1.record.recordName) }
        }
    }

    /// Returns the record in an error as the server shows it: with an idempotency key, only if the record is in the zone
    /// of the request.
    private func shown(_ record: [UInt8]?, to writer: InMemoryWriter) -> [UInt8]? {
        call.request.field("idempotency-key") != nil && writer.call.zone != call.zone ? nil : record
    }

    private func performEach(
        _ items: [OperationInput], _ writer: InMemoryWriter, in database: inout InMemoryDatabase
    ) -> [[UInt8]] {
        var writer = writer
        return items.map { item in
            do throws(RecordError) {
                let operation = try InMemoryOperation(item)
                let outcome = try writer.performAlone(operation, in: &database)
                return try json(of: outcome, operation, writer.call, in: database)
            } catch {
                var error = error
                error.serverRecord = shown(error.serverRecord, to: writer)
                return error.json(of: item.record.recordName)
            }
        }
    }

    /// Returns the JSON of an executed operation's item in the response to a batch.
    private func json(
        of outcome: InMemoryOutcome, _ operation: InMemoryOperation, _ call: InMemoryCall, in database: InMemoryDatabase
    ) throws(RecordError) -> [UInt8] {
        switch outcome {
        case .saved(let record, _): try call.json(of: record, in: database)
        case .deleted:
            JSONValue.object(
                JSONObject([("recordName", .string(operation.recordName?.text ?? "")), ("deleted", true)])
            ).bytes
        }
    }
}

extension RecordError {
    /// The error of the other operations of a failed atomic batch.
    fileprivate static let innocent = RecordError(
        .atomicError, "Another operation of this atomic batch failed, so none was performed")

    /// Returns the JSON of a rejected operation's item in the response to a batch.
    fileprivate func json(of name: RecordName?) -> [UInt8] {
        var text: [UInt8] = []
        ErrorComposer.append(self, uuid: nil, recordName: name?.text, to: &text)
        return text
    }
}
