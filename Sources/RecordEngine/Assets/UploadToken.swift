internal import Cryptography
internal import Encodings
internal import RecordModel

/// Seals and opens upload tokens. An upload token is the sealed number of a claim, bound to the uploader and the
/// database.
///
/// The plain text is one number, see `SealedPosition`. The seal's context is `4, uploader, scope, owner`. If the upload
/// is for one field of one record, the context is `6, uploader, scope, owner`, followed by the names of that target.
enum UploadToken {
    /// Returns the upload token of a claim.
    ///
    /// - Parameter target: The only field that may get the asset; `nil` if any field may.
    static func seal(
        _ claim: Int64, _ caller: Caller, _ address: DatabaseAddress, for target: UploadTarget? = nil,
        with keys: DatabaseKeys
    ) -> String {
        guard let target else {
            return SealedPosition.seal([claim], context: context(caller, address), with: keys.receipts)
        }
        return Base64.encode(
            keys.receipts.seal(
                SealedPosition.bytes([claim]), context: context(caller, address, for: target)))
    }

    /// Returns the number of a claim; `nil` if the token was not made for this caller and database, or for another
    /// field.
    ///
    /// - Parameter target: The field that gets the asset; `nil` if the record has no name yet.
    static func open(
        _ text: String, _ caller: Caller, _ address: DatabaseAddress, for target: UploadTarget?,
        with keys: DatabaseKeys
    ) -> Int64? {
        let free = SealedPosition.open(text, counts: 1...1, context: context(caller, address), with: keys.receipts)
        if let claim = free?.first { return claim }
        guard let target, text.utf8.count <= 256, let sealed = Base64.decode(text),
            let plain = keys.receipts.open(sealed, context: context(caller, address, for: target)), plain.count == 8
        else { return nil }
        return plain.reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func context(
        _ caller: Caller, _ address: DatabaseAddress, for target: UploadTarget
    ) -> [UInt8] {
        let key = address.key
        return SealedPosition.bytes([6, caller.writerID.rawValue, key.scope, key.owner.rawValue])
            + target.texts(in: address)
    }

    private static func context(_ caller: Caller, _ address: DatabaseAddress) -> [Int64] {
        [4, caller.writerID.rawValue, address.key.scope, address.key.owner.rawValue]
    }
}

/// The data in a signed asset URL: the digest of the content, the media type, and the expiry.
///
/// The URL's path after `/assets/` is `{sealed}/{filename}`. The seal's context is the file name, so that clients
/// cannot change the name. The following bytes are sealed and encoded in base64url:
///
/// ```text
/// version  media type  expires                        SHA-256
/// 1 byte   1 byte      5 bytes, big-endian, seconds   32 bytes
/// ```
struct AssetURL: Hashable {
    var hash: Digest
    /// The index of the media type in `AssetMediaType`.
    var mediaType: UInt8
    /// When the URL expires, in seconds since 1970.
    var expires: Int64

    /// Whether the URL may have any file name. Such a name says nothing about the asset.
    private(set) var isForAnyName = false

    /// The context of URLs with any file name. It is not UTF-8, so it is no file name.
    private static let anyName: [UInt8] = [0xFF]

    /// Returns the sealed form for the URL's path.
    func token(filename: String, with keys: DatabaseKeys) -> String {
        token(context: Array(filename.utf8), with: keys)
    }

    private func token(context: [UInt8], with keys: DatabaseKeys) -> String {
        var plain: [UInt8] = [Self.version, mediaType]
        for shift in stride(from: 32, through: 0, by: -8) {
            plain.append(UInt8(truncatingIfNeeded: expires >> Int64(shift)))
        }
        hash.withUnsafeBytes { plain.append(contentsOf: $0) }
        return Base64URL.encode(keys.assetURLs.seal(plain, context: context))
    }

    /// Returns the sealed form for a path in which clients may replace the file name.
    func tokenForAnyName(with keys: DatabaseKeys) -> String {
        token(context: Self.anyName, with: keys)
    }

    /// Opens a sealed form; `nil` if the sealed form was made for another file name.
    init?(token: String, filename: String, with keys: DatabaseKeys) {
        guard token.utf8.count == Self.tokenBytes, let sealed = Base64URL.decode(token),
            let plain = keys.assetURLs.open(sealed, context: Array(filename.utf8))
                ?? keys.assetURLs.open(sealed, context: Self.anyName),
            plain.count == Self.plainBytes, plain[0] == Self.version, let hash = Digest(Array(plain[7...]))
        else { return nil }
        isForAnyName = keys.assetURLs.open(sealed, context: Self.anyName) != nil
        self.hash = hash
        mediaType = plain[1]
        expires = plain[2..<7].reduce(0) { $0 << 8 | Int64($1) }
    }

    init(hash: Digest, mediaType: UInt8, expires: Int64) {
        self.hash = hash
        self.mediaType = mediaType
        self.expires = expires
    }

    private static let version: UInt8 = 1
    private static let plainBytes = 7 + Digest.byteCount
    private static let tokenBytes = ((plainBytes + Seal.overhead) * 4 + 2) / 3

    /// Returns when a new URL expires. The time is rounded up to steps, so that an asset has the same URL for some time
    /// and caches can keep the asset.
    static func expiry(now: Int64, seconds: Int64) -> Int64 {
        let step = max(1, seconds / 4)
        return (now + seconds + step - 1) / step * step
    }
}

/// Makes the URLs of the assets in a response.
struct AssetURLMaker {
    let keys: DatabaseKeys
    let addressing: AssetAddressing
    let expires: Int64

    /// Returns the URL of an asset whose last segment clients may replace by a file name, as CloudKit's clients do.
    /// `nil` if the asset's checksum is malformed.
    ///
    /// - Parameter baseURL: The URL of the server, for an addressing without one.
    func url(ofAnyName asset: Asset, from baseURL: String) -> String? {
        guard let hash = Digest(base64: asset.fileChecksum) else { return nil }
        let url = AssetURL(hash: hash, mediaType: AssetMediaType.number(of: asset.contentType), expires: expires)
        let name = PathSegment.encode(asset.filename ?? "file")
        return (addressing.prefix.isEmpty ? baseURL : addressing.prefix) + "/assets/"
            + url.tokenForAnyName(with: keys) + "/" + name + addressing.query
    }

    /// Returns the URL of an asset; `nil` if the asset's checksum is malformed.
    func url(of asset: Asset) -> String? {
        guard let hash = Digest(base64: asset.fileChecksum) else { return nil }
        let filename = asset.filename ?? ""
        let url = AssetURL(hash: hash, mediaType: AssetMediaType.number(of: asset.contentType), expires: expires)
        let token = url.token(filename: filename, with: keys)
        let name = filename.isEmpty ? "" : "/" + PathSegment.encode(filename)
        return addressing.prefix + "/assets/" + token + name + addressing.query
    }
}
