internal import Cryptography
internal import Encodings
internal import RecordModel

/// Proof of an upload: the sealed number of a claim, bound to who has uploaded and for which database.
enum AssetReceipt {
    static func seal(_ claim: Int64, _ caller: Caller, _ address: DatabaseAddress, with keys: DatabaseKeys) -> String {
        SealedPosition.seal([claim], context: context(caller, address), with: keys.receipts)
    }

    /// The claim's number; `nil` for what was not made for this caller and database.
    static func open(_ text: String, _ caller: Caller, _ address: DatabaseAddress, with keys: DatabaseKeys) -> Int64? {
        SealedPosition.open(text, counts: 1...1, context: context(caller, address), with: keys.receipts)?.first
    }

    private static func context(_ caller: Caller, _ address: DatabaseAddress) -> [Int64] {
        [4, caller.writerID.rawValue, address.key.scope, address.key.owner.rawValue]
    }
}

/// What a signed URL says: which content, shown as what, until when. It is the path behind `/assets/`:
/// `{sealed}/{filename}`, the name bound to the seal, so that nobody gives an asset another one.
struct AssetURL: Hashable {
    var hash: Digest
    /// See `AssetMediaType`.
    var mediaType: UInt8
    /// Seconds since 1970.
    var expires: Int64

    /// The sealed form.
    func token(filename: String, with keys: DatabaseKeys) -> String {
        var plain: [UInt8] = [Self.version, mediaType]
        for shift in stride(from: 32, through: 0, by: -8) {
            plain.append(UInt8(truncatingIfNeeded: expires >> Int64(shift)))
        }
        hash.withUnsafeBytes { plain.append(contentsOf: $0) }
        return Base64URL.encode(keys.assetURLs.seal(plain, context: Array(filename.utf8)))
    }

    /// Opens what `token` has made for the same name; `nil` for anything else.
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

    /// When a URL that is made now expires. In steps, so that one asset has one URL for a while, which caches can keep.
    static func expiry(now: Int64, seconds: Int64) -> Int64 {
        let step = max(1, seconds / 4)
        return (now + seconds + step - 1) / step * step
    }
}

/// Makes the URLs of the assets in answers.
struct AssetURLMaker {
    let keys: DatabaseKeys
    let addressing: AssetAddressing
    let expires: Int64

    /// The URL of an asset, relative to the server.
    func url(of asset: Asset) -> String? {
        guard let hash = Digest(base64: asset.fileChecksum) else { return nil }
        let filename = asset.filename ?? ""
        let url = AssetURL(hash: hash, mediaType: AssetMediaType.number(of: asset.contentType), expires: expires)
        let token = url.token(filename: filename, with: keys)
        let name = filename.isEmpty ? "" : "/" + PathSegment.encode(filename)
        return addressing.prefix + "/assets/" + token + name + addressing.query
    }
}
