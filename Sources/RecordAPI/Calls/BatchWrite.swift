internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// A batch of write operations, parsed from a request body.
struct BatchWrite: Sendable {
    private let operations: [RecordOperation]
    private let isAtomic: Bool
    private let desiredKeys: [String]?
    private let preserves: PreservedMetadata
    private let key: IdempotencyKey?

    /// Executes a batch. The response has one result for each operation, in order.
    ///
    /// - Throws: The errors of reading the body, THROTTLED, and the errors that fail the whole batch.
    static func perform(_ call: inout RecordCall) async throws -> HTTPResponse {
        let address = try call.address()
        try call.rejectAnonymousWriters(nil, in: address.scope)
        let body = try await call.body()
        let (request, database) = (call.request, call.database)
        let batch =
            body.count < BodyParserThread.minimumBytes
            ? try BatchWrite(body, of: request, in: database, address.zone, by: call.reader.schema)
            : try await call.readElsewhere(body.count) { () throws(RecordError) in
                try BatchWrite(body, of: request, in: database, address.zone, by: database.schema)
            }
        // The request has already been counted as one operation.
        try call.rate.take(batch.operations.count - 1, after: 1)
        var write = WriteRequest(
            caller: call.caller, rightsVersion: call.rightsVersion, address: address,
            shape: .batch(isAtomic: batch.isAtomic), operations: batch.operations,
            fields: try call.query.fields() ?? batch.desiredKeys, idempotency: batch.key, opening: Envelope.records)
        if !batch.preserves.isEmpty { (write.preserves, write.actor) = (batch.preserves, call.actor) }
        let operations = batch.operations.count
        let result = try await database.modify(write) { call.rate.charge($0, operations: operations) }
        if case .service(let key) = call.caller {
            for type in result.typesBeyondScope { call.noteOutOfScope(key, type) }
        }
        let isReplay = result.isReplay
        var response = HTTPResponse.json(result.json())
        if isReplay, let name = RecordCall.idempotencyReplayed { response.fields.append(name, literal: "true") }
        return response
    }

    private init(
        _ body: [UInt8], of request: HTTPRequest, in database: RecordDatabase, _ zone: ZoneName, by schema: Schema
    ) throws(RecordError) {
        let batch = try BatchInput.read(body, maxOperations: database.limits.batchOperations)
        var operations: [RecordOperation] = []
        operations.reserveCapacity(batch.operations.count)
        for item in batch.operations {
            operations.append(Self.operation(item, in: database, batch.zone ?? zone, by: schema))
        }
        self.operations = operations
        isAtomic = batch.atomic
        desiredKeys = batch.desiredKeys
        preserves = batch.preserves
        key = try RecordCall.idempotencyKey(of: request, body)
    }

    /// Returns the operation of an item. An invalid item becomes an operation that fails with the item's error, so that
    /// every result keeps its position.
    private static func operation(
        _ item: OperationInput, in database: RecordDatabase, _ zone: ZoneName, by schema: Schema
    ) -> RecordOperation {
        do throws(RecordError) {
            var operation = try RecordOperation(item)
            try? operation.prepare(by: schema, in: database, zone: zone)
            return operation
        } catch {
            var operation = RecordOperation(rejecting: item, with: error)
            operation.input.zone = item.record.zone ?? zone
            return operation
        }
    }
}
