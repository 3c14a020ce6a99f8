package import Cryptography
package import RecordModel

/// An upload of a file in one request.
package struct AssetUpload: Sendable {
    /// The uploader.
    package var caller: Caller
    /// The database of the records that will use the asset.
    package var address: DatabaseAddress
    /// The media type that the client sent.
    package var contentType: String?
    /// The file name that the client sent.
    package var filename: String?
    /// The length in bytes; `nil` if the length is not known in advance.
    package var length: Int64?
    /// The SHA-256 digest that the client expects; `nil` for no check.
    package var digest: Digest?
    /// The only field that may get the asset; `nil` if any field may.
    package var target: UploadTarget?
    /// The row of the resumable upload that becomes complete; `nil` for an upload in one request.
    var resumable: Int64?

    /// Describes an upload before its bytes arrive.
    package init(
        caller: Caller, address: DatabaseAddress, contentType: String? = nil, filename: String? = nil,
        length: Int64? = nil, digest: Digest? = nil
    ) {
        self.caller = caller
        self.address = address
        self.contentType = contentType
        self.filename = filename
        self.length = length
        self.digest = digest
    }

    /// The maximum length of a file name, in UTF-8 bytes.
    package static let filenameBytes = 255

    /// Checks a file name from a client.
    ///
    /// - Throws: BAD_REQUEST for a wrong length, a slash, a control character, or the names `.` and `..`.
    package static func checkFilename(_ name: String) throws(RecordError) {
        let isSound =
            (1...filenameBytes).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "/" }
            && name != "." && name != ".."
        guard isSound else {
            throw .badRequest(
                "A file name has 1 to \(filenameBytes) UTF-8 bytes, no slash and no control characters, and is neither '.' nor '..'",
                details: [("filename", .text(String(name.prefix(64))))])
        }
    }
}

/// The result of a complete and durable upload.
package struct ReceivedAsset: Hashable, Sendable {
    /// The value for a field, with the upload token.
    package var asset: Asset
    /// The signed URL of the content.
    package var downloadURL: String
    /// Whether the same content was already stored.
    package var isKnown: Bool
}
