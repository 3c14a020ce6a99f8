internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The check of assets. Each row must have its file, each link an asset value in a record, and each asset value its
/// link.
///
/// A running server uploads and deletes assets during the check. The check therefore looks up an apparently missing row
/// or file again in a newer snapshot.
struct AssetCheck {
    private let label: String
    private let inspection: InspectionTable
    private let assets: AssetInspection
    private let directory: AssetDirectory
    private let isInUse: Bool

    private static let slice = 1_000

    /// - Returns: `nil` if the file has no asset tables, because the current version has not opened it yet.
    init?(_ store: StoreInspector, directory: String, isInUse: Bool, label: String) {
        guard let assets = store.assets else { return nil }
        self.assets = assets
        inspection = store.records
        self.directory = AssetDirectory(database: directory)
        self.isInUse = isInUse
        self.label = label
    }

    // MARK: Records

    /// Checks that each asset of a record exists and is linked to the record.
    func examine(
        _ fields: StoredFieldsView, record: RecordNumber, _ place: String, _ found: inout DoctorReport
    ) throws {
        guard fields.hasAssets else { return }
        for (field, asset) in try fields.assets() {
            guard let hash = Digest(base64: asset.fileChecksum), let row = try assets.find(hash) else {
                found.problem(
                    "\(place) has an asset in field number \(field) that is not in the asset table (\(asset.fileChecksum)).",
                    remedy: "Upload the file again and write the field again, or remove it with null.",
                    sort: label + " asset")
                continue
            }
            if try !assets.isLinked(record: record, field: field, asset: row.id) {
                found.problem(
                    "\(place) has an asset in field number \(field) that is not in the link table: its file could be deleted.",
                    remedy: "Upload the file again and write the field again with the receipt.", sort: label + " link")
            }
            if row.size != asset.size {
                found.problem(
                    "\(place) records \(asset.size) bytes for the asset in field number \(field); it has \(row.size).",
                    remedy: "Upload the file again and write the field again with the receipt.",
                    sort: label + " asset size")
            }
        }
    }

    // MARK: Tables

    /// Checks that each link has its record, and that each asset has its file.
    func examineTables(_ found: inout DoctorReport, progress: (_ done: Int) throws -> Void) throws {
        let wrongSums = try inspection.withView { try assets.wrongSums() }
        if wrongSums > 0 {
            found.problem(
                "\(label): Sums of unused bytes that do not match their uploads: \(wrongSums).",
                remedy: "Accounts may upload too little or too much until you restore the directory from a backup.",
                sort: label + " unused bytes")
        }
        var done = 0
        var link: AssetInspection.Link?
        while true {
            try progress(done)
            let links = try inspection.withView {
                let links = try assets.links(after: link, limit: Self.slice)
                for link in links where try !isBacked(link) {
                    found.problem(
                        "\(label): The link table has asset number \(link.asset) in field number \(link.field) of record number \(link.record), which does not contain it.",
                        remedy:
                            "This prevents the deletion of the file and is otherwise harmless.",
                        sort: label + " orphan link")
                }
                return links
            }
            guard let last = links.last else { break }
            link = last
            done += links.count
        }
        var last: Int64 = 0
        while true {
            try progress(done)
            let (rows, damaged, next) = try inspection.withView { try assets.rows(after: last, limit: Self.slice) }
            if damaged > 0 {
                found.problem(
                    "\(label): \(damaged) assets have an invalid checksum.",
                    remedy: "Restore the directory from a backup.",
                    sort: label + " asset checksum")
            }
            for row in rows { try examine(row, &found) }
            guard let next else { return }
            last = next
            done += rows.count
        }
    }

    private func examine(_ row: AssetInspection.Row, _ found: inout DoctorReport) throws {
        let asset = row.asset
        let place = "\(label): Asset number \(asset.id) (\(asset.hash.base64))"
        if row.isLinked != (asset.orphaned == nil) {
            found.problem(
                row.isLinked
                    ? "\(place) is in a record and counts as unused: its file would be deleted."
                    : "\(place) is in no record and counts as used: its file would never be deleted.",
                remedy: row.isLinked
                    ? "Keep the server stopped and restore the directory from a backup."
                    : "Write it into a record and remove it again; its file is then deleted after the usual time.",
                sort: label + " unused asset")
        }
        let size = directory.size(of: asset.name)
        guard size != asset.size else { return }
        // The asset may have been deleted meanwhile. Its row is then deleted too.
        guard let now = try inspection.withView({ try assets.find(asset.hash) }), now.name == asset.name else { return }
        if size == nil, let obstacle = FileOwnership.obstacle(to: directory.path(of: asset.name)) {
            found.problem(obstacle.sentence, remedy: obstacle.remedy, sort: label + " owner")
            return
        }
        found.problem(
            size.map { "\(place) should have \(asset.size) bytes, and its file has \($0)." }
                ?? "\(place) has lost its file \(directory.path(of: asset.name)).",
            remedy: "Restore the file from a backup, or upload the same bytes again.", sort: label + " asset file")
    }

    private func isBacked(_ link: AssetInspection.Link) throws -> Bool {
        guard let hash = link.hash else { return false }
        return try inspection.withRecord(link.record) { cursor, _ in
            guard let cursor, !cursor.row.isDeleted else { return false }
            do throws(RecordError) {
                let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
                return try view.assets().contains { $0.fieldID == link.field && $0.asset.fileChecksum == hash.base64 }
            } catch {
                // The record itself is damaged. Another check reports it.
                return true
            }
        }
    }

    // MARK: Files

    /// Counts files that belong to no asset. A crash leaves such files; the next start of the server deletes them.
    func examineFiles(_ found: inout DoctorReport) throws {
        var count = 0
        for name in directory.directories {
            let names = directory.names(in: name).compactMap { AssetFileName(directory: name, text: $0) }
            for start in stride(from: 0, to: names.count, by: Self.slice) {
                try Task.checkCancellation()
                count += try inspection.withView {
                    try names[start..<min(start + Self.slice, names.count)].count {
                        try assets.find($0.hash)?.name != $0
                    }
                }
            }
        }
        // A running server keeps unfinished uploads in this directory.
        if !isInUse {
            let uploads = directory.names(in: "uploads")
            count += try inspection.withView { try uploads.count { try !assets.isResumable($0) } }
        }
        guard count > 0 else { return }
        found.notice(
            "\(label): \(count) \(count == 1 ? "file" : "files") below \(directory.path) \(count == 1 ? "belongs" : "belong") to no asset.",
            remedy: "Caused by a crash or an upload in progress. The next start of the server deletes them.")
    }
}
