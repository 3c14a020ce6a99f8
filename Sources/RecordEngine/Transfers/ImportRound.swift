internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The database and zone of a record in the file of a container.
struct RecordPlace: Hashable, Sendable {
    /// The owner of the private database; `nil` for the public one.
    let owner: UserRecordName?
    let zone: ZoneName
}

/// A row of a file that is imported.
struct ImportRow: Sendable {
    enum Content: Sendable {
        case operation(RecordOperation)
        /// What the file of a container has besides records.
        case part(ContainerPart)
        case rejected(RecordError)
    }

    /// The line on which the row begins, from 1.
    let line: Int
    /// The offset behind the row, in bytes.
    let end: Int64
    var content: Content
    /// Where a record of a container is; `nil` for the address of the import.
    var place: RecordPlace?

    var recordName: RecordName? {
        if case .operation(let operation) = content { operation.recordName } else { nil }
    }
}

/// Rows that were read for the writer.
struct ImportRound: Sendable {
    var rows: [ImportRow] = []
    /// A request without operations, with the caller and the address of the job.
    var request: WriteRequest
    /// Whether the file ends behind the rows.
    var isLast = false
    /// Why the rest of the file cannot be read; `nil` if it can.
    var failure: RecordError?
    /// The schema that must be there before the next round; `nil` for none.
    var schema: SchemaDocument?
    /// Files that are complete on the disk, for the rows of this round and later ones.
    var files: [StoredAssetFile] = []
    /// Operations of types whose records get preserved dates for the first time; `nil` for none.
    var preserving: WriteRequest?

    /// The number of rows and bytes after which a round ends. They bound the memory, and the work that a kill repeats.
    private static let (mostRows, mostBytes) = (2_000, Int64(4 << 20))

    /// Reads the next rows of a job's file.
    ///
    /// - Parameter source: The open file; `nil` opens it at the job's position.
    static func read(
        of job: JobID, _ task: ImportTask, from source: ImportSource?, by reader: RecordReader
    ) throws(RecordError) -> (round: ImportRound, source: ImportSource) {
        guard let row = try reader.store.jobs.find(job), let address = row.address.address,
            let stored = row.caller.caller
        else { throw .databaseUnavailable }
        let caller = try reader.callers.current(stored, in: address)
        func open() throws(RecordError) -> ImportSource {
            try ImportSource(
                try ImportSource.file(of: row.name, task, in: reader.database), task,
                at: row.progress.position.rawValue, in: reader.database)
        }
        if task.isContainer { try reader.transfers.requireContainers(of: caller) }
        let source = if let source { source } else { try open() }
        var request = WriteRequest(
            caller: caller, address: address, shape: .batch(isAtomic: false), operations: [], fields: [])
        request.isRestoring = task.isContainer
        let preserves = Authorization.authorize(caller, .changeRights) == .allowed
        var round = ImportRound(request: request)
        let end = source.position + mostBytes
        do throws(RecordError) {
            while round.rows.count < mostRows, source.position < end {
                guard var row = try source.next(before: end) else {
                    round.isLast = source.isAtEnd
                    break
                }
                if case .part(.schema(let document)) = row.content {
                    round.schema = document
                    break
                }
                row.prepare(task, preserves: preserves, in: address, by: reader)
                round.rows.append(row)
            }
        } catch {
            round.failure = error
        }
        round.files = source.takeFiles()
        let stamped = round.rows.compactMap { row -> RecordOperation? in
            switch row.content {
            case .operation(let operation) where operation.input.hasStamps: operation
            case .part(.account): .ofUsers
            default: nil
            }
        }
        if !stamped.isEmpty {
            request.preserves = [.created, .modified]
            // The start of the job is in the audit log.
            request.auditsPreserved = false
            round.request = request
            let types = Dictionary(stamped.map { ($0.typeName, $0) }) { first, _ in first }
            if types.keys.contains(where: { $0.flatMap { reader.schema[$0] }.map { !$0.hasPreservedDates } ?? false }) {
                request.operations = Array(types.values)
                round.preserving = request
            }
        }
        return (round, source)
    }
}

extension RecordOperation {
    /// Stands for the user records of accounts.
    fileprivate static var ofUsers: RecordOperation {
        RecordOperation(.create, typeName: .users, isTypeInPath: true, recordName: nil, input: RecordInput())
    }
}

extension ImportRow {
    /// Completes the operation, and resolves its fields.
    ///
    /// - Parameter preserves: Whether the caller may set dates and users. Otherwise the record gets new ones.
    fileprivate mutating func prepare(
        _ task: ImportTask, preserves: Bool, in address: DatabaseAddress, by reader: RecordReader
    ) {
        guard case .operation(var operation) = content else { return }
        if !preserves { (operation.input.created, operation.input.modified) = (nil, nil) }
        operation.typeName = operation.typeName ?? task.type
        do throws(RecordError) {
            guard operation.typeName != nil else {
                throw .badRequest("The record names no 'recordType', and neither does the import")
            }
            operation.verb = operation.recordName == nil ? .create : task.verb
            if place != nil {
                // An account comes with its user record.
                if operation.typeName == .users { operation.verb = .modify(createsMissing: false, replacesAll: true) }
                operation.input.zone = nil
                if task.isDryRun { return content = .operation(operation) }
            }
            try operation.prepare(by: reader.schema, in: reader.database, zone: address.zone)
            content = .operation(operation)
        } catch {
            // The writer first checks the caller's permissions. A dry run shows this error.
            content = task.isDryRun || operation.typeName == nil ? .rejected(error) : .operation(operation)
        }
    }
}
