package import Cryptography
package import RecordModel

/// What a request says of a file that it brings.
package struct AssetUpload: Sendable {
    package var caller: Caller
    package var address: DatabaseAddress
    package var contentType: String?
    package var filename: String?
    /// The length, where it is known beforehand.
    package var length: Int64?
    /// What the client says the SHA-256 is.
    package var digest: Digest?
    /// The row of an upload in several requests that this completes.
    var resumable: Int64?

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

    /// The longest file name, in UTF-8 bytes.
    package static let filenameBytes = 255

    /// Refuses a file name that no file should have.
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

/// An upload that is complete and durable.
package struct ReceivedAsset: Hashable, Sendable {
    /// The value, with the receipt.
    package var asset: Asset
    package var downloadURL: String
    /// Whether the content was there already.
    package var isKnown: Bool
}
