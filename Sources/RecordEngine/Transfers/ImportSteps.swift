internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The steps of a job that imports a file.
///
/// A round reads some of the file's rows. The stored position is the offset behind the last row that was written or
/// rejected, so an import that goes on after a kill writes no row twice.
///
/// Unchecked `Sendable`: see `JobSteps`.
final class ImportSteps: JobSteps, @unchecked Sendable {
    private let task: ImportTask
    private var source: ImportSource?
    private var round: ImportRound?
    private var index = 0
    /// The number of rows in the current slice, and the skips including those.
    private var next: (done: Int, skips: SkippedRecords?) = (0, nil)
    private var skips: SkippedRecords?

    /// The number of rows between two looks at the clock.
    private static let rowsPerWrite = 50
    /// The number of rejected rows that are stored. The rest is only counted.
    private static let storedRejections = 100_000

    init(_ task: ImportTask) { self.task = task }

    /// A row counts like an operation of a batch.
    var recordsPerOperation: Int? { task.isDryRun || task.isRateExempt ? nil : 1 }

    var needsRound: Bool {
        guard let round else { return true }
        return index == round.rows.count && !round.isLast
    }

    func prepareRound(of job: JobID, in database: RecordDatabase) async throws(RecordError) {
        let (task, source) = (task, source)
        let read = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try ImportRound.read(of: job, task, from: source, by: reader)
        }
        self.source = read.source
        if let schema = read.round.schema {
            var options = SchemaOptions()
            options.isDryRun = task.isDryRun
            try await database.schemas.put(
                schema.adding(to: database.schema), options, by: AuditActor(caller: read.round.request.caller))
        }
        for file in read.round.files { try await database.assets.restore(file) }
        if let request = read.round.preserving { try await database.schemas.admitPreservedDates(of: request) }
        round = read.round
        index = 0
    }

    func perform(
        _ job: JobID, in transaction: WriteTransaction, _ budget: inout SliceBudget, _ progress: inout StoredProgress
    ) throws(RecordError) -> JobPart {
        next = (0, skips)
        guard let round else { return .notLast }
        var request = round.request
        if !round.rows.isEmpty { request.caller = try transaction.callers.current(request.caller, in: request.address) }
        if task.isContainer, Authorization.authorize(request.caller, .downloadBackups) != .allowed {
            return .failed(
                RecordError(
                    .accessDenied, "The caller of the import has lost the right downloadBackups",
                    details: [("right", .text(AdministratorOperation.downloadBackups.rawValue))]))
        }
        var skips = skips ?? SkippedRecords(json: (try? progress.skips.map(JSONValue.parse)) ?? .null)
        var position = index
        while position < round.rows.count, budget.hasMore {
            let rows = round.rows[position...].prefix(min(Self.rowsPerWrite, budget.left))
            let rejected = try write(rows, request, in: transaction)
            for (row, error) in rejected {
                skips.add(error, name: row.recordName)
                if task.existing == .skip, error.code == .exists { continue }
                if skips.count <= Self.storedRejections {
                    try transaction.store.jobs.reject(
                        line: Int64(row.line), of: job, error: JobWriter.json(error.withoutRecord))
                }
            }
            progress.done += Int64(rows.count - rejected.count)
            position += rows.count
            budget.spend(rows.count)
        }
        progress.skipped = Int64(skips.count)
        progress.skips = skips.count == 0 ? nil : skips.json.bytes
        if position > index { progress.position = RecordNumber(rawValue: round.rows[position - 1].end) }
        progress.last = RecordNumber(rawValue: task.size)
        progress.total = estimatedRows(progress)
        next = (position - index, skips)
        if let most = task.mostRejected, skips.count > most {
            return .failed(
                .badRequest(
                    "\(skips.count) rows were rejected, and 'maxRejected' is \(most). The rows before them stay imported",
                    details: [("limit", .number(Int64(most))), ("rejected", .number(Int64(skips.count)))]))
        }
        guard position == round.rows.count else { return .notLast }
        if let failure = round.failure { return .failed(failure) }
        return round.isLast ? .last : .notLast
    }

    /// Writes rows, or only checks them in a dry run.
    ///
    /// - Returns: The rows that were rejected, with the reasons.
    private func write(
        _ rows: ArraySlice<ImportRow>, _ request: WriteRequest, in transaction: WriteTransaction
    ) throws(RecordError) -> [(row: ImportRow, error: RecordError)] {
        var request = request
        var rejected: [(row: ImportRow, error: RecordError)] = []
        var written: [ImportRow] = []
        var place: RecordPlace?
        func flush() throws(RecordError) {
            defer { (written, request.operations) = ([], []) }
            guard !task.isDryRun, !written.isEmpty else { return }
            if let place {
                do throws(RecordError) {
                    request.address = try transaction.restorer(task.existing).address(of: place)
                    request.caller = try transaction.callers.current(request.caller, in: request.address)
                } catch {
                    guard transaction.store.failure == nil else { throw error }
                    rejected += written.map { ($0, error) }
                    return
                }
            }
            for failure in try transaction.modify(request).failures {
                rejected.append((written[failure.position], failure.error))
            }
        }
        for row in rows {
            switch row.content {
            case .operation(let operation):
                if row.place != place {
                    try flush()
                    place = row.place
                }
                if place != nil, !task.isDryRun,
                    let error = try transaction.restorer(task.existing).obstacle(to: operation)
                {
                    rejected.append((row, error))
                    continue
                }
                written.append(row)
                request.operations.append(operation)
            case .part(let part):
                try flush()
                guard !task.isDryRun else { continue }
                do throws(RecordError) {
                    try transaction.item { () throws(RecordError) in
                        try transaction.restorer(task.existing).restore(part)
                    }
                } catch {
                    guard transaction.store.failure == nil else { throw error }
                    rejected.append((row, error))
                }
            case .rejected(let error): rejected.append((row, error))
            }
        }
        try flush()
        return rejected
    }

    /// Estimates the number of rows of the file from those so far.
    private func estimatedRows(_ progress: StoredProgress) -> Int64? {
        let (rows, bytes) = (progress.done + progress.skipped, progress.position.rawValue)
        guard bytes > 0 else { return nil }
        return max(rows, Int64(Double(rows) * Double(task.size) / Double(bytes)))
    }

    func didCommit() {
        index += next.done
        skips = next.skips
    }
}

extension RecordError {
    /// The error without the record that exists already.
    fileprivate var withoutRecord: RecordError {
        var error = self
        error.serverRecord = nil
        return error
    }
}
