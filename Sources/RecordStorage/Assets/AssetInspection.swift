package import Cryptography
package import RecordModel

/// What the doctor asks about assets, on a read-only connection, in slices.
package final class AssetInspection {
    private let connection: Connection
    private let reading: AssetReading
    private let rowSlice: Statement
    private let linkSlice: Statement
    private let hasLink: Statement

    /// - Returns: `nil` for a file that has not had the step that brought assets.
    package init?(_ connection: Connection) throws(RecordError) {
        guard try Migrations.applied(on: connection) >= Migrations.withAssets else { return nil }
        self.connection = connection
        reading = AssetReading(connection)
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

    /// A row, and whether a record has its asset.
    package struct Row: Hashable, Sendable {
        package var asset: AssetRow
        package var isLinked: Bool
    }

    /// Rows in the order of their numbers, after one of them.
    ///
    /// - Returns: Also the last number of the slice, which a row whose hash is damaged may have; `nil` behind the last.
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

    /// A link, and the hash of its asset; `nil` if there is no such asset.
    package struct Link: Hashable, Sendable {
        package var record: RecordNumber
        package var field: Int
        package var asset: Int64
        package var hash: Digest?
    }

    /// Links in the order of their key, after one of them.
    package func links(after last: Link?, limit: Int) throws(RecordError) -> [Link] {
        try linkSlice.with(last?.record ?? .lowest, last?.field ?? .min, last?.asset ?? .min, limit).rows { row in
            Link(record: row.next(), field: row.next(), asset: row.next(), hash: Digest(row.nextBytes()))
        }
    }

    /// The row of a content; `nil` if there is none.
    package func find(_ hash: Digest) throws(RecordError) -> AssetRow? {
        try reading.find(hash)
    }

    /// Whether a field of a record has an asset, by the table.
    package func isLinked(record: RecordNumber, field: Int, asset: Int64) throws(RecordError) -> Bool {
        try hasLink.with(record, field, asset).exists()
    }

    /// Uploaders whose sum of unused bytes is not that of their uploads.
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

    /// Whether a file belongs to an upload in several requests that is not complete.
    package func isResumable(_ name: String) throws(RecordError) -> Bool {
        try reading.resumables.isUnfinished(name)
    }
}
