import RecordWire

/// A request to the source of an import.
package struct SourceRequest: Hashable, Sendable {
    /// A field of the head, or a parameter of the query.
    package struct Field: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String
    }

    /// The path from the root of the source.
    package var path: String
    /// The parameters of the query, not yet encoded.
    package var query: [Field] = []
    /// The fields of the head.
    package var fields: [Field] = []
    /// The body of a POST request; `nil` for a GET request.
    package var body: [UInt8]?
}

/// What the source has responded.
package struct SourceResponse: Hashable, Sendable {
    /// The status.
    package var status: Int
    /// The body.
    package var body: [UInt8]
    /// The delay of `Retry-After` in seconds; `nil` without this field.
    package var retryAfter: Int64?
    /// The next web auth token; `nil` without this field.
    package var webAuthToken: String?

    /// Creates a response.
    package init(status: Int, body: [UInt8], retryAfter: Int64? = nil, webAuthToken: String? = nil) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
        self.webAuthToken = webAuthToken
    }
}

/// Why there is no response from the source.
package enum TransportFailure: Error, Hashable, Sendable {
    /// The operator has interrupted the import.
    case interrupted
    /// The response is larger than the transport keeps.
    case tooLarge
    /// The connection failed. A sentence without a period.
    case failed(String)
}

/// A file on this machine with the content of an asset.
package struct StagedFile: Hashable, Sendable {
    /// The path.
    package var path: String
    /// The number of bytes.
    package var size: Int64
    /// The SHA-256 of the content, in base64.
    package var digest: String
    /// The media type that the source has sent; `nil` for none.
    package var contentType: String?

    /// Describes a file.
    package init(path: String, size: Int64, digest: String, contentType: String? = nil) {
        self.path = path
        self.size = size
        self.digest = digest
        self.contentType = contentType
    }
}

/// The outcome of a download.
package enum Download: Hashable, Sendable {
    /// The file is complete.
    case file(StagedFile)
    /// The source responded with another status than 200.
    case status(Int, retryAfter: Int64?)
}

/// Sends requests to the source. Tests have one that fails in every way.
package protocol SourceTransport: Sendable {
    /// Sends a request of the protocol.
    func send(_ request: SourceRequest) async throws(TransportFailure) -> SourceResponse

    /// Downloads an asset to a new file.
    ///
    /// - Parameters:
    ///   - name: The name of the file, which no other download of the import has at the same time.
    ///   - size: The expected number of bytes, after which the rest is not read; `nil` if it is not known.
    /// - Throws: `tooLarge` for a longer file.
    func download(_ url: String, as name: String, upTo size: Int64?) async throws(TransportFailure) -> Download

    /// Deletes a file that `download` has made.
    func discard(_ file: StagedFile)
}
