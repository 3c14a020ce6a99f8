package import Cryptography
package import RecordModel

/// A stored asset: the content of a file, once, whoever uploaded it.
package struct AssetRow: Hashable, Sendable {
    package var id: Int64
    /// The SHA-256 of the bytes.
    package var hash: Digest
    /// In bytes.
    package var size: Int64
    /// The random number in the file's name.
    package var file: Int64
    /// Since when no record has had it, in milliseconds since 1970; `nil` while one has.
    package var orphaned: Int64?
    package var picture: PictureColumns

    package init(
        id: Int64, hash: Digest, size: Int64, file: Int64, orphaned: Int64?, picture: PictureColumns = .none
    ) {
        self.id = id
        self.hash = hash
        self.size = size
        self.file = file
        self.orphaned = orphaned
        self.picture = picture
    }

    package var name: AssetFileName { AssetFileName(hash: hash, file: file) }
}

/// What a picture's header said, as the table has it.
package struct PictureColumns: Hashable, Sendable {
    /// 0 for what is no picture; the engine knows the others.
    package var format: Int64
    package var width: Int64
    package var height: Int64
    package var orientation: Int64

    package init(format: Int64, width: Int64, height: Int64, orientation: Int64) {
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
    }

    package static let none = PictureColumns(format: 0, width: 0, height: 0, orientation: 0)
}

/// The name of an asset's file: its hash, then a random number. So a file is never replaced, and whoever takes one away
/// cannot meet whoever brings the same content again.
package struct AssetFileName: Hashable, Sendable {
    package var hash: Digest
    package var file: Int64

    package init(hash: Digest, file: Int64) {
        self.hash = hash
        self.file = file
    }

    /// Reads what `folder` and `text` have written; `nil` for any other names.
    package init?(folder: String, text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard folder.utf8.count == 2, parts.count == 2, parts[1].utf8.count == 16,
            let hash = Digest(hex: folder + parts[0]), let file = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(hash: hash, file: Int64(bitPattern: file))
        guard self.folder == folder, self.text == text else { return nil }
    }

    /// The folder below `assets/`: the first byte of the hash, so that no folder grows too long.
    package var folder: String { String(hash.hex.prefix(2)) }

    /// The name in that folder.
    package var text: String {
        let digits = String(UInt64(bitPattern: file), radix: 16)
        return hash.hex.dropFirst(2) + "." + String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// An upload that a receipt stands for.
package struct AssetClaim: Hashable, Sendable {
    package var id: Int64
    package var asset: Int64
    /// The caller's number as writers have it.
    package var uploader: UserID
    package var scope: Int64
    package var owner: UserID
    package var contentType: String?
    package var filename: String?
    /// Milliseconds since 1970.
    package var expires: Int64

    package init(
        id: Int64, asset: Int64, uploader: UserID, scope: Int64, owner: UserID, contentType: String?,
        filename: String?, expires: Int64
    ) {
        self.id = id
        self.asset = asset
        self.uploader = uploader
        self.scope = scope
        self.owner = owner
        self.contentType = contentType
        self.filename = filename
        self.expires = expires
    }
}
