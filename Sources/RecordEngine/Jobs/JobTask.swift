internal import RecordModel
internal import RecordWire

/// What a job of a caller does.
enum JobTask: Sendable {
    case bulkChange(BulkTask)
    case importing(ImportTask)
    case exporting(ExportTask)

    /// Reads a task from the store.
    ///
    /// - Throws: INTERNAL_ERROR if it is damaged.
    init(stored bytes: [UInt8]) throws(RecordError) {
        guard let json = try? JSONValue.parse(bytes) else {
            throw RecordError(.internalError, "The stored task of the job is damaged")
        }
        switch json["kind"]?.string.flatMap(JobKind.init(rawValue:)) {
        case .importRecords: self = .importing(try ImportTask(stored: json))
        case .exportRecords: self = .exporting(try ExportTask(stored: json))
        default: self = .bulkChange(try BulkTask(json))
        }
    }

    /// The kind of the job.
    var kind: JobKind {
        switch self {
        case .bulkChange(let task): task.kind
        case .importing: .importRecords
        case .exporting: .exportRecords
        }
    }

    /// The record type of the task; `nil` if each line of a file names its own.
    var type: RecordTypeName? {
        switch self {
        case .bulkChange(let task): task.type
        case .importing(let task): task.type
        case .exporting(let task): task.type
        }
    }

    /// The size of the file that an import keeps from its start, in bytes; 0 for other tasks.
    var fileBytes: Int64 { if case .importing(let task) = self { task.size } else { 0 } }

    /// The task as a JSON object, for the store and for callers.
    var json: JSONValue {
        switch self {
        case .bulkChange(let task): task.json
        case .importing(let task): task.json
        case .exporting(let task): task.json
        }
    }

    /// Creates the steps that perform the task.
    func steps() -> any JobSteps {
        switch self {
        case .bulkChange(let task): BulkSteps(task)
        case .importing(let task): ImportSteps(task)
        case .exporting(let task):
            if let type = task.type {
                ExportSteps(task, of: type)
            } else {
                ContainerExportSteps()
            }
        }
    }
}
