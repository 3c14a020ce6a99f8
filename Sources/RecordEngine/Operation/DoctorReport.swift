/// What the doctor has found.
package struct DoctorReport: Hashable, Sendable {
    /// One thing that is wrong, or worth knowing.
    package struct Finding: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// Data is damaged, missing or open to others.
            case problem
            /// Worth knowing; nothing is wrong.
            case notice
        }

        package var kind: Kind
        /// What is so, with its place.
        package var sentence: String
        /// What to do about it; empty for nothing.
        package var remedy: String
    }

    /// A database folder and its figures.
    package struct Database: Hashable, Sendable {
        package var container: String
        package var environment: String
        package var path: String
        package var isInUse: Bool
        package var databaseBytes = 0
        package var logBytes = 0
        /// Those of people, with a name or without.
        package var accounts = 0
        /// Those of API keys, which stay when the key has ended.
        package var keys = 0
        package var sessions = 0
        package var zones = 0
        /// By type, in the order in which the types were made.
        package var types: [TypeFigures] = []
    }

    package struct TypeFigures: Hashable, Sendable {
        package var name: String
        package var fields: Int
        package var records: Int
        package var tombstones: Int
    }

    package var dataPath: String
    /// Bytes that are free for the server on the disk of the data folder.
    package var freeBytes = 0
    package var databases: [Database] = []
    package private(set) var findings: [Finding] = []
    /// How many findings of one sort were left out after the first ones.
    package private(set) var omitted = 0
    private var countOfSort: [String: Int] = [:]

    /// Findings of one sort in one database that are listed; a damaged disk may have millions.
    private static let listedPerSort = 20

    init(dataPath: String) {
        self.dataPath = dataPath
    }

    /// Whether nothing is wrong.
    package var isHealthy: Bool {
        omitted == 0 && !findings.contains { $0.kind == .problem }
    }

    /// Notes a problem.
    ///
    /// - Parameter sort: What counts together when only the first ones are listed.
    mutating func problem(_ sentence: String, remedy: String, sort: String) {
        countOfSort[sort, default: 0] += 1
        guard countOfSort[sort, default: 0] <= Self.listedPerSort else {
            omitted += 1
            return
        }
        findings.append(Finding(kind: .problem, sentence: sentence, remedy: remedy))
    }

    mutating func notice(_ sentence: String, remedy: String = "") {
        findings.append(Finding(kind: .notice, sentence: sentence, remedy: remedy))
    }
}
