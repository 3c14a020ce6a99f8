internal import Foundation
internal import RecordWire

/// A bulk delete that runs in the background and reports its progress.
///
/// ```swift
/// let deletion = database.deleteInBackground(Query<Entry>().filter(.time, lessThan: halfYearAgo))
/// for await progress in deletion.progress { bar.value = progress.fraction }
/// let outcome = try await deletion.value
/// ```
///
/// The deletion fetches the matching records page by page, and deletes each record only if it has not changed since.
/// The number of records is not limited. If the deletion is canceled or the app ends, the records deleted so far stay
/// deleted. Another call with the same query deletes the rest.
public final class BackgroundDeletion: Sendable {
    /// The progress of a deletion.
    public struct Progress: Hashable, Sendable {
        /// The number of records that matched at the start.
        public var total: Int
        /// The number of records deleted so far.
        public var deleted: Int
        /// The number of records skipped so far: records that had changed, were already deleted, or cannot be deleted
        /// by the caller.
        public var skipped: Int

        /// The completed fraction, 0 to 1.
        public var fraction: Double {
            total == 0 ? 1 : min(1, Double(deleted + skipped) / Double(total))
        }
    }

    /// The latest progress, for a single `for await` loop. The stream finishes when the deletion ends.
    public let progress: AsyncStream<Progress>
    private let task: Task<SetOutcome, any Error>

    init(_ work: @escaping @Sendable (@Sendable (Progress) -> Void) async throws -> SetOutcome) {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        progress = stream
        task = Task {
            defer { continuation.finish() }
            return try await work { continuation.yield($0) }
        }
    }

    /// The outcome of the deletion. Reading it waits until the deletion has ended.
    ///
    /// - Throws: The `FogbaseError` that ended the deletion, or `CancellationError`.
    public var value: SetOutcome {
        get async throws { try await task.value }
    }

    /// Cancels the deletion. The server can still execute the current request.
    public func cancel() {
        task.cancel()
    }
}

extension Database {
    /// Starts to delete the records that match a query, in the background.
    ///
    /// ```swift
    /// let deletion = database.deleteInBackground(Query<Entry>().filter(.time, lessThan: halfYearAgo))
    /// let outcome = try await deletion.value
    /// ```
    ///
    /// - Parameter query: The query, with at least one condition. The limit of the query is the page size.
    /// - Returns: The running deletion. Its ``BackgroundDeletion/value`` throws `FogbaseError.invalidArgument` if the
    ///   query has no condition.
    public func deleteInBackground<Model>(_ query: Query<Model>) -> BackgroundDeletion {
        BackgroundDeletion { report in
            guard query.filter != nil else {
                throw FogbaseError.invalidArgument(
                    "A query without a condition deletes nothing; use Filter.all to mean it")
            }
            var progress = BackgroundDeletion.Progress(total: try await count(query), deleted: 0, skipped: 0)
            report(progress)
            var length = query.pageSize
            if length == nil, progress.total > RequestSizes.shortPage { length = try await connection.sizes().pageSize }
            var cursor: String?
            repeat {
                let (versions, next) = try await versions(query, cursor: cursor, limit: length)
                var rest = versions[...]
                while !rest.isEmpty {
                    try Task.checkCancellation()
                    let part = rest.prefix(RequestSizes.usual.operations)
                    rest = rest.dropFirst(part.count)
                    let deleted = try await delete(part, of: Model.recordType)
                    progress.deleted += deleted
                    progress.skipped += part.count - deleted
                    progress.total = max(progress.total, progress.deleted + progress.skipped)
                    report(progress)
                }
                cursor = next
            } while cursor != nil
            return SetOutcome(matched: progress.total, changed: progress.deleted, skipped: progress.skipped)
        }
    }

    /// Fetches the names and change tags of a page of records.
    private func versions<Model>(
        _ query: Query<Model>, cursor: String?, limit: Int?
    ) async throws -> ([(name: String, version: String)], next: String?) {
        var call = Call("POST", "query")
        call.setJSON(try query.fields([]).body(cursor: cursor, limit: limit))
        var versions: [(name: String, version: String)] = []
        let rest = try await connection.send(call).readRecords(list: "records") { scanner in
            versions.append((scanner.head.recordName, scanner.head.recordChangeTag ?? ""))
        }
        return (versions, rest["cursor"]?.string)
    }

    /// Deletes the records that still have the given change tags.
    ///
    /// - Returns: The number of deleted records.
    private func delete(_ records: ArraySlice<(name: String, version: String)>, of type: String) async throws -> Int {
        var batch = Batch()
        for record in records { try batch.delete(type, record.name, version: record.version) }
        let outcome = try await perform(batch, atomically: false)
        for error in outcome.failures.values {
            switch error {
            // Skip a record that has changed, is already deleted, or cannot be deleted by the caller.
            case .conflict, .notFound, .accessDenied, .referenceViolation: continue
            default: throw error
            }
        }
        return batch.count - outcome.failures.count
    }
}
