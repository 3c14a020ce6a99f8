internal import Foundation
internal import RecordWire

/// What became of the operations of a batch.
public struct BatchOutcome: Sendable {
    var results: [Result<any Sendable, FogbaseError>]

    /// The result of one operation.
    ///
    /// - Throws: Why it was refused.
    public subscript<Value>(item: Batch.Item<Value>) -> Value {
        get throws {
            let value = try results[item.position].get()
            guard let value = value as? Value else {
                throw FogbaseError.invalidArgument("The operation is of another batch")
            }
            return value
        }
    }

    /// The errors of those that were refused, by their positions in the batch.
    public var failures: [Int: FogbaseError] {
        var failures: [Int: FogbaseError] = [:]
        for (index, result) in results.enumerated() {
            if case .failure(let error) = result { failures[index] = error }
        }
        return failures
    }
}

extension Database {
    /// The most operations that one request may have, unless the server's `/limits` says less.
    static let operationsPerRequest = 200

    /// Performs several writes.
    ///
    /// - Parameters:
    ///   - batch: What to write.
    ///   - atomically: All or nothing. Otherwise each stands for itself, and a batch of more than 200 goes in several
    ///     requests.
    /// - Returns: A result for each operation. Those of an atomic batch that fails are all failures: the guilty one says
    ///   why, and the others are `FogbaseError.batchFailed`.
    /// - Throws: `FogbaseError` if the request as a whole failed.
    public func perform(_ batch: Batch, atomically: Bool = true) async throws -> BatchOutcome {
        var results: [Result<any Sendable, FogbaseError>] = []
        results.reserveCapacity(batch.count)
        var start = 0
        var part = 0
        while start < batch.count {
            let end = atomically ? batch.count : min(start + Self.operationsPerRequest, batch.count)
            // Each request that differs needs a key of its own.
            let key = batch.idempotencyKey + (atomically ? "" : "-each-\(part)")
            results += try await perform(batch.operations[start..<end], key: key, atomically: atomically)
            start = end
            part += 1
        }
        return BatchOutcome(results: results)
    }

    private func perform(
        _ operations: ArraySlice<Batch.Operation>, key: String, atomically: Bool
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
        _ = try response.readRecords(list: "records") { scanner in
            guard let operation = rest.popFirst() else { return }
            results.append(operation.result(&scanner))
        }
        guard rest.isEmpty else {
            throw FogbaseError.notFogbase(status: response.status, "\(rest.count) operations have no result")
        }
        return results
    }
}

extension Batch.Operation {
    /// Reads what stands for the operation in an answer.
    fileprivate func result(_ scanner: inout RecordScanner) -> Result<any Sendable, FogbaseError> {
        if let tree = scanner.head.error {
            var error = FogbaseError(tree, status: nil)
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
