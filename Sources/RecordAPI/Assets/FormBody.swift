internal import HTTP
internal import RecordModel

/// A form with files on its way in, part by part.
final class FormBody {
    /// The most files of one form.
    static let maxFiles = 100
    /// What fields that are no files may measure together.
    static let maxFieldBytes = 64 << 10

    private let body: AssetBody
    private var parser: MultipartParser
    private var piece: [UInt8] = []
    private var offset = 0
    /// A part's content is being read.
    private var isInPart = false
    private var fieldBytes = 0

    init(_ body: AssetBody, _ type: MediaType) throws {
        self.body = body
        do throws(MultipartError) {
            parser = try MultipartParser(contentType: type)
        } catch {
            throw RecordError(error)
        }
    }

    /// The head of the next part; `nil` at the end of the form. The content of the one before must have been read.
    func nextPart() async throws -> MultipartPartHead? {
        while let event = try await event() {
            guard case .partBegan(let head) = event else { continue }
            isInPart = true
            return head
        }
        return nil
    }

    /// The next bytes of the part; `nil` at its end.
    func next() async throws -> [UInt8]? {
        while isInPart, let event = try await event() {
            switch event {
            case .data(let range) where range.count == piece.count: return piece
            case .data(let range): return Array(piece[range])
            case .earlierData(let bytes): return Array(bytes)
            case .partEnded: isInPart = false
            case .partBegan, .finished, .needMore, .failed: continue
            }
        }
        return nil
    }

    /// The whole content of a part that is no file.
    func field() async throws -> [UInt8] {
        var content: [UInt8] = []
        while let bytes = try await next() {
            fieldBytes += bytes.count
            guard fieldBytes <= Self.maxFieldBytes else { throw RecordError.formFieldsTooLarge }
            content += bytes
        }
        return content
    }

    /// The next event but `needMore`; `nil` at the end of a whole body.
    private func event() async throws -> MultipartParser.Event? {
        while true {
            switch parser.next(piece, from: &offset) {
            case .needMore:
                guard let next = try await body.next() else {
                    if let error = parser.end() { throw RecordError(error) }
                    return nil
                }
                piece = next
                offset = 0
            case .failed(let error): throw RecordError(error)
            case let event: return event
            }
        }
    }
}

extension MultipartPartHead {
    /// Whether the part is a file. An empty name is what a browser sends for a field of which no file was chosen.
    var isFile: Bool { filename?.isEmpty == false }
}

extension RecordError {
    static let formFieldsTooLarge = RecordError.badRequest(
        "The fields of the form that are no files are too large. A file has a file name; long texts go as JSON",
        cause: .tooLarge, details: [("limit", .number(Int64(FormBody.maxFieldBytes)))])

    static let tooManyFormFiles = RecordError.badRequest(
        "A form has at most \(FormBody.maxFiles) files. Send the others with another request", cause: .tooLarge)

    fileprivate init(_ error: MultipartError) {
        switch error {
        case .malformed: self = .badRequest("The form could not be read: \(error.sentence)")
        case .tooLarge: self = .badRequest("The form could not be read: \(error.sentence)", cause: .tooLarge)
        }
    }
}
