internal import Foundation
internal import RecordModel
internal import RecordWire

/// Sends batches to a database, and reads the results of their operations.
struct BatchSender {
    let connection: Connection
    /// The zone of operations that name none.
    let zoneName: String

    /// Performs a batch that is atomic in each zone. Errors of operations are returned in the outcome, not thrown.
    func outcome(of batch: Batch) async throws -> BatchOutcome {
        guard batch.count > 0 else { return BatchOutcome(results: [], names: []) }
        let operations = zoneAfterZone(batch.operations)
        let results = try await send(operations[...], key: batch.identity.key, atomically: true)
        let sorted = zip(operations, results).sorted { $0.0.position < $1.0.position }.map(\.1)
        return BatchOutcome(results: sorted, names: batch.operations.map(\.name))
    }

    /// Returns operations in the order that the server requires: those of a zone follow each other. The order within a
    /// zone stays the same. The order of the zones has no effect, because records refer to records of their own zone only.
    private func zoneAfterZone(_ operations: [Batch.Operation]) -> [Batch.Operation] {
        // Record names are compared by their bytes, as the server compares zones.
        func zone(_ operation: Batch.Operation) -> RecordName { RecordName(unchecked: operation.zone ?? zoneName) }
        var ranks: [RecordName: Int] = [:]
        for operation in operations where ranks[zone(operation)] == nil { ranks[zone(operation)] = ranks.count }
        guard ranks.count > 1 else { return operations }
        func place(_ operation: Batch.Operation) -> (Int, Int) {
            (ranks[zone(operation)] ?? 0, operation.position)
        }
        return operations.sorted { place($0) < place($1) }
    }

    /// Performs a batch that is not atomic, in as many requests as necessary.
    func eachOutcome(of batch: Batch) async throws -> BatchOutcome {
        var results: [Result<any Sendable, FogbaseError>] = []
        results.reserveCapacity(batch.count)
        try await connection.sendInParts(
            batch.operations, room: { ($0.operations, $0.bodyBytes - 64) }, bytes: { $0.text.count + 1 }
        ) { part in
            do {
                // Each part needs its own idempotency key.
                let key = "\(batch.identity.key)-\(part.startIndex)-\(part.endIndex)"
                results += try await send(part, key: key, atomically: false)
            } catch FogbaseError.limitExceeded(var rejection) where part.count == 1 {
                (rejection.operation, rejection.recordName) = (part.startIndex, part.first?.name)
                results.append(.failure(.limitExceeded(rejection)))
            }
        }
        return BatchOutcome(results: results, names: batch.operations.map(\.name))
    }

    /// Sends operations in one request.
    func send(
        _ operations: ArraySlice<Batch.Operation>, key: String, atomically: Bool, countsOperations: Bool = true
    ) async throws -> [Result<any Sendable, FogbaseError>] {
        var text: [UInt8] = []
        text.reserveCapacity(operations.reduce(64) { $0 + $1.text.count + 1 })
        text.appendLiteral("{\"operations\":[")
        for (index, operation) in operations.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: operation.text)
        }
        text.appendLiteral(atomically ? "],\"atomic\":true}" : "],\"atomic\":false}")
        var call = Call("POST", "records")
        call.idempotencyKey = key
        call.setJSON(text)
        let response = try await connection.send(call)
        var rest = operations
        var results: [Result<any Sendable, FogbaseError>] = []
        results.reserveCapacity(operations.count)
        _ = try response.readRecords(list: "records") { scanner in
            guard let operation = rest.popFirst() else { return }
            results.append(
                operation.result(
                    &scanner, position: countsOperations ? operation.position : nil,
                    requestID: response.fields["x-request-id"]))
        }
        guard rest.isEmpty else {
            throw FogbaseError.notFogbase(status: response.status, "\(rest.count) operations have no result")
        }
        return results
    }
}

extension Batch.Operation {
    /// Reads the result of the operation from an item of the response.
    fileprivate func result(
        _ scanner: inout RecordScanner, position: Int?, requestID: String?
    ) -> Result<any Sendable, FogbaseError> {
        if let tree = scanner.head.error {
            var error = FogbaseError(tree, status: nil, requestID: requestID, operation: position)
            if case .conflict(var conflict, let rejection) = error {
                (conflict.client, conflict.ancestor) = (client, ancestor)
                error = .conflict(conflict, rejection)
            }
            return .failure(error)
        }
        do {
            return .success(try read(&scanner))
        } catch {
            return .failure(error as? FogbaseError ?? .invalidArgument("\(error)"))
        }
    }
}
