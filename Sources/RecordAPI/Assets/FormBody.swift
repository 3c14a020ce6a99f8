internal import HTTP
internal import RecordModel

/// A form with files whose parts are read one by one while the form arrives.
final class FormBody {
    /// The maximum number of files in one form.
    static let maxFiles = 100
    /// The maximum size in bytes of all parts together that are not files.
    static let maxFieldBytes = 64 << 10

    private let body: AssetBody
    private var parser: MultipartParser
    private var piece: [UInt8] = []
    private var offset = 0
    /// Whether the content of a part is being read.
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

    /// Returns the head of the next part; `nil` at the end of the form. Read the content of the previous part first.
    ///
    /// - Throws: BAD_REQUEST for an invalid form, or `HTTPBodyError`.
    func nextPart() async throws -> MultipartPartHead? {
        while let event = try await event() {
            guard case .partBegan(let head) = event else { continue }
            isInPart = true
            return head
        }
        return nil
    }

    /// Returns the next bytes of the current part; `nil` at the end of the part.
    ///
    /// - Throws: BAD_REQUEST for an invalid form, or `HTTPBodyError`.
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

    /// Returns the whole content of a part that is not a file.
    ///
    /// - Throws: BAD_REQUEST (`tooLarge`) if all such parts together exceed `maxFieldBytes`, or the error of the body.
    func field() async throws -> [UInt8] {
        var content: [UInt8] = []
        while let bytes = try await next() {
            fieldBytes += bytes.count
            guard fieldBytes <= Self.maxFieldBytes else { throw RecordError.formFieldsTooLarge }
            content += bytes
        }
        return content
    }

    /// Returns the next event other than `needMore`; `nil` at the end of a complete body.
    ///
    /// - Throws: BAD_REQUEST for an invalid form, or `HTTPBodyError`.
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
    /// Whether the part is a file. For a file field without a chosen file, browsers send an empty file name.
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
