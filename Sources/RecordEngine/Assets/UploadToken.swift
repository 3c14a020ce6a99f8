internal import Cryptography
internal import Encodings
internal import RecordModel

/// Seals and opens upload tokens. An upload token is the sealed number of a claim, bound to the uploader and the
/// database.
///
/// The plain text is one number, see `SealedPosition`. The seal's context is `4, uploader, scope, owner`.
enum UploadToken {
    /// Returns the upload token of a claim.
    static func seal(_ claim: Int64, _ caller: Caller, _ address: DatabaseAddress, with keys: DatabaseKeys) -> String {
        SealedPosition.seal([claim], context: context(caller, address), with: keys.receipts)
    }

    /// Returns the number of a claim; `nil` if the token was not made for this caller and database.
    static func open(_ text: String, _ caller: Caller, _ address: DatabaseAddress, with keys: DatabaseKeys) -> Int64? {
        SealedPosition.open(text, counts: 1...1, context: context(caller, address), with: keys.receipts)?.first
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

    /// Returns the sealed form for the URL's path.
    func token(filename: String, with keys: DatabaseKeys) -> String {
        var plain: [UInt8] = [Self.version, mediaType]
        for shift in stride(from: 32, through: 0, by: -8) {
            plain.append(UInt8(truncatingIfNeeded: expires >> Int64(shift)))
        }
        hash.withUnsafeBytes { plain.append(contentsOf: $0) }
        return Base64URL.encode(keys.assetURLs.seal(plain, context: Array(filename.utf8)))
    }

    /// Opens a sealed form; `nil` if the sealed form was not made for this file name.
    init?(token: String, filename: String, with keys: DatabaseKeys) {
        guard token.utf8.count == Self.tokenBytes, let sealed = Base64URL.decode(token),
            let plain = keys.assetURLs.open(sealed, context: Array(filename.utf8)), plain.count == Self.plainBytes,
            plain[0] == Self.version, let hash = Digest(Array(plain[7...]))
        else { return nil }
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
