internal import Cryptography
internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import Thumbnails

/// Content other than JSON that a route serves: an asset's file, a thumbnail, or the bytes of a field.
struct ServedContent {
    enum Body {
        case file(any HTTPFile)
        case bytes([UInt8])
    }

    /// The query parameters of all routes that serve such content.
    static let parameters = ["download", "width", "height", "fit", "format"]

    /// The header fields of all routes that serve such content, as names of parameters in `/openapi.json`.
    static let headers = ["ifNoneMatch", "range", "ifRange"]

    static let responses: [Route.Response] = [
        .bytes(200, "The bytes"), .bytes(206, "The range, or several as multipart/byteranges"), .unchanged,
        .error(410, "The URL has expired"), .error(416, "Every range begins after the end"),
        .error(501, "Smaller pictures are not made here"),
    ]

    var body: Body
    var size: Int
    var entityTag: EntityTag?
    var mediaType: String
    var display: AssetDisplay
    var filename: String?
    /// How long a client may cache the content without revalidation, in seconds; `nil` if caching is not allowed.
    var secondsLeft: Int64?
    /// Who receives the content, if it takes long and the sender may lose the right to it; otherwise `nil`.
    var receiver: TransferSender?
    /// Whether the content is a picture as a page shows many: a thumbnail, or a whole picture of little size.
    var isSmallPicture = false

    /// The maximum side of such a thumbnail in pixels, and the maximum size of such a picture in bytes.
    private static let (smallSide, smallSize) = (640, 512 * 1_024)

    init(_ asset: OpenAsset, for call: RecordCall) async throws {
        body = .file(AssetBodySource(asset))
        size = Int(asset.size)
        entityTag = EntityTag(opaque: asset.hash.hex)
        mediaType = asset.mediaType
        display = try call.query.word("download") ? .attachment : asset.display
        filename = asset.filename
        secondsLeft = asset.secondsLeft
        guard let form = try call.query.thumbnail(of: asset.picture), let source = asset.picture else {
            isSmallPicture = asset.picture != nil && size <= Self.smallSize && display != .attachment
            return
        }
        entityTag = EntityTag(opaque: asset.hash.hex + form.tagSuffix)
        mediaType = form.format.mediaType
        display = try call.query.word("download") ? .attachment : .document
        isSmallPicture = [form.width, form.height].allSatisfy { ($0 ?? Self.smallSide + 1) <= Self.smallSide }
        // If the client's copy is current, no thumbnail is needed.
        if case .notModified = condition(of: call.request) { return }
        do throws(ThumbnailError) {
            let file = try await call.database.assets.thumbnail(of: source, form)
            body = .file(ThumbnailBodySource(file))
            size = file.size
        } catch {
            throw RecordError(error)
        }
    }

    private func condition(of request: HTTPRequest) -> Preconditions.Outcome {
        Preconditions.evaluate(request.fields, method: request.method, entityTag: entityTag)
    }

    init(bytes: [UInt8], entityTag: EntityTag?) {
        body = .bytes(bytes)
        size = bytes.count
        self.entityTag = entityTag
        mediaType = AssetMediaType.unknown
        display = .attachment
    }

    /// Returns the header fields. The content comes from clients. So a browser must not treat it as a page of this
    /// server, whatever the media type is.
    private func makeFields(contentType: String) -> HTTPFields {
        var fields = HTTPFields()
        if let secondsLeft {
            fields.append(.cacheControl, "private, max-age=\(secondsLeft), immutable")
        } else {
            fields.append(.cacheControl, literal: "private, no-cache")
        }
        fields.append(.contentType, contentType)
        fields.append(
            .contentDisposition,
            display == .attachment
                ? ContentDisposition.attachment(filename: filename) : ContentDisposition.inline(filename: filename))
        fields.append(.xContentTypeOptions, literal: "nosniff")
        fields.append(.contentSecurityPolicy, literal: policy)
        fields.append(.acceptRanges, literal: "bytes")
        if let entityTag { fields.append(.etag, entityTag.text) }
        return fields
    }

    /// The Content-Security-Policy for a browser that displays the content as a document, alone or in a frame. The
    /// sandbox gives the document an opaque origin and no scripts, so an SVG cannot read data of the console or of an
    /// app. Styles are allowed for drawings, and for the browser's own pages around text and pictures.
    private var policy: StaticString {
        switch display {
        case .attachment: "default-src 'none'; frame-ancestors 'none'; sandbox"
        case .document: "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox"
        // A browser's media player is a page that loads the file again, from the file's origin. The player has no
        // scripts.
        case .media: "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin"
        }
    }

    /// Returns the response to a request, after applying its preconditions and ranges.
    ///
    /// - Throws: `APIError`: 412 for a failed precondition, 400 for a malformed precondition, 416 for an unsatisfiable
    ///   range.
    func response(to request: HTTPRequest) throws -> HTTPResponse {
        switch condition(of: request) {
        case .proceed: break
        case .notModified: return HTTPResponse(.notModified, fields: makeFields(contentType: mediaType))
        case .failed: throw APIError.preconditionFailed
        case .malformed: throw APIError.malformedPrecondition
        }
        var fields = makeFields(contentType: mediaType)
        guard request.fields.contains(.range), Preconditions.rangeApplies(request.fields, entityTag: entityTag) else {
            return HTTPResponse(.ok, fields: fields, body: part(0..<size))
        }
        switch ByteRanges.parse(request.fields, size: size) {
        case .whole: return HTTPResponse(.ok, fields: fields, body: part(0..<size))
        case .ranges(let ranges) where ranges.count == 1:
            fields.append(.contentRange, ByteRange.contentRange(ranges[0], size: size))
            return HTTPResponse(.partialContent, fields: fields, body: part(ranges[0]))
        case .ranges(let ranges):
            let parts = MultipartByteRanges(
                ranges, size: size, contentType: mediaType, boundary: MultipartByteRanges.randomBoundary())
            return HTTPResponse(
                .partialContent, fields: makeFields(contentType: parts.contentType), body: multipart(parts))
        case .unsatisfiable: throw APIError.rangeNotSatisfiable(size: size)
        }
    }

    private func multipart(_ parts: MultipartByteRanges) -> HTTPResponseBody {
        switch body {
        case .file(let file): .file(HTTPFileBody(file, parts: parts.parts, check: receiver?.check))
        case .bytes(let bytes): .bytes(parts.bytes(of: bytes))
        }
    }

    private func part(_ range: Range<Int>) -> HTTPResponseBody {
        switch body {
        case .file(let file): .file(HTTPFileBody(file, parts: [.range(range)], check: receiver?.check))
        case .bytes(let bytes): .bytes(range.count == bytes.count ? bytes : Array(bytes[range]))
        }
    }
}

/// The file of an asset, as a response body.
final class AssetBodySource: HTTPFile {
    private let asset: OpenAsset

    init(_ asset: OpenAsset) {
        self.asset = asset
    }

    var descriptor: Int32 { asset.descriptor }
}
