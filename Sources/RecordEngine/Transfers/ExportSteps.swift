internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import TextTables
internal import Threads

/// The steps of a job that exports records.
///
/// A round reads some pages of the query and appends them to the file. An export that was interrupted by the end of the
/// process begins again, since nobody has seen its file.
///
/// Unchecked `Sendable`: see `JobSteps`.
final class ExportSteps: JobSteps, @unchecked Sendable {
    private let task: ExportTask
    private let type: RecordTypeName
    private var output: Output?
    /// The number of records in the file.
    private var written: Int64 = 0
    private var total: Int64?
    private var isComplete = false
    /// Why the export ends; `nil` if it goes on.
    private var failure: RecordError?
    /// Whether the stored progress has the records of the last round.
    private var isNoted = true

    /// The file, and where the next page begins.
    private final class Output: @unchecked Sendable {
        let file: JobOutputFile
        var cursor: String?
        private var table: TableWriter?

        init(_ file: JobOutputFile) { self.file = file }

        /// Returns records in the form of the file.
        ///
        /// - Parameter type: The type of the records, whose fields are the columns of a table.
        func lines(of records: RecordList, _ task: ExportTask, _ type: RecordTypeDefinition?) throws(RecordError)
            -> [UInt8]
        {
            var lines: [UInt8] = []
            lines.reserveCapacity(records.bytes)
            switch task.format {
            case .jsonLines, .container:
                for member in records.members {
                    lines += records.json[member]
                    lines.append(UInt8(ascii: "\n"))
                }
            case .table(let format):
                var table: TableWriter
                if let known = self.table {
                    table = known
                } else {
                    let columns = Self.columns(of: type, task.input.fields)
                    table = TableWriter(columns: columns, format: format, hasMark: task.hasByteOrderMark)
                    table.begin(&lines)
                }
                for member in records.members { try table.append(record: Array(records.json[member]), to: &lines) }
                self.table = table
            }
            return lines
        }

        /// The columns of a table: the system values and the fields of a type, or the name and the chosen fields.
        private static func columns(of type: RecordTypeDefinition?, _ fields: [String]?) -> [TableWriter.Column] {
            guard let type else { return [.system(.recordName)] }
            guard let fields else { return TableWriter.columns(of: type) }
            return [.system(.recordName)]
                + fields.compactMap { name in type[name].map { .field($0.name, $0.type) } }
        }
    }

    /// What a round has read.
    private struct Round: Sendable {
        let output: Output
        var records = 0
        var total: Int?
        var isLast = false
    }

    /// A round ends after this time. Its records are in the stored progress then.
    private static let roundTime = Duration.milliseconds(500)

    /// - Parameter type: The type of the records.
    init(_ task: ExportTask, of type: RecordTypeName) { (self.task, self.type) = (task, type) }

    var needsRound: Bool { isNoted && !isComplete }

    func prepareRound(of job: JobID, in database: RecordDatabase) async throws(RecordError) {
        let (task, type, output) = (task, type, output)
        let round: Round
        do throws(RecordError) {
            round = try await database.queries.pool.read(database) { reader throws(RecordError) in
                try Self.readRound(of: job, task, type, into: output, by: reader)
            }
        } catch {
            // Another attempt would write the file from its beginning, up to the same end.
            guard error.cause == .storageFull || error.code == .quotaExceeded else { throw error }
            (failure, isNoted) = (error, false)
            return
        }
        self.output = round.output
        written += Int64(round.records)
        total = round.total.map(Int64.init) ?? total
        isComplete = round.isLast
        isNoted = false
    }

    private static func readRound(
        of job: JobID, _ task: ExportTask, _ type: RecordTypeName, into output: Output?, by reader: RecordReader
    ) throws(RecordError) -> Round {
        guard let row = try reader.store.jobs.find(job), let address = row.address.address,
            let stored = row.caller.caller
        else { throw .databaseUnavailable }
        let end = Deadline.after(roundTime)
        var request = QueryRequest(
            caller: try reader.callers.current(stored, in: address), address: address, typeName: type,
            input: task.input)
        request.input.limit = reader.database.limits.pageSize
        request.input.estimatesTotal = output == nil
        let (assets, files) = (reader.database.assets, reader.database.assetStore.jobFiles)
        func onDisk<Value>(_ body: () throws(AssetFileError) -> Value) throws(RecordError) -> Value {
            do throws(AssetFileError) { return try body() } catch { throw assets.failure(error) }
        }
        func makeOutput() throws(AssetFileError) -> Output {
            Output(try JobOutputFile(.result, of: row.name, in: files))
        }
        let output = if let output { output } else { try onDisk(makeOutput) }
        let limits = reader.database.limits
        let others = try reader.store.jobs.fileBytes(of: row.caller) - max(row.progress.last.rawValue, 4_096)
        var round = Round(output: output)
        while true {
            request.input.cursor = output.cursor
            let page = try reader.queries.respondOnThisThread(request, [])
            if let total = page.total { round.total = total.value }
            request.input.estimatesTotal = false
            let bytes = try output.lines(of: page.records, task, reader.schema[type])
            try JobWriter.checkFiles(others + output.file.size, adding: Int64(bytes.count), limits)
            try reader.database.assetStore.append(bytes, to: output.file, limits: limits)
            round.records += page.records.count
            guard case .cursor(let cursor) = page.end else {
                try onDisk { () throws(AssetFileError) in try output.file.keep() }
                round.isLast = true
                return round
            }
            output.cursor = cursor
            if end.hasPassed() { return round }
        }
    }

    func perform(
        _ job: JobID, in transaction: WriteTransaction, _ budget: inout SliceBudget, _ progress: inout StoredProgress
    ) throws(RecordError) -> JobPart {
        if let failure { return .failed(failure) }
        guard let output else { return .notLast }
        progress.done = written
        progress.last = RecordNumber(rawValue: output.file.size)
        progress.total = max(written, total ?? written)
        budget.spend(1)
        return isComplete ? .last : .notLast
    }

    func didCommit() { isNoted = true }
}
