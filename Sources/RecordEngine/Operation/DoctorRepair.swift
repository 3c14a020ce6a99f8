internal import RecordModel
internal import RecordStorage

extension Doctor {
    /// What was mended in one database.
    package struct Repair: Hashable, Sendable {
        /// Such as `iCloud.org.example.Forum/development`.
        package let label: String
        /// The sums of what accounts take that were wrong.
        package let sums: Int64
    }

    /// Mends what follows from the records and can be made anew: the sums of what accounts take. Records themselves are
    /// left as they are.
    ///
    /// - Throws: A sentence for the operator: a server has the folder, since it keeps sums in memory; or the file cannot be
    ///   written. What was mended before stays mended.
    package func repair(dataPath: String) throws -> [Repair] {
        guard FolderInspection.isFolder(dataPath) else { return [] }
        return try Self.repair(DataFolder(opening: dataPath))
    }

    /// Borrowed folders stay locked for as long as a function has them.
    private static func repair(_ server: borrowing DataFolder) throws -> [Repair] {
        var repairs: [Repair] = []
        for container in FolderInspection.folders(in: server.path) {
            guard let name = ContainerName(container) else { continue }
            for environment in RecordEnvironment.allCases {
                let path = server.path + "/" + container + "/" + environment.rawValue
                guard DataFolder.size(of: DataFolder.databasePath(in: path)) > 0 else { continue }
                let sums = try mendSums(DataFolder(opening: path))
                if sums > 0 { repairs.append(Repair(label: name.text + "/" + environment.rawValue, sums: sums)) }
            }
        }
        return repairs
    }

    private static func mendSums(_ folder: borrowing DataFolder) throws -> Int64 {
        try folder.syncLog()
        let store = try StoreInspector(in: folder.path, mends: true)
        return try store.explaining {
            let inspection = store.records
            // A file of an older version gets its sums at the next start, one of a newer version is not this one's to change.
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
