package import Cryptography
package import RecordModel

/// Which upload a request means, and who asks.
package struct ResumableAddress: Sendable {
    /// What its URL ends with.
    package var name: String
    package var caller: Caller
    package var address: DatabaseAddress

    package init(name: String, caller: Caller, address: DatabaseAddress) {
        self.name = name
        self.caller = caller
        self.address = address
    }
}

/// What a client says of a file that it is going to bring in parts.
package struct NewResumableUpload: Sendable {
    package var caller: Caller
    package var address: DatabaseAddress
    /// In bytes; `nil` if the client will tell it later.
    package var length: Int64?
    package var contentType: String?
    package var filename: String?
    /// Kept as it is, and returned.
    package var metadata: String?

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

/// What one request brings.
package struct ResumablePart: Sendable {
    package struct Checksum: Hashable, Sendable {
        package var algorithm: DigestAlgorithm
        package var digest: [UInt8]

        package init(algorithm: DigestAlgorithm, digest: [UInt8]) {
            self.algorithm = algorithm
            self.digest = digest
        }
    }

    /// Where the client believes that it goes on.
    package var offset: Int64
    /// The length of the whole, if the client tells it now.
    package var length: Int64?
    /// How many bytes the part has, where that is known beforehand.
    package var count: Int64?
    /// The part counts as a whole or not at all, by its digest.
    package var checksum: Checksum?

    package init(offset: Int64, length: Int64? = nil, count: Int64? = nil, checksum: Checksum? = nil) {
        self.offset = offset
        self.length = length
        self.count = count
        self.checksum = checksum
    }
}

/// How far an upload is.
package struct ResumableStatus: Hashable, Sendable {
    package var name: String
    /// So many bytes are durable.
    package var offset: Int64
    /// `nil` until it is known.
    package var length: Int64?
    package var metadata: String?
    /// Milliseconds since 1970.
    package var expires: Int64
    /// What has become of it, with the receipt, once it is complete; `nil` too if that was collected since.
    package var asset: ReceivedAsset?
}

extension RecordError {
    static let uploadNotFound = RecordError(
        .notFound, "There is no such upload, or it is not yours. Begin a new one with POST /assets/uploads")

    static let uploadExpired = RecordError(
        .notFound, "The upload has expired. Begin a new one with POST /assets/uploads", cause: .tokenExpired)

    /// Its file is not there, or not as much of it as was acknowledged.
    static let uploadLost = RecordError(
        .notFound, "What was uploaded is lost. Begin a new one with POST /assets/uploads", cause: .tokenExpired)

    static func uploadOffsetWrong(_ offset: Int64) -> RecordError {
        RecordError(
            .conflict, "The upload is at another offset. Go on from there", details: [("offset", .number(offset))])
    }

    /// An older request has received more. How much is not said: not all of it is durable yet.
    static let uploadIsBusy = RecordError(
        .conflict,
        "Another request is bringing this upload's bytes, and is farther. Wait for it, or ask with HEAD, which ends it, and go on from there"
    )

    static func uploadTooLong(length: Int64) -> RecordError {
        .badRequest(
            "More bytes came than the upload's length leaves room for", cause: .tooLarge,
            details: [("length", .number(length))])
    }

    static func uploadLengthWrong(_ length: Int64) -> RecordError {
        .badRequest(
            "The length of an upload is said once, and is not less than what has come",
            details: [("length", .number(length))])
    }

    static let tooManyUploads = RecordError(
        .quotaExceeded,
        "You have begun as many uploads as you may. Go on with them or end them with DELETE, or wait until they expire",
        cause: .tooLarge, details: [("limit", .number(Int64(Uploads.mostUnfinished)))])
}
