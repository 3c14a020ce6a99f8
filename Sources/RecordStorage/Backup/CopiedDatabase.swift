/// The file of a finished copy, before anybody else has it.
package enum CopiedDatabase {
    /// Makes a copy a file that can be read where nothing can be written, and that tells itself from the database that goes
    /// on: its sequence ends where the copy was made, and it begins an epoch. So a token that the database has given after
    /// that is good in the database alone.
    ///
    /// Uploads in several requests that are not complete are left out: their files still grow.
    ///
    /// - Parameter mark: The sequence of the copy, and its new epoch; `nil` for a database that was not open, whose file
    ///   says it.
    package static func seal(_ path: String, _ mark: (sequence: Int64, epoch: Int64)?) throws {
        let connection = try Connection(path: path, role: .copy)
        try connection.explaining {
            guard try Migrations.applied(on: connection) == Migrations.all.count else { return }
            try connection.execute("BEGIN IMMEDIATE")
            if let mark {
                try SettingTable(connection).set(SettingTable.reservedSequence, mark.sequence)
                try OpeningTable(connection).add(epoch: mark.epoch, after: mark.sequence)
            }
            try connection.execute("DELETE FROM resumable_upload WHERE claim IS NULL")
            try connection.execute("COMMIT")
        }
    }

    /// As `seal`, for the administrators' file.
    package static func close(_ path: String) throws {
        let connection = try Connection(path: path, role: .copy)
        _ = try connection.explaining { try connection.integer("SELECT count(*) FROM sqlite_schema") }
    }

    /// The files of the assets that the rows of a database name, in slices.
    ///
    /// - Parameter body: Gets the name and the length of each.
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
