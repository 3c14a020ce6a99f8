/// The kinds of jobs. The raw values are stored, and are part of the interface.
package enum JobKind: String, Hashable, Sendable, CaseIterable {
    /// Deletes the records that match a condition.
    case deleteRecords
    /// Changes fields or the access lists of the records that match a condition.
    case updateRecords
    /// Writes the records of a file.
    case importRecords
    /// Writes records to a file.
    case exportRecords
    /// Adds the records of a type to a new index.
    case buildIndex
    /// Deletes the entries of a removed index.
    case dropIndex
    /// Rewrites the records of a type after one of its fields was renamed.
    case renameFields
    /// Deletes the data of a removed account.
    case removeAccount
    /// Deletes the records of a deleted zone.
    case removeZone
    /// Deletes files that no record uses.
    case collectAssets
    /// Copies the database into a backup.
    case backup

    /// Whether callers start jobs of this kind and control them. The server itself starts the others.
    package var isOfCallers: Bool { isBulkChange || self == .importRecords || self == .exportRecords }

    /// Whether jobs of this kind make one change of all records that match a condition.
    package var isBulkChange: Bool { self == .deleteRecords || self == .updateRecords }
}

/// The state of a job. The raw values are stored, and are part of the interface.
package enum JobState: String, Hashable, Sendable, CaseIterable {
    case queued, running, paused, succeeded, failed, cancelled

    /// Whether the job has ended.
    package var isFinal: Bool {
        switch self {
        case .queued, .running, .paused: false
        case .succeeded, .failed, .cancelled: true
        }
    }
}
