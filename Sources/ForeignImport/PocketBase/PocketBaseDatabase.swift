internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The database of PocketBase, read in one snapshot: writers go on meanwhile, and are not seen.
final class PocketBaseDatabase {
    let path: String
    private let connection: Connection

    /// Opens the database in a data directory.
    ///
    /// - Throws: `ConversionError` if there is none, or if it cannot be read.
    init(in directory: String) throws(ConversionError) {
        path = directory + "/data.db"
        guard Directory.exists(directory) else {
            throw ConversionError(
                directory,
                Directory.hasFile(directory)
                    ? "This is a file. Name the data directory of PocketBase; unpack a backup first"
                    : "There is no such directory")
        }
        guard Directory.hasFile(path) else {
            throw ConversionError(
                directory,
                "There is no data.db. Name the data directory of PocketBase, which is called pb_data by default")
        }
        do throws(StoreFailure) {
            connection = try Connection(path: path, role: .reader)
        } catch {
            throw ConversionError(path, "The database cannot be opened: \(error.text)")
        }
        try check { () throws(RecordError) in
            try connection.execute("BEGIN")
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        }
    }

    /// Calls `body` with each row.
    func forEachRow(
        _ sql: String, _ body: (Statement) throws(ConversionError) -> Void
    ) throws(ConversionError) {
        let statement = connection.prepare(SQL(sql))
        defer { statement.reset() }
        while true {
            var hasRow = false
            try check { () throws(RecordError) in hasRow = try statement.step() }
            guard hasRow else { return }
            try body(statement)
        }
    }

    /// Returns the names of the columns of a table; empty if there is no such table.
    func columns(of table: String) throws(ConversionError) -> Set<String> {
        var names: Set<String> = []
        try forEachRow("SELECT name FROM pragma_table_info(\(Self.text(table)))") { names.insert($0.text(0)) }
        return names
    }

    /// Returns the number of rows of a table; 0 if there is no such table.
    func count(_ table: String) throws(ConversionError) -> Int64 {
        guard try !columns(of: table).isEmpty else { return 0 }
        var count: Int64 = 0
        try forEachRow("SELECT count(*) FROM \(Self.name(table))") { count = $0.integer(0) }
        return count
    }

    private func check(_ body: () throws(RecordError) -> Void) throws(ConversionError) {
        do throws(RecordError) { try body() } catch {
            throw ConversionError(path, "The database cannot be read: \(connection.failure?.text ?? error.reason)")
        }
    }

    /// Returns a name of a table or column as it stands in a statement.
    static func name(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Returns a text as it stands in a statement.
    static func text(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}

extension Statement {
    /// Returns the JSON of a column; null if it has none.
    func json(_ column: Int32) -> JSONValue { (try? JSONValue.parse(blob(column))) ?? .null }
}
