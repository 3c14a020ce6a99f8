/// Names that only a few routes speak of: no request is recognized by them, so they have no number.
extension HTTPFieldName {
    // RFC 9530.
    public static let contentDigest = HTTPFieldName(unnumbered: "content-digest")
    public static let reprDigest = HTTPFieldName(unnumbered: "repr-digest")
    public static let wantContentDigest = HTTPFieldName(unnumbered: "want-content-digest")
    public static let wantReprDigest = HTTPFieldName(unnumbered: "want-repr-digest")

    // tus 1.0.0, the protocol of uploads that can be resumed.
    public static let tusResumable = HTTPFieldName(unnumbered: "tus-resumable")
    public static let tusVersion = HTTPFieldName(unnumbered: "tus-version")
    public static let tusExtension = HTTPFieldName(unnumbered: "tus-extension")
    public static let tusMaxSize = HTTPFieldName(unnumbered: "tus-max-size")
    public static let tusChecksumAlgorithm = HTTPFieldName(unnumbered: "tus-checksum-algorithm")
    public static let uploadOffset = HTTPFieldName(unnumbered: "upload-offset")
    public static let uploadLength = HTTPFieldName(unnumbered: "upload-length")
    public static let uploadDeferLength = HTTPFieldName(unnumbered: "upload-defer-length")
    public static let uploadMetadata = HTTPFieldName(unnumbered: "upload-metadata")
    public static let uploadExpires = HTTPFieldName(unnumbered: "upload-expires")
    public static let uploadChecksum = HTTPFieldName(unnumbered: "upload-checksum")
    public static let uploadConcat = HTTPFieldName(unnumbered: "upload-concat")
    public static let xHTTPMethodOverride = HTTPFieldName(unnumbered: "x-http-method-override")

    // draft-ietf-httpapi-ratelimit-headers.
    public static let rateLimit = HTTPFieldName(unnumbered: "ratelimit")
    public static let rateLimitPolicy = HTTPFieldName(unnumbered: "ratelimit-policy")

    /// Every name of this file.
    static let unnumbered: [HTTPFieldName] = [
        contentDigest, reprDigest, wantContentDigest, wantReprDigest, tusResumable, tusVersion, tusExtension,
        tusMaxSize, tusChecksumAlgorithm, uploadOffset, uploadLength, uploadDeferLength, uploadMetadata,
        uploadExpires, uploadChecksum, uploadConcat, xHTTPMethodOverride, rateLimit,
        rateLimitPolicy,
    ]

    /// - Parameter text: A token in lower case that is no `KnownField`.
    private init(unnumbered text: String) {
        known = .anyOther
        other = text
    }
}
