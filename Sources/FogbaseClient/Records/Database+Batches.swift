internal import Foundation
internal import RecordWire

extension Database {
    /// Performs several writes: all or none.
    ///
    /// - Returns: What each operation has written, for those who ask.
    /// - Throws: The error of the operation that was refused, and none was done; `refusal?.operation` says which it is, and
    ///   so does `isAbout(_:)`. More operations than the server takes at once are `FogbaseError.limitExceeded`.
    @discardableResult
    public func perform(_ batch: Batch) async throws -> BatchOutcome {
        let outcome = try await outcome(of: batch)
        if let refusal = outcome.refusal {
            // The server keeps the answer for the key, but nothing was done: to try again is a new request.
            batch.identity.renew()
            throw refusal
        }
        return outcome
    }

    /// Performs several writes.
    ///
    /// - Parameters:
    ///   - batch: What to write.
    ///   - atomically: All or none, as `perform(_:)` does. Otherwise each stands for itself, and more than the server takes
    ///     at once go in several requests.
    /// - Returns: A result for each operation. Where each stands for itself some may be failures: ask for them, or
    ///   `check()` that there are none.
    /// - Throws: `FogbaseError` if a request as a whole failed, or an operation of an atomic batch was refused.
    public func perform(_ batch: Batch, atomically: Bool) async throws -> BatchOutcome {
        if atomically { return try await perform(batch) }
        return try await eachOutcome(of: batch)
    }

    /// Performs the one operation of a batch.
    func perform<Value>(_ item: Batch.Item<Value>, alone batch: Batch) async throws -> Value {
        // Its errors do not count operations: nobody but this client knows of a batch.
        let results = try await send(
            batch.operations[...], key: batch.identity.key, atomically: true, countsOperations: false)
        return try BatchOutcome(results: results, names: batch.operations.map(\.name))[item]
    }

    /// Performs an atomic batch, and returns also what a refused one answers.
    func outcome(of batch: Batch) async throws -> BatchOutcome {
        guard batch.count > 0 else { return BatchOutcome(results: [], names: []) }
        let results = try await send(batch.operations[...], key: batch.identity.key, atomically: true)
        return BatchOutcome(results: results, names: batch.operations.map(\.name))
    }

    /// Performs operations that stand for themselves, in as many requests as it takes.
    private func eachOutcome(of batch: Batch) async throws -> BatchOutcome {
        var results: [Result<any Sendable, FogbaseError>] = []
        results.reserveCapacity(batch.count)
        try await connection.sendInParts(
            batch.operations, room: { ($0.operations, $0.bodyBytes - 64) }, bytes: { $0.text.count + 1 }
        ) { part in
            do {
                // Each request that differs needs a key of its own.
                let key = "\(batch.identity.key)-\(part.startIndex)-\(part.endIndex)"
                results += try await send(part, key: key, atomically: false)
            } catch FogbaseError.limitExceeded(var refusal) where part.count == 1 {
                (refusal.operation, refusal.recordName) = (part.startIndex, part.first?.name)
                results.append(.failure(.limitExceeded(refusal)))
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
    /// Reads what stands for the operation in an answer.
    fileprivate func result(
        _ scanner: inout RecordScanner, position: Int?, requestID: String?
    ) -> Result<any Sendable, FogbaseError> {
        if let tree = scanner.head.error {
            var error = FogbaseError(tree, status: nil, requestID: requestID, operation: position)
            if case .conflict(var conflict, let refusal) = error {
                (conflict.client, conflict.ancestor) = (client, ancestor)
                error = .conflict(conflict, refusal)
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
