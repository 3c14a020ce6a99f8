internal import Foundation
internal import RecordWire

/// The two ways to delete the records that match a query: by a job of the server, and page by page.
struct DeletionWork<Model: RecordDecodable>: Sendable {
    let database: Database
    let query: Query<Model>
    private var connection: Connection { database.connection }

    /// Creates a job for a deletion.
    func start() async throws -> BackgroundDeletion.Start {
        var call = try database.bulkCall(query, "DELETE")
        call.fields.append(("Prefer", "respond-async"))
        // A server without jobs responds after its work.
        call.timeout = .seconds(600)
        // A repeated request gets the same job.
        call.idempotencyKey = RecordNames.make()
        let connection = connection
        var shielded = connection
        shielded.transport = ShieldedTransport(base: connection.transport) { response in
            // The deletion was canceled while the server created its job.
            guard response.status == 202, let job = try? ServerJob(response.readTree()) else { return }
            _ = try? await connection.cancelJob(job.id)
        }
        do {
            let response = try await shielded.send(call)
            guard response.status == 202 else { return .done(try Database.outcome(of: response, counted: "deleted")) }
            return .job(try ServerJob(response.readTree()))
        } catch let error as FogbaseError where error.isOfBulkDelete {
            return .rejected
        }
    }

    // MARK: Without a job

    /// Deletes the records page by page. Each is deleted only if it has not changed since it was fetched.
    func deletePages(_ report: @Sendable (BackgroundDeletion.Progress) -> Void) async throws -> SetOutcome {
        var progress = BackgroundDeletion.Progress(total: try await database.count(query), deleted: 0, skipped: 0)
        report(progress)
        var length = query.pageSize
        if length == nil, progress.total > RequestSizes.shortPage { length = try await connection.sizes().pageSize }
        var cursor: String?
        repeat {
            let (versions, next) = try await versions(cursor: cursor, limit: length)
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

    /// Fetches the names and change tags of a page of records.
    private func versions(
        cursor: String?, limit: Int?
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
        let outcome = try await database.perform(batch, atomically: false)
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

extension FogbaseError {
    /// Whether the server has no bulk delete or cannot do this one: more records match than one request may delete, or
    /// the condition is too long for a URL.
    fileprivate var isOfBulkDelete: Bool {
        switch self {
        case .limitExceeded(let rejection): rejection.cause == .tooLarge
        case .notFogbase(let status, _): [404, 405, 414, 501].contains(status)
        default: status == 405 || status == 414 || status == 501 || serverError?.cause == .unknownRoute
        }
    }
}
