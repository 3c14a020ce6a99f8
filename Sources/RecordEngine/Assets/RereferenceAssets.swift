internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire

/// An asset in a field of a record.
package struct AssetLocation: Hashable, Sendable {
    /// The record's name, as received.
    package var recordName: String
    /// The field's name, as received.
    package var fieldName: String
    /// The checksum of a list's member; `nil` for the first one.
    package var fileChecksum: String?

    /// Describes an asset.
    package init(recordName: String, fieldName: String, fileChecksum: String? = nil) {
        self.recordName = recordName
        self.fieldName = fieldName
        self.fileChecksum = fileChecksum
    }
}

extension AssetReader {
    /// Makes assets of records writable to other records, as if the caller had uploaded them again.
    ///
    /// - Returns: For each location the asset with an upload token. NOT_FOUND if there is none that the caller may read.
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED; QUOTA_EXCEEDED if the caller has too many unused uploads.
    package func rereference(
        _ locations: [AssetLocation], in address: DatabaseAddress, for caller: Caller
    ) async throws(RecordError) -> [Result<Asset, RecordError>] {
        try allowUploading(caller, to: address)
        var found: [Result<Asset, RecordError>] = []
        for location in locations {
            do throws(RecordError) {
                found.append(.success(try asset(at: location, in: address, for: caller)))
            } catch {
                found.append(.failure(error))
            }
        }
        let assets = found
        let keys = database.keys
        return try await database.write { transaction throws(RecordError) in
            let caller = try transaction.callers.current(caller)
            return try assets.map { result throws(RecordError) -> Result<Asset, RecordError> in
                guard case .success(var asset) = result else { return result }
                guard let claim = try transaction.assets.claim(asset, by: caller, in: address) else {
                    return .failure(.assetNotFound)
                }
                asset.receipt = UploadToken.seal(claim, caller, address, with: keys)
                return .success(asset)
            }
        }
    }

    /// Returns an asset that a caller may read.
    ///
    /// - Throws: NOT_FOUND.
    private func asset(
        at location: AssetLocation, in address: DatabaseAddress, for caller: Caller
    ) throws(RecordError) -> Asset {
        guard let name = RecordName(location.recordName), let zone = try reader.zoneID(address),
            let cursor = try reader.store.records.find(zone: zone, name: name.text)
        else { throw .recordNotFound }
        defer { cursor.finish() }
        let row = cursor.row
        guard !row.isDeleted, let type = reader.type(row.type),
            case let visibility = Visibility(of: type, for: caller, in: address.scope), visibility.mayRead(row.facts)
        else { throw .recordNotFound }
        let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
        guard let field = type[location.fieldName], visibility.mayRead(field: field.id, of: row.facts),
            let found = try view.assets().first(where: { asset in
                asset.fieldID == field.id
                    && (location.fileChecksum.map { $0 == asset.asset.fileChecksum } ?? true)
            })
        else {
            throw RecordError(
                .notFound, "The record has no such asset in field '\(location.fieldName.prefix(64))'",
                details: [("field", .text(location.fieldName))])
        }
        return found.asset
    }
}

extension AssetWriter {
    /// Claims an asset that is already stored.
    ///
    /// - Returns: The number of the claim; `nil` if the asset is not there any more.
    /// - Throws: QUOTA_EXCEEDED.
    fileprivate func claim(
        _ asset: Asset, by caller: Caller, in address: DatabaseAddress
    ) throws(RecordError) -> Int64? {
        guard let hash = Digest(base64: asset.fileChecksum), let row = try table.reading.find(hash) else { return nil }
        let limits = transaction.limits
        let key = address.key
        let claim = AssetClaim(
            id: 0, asset: row.id, uploader: caller.writerID, scope: key.scope, owner: key.owner,
            contentType: AssetMediaType.stored(claimed: asset.contentType, picture: row.picture.picture),
            filename: asset.filename, expires: transaction.now + limits.unreferencedAssetSeconds * 1_000)
        let number = try table.claim(claim, size: row.size)
        let unused = try table.reading.unusedBytes(of: caller.writerID)
        guard unused <= Int64(limits.unreferencedAssetBytes) else {
            throw .assetQuota(held: unused - row.size, limit: limits.unreferencedAssetBytes)
        }
        return number
    }
}
