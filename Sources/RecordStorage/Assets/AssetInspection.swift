package import Cryptography
package import RecordModel

/// The doctor's queries on assets, on a read-only connection. The doctor reads in slices.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AssetInspection {
    private let connection: Connection
    private let reading: AssetFinder
    private let rowSlice: Statement
    private let linkSlice: Statement
    private let hasLink: Statement

    /// Prepares the SQL statements on `connection`.
    ///
    /// Returns `nil` if the file lacks the migration that adds assets.
    package init?(_ connection: Connection) throws(RecordError) {
        guard try Migrations.applied(on: connection) >= Migrations.withAssets else { return nil }
        self.connection = connection
        reading = AssetFinder(connection)
        rowSlice = connection.prepare(
            """
            SELECT id, hash, size, file, orphaned, format, width, height, orientation,
                EXISTS (SELECT 1 FROM asset_link WHERE asset_link.asset = asset.id)
            FROM asset WHERE id > ?1 ORDER BY id LIMIT ?2
            """)
        linkSlice = connection.prepare(
            """
            SELECT record, field, asset, (SELECT hash FROM asset WHERE asset.id = asset_link.asset) FROM asset_link
            WHERE (record, field, asset) > (?1, ?2, ?3) ORDER BY record, field, asset LIMIT ?4
            """)
        hasLink = connection.prepare("SELECT 1 FROM asset_link WHERE record = ?1 AND field = ?2 AND asset = ?3")
    }

    /// An asset, and whether a record has a link to it.
    package struct Row: Hashable, Sendable {
        /// The stored asset.
        package var asset: AssetRow
        /// Whether a record has the asset.
        package var isLinked: Bool
    }

    /// Returns at most `limit` assets after the ID `id`, in ID order.
    ///
    /// - Returns: The rows, the number of rows with a damaged hash, and the ID of the slice's last row; `nil` at the
    ///   end.
    package func rows(after id: Int64, limit: Int) throws(RecordError) -> (rows: [Row], damaged: Int, last: Int64?) {
        rowSlice.with(id, limit)
        defer { rowSlice.reset() }
        var rows: [Row] = []
        var damaged = 0
        var last: Int64?
        while try rowSlice.step() {
            last = rowSlice.integer(0)
            var columns = Columns(rowSlice)
            if let row = AssetRow(&columns) {
                rows.append(Row(asset: row, isLinked: columns.next()))
            } else {
                damaged += 1
            }
        }
        return (rows, damaged, last)
    }

    /// A link from a field of a record to an asset.
    package struct Link: Hashable, Sendable {
        /// The record's number.
        package var record: RecordNumber
        /// The field's number in the record type.
        package var field: Int
        /// The asset's ID.
        package var asset: Int64
        /// The asset's hash; `nil` if there is no such asset.
        package var hash: Digest?
    }

    /// Returns at most `limit` links after `last`, in key order.
    package func links(after last: Link?, limit: Int) throws(RecordError) -> [Link] {
        try linkSlice.with(last?.record ?? .lowest, last?.field ?? .min, last?.asset ?? .min, limit).rows { row in
            Link(record: row.next(), field: row.next(), asset: row.next(), hash: Digest(row.nextBytes()))
        }
    }

    /// Returns the asset whose content has this SHA-256; `nil` if there is none.
    package func find(_ hash: Digest) throws(RecordError) -> AssetRow? {
        try reading.find(hash)
    }

    /// Returns whether a field of a record has a stored link to an asset.
    package func isLinked(record: RecordNumber, field: Int, asset: Int64) throws(RecordError) -> Bool {
        try hasLink.with(record, field, asset).exists()
    }

    /// Returns the number of uploaders whose counter of unused bytes differs from the sum of their claims.
    package func wrongSums() throws(RecordError) -> Int {
        let find = connection.prepare(
            """
            SELECT count(*) FROM (SELECT uploader, sum(bytes) AS difference FROM (
                SELECT uploader, bytes FROM asset_unused
                UNION ALL SELECT uploader, -size FROM asset_claim WHERE used IN (0, 2)
            ) GROUP BY uploader HAVING difference <> 0)
            """)
        return try find.row { $0.next() } ?? 0
    }

    /// Returns whether a file belongs to an unfinished resumable upload.
    package func isResumable(_ name: String) throws(RecordError) -> Bool {
        try reading.resumables.isUnfinished(name)
    }
}
