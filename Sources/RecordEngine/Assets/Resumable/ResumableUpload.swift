package import Cryptography
package import RecordModel

/// Identifies the upload that a request names, and the request's caller.
package struct ResumableAddress: Sendable {
    /// The last segment of the upload's URL.
    package var name: String
    /// The caller of the request.
    package var caller: Caller
    /// The database of the upload.
    package var address: DatabaseAddress

    /// Addresses an upload by name, on behalf of a caller.
    package init(name: String, caller: Caller, address: DatabaseAddress) {
        self.name = name
        self.caller = caller
        self.address = address
    }
}

/// The properties of a new resumable upload.
package struct NewResumableUpload: Sendable {
    /// The uploader.
    package var caller: Caller
    /// The database of the upload.
    package var address: DatabaseAddress
    /// The length in bytes; `nil` if the client sends it later.
    package var length: Int64?
    /// The media type that the client sent.
    package var contentType: String?
    /// The file name that the client sent.
    package var filename: String?
    /// The client's metadata, stored and returned unchanged.
    package var metadata: String?

    /// Describes an upload before its creation.
    package init(
        caller: Caller, address: DatabaseAddress, length: Int64?, contentType: String? = nil, filename: String? = nil,
        metadata: String? = nil
    ) {
        self.caller = caller
        self.address = address
        self.length = length
        self.contentType = contentType
        self.filename = filename
        self.metadata = metadata
    }
}

/// The part of an upload in one request.
package struct ResumablePart: Sendable {
    /// The checksum of a part.
    package struct Checksum: Hashable, Sendable {
        /// The algorithm of the digest.
        package var algorithm: DigestAlgorithm
        /// The bytes of the digest.
        package var digest: [UInt8]

        /// Combines an algorithm and the digest from the request.
        package init(algorithm: DigestAlgorithm, digest: [UInt8]) {
            self.algorithm = algorithm
            self.digest = digest
        }
    }

    /// The offset of the part in the upload, in bytes.
    package var offset: Int64
    /// The length of the whole upload in bytes; `nil` if the request does not contain the length.
    package var length: Int64?
    /// The number of bytes in the part; `nil` if the number is not known in advance.
    package var count: Int64?
    /// The checksum of the part; `nil` for none. A part with a checksum is stored completely or not at all.
    package var checksum: Checksum?

    /// Describes a part before its bytes arrive.
    package init(offset: Int64, length: Int64? = nil, count: Int64? = nil, checksum: Checksum? = nil) {
        self.offset = offset
        self.length = length
        self.count = count
        self.checksum = checksum
    }
}

/// The status of an upload.
package struct ResumableStatus: Hashable, Sendable {
    /// The last segment of the upload's URL.
    package var name: String
    /// The number of durable bytes.
    package var offset: Int64
    /// The length in bytes; `nil` until the client has sent the length.
    package var length: Int64?
    /// The client's metadata.
    package var metadata: String?
    /// When the upload expires, in milliseconds since 1970.
    package var expires: Int64
    /// The asset of a complete upload, with the upload token; `nil` for an incomplete upload or a deleted asset.
    package var asset: ReceivedAsset?
}

extension RecordError {
    /// The error for an upload that does not exist or belongs to another caller.
    static let uploadNotFound = RecordError(
        .notFound, "There is no such upload of yours. Create a new one with POST /assets/uploads")

    /// The error for an expired upload.
    static let uploadExpired = RecordError(
        .notFound, "The upload has expired. Begin a new one with POST /assets/uploads", cause: .tokenExpired)

    /// The error for an upload whose file is missing or shorter than acknowledged.
    static let uploadLost = RecordError(
        .notFound, "What was uploaded is lost. Begin a new one with POST /assets/uploads", cause: .tokenExpired)

    /// The error for a part with a wrong offset. The error contains the upload's offset.
    static func uploadOffsetWrong(_ offset: Int64) -> RecordError {
        RecordError(
            .conflict, "The upload is at another offset. Go on from there", details: [("offset", .number(offset))])
    }

    /// The error if an older request has received bytes after the offset. The error does not contain a new offset,
    /// since not all received bytes are durable yet.
    static let uploadIsBusy = RecordError(
        .conflict,
        "Another request is bringing this upload's bytes, and is farther. Wait for it, or ask with HEAD, which ends it, and go on from there"
    )

    /// The error for bytes beyond the upload's length.
    static func uploadTooLong(length: Int64) -> RecordError {
        .badRequest(
            "More bytes came than the upload's length leaves room for", cause: .tooLarge,
            details: [("length", .number(length))])
    }

    /// The error for a length that differs from the known length, or is less than the offset.
    static func uploadLengthWrong(_ length: Int64) -> RecordError {
        .badRequest(
            "The length of an upload is said once, and is not less than what has come",
            details: [("length", .number(length))])
    }

    /// The error for too many unfinished uploads.
    static let tooManyUploads = RecordError(
        .quotaExceeded,
        "You have begun as many uploads as you may. Go on with them or end them with DELETE, or wait until they expire",
        cause: .tooLarge, details: [("limit", .number(Int64(Uploads.mostUnfinished)))])
}
