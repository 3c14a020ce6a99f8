internal import Foundation
internal import RecordWire

/// A deletion of many records that goes on beside the app's other work.
///
/// ```swift
/// let deletion = database.deleteInBackground(Query<Entry>().filter(.time, lessThan: halfYearAgo))
/// for await progress in deletion.progress { bar.value = progress.fraction }
/// let outcome = try await deletion.value
/// ```
///
/// It asks for the records page by page and deletes those of a page that have not changed since: so a record that meets the
/// condition no more stays, whoever writes meanwhile, and there is no limit to their number. What was deleted when it is
/// cancelled, or when the app ends, stays deleted; the same call goes on with the rest.
public final class BackgroundDeletion: Sendable {
    /// How far it is.
    public struct Progress: Hashable, Sendable {
        /// How many records met the condition at the start.
        public var total: Int
        /// How many are deleted by now.
        public var deleted: Int
        /// How many were left: they had changed meanwhile, were gone, or are not the caller's to delete.
        public var skipped: Int

        /// From 0 to 1.
        public var fraction: Double {
            total == 0 ? 1 : min(1, Double(deleted + skipped) / Double(total))
        }
    }

    /// The latest state, for one who watches; it ends with the deletion.
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

    /// What became of it, once it has ended.
    ///
    /// - Throws: Why it ended early.
    public var value: SetOutcome {
        get async throws { try await task.value }
    }

    /// Ends it after the request that is on its way.
    public func cancel() {
        task.cancel()
    }
}

extension Database {
    /// Deletes the records that meet a condition, many or few, beside other work.
    ///
    /// - Parameter query: Its condition and its order; its limit is the size of the pages.
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

    /// Names and versions of a page's records, without their fields.
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

    /// Deletes those records that still have their versions.
    ///
    /// - Returns: How many.
    private func delete(_ records: ArraySlice<(name: String, version: String)>, of type: String) async throws -> Int {
        var batch = Batch()
        for record in records { try batch.delete(type, record.name, version: record.version) }
        let outcome = try await perform(batch, atomically: false)
        for error in outcome.failures.values {
            switch error {
            // Changed, gone, or not the caller's to delete: it is left.
            case .conflict, .notFound, .accessDenied, .referenceViolation: continue
            default: throw error
            }
        }
        return batch.count - outcome.failures.count
    }
}
