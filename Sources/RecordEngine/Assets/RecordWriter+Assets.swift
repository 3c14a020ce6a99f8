internal import Cryptography
internal import Pictures
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Assets in the fields of records. A value is taken with the receipt of an upload by the same caller to the same
/// database, or if the same field has the asset already: a checksum alone proves nothing.
extension RecordWriter {
    /// Judges the assets that an operation brings, and says what is to be stored of each.
    ///
    /// - Parameter record: The record as it is; `nil` for a new one.
    func completion(
        of assets: [(fieldID: Int, asset: Asset)], record: StoredRecord?, type: RecordTypeDefinition
    ) throws(RecordError) -> CanonicalValue.AssetCompletion {
        var known: [String: (row: AssetRow, claim: AssetClaim?)] = [:]
        var kept: [String: Asset] = [:]
        for (field, asset) in assets {
            let found = try prove(asset, field: field, record: record?.row, type: type)
            // Of two uploads of one content, the one with a receipt says more.
            if known[asset.fileChecksum]?.claim == nil { known[asset.fileChecksum] = found }
            // What the field has already keeps the name and type that it has there.
            if found.claim == nil, let record { kept.merge(try self.assets(of: record, in: field)) { $1 } }
        }
        return { asset in
            guard let (row, claim) = known[asset.fileChecksum] else { return asset }
            let before = claim == nil ? kept[asset.fileChecksum] : nil
            let picture = row.picture.picture
            return Asset(
                fileChecksum: asset.fileChecksum, size: row.size,
                contentType: AssetMediaType.stored(
                    claimed: asset.contentType ?? claim?.contentType ?? before?.contentType, picture: picture),
                filename: asset.filename ?? claim?.filename ?? before?.filename, picture: picture.map(AssetPicture.init)
            )
        }
    }

    /// What a field of a record has, by checksum.
    private func assets(of record: StoredRecord, in field: Int) throws(RecordError) -> [String: Asset] {
        let fields = StoredFields(text: record.fields, layout: record.layout)
        let found = try fields.withView { view throws(RecordError) in try view.assets() }
        return Dictionary(found.filter { $0.fieldID == field }.map { ($0.asset.fileChecksum, $0.asset) }) { $1 }
    }

    private func prove(
        _ asset: Asset, field: Int, record: RecordRow?, type: RecordTypeDefinition
    ) throws(RecordError) -> (row: AssetRow, claim: AssetClaim?) {
        let name = type.fields.first { $0.id == field }?.name.text ?? ""
        if let filename = asset.filename { try AssetUpload.checkFilename(filename) }
        let table = transaction.assets
        let row = try Digest(base64: asset.fileChecksum).flatMap { hash throws(RecordError) in
            try table.reading.find(hash)
        }
        if let receipt = asset.receipt {
            guard let number = AssetReceipt.open(receipt, caller, address, with: transaction.keys),
                let claim = try table.reading.claim(number),
                // After a restore the number may be another's.
                claim.uploader == caller.writerID, claim.expires > transaction.now, let row, claim.asset == row.id
            else { throw .receiptRejected(field: name) }
            guard asset.size == row.size else { throw .assetSizeWrong(field: name, found: row.size) }
            claims.append((number, row.hash))
            return (row, claim)
        }
        // Nor does a checksum tell what stands in a field that the caller may not read.
        guard let row, let record, visibility(of: type).mayRead(field: field, of: record.facts),
            try table.isLinked(record: record.id, field: field, asset: row.id)
        else { throw .receiptMissing(field: name) }
        guard asset.size == row.size else { throw .assetSizeWrong(field: name, found: row.size) }
        return (row, nil)
    }

    /// Brings the links of a record from its old assets to its new ones.
    func setLinks(of fields: StoredFields, before: StoredFields?, record row: RecordRow) throws(RecordError) {
        var old: Set<Link> = []
        if let before { old = Set(try links(in: before)) }
        let new = Set(try links(in: fields))
        let table = transaction.assets
        let now = transaction.now
        let claims = claims
        let record = row.id
        let recordOwner = owner(of: row)
        let end = now + transaction.limits.unreferencedAssetSeconds * 1_000
        var bytes: Int64 = 0
        self.claims = []
        for link in old.subtracting(new) {
            guard let asset = try table.reading.find(link.hash) else { continue }
            // What is counted is what was there: a link may be lost.
            if try table.unlink(
                record: record, of: recordOwner, field: link.field, asset: asset.id, now: now, end: end)
            {
                bytes -= asset.size
            }
        }
        let uploaded = Set(claims.map(\.hash))
        for link in new {
            // Of what the record has already, a link may be lost: whoever uploads the content again gets one.
            let isNew = !old.contains(link)
            guard isNew || uploaded.contains(link.hash), let asset = try table.reading.find(link.hash)
            else { continue }
            if !isNew, try table.isLinked(record: record, field: link.field, asset: asset.id) { continue }
            if try table.link(record: record, of: recordOwner, field: link.field, asset: asset.id) {
                bytes += asset.size
            }
        }
        // Also that of a content which the field had already: a record has what was uploaded. Not that of an
        // operation that came to nothing.
        for claim in claims where new.contains(where: { $0.hash == claim.hash }) {
            try table.use(claim: claim.number)
        }
        try noteUsage(of: row, assetBytes: bytes)
    }

    private struct Link: Hashable {
        let field: Int
        let hash: Digest
    }

    private func links(in fields: StoredFields) throws(RecordError) -> [Link] {
        try fields.withView { view throws(RecordError) in
            try view.assets().compactMap { field, asset in
                Digest(base64: asset.fileChecksum).map { Link(field: field, hash: $0) }
            }
        }
    }
}

extension RecordError {
    static func receiptRejected(field: String) -> RecordError {
        .badRequest(
            "The receipt is not one of an upload by you to this database, or it has expired. Upload the file again",
            cause: .tokenInvalid, details: [("field", .text(field))])
    }

    static func receiptMissing(field: String) -> RecordError {
        .badRequest(
            "The field does not have this asset. Send the value as POST /assets has answered it, with its receipt",
            cause: .tokenInvalid, details: [("field", .text(field))])
    }

    static func assetSizeWrong(field: String, found: Int64) -> RecordError {
        .badRequest(
            "The asset has another size than the value says. Send the value as POST /assets has answered it",
            details: [("field", .text(field)), ("size", .number(found))])
    }
}
