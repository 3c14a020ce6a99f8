/// Operations on the file of a finished database copy. No other connection has the file open.
package enum CopiedDatabase {
    /// Completes a copy, so that the copy is readable on a read-only file system. Stores the copy's last sequence
    /// number and a new epoch. So sync tokens that the original issues later are not valid for the copy.
    ///
    /// Unfinished resumable uploads are deleted from the copy, because their files still grow, and so is the job that
    /// shows the backup itself.
    ///
    /// - Parameter mark: The copy's last sequence number and new epoch. `nil` for a database that was not open, because
    ///   the file already contains both.
    /// - Throws: `StoreFailure`. A file without the current layout is left unchanged.
    package static func seal(_ path: String, _ mark: (sequence: Int64, epoch: Int64)?) throws {
        let connection = try Connection(path: path, role: .copy)
        try connection.explaining {
            guard try Migrations.applied(on: connection) == Migrations.all.count else { return }
            try connection.execute("BEGIN IMMEDIATE")
            if let mark {
                try SettingTable(connection).set(SettingTable.reservedSequence, mark.sequence)
                try EpochTable(connection).add(epoch: mark.epoch, after: mark.sequence)
            }
            try connection.execute("DELETE FROM resumable_upload WHERE claim IS NULL")
            try connection.execute("DELETE FROM job WHERE kind = 'backup' AND ended IS NULL")
            try connection.execute("COMMIT")
        }
    }

    /// Completes a copy of the administrators' file, so that the copy is readable on a read-only file system.
    ///
    /// - Throws: `StoreFailure`.
    package static func close(_ path: String) throws {
        let connection = try Connection(path: path, role: .copy)
        _ = try connection.explaining { try connection.integer("SELECT count(*) FROM sqlite_schema") }
    }

    /// Calls `body` with the file name and length of each asset in a database. Reads the database in slices.
    ///
    /// - Throws: `StoreFailure`, or the error of `body`.
    package static func forEachAsset(
        in path: String, _ body: (_ name: AssetFileName, _ size: Int64) throws -> Void
    ) throws {
        let connection = try Connection(path: path, role: .reader)
        try connection.explaining {
            guard let assets = try AssetInspection(connection) else { return }
            var last: Int64 = 0
            while true {
                let slice = try assets.rows(after: last, limit: 1_000)
                for row in slice.rows { try body(row.asset.name, row.asset.size) }
                guard let next = slice.last else { return }
                last = next
            }
        }
    }
}
