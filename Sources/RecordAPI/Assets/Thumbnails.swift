internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import Thumbnails

extension RequestQuery {
    /// The maximum length of a thumbnail's sides in pixels.
    static let thumbnailSide = 2_048

    /// Returns the requested thumbnail; `nil` if the request is for the asset itself.
    ///
    /// - Throws: BAD_REQUEST for an invalid size, fit or format, and if the asset is not a picture.
    func thumbnail(of picture: PictureSource?) throws(RecordError) -> ThumbnailForm? {
        let (width, height) = (try side("width"), try side("height"))
        let fit = try choice("fit", ThumbnailForm.Fit.self)
        let format = try choice("format", ThumbnailForm.Format.self)
        guard width != nil || height != nil else {
            guard fit == nil, format == nil else {
                throw .badRequest("A smaller picture needs a width or a height; 'fit' and 'format' go with them")
            }
            return nil
        }
        guard let picture else {
            throw .badRequest(
                "Only pictures can be made smaller: JPEG, PNG, GIF, WebP, HEIC and AVIF", cause: .unsupportedMediaType)
        }
        return ThumbnailForm(
            width: width, height: height, fit: fit ?? .contain, format: format ?? picture.thumbnailFormat)
    }

    private func side(_ name: String) throws(RecordError) -> Int? {
        guard let number = try count(name) else { return nil }
        guard (1...Self.thumbnailSide).contains(number) else {
            throw Self.invalid(name, "'\(name)' is a number from 1 to \(Self.thumbnailSide)")
        }
        return number
    }

    private func choice<Word: RawRepresentable & CaseIterable>(
        _ name: String, _: Word.Type
    ) throws(RecordError) -> Word? where Word.RawValue == String {
        guard let text = self[name] else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.invalid(name, "'\(name)' is one of \(words)")
        }
        return word
    }
}

extension ThumbnailForm {
    /// The suffix that makes the entity tag of this thumbnail unique among the thumbnails of the asset.
    var tagSuffix: String {
        "-\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")-\(fit.rawValue)-\(format.rawValue)"
    }
}

extension RecordError {
    /// Creates the error response for a thumbnail that could not be made.
    init(_ error: ThumbnailError) {
        switch error {
        case .unavailable:
            self.init(
                .badRequest,
                "This server makes no smaller pictures. Ask for the asset without width and height; the operator can install libvips",
                cause: .thumbnailsUnavailable)
        case .tooManyPixels(let limit):
            self.init(
                .badRequest, "The picture has more pixels than are made smaller here", cause: .tooLarge,
                details: [("limit", .number(Int64(limit)))])
        case .overloaded:
            self.init(
                .tryAgainLater, "Too many smaller pictures are being made. Try again shortly", cause: .unavailable,
                retryAfter: 2)
        case .timedOut:
            self.init(
                .badRequest, "The picture took too long to be made smaller", cause: .unreadablePicture)
        case .unreadable:
            self.init(
                .badRequest, "The picture cannot be read, so no smaller one can be made of it",
                cause: .unreadablePicture)
        case .storageFull:
            self.init(
                .internalError, "The server's disk has no room for the smaller picture", cause: .storageFull,
                retryAfter: 60)
        case .closed:
            self.init(
                .tryAgainLater, "The server is stopping. Try again shortly", cause: .unavailable, retryAfter: 5)
        }
    }
}

/// The file of a thumbnail, as a response body.
final class ThumbnailBodySource: HTTPFile {
    private let file: ThumbnailFile

    init(_ file: ThumbnailFile) {
        self.file = file
    }

    var descriptor: Int32 { file.descriptor }
}
