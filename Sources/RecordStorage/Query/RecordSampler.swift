package import RecordModel

/// Reads runs of the record table in the order of record numbers, to estimate the sizes of types, and counts small types.
///
/// Confined to the thread of its connection. Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class RecordSampler {
    private let connection: Connection
    private let run: Statement
    private let ends: Statement

    /// The bytes of a record: its name, fields and access list.
    private static let bytes =
        "length(r.name) + coalesce(length(r.layout), 0) + coalesce(length(CAST(r.fields AS BLOB)), 0) + coalesce(length(r.acl), 0)"

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        run = connection.prepare(
            "SELECT id, type, deleted, \(Self.bytes) FROM record AS r WHERE id >= ?1 ORDER BY id LIMIT ?2")
        ends = connection.prepare("SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM record")
    }

    /// A row of the record table, which may be a tombstone.
    package struct Row: Sendable {
        package let id: Int64
        package let type: TypeID
        package let isDeleted: Bool
        /// The bytes of the name, the fields and the access list.
        package let bytes: Int
    }

    /// The smallest and the largest record number; an empty range if there are no records.
    package func numbers() throws(RecordError) -> ClosedRange<Int64>? {
        let found: (Int64, Int64)? = try ends.row { row in (row.next(), row.next()) }
        guard let (first, last) = found, first <= last else { return nil }
        return first...last
    }

    /// Returns up to `limit` rows from a number on.
    package func rows(from first: Int64, limit: Int) throws(RecordError) -> [Row] {
        try run.with(first, limit).rows { row in
            Row(id: row.next(), type: row.next(), isDeleted: row.next() != (0 as Int64), bytes: row.next())
        }
    }

    /// The live records of a type.
    package struct Count: Sendable {
        /// The number of records.
        package let records: Int64
        /// The number of records whose bytes were read.
        package let measured: Int64
        /// The bytes of the measured records.
        package let bytes: Int64
    }

    /// Returns the number of zones, at most `limit`.
    package func zones(upTo limit: Int) throws(RecordError) -> Int {
        Int(try connection.prepare("SELECT count(*) FROM (SELECT 1 FROM zone LIMIT ?1)").with(limit).number() ?? 0)
    }

    /// Counts the live records of a type in all zones by an index, and measures up to `measured` of them.
    ///
    /// - Complexity: O(`limit` + zones).
    /// - Returns: `nil` if there are more than `limit` records.
    package func count(of type: TypeID, upTo limit: Int, measuring measured: Int) throws(RecordError) -> Count? {
        let count = connection.prepare("SELECT count(*) FROM (\(RecordBackfillScan.ofType("1").text))")
        let records = try count.with(type, limit + 1).number() ?? 0
        guard records <= limit else { return nil }
        let sizes = connection.prepare(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM (\(RecordBackfillScan.ofType("\(Self.bytes) AS bytes").text))"
        )
        let sum: (Int64, Int64)? = try sizes.with(type, measured).row { row in (row.next(), row.next()) }
        return Count(records: records, measured: sum?.0 ?? 0, bytes: sum?.1 ?? 0)
    }
}
