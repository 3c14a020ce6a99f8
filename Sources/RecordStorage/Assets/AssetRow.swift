package import Cryptography
package import RecordModel

/// A stored asset: one content, stored once for all its uploaders.
package struct AssetRow: Hashable, Sendable {
    /// The asset's ID; 0 before the asset is stored.
    package var id: Int64
    /// The SHA-256 of the bytes.
    package var hash: Digest
    /// The length in bytes.
    package var size: Int64
    /// The random number in the file's name.
    package var file: Int64
    /// The time since when no record has the asset, in milliseconds since 1970; `nil` while a record has the asset.
    package var orphaned: Int64?
    /// The stored facts from the header of a picture; `.none` if the asset is not a picture.
    package var picture: PictureColumns

    /// Creates a row to store, or a row that was read.
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

    /// The name of the asset's file.
    package var name: AssetFileName { AssetFileName(hash: hash, file: file) }
}

/// The stored facts from the header of a picture.
package struct PictureColumns: Hashable, Sendable {
    /// The format of the picture; 0 if the asset is not a picture. The engine defines the other numbers.
    package var format: Int64
    /// The width of the picture in pixels.
    package var width: Int64
    /// The height of the picture in pixels.
    package var height: Int64
    /// The EXIF orientation of the picture.
    package var orientation: Int64

    /// Creates the value from its columns.
    package init(format: Int64, width: Int64, height: Int64, orientation: Int64) {
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
    }

    /// The value for an asset that is not a picture.
    package static let none = PictureColumns(format: 0, width: 0, height: 0, orientation: 0)
}

/// The name of an asset's file: its hash, then a random number. A file is never replaced, so deleting a file cannot
/// conflict with a new upload of the same content.
///
/// ```
/// SHA-256 in hex: first 2 digits (directory) | "/" | 62 digits | "." | file in hex, 16 digits
/// ```
package struct AssetFileName: Hashable, Sendable {
    /// The SHA-256 of the content.
    package var hash: Digest
    /// The random number that distinguishes files with the same content.
    package var file: Int64

    /// Creates a name from its parts.
    package init(hash: Digest, file: Int64) {
        self.hash = hash
        self.file = file
    }

    /// Parses the `directory` and the `text` of a name; `nil` if they do not have the form of a name.
    package init?(directory: String, text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard directory.utf8.count == 2, parts.count == 2, parts[1].utf8.count == 16,
            let hash = Digest(hex: directory + parts[0]), let file = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(hash: hash, file: Int64(bitPattern: file))
        guard self.directory == directory, self.text == text else { return nil }
    }

    /// The directory below `assets/`: the first byte of the hash, so that no directory gets too large.
    package var directory: String { String(hash.hex.prefix(2)) }

    /// The name of the file in `directory`.
    package var text: String {
        let digits = String(UInt64(bitPattern: file), radix: 16)
        return hash.hex.dropFirst(2) + "." + String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// An upload of an asset, which an upload token refers to.
package struct AssetClaim: Hashable, Sendable {
    /// The claim's ID.
    package var id: Int64
    /// The asset's ID.
    package var asset: Int64
    /// The caller that uploaded the asset.
    package var uploader: UserID
    /// The database that the asset was uploaded to: 0 public, 1 private.
    package var scope: Int64
    /// The account of a private database, else 0.
    package var owner: UserID
    /// The content type that the uploader sent.
    package var contentType: String?
    /// The file name that the uploader sent.
    package var filename: String?
    /// When the upload token expires, in milliseconds since 1970.
    package var expires: Int64

    /// Creates a claim from its columns.
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
