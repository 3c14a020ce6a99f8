/// The findings and figures of a check by the doctor.
package struct DoctorReport: Hashable, Sendable {
    /// One problem or notice.
    package struct Finding: Hashable, Sendable {
        /// The severity of a finding.
        package enum Kind: Hashable, Sendable {
            /// Data is damaged, missing or accessible to others.
            case problem
            /// Information; nothing is wrong.
            case notice
        }

        /// Whether the finding is a problem or a notice.
        package var kind: Kind
        /// A sentence that says what the check found, and where.
        package var sentence: String
        /// What the operator should do; empty if nothing needs to be done.
        package var remedy: String
    }

    /// The figures of one database directory.
    package struct Database: Hashable, Sendable {
        /// The name of the container.
        package var container: String
        /// The name of the environment.
        package var environment: String
        /// The path of the directory.
        package var path: String
        /// Whether a server is using the database.
        package var isInUse: Bool
        /// The size of the database file in bytes.
        package var databaseBytes = 0
        /// The size of the WAL in bytes.
        package var walBytes = 0
        /// The number of user accounts, with or without a user name.
        package var accounts = 0
        /// The number of API key accounts. An account remains after its key has ended.
        package var keys = 0
        /// The number of sessions.
        package var sessions = 0
        /// The number of zones.
        package var zones = 0
        /// The number of subscriptions.
        package var subscriptions = 0
        /// The figures of each record type, in the order of creation.
        package var types: [TypeFigures] = []
    }

    /// The figures of one record type.
    package struct TypeFigures: Hashable, Sendable {
        /// The name of the type.
        package var name: String
        /// The number of fields.
        package var fields: Int
        /// The number of records.
        package var records: Int
        /// The number of tombstones.
        package var tombstones: Int
    }

    /// The path of the data directory.
    package var dataPath: String
    /// The free bytes that the server may use on the data directory's disk.
    package var freeBytes = 0
    /// The databases in the data directory.
    package var databases: [Database] = []
    /// The problems and notices.
    package private(set) var findings: [Finding] = []
    /// The number of findings that the report omits.
    package private(set) var omitted = 0
    private var countOfSort: [String: Int] = [:]

    /// The maximum number of findings listed for one group in one database. A damaged disk may cause millions of
    /// findings.
    private static let listedPerSort = 20

    init(dataPath: String) {
        self.dataPath = dataPath
    }

    /// Whether the report has no problems.
    package var isHealthy: Bool {
        omitted == 0 && !findings.contains { $0.kind == .problem }
    }

    /// Whether there are files or directories that this user cannot read and write.
    var hasUnreadableFiles: Bool { countOfSort[Self.owner] != nil }

    /// The group of files and directories that this user cannot read and write.
    static let owner = "owner"

    /// Adds a problem, unless its group has already reached the maximum.
    ///
    /// - Parameter sort: The group of the finding. The report lists only the first findings of each group.
    mutating func problem(_ sentence: String, remedy: String, sort: String) {
        countOfSort[sort, default: 0] += 1
        guard countOfSort[sort, default: 0] <= Self.listedPerSort else {
            omitted += 1
            return
        }
        findings.append(Finding(kind: .problem, sentence: sentence, remedy: remedy))
    }

    /// Adds a notice, which does not affect `isHealthy`.
    mutating func notice(_ sentence: String, remedy: String = "") {
        findings.append(Finding(kind: .notice, sentence: sentence, remedy: remedy))
    }
}
