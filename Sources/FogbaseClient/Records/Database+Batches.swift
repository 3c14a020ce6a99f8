internal import Foundation
internal import RecordWire

extension Database {
    /// Performs a batch atomically: all operations or none.
    ///
    /// A batch over several zones is atomic in each zone. If the call throws, the operations in other zones may have been
    /// performed. ``performInZones(_:)`` returns the results of all zones instead.
    ///
    /// ```swift
    /// var batch = Batch()
    /// let post = try batch.create(Post(title: "sea"))
    /// try batch.delete("Draft", "d1")
    /// let stored = try await database.perform(batch)[post]
    /// ```
    ///
    /// - Returns: The results of the operations.
    /// - Throws: The error of the rejected operation, in which case nothing was written in its zone.
    ///   `serverError?.operation` is the index of the operation, and ``FogbaseError/isAbout(_:)`` compares the error with
    ///   an item.
    ///   `FogbaseError.limitExceeded` if the batch has more operations than the server allows in one request.
    @discardableResult
    public func perform(_ batch: Batch) async throws -> BatchOutcome {
        let outcome = try await sender.outcome(of: batch)
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
        return try await sender.eachOutcome(of: batch)
    }

    /// Performs a batch over several zones: in each zone, all operations or none.
    ///
    /// ```swift
    /// var batch = Batch()
    /// try batch.create(Page(title: "Monday"), zone: "Notebook")
    /// try batch.create(Page(title: "Tuesday"), zone: "Diary")
    /// let outcome = try await database.performInZones(batch)
    /// ```
    ///
    /// Performing the same batch again returns the same results.
    ///
    /// - Returns: A result for each operation. In a zone with a rejected operation, the other operations have the error
    ///   `batchFailed`. A conflict in a zone that is not this database's has no ``Conflict/server``.
    /// - Throws: `FogbaseError` if the whole request failed.
    public func performInZones(_ batch: Batch) async throws -> BatchOutcome {
        try await sender.outcome(of: batch)
    }

    /// Performs a batch that has one operation.
    func perform<Value>(_ item: Batch.Item<Value>, alone batch: Batch) async throws -> Value {
        // Remove the operation index from errors, because the app did not create a batch.
        let results = try await sender.send(
            batch.operations[...], key: batch.identity.key, atomically: true, countsOperations: false)
        return try BatchOutcome(results: results, names: batch.operations.map(\.name))[item]
    }

    private var sender: BatchSender { BatchSender(connection: connection, zoneName: zoneName) }
}
