internal import Cryptography
internal import Pictures
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Assets in the fields of records. A value is taken with the receipt of an upload by the same caller to the same
/// database, or if the same field has the asset already: a checksum alone proves nothing.
struct AssetLinks {
    /// A receipt that an operation has shown.
    struct Claim {
        let number: Int64
        let hash: Digest
    }

    let context: WriteContext

    private var transaction: WriteTransaction { context.transaction }

    /// Judges the assets that an operation brings, and says what is to be stored of each.
    ///
    /// - Parameters:
    ///   - record: The record as it is; `nil` for a new one.
    ///   - claims: Gets the receipts.
    func completion(
        of assets: [(fieldID: Int, asset: Asset)], record: StoredRecord?, type: RecordTypeDefinition,
        claims: inout [Claim]
    ) throws(RecordError) -> CanonicalValue.AssetCompletion {
        var known: [String: (row: AssetRow, claim: AssetClaim?)] = [:]
        var kept: [String: Asset] = [:]
        for (field, asset) in assets {
            let found = try prove(asset, field: field, record: record?.row, type: type, &claims)
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
        _ asset: Asset, field: Int, record: RecordRow?, type: RecordTypeDefinition, _ claims: inout [Claim]
    ) throws(RecordError) -> (row: AssetRow, claim: AssetClaim?) {
        let name = type.fields.first { $0.id == field }?.name.text ?? ""
        if let filename = asset.filename { try AssetUpload.checkFilename(filename) }
        let table = transaction.store.assets
        let row = try Digest(base64: asset.fileChecksum).flatMap { hash throws(RecordError) in
            try table.reading.find(hash)
        }
        if let receipt = asset.receipt {
            guard let number = AssetReceipt.open(receipt, context.caller, context.address, with: transaction.keys),
                let claim = try table.reading.claim(number),
                // After a restore the number may be another's.
                claim.uploader == context.caller.writerID, claim.expires > transaction.now, let row,
                claim.asset == row.id
            else { throw .receiptRejected(field: name) }
            guard asset.size == row.size else { throw .assetSizeWrong(field: name, found: row.size) }
            claims.append(Claim(number: number, hash: row.hash))
            return (row, claim)
        }
        // Nor does a checksum tell what stands in a field that the caller may not read.
        guard let row, let record, context.visibility(of: type).mayRead(field: field, of: record.facts),
            try table.isLinked(record: record.id, field: field, asset: row.id)
        else { throw .receiptMissing(field: name) }
        guard asset.size == row.size else { throw .assetSizeWrong(field: name, found: row.size) }
        return (row, nil)
    }

    /// Brings the links of a record from its old assets to its new ones, and uses up the receipts.
    ///
    /// - Throws: QUOTA_EXCEEDED.
    func write(_ plan: WritePlan) throws(RecordError) {
        let table = transaction.store.assets
        let now = transaction.now
        let end = now + transaction.limits.unreferencedAssetSeconds * 1_000
        guard let row = plan.after?.row else {
            guard let row = plan.before?.row else { return }
            let bytes = try table.linkedBytes(of: row.id)
            try context.noteUsage(of: row, assetBytes: -bytes)
            return try table.unlinkAll(record: row.id, of: context.owner(of: row), now: now, end: end)
        }
        let old = Set(try links(in: plan.before))
        let new = Set(try links(in: plan.after))
        let record = row.id
        let recordOwner = context.owner(of: row)
        let claims = plan.claims
        var bytes: Int64 = 0
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
        try context.noteUsage(of: row, assetBytes: bytes)
    }

    private struct Link: Hashable {
        let field: Int
        let hash: Digest
    }

    private func links(in state: WritePlan.State?) throws(RecordError) -> [Link] {
        guard let state else { return [] }
        return try state.fields.withView { view throws(RecordError) in
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
