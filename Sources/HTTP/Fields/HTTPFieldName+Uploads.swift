/// Field names that only a few routes use. They have no `KnownField`.
extension HTTPFieldName {
    /// `Content-Digest`: the digest of the content of a message (RFC 9530 §2).
    public static let contentDigest = HTTPFieldName(unnumbered: "content-digest")
    /// `Repr-Digest`: the digest of the whole representation (RFC 9530 §3).
    public static let reprDigest = HTTPFieldName(unnumbered: "repr-digest")
    /// `Want-Content-Digest`: a request for a `Content-Digest` (RFC 9530 §4).
    public static let wantContentDigest = HTTPFieldName(unnumbered: "want-content-digest")
    /// `Want-Repr-Digest`: a request for a `Repr-Digest` (RFC 9530 §4).
    public static let wantReprDigest = HTTPFieldName(unnumbered: "want-repr-digest")

    /// `X-Accel-Buffering`: `no` makes nginx pass a response on without buffering it.
    public static let xAccelBuffering = HTTPFieldName(unnumbered: "x-accel-buffering")

    // tus 1.0.0, the protocol for resumable uploads.
    /// `Tus-Resumable`: the protocol version of a request or response.
    public static let tusResumable = HTTPFieldName(unnumbered: "tus-resumable")
    /// `Tus-Version`: the protocol versions that the server supports.
    public static let tusVersion = HTTPFieldName(unnumbered: "tus-version")
    /// `Tus-Extension`: the protocol extensions that the server supports.
    public static let tusExtension = HTTPFieldName(unnumbered: "tus-extension")
    /// `Tus-Max-Size`: the largest upload in bytes.
    public static let tusMaxSize = HTTPFieldName(unnumbered: "tus-max-size")
    /// `Tus-Checksum-Algorithm`: the checksum algorithms that the server supports.
    public static let tusChecksumAlgorithm = HTTPFieldName(unnumbered: "tus-checksum-algorithm")
    /// `Upload-Offset`: the position of the next byte of an upload, in bytes from its start.
    public static let uploadOffset = HTTPFieldName(unnumbered: "upload-offset")
    /// `Upload-Length`: the length of the whole upload in bytes.
    public static let uploadLength = HTTPFieldName(unnumbered: "upload-length")
    /// `Upload-Defer-Length`: 1 if the length of the upload is not known yet.
    public static let uploadDeferLength = HTTPFieldName(unnumbered: "upload-defer-length")
    /// `Upload-Metadata`: names and Base64 values that describe the file.
    public static let uploadMetadata = HTTPFieldName(unnumbered: "upload-metadata")
    /// `Upload-Expires`: the time at which an unfinished upload expires.
    public static let uploadExpires = HTTPFieldName(unnumbered: "upload-expires")
    /// `Upload-Checksum`: the checksum of the bytes of one request.
    public static let uploadChecksum = HTTPFieldName(unnumbered: "upload-checksum")
    /// `Upload-Concat`: whether an upload is partial, or the concatenation of partial uploads.
    public static let uploadConcat = HTTPFieldName(unnumbered: "upload-concat")
    /// `X-HTTP-Method-Override`: the method to use instead of the method in the request line.
    public static let xHTTPMethodOverride = HTTPFieldName(unnumbered: "x-http-method-override")

    // draft-ietf-httpapi-ratelimit-headers.
    /// `RateLimit`: the remaining quota of the client's rate limit.
    public static let rateLimit = HTTPFieldName(unnumbered: "ratelimit")
    /// `RateLimit-Policy`: the rate limits that apply to the client.
    public static let rateLimitPolicy = HTTPFieldName(unnumbered: "ratelimit-policy")

    /// All names of this file.
    static let unnumbered: [HTTPFieldName] = [
        contentDigest, reprDigest, wantContentDigest, wantReprDigest, tusResumable, tusVersion, tusExtension,
        tusMaxSize, tusChecksumAlgorithm, uploadOffset, uploadLength, uploadDeferLength, uploadMetadata,
        uploadExpires, uploadChecksum, uploadConcat, xHTTPMethodOverride, rateLimit,
        rateLimitPolicy,
    ]

    /// - Parameter text: A token in lower case that is not a `KnownField`.
    private init(unnumbered text: String) {
        known = .anyOther
        other = text
    }
}
