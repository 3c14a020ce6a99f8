internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `POST /records`: a batch of CloudKit's operations, with a result for each in order.
    func modifyRecords(_ call: inout RecordCall) async throws -> HTTPResponse {
        let address = try call.address()
        let body = try await call.body()
        let batch = try BatchInput.read(body, maxOperations: call.database.limits.batchOperations)
        var operations: [RecordOperation] = []
        operations.reserveCapacity(batch.operations.count)
        for item in batch.operations { operations.append(operation(item, call)) }
        let answer = try await call.database.modify(
            WriteRequest(
                caller: call.caller, address: address, shape: .batch(isAtomic: batch.atomic), operations: operations,
                fields: try call.query.fields() ?? batch.desiredKeys, idempotency: try call.idempotencyKey(body)))
        var response = HTTPResponse.json(answer.body)
        if answer.isReplay, let name = RecordCall.idempotencyReplayed { response.fields.append(name, literal: "true") }
        return response
    }

    /// What an item asks for. One that cannot be performed is refused as that item, in its place.
    private func operation(_ item: OperationInput, _ call: RecordCall) -> RecordOperation {
        do throws(RecordError) {
            try call.refuseACL(item.record)
            var operation = try RecordOperation(item)
            try? call.reader.prepare(&operation)
            return operation
        } catch {
            return RecordOperation(refusing: item, with: error)
        }
    }
}
