internal import RecordModel
internal import RecordStorage

extension Doctor {
    /// The repairs made in one database.
    package struct Repair: Hashable, Sendable {
        /// The container and environment, such as `iCloud.org.example.Forum/development`.
        package let label: String
        /// The number of usage sums that were wrong.
        package let sums: Int64
    }

    /// Recomputes the usage sums of accounts from the records. Does not change records.
    ///
    /// - Throws: An error with a sentence for the operator, if a server has locked the directory or if a file cannot be
    ///   written. A running server keeps usage sums in memory, so its directory cannot be repaired. Earlier repairs
    ///   remain.
    package func repair(dataPath: String) throws -> [Repair] {
        guard DirectoryInspection.isDirectory(dataPath) else { return [] }
        return try Self.repair(DataDirectory(opening: dataPath))
    }

    /// `server` is borrowed, so that the directory stays locked during the call.
    private static func repair(_ server: borrowing DataDirectory) throws -> [Repair] {
        var repairs: [Repair] = []
        for container in DirectoryInspection.directories(in: server.path) {
            guard let name = ContainerName(container) else { continue }
            for environment in RecordEnvironment.allCases {
                let path = server.path + "/" + container + "/" + environment.rawValue
                guard DataDirectory.size(of: DataDirectory.databasePath(in: path)) > 0 else { continue }
                let sums = try repairSums(DataDirectory(opening: path))
                if sums > 0 { repairs.append(Repair(label: name.text + "/" + environment.rawValue, sums: sums)) }
            }
        }
        return repairs
    }

    private static func repairSums(_ directory: borrowing DataDirectory) throws -> Int64 {
        try directory.syncWAL()
        let store = try StoreInspector(in: directory.path, mends: true)
        return try store.explaining {
            let inspection = store.records
            // The next start computes the usage sums of an older file. A file of a newer version must not be changed.
            let state = try inspection.migrationState()
            guard state.missing == 0, state.unknown == 0 else { return 0 }
            return try inspection.withView {
                guard let wrong = try inspection.wrongUsage(), wrong > 0 else { return 0 }
                try store.addUpUsage()
                return wrong
            }
        }
    }
}
