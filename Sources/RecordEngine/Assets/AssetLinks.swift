internal import Cryptography
internal import Pictures
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Checks the assets in the fields of records, and links records to their assets.
///
/// An asset in an operation must have an upload token, from an upload by the same caller to the same database. No
/// upload token is needed if the same field already has the asset. A checksum does not prove that a caller may use an
/// asset.
struct AssetLinks {
    /// An upload token that an operation uses.
    struct Claim {
        let number: Int64
        let hash: Digest
    }

    let context: WriteContext
    /// Whether a checksum alone proves the right to use an asset: an owner imports the file of a container.
    var isRestoring = false

    private var transaction: WriteTransaction { context.transaction }

    /// Checks the assets of an operation, and returns the values to store for them.
    ///
    /// - Parameters:
    ///   - record: The record before the operation; `nil` for a new record.
    ///   - name: The record's name; `nil` if the server chooses it.
    ///   - claims: Receives the upload tokens that the operation uses.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for an invalid or missing upload token, BAD_REQUEST for a wrong
    ///   size.
    func completion(
        of assets: [(fieldID: Int, asset: Asset)], record: StoredRecord?, name: RecordName?,
        type: RecordTypeDefinition, claims: inout [Claim]
    ) throws(RecordError) -> CanonicalValue.AssetCompletion {
        var known: [String: (row: AssetRow, claim: AssetClaim?)] = [:]
        var kept: [String: Asset] = [:]
        for (field, asset) in assets {
            let found = try prove(asset, field: field, record: record?.row, name: name, type: type, &claims)
            // If an operation has the same content with and without an upload token, prefer the upload token's data.
            if known[asset.fileChecksum]?.claim == nil { known[asset.fileChecksum] = found }
            // If the field already has the asset, keep the stored file name and media type.
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

    /// Returns the assets in a field of a record, by checksum.
    private func assets(of record: StoredRecord, in field: Int) throws(RecordError) -> [String: Asset] {
        let fields = StoredFields(text: record.fields, layout: record.layout)
        let found = try fields.withView { view throws(RecordError) in try view.assets() }
        return Dictionary(found.filter { $0.fieldID == field }.map { ($0.asset.fileChecksum, $0.asset) }) { $1 }
    }

    private func prove(
        _ asset: Asset, field: Int, record: RecordRow?, name recordName: RecordName?, type: RecordTypeDefinition,
        _ claims: inout [Claim]
    ) throws(RecordError) -> (row: AssetRow, claim: AssetClaim?) {
        let fieldName = type.fields.first { $0.id == field }?.name
        let name = fieldName?.text ?? ""
        if let filename = asset.filename { try AssetUpload.checkFilename(filename) }
        let table = transaction.store.assets
        let row = try Digest(base64: asset.fileChecksum).flatMap { hash throws(RecordError) in
            try table.reading.find(hash)
        }
        if let receipt = asset.receipt {
            let target: UploadTarget? =
                if let recordName, let fieldName {
                    UploadTarget(recordType: type.name, fieldName: fieldName, recordName: recordName)
                } else { nil }
            guard
                let number = UploadToken.open(
                    receipt, context.caller, context.address, for: target, with: transaction.keys),
                let claim = try table.reading.claim(number),
                // After a restore, the number in an upload token may belong to another claim.
                claim.uploader == context.caller.writerID, claim.expires > transaction.now, let row,
                claim.asset == row.id
            else { throw .receiptRejected(field: name) }
            guard asset.size == row.size else { throw .assetSizeWrong(field: name, found: row.size) }
            claims.append(Claim(number: number, hash: row.hash))
            return (row, claim)
        }
        if isRestoring {
            guard let row else {
                throw .badRequest(
                    "The file of the container has no content for this asset before the record",
                    details: [("field", .text(name))])
            }
            guard asset.size == row.size else { throw .assetSizeWrong(field: name, found: row.size) }
            return (row, nil)
        }
        // If the caller may not read the field, a checksum must not reveal whether the field has the asset.
        guard let row, let record, context.visibility(of: type).mayRead(field: field, of: record.facts),
            try table.isLinked(record: record.id, field: field, asset: row.id)
        else { throw .receiptMissing(field: name) }
        guard asset.size == row.size else { throw .assetSizeWrong(field: name, found: row.size) }
        return (row, nil)
    }

    /// Updates the links from a record to its assets, and deletes the claims of used upload tokens.
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
            // Count only links that exist, since a damaged database may have lost a link.
            if try table.unlink(
                record: record, of: recordOwner, field: link.field, asset: asset.id, now: now, end: end)
            {
                bytes -= asset.size
            }
        }
        let uploaded = Set(claims.map(\.hash))
        for link in new {
            // A damaged database may have lost the link of an existing asset. Uploading the content again restores the
            // link.
            let isNew = !old.contains(link)
            guard isNew || uploaded.contains(link.hash), let asset = try table.reading.find(link.hash)
            else { continue }
            if !isNew, try table.isLinked(record: record, field: link.field, asset: asset.id) { continue }
            if try table.link(record: record, of: recordOwner, field: link.field, asset: asset.id) {
                bytes += asset.size
            }
        }
        // Delete claims even if the field already had the content, but not if the operation stored nothing.
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
    /// The error for an upload token that is invalid, expired or bound to another caller or database.
    static func receiptRejected(field: String) -> RecordError {
        .badRequest(
            "The receipt is not one of an upload by you to this database, or it has expired. Upload the file again",
            cause: .tokenInvalid, details: [("field", .text(field))])
    }

    /// The error for an asset without an upload token, if the field does not already have the asset.
    static func receiptMissing(field: String) -> RecordError {
        .badRequest(
            "The field does not have this asset. Send the value as POST /assets returned it, with its receipt",
            cause: .tokenInvalid, details: [("field", .text(field))])
    }

    /// The error for an asset whose size differs from the stored one.
    static func assetSizeWrong(field: String, found: Int64) -> RecordError {
        .badRequest(
            "The asset has another size than the value says. Send the value as POST /assets returned it",
            details: [("field", .text(field)), ("size", .number(found))])
    }
}
