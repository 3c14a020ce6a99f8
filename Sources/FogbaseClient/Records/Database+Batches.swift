internal import Foundation
internal import RecordWire

extension Database {
    /// Performs a batch atomically: all operations or none.
    ///
    /// ```swift
    /// var batch = Batch()
    /// let post = try batch.create(Post(title: "sea"))
    /// try batch.delete("Draft", "d1")
    /// let stored = try await database.perform(batch)[post]
    /// ```
    ///
    /// - Returns: The results of the operations.
    /// - Throws: The error of the rejected operation, in which case nothing was written. `serverError?.operation` is
    ///   the index of the operation, and ``FogbaseError/isAbout(_:)`` compares the error with an item.
    ///   `FogbaseError.limitExceeded` if the batch has more operations than the server allows in one request.
    @discardableResult
    public func perform(_ batch: Batch) async throws -> BatchOutcome {
        let outcome = try await outcome(of: batch)
        if let rejection = outcome.rejection {
            // The server has stored the error response under the idempotency key, so another attempt needs a new key.
            batch.identity.renew()
            throw rejection
        }
        return outcome
    }

    /// Performs a batch, atomically or not.
    ///
    /// In a batch that is not atomic, each operation succeeds or fails independently. A large batch that is not atomic
    /// is split into several requests.
    ///
    /// - Parameters:
    ///   - batch: The operations.
    ///   - atomically: Whether to execute all operations or none, as ``perform(_:)`` does.
    /// - Returns: A result for each operation. If the batch is not atomic, read each result, or call
    ///   ``BatchOutcome/check()``.
    /// - Throws: `FogbaseError` if a whole request failed, or an operation of an atomic batch was rejected.
    public func perform(_ batch: Batch, atomically: Bool) async throws -> BatchOutcome {
        if atomically { return try await perform(batch) }
        return try await eachOutcome(of: batch)
    }

    /// Performs a batch that has one operation.
    func perform<Value>(_ item: Batch.Item<Value>, alone batch: Batch) async throws -> Value {
        // Remove the operation index from errors, because the app did not create a batch.
        let results = try await send(
            batch.operations[...], key: batch.identity.key, atomically: true, countsOperations: false)
        return try BatchOutcome(results: results, names: batch.operations.map(\.name))[item]
    }

    /// Performs an atomic batch. If the server rejects the batch, the errors are returned in the outcome, not thrown.
    func outcome(of batch: Batch) async throws -> BatchOutcome {
        guard batch.count > 0 else { return BatchOutcome(results: [], names: []) }
        let results = try await send(batch.operations[...], key: batch.identity.key, atomically: true)
        return BatchOutcome(results: results, names: batch.operations.map(\.name))
    }

    /// Performs a batch that is not atomic, in as many requests as necessary.
    private func eachOutcome(of batch: Batch) async throws -> BatchOutcome {
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

    private func send(
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
            let position = rest.startIndex
            guard let operation = rest.popFirst() else { return }
            results.append(
                operation.result(
                    &scanner, position: countsOperations ? position : nil, requestID: response.fields["x-request-id"]))
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
