internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// The most files of one form.
    private static let formFiles = 100

    /// `POST /assets` with `multipart/form-data`, as browsers send forms: each part with a file name is a file. Files are
    /// stored one after the other as they come; if one is refused, so is the request, and nobody gets the others' receipts.
    func uploadParts(_ call: RecordCall, _ type: MediaType, to address: DatabaseAddress) async throws -> HTTPResponse {
        guard call.query["filename"] == nil else {
            throw RecordError.badRequest("The files of a form have names of their own; leave 'filename' out")
        }
        let form = try FormBody(AssetBody(call.request.body, for: call.database.assets), type)
        var assets: [JSONValue] = []
        while let part = try await form.nextFile() {
            guard assets.count < Self.formFiles else {
                throw RecordError.badRequest(
                    "A form has at most \(Self.formFiles) files. Send the others with another request",
                    cause: .tooLarge)
            }
            let upload = AssetUpload(
                caller: call.caller, address: address, contentType: Self.assetType(part.contentType),
                filename: part.filename.flatMap(ContentDisposition.safeFilename))
            let received = try await call.reader.receiveAsset(upload) { try await form.next() }
            assets.append(received.json)
        }
        guard !assets.isEmpty else {
            throw RecordError.badRequest("The form has no file: none of its parts has a file name")
        }
        return .json(["assets": .array(assets)], status: .created)
    }
}

/// A form on its way in, file by file. Fields that are no files are passed over.
private final class FormBody {
    private let body: AssetBody
    private var parser: MultipartParser
    private var piece: [UInt8] = []
    private var offset = 0
    /// The file's content is being read.
    private var isInFile = false
    private var passedOver = 0

    /// What fields that are no files may measure together.
    private static let maxFieldBytes = 64 << 10

    init(_ body: AssetBody, _ type: MediaType) throws {
        self.body = body
        do throws(MultipartError) {
            parser = try MultipartParser(contentType: type)
        } catch {
            throw RecordError(error)
        }
    }

    /// The head of the next file; `nil` at the end of the form. The content of the one before must have been read.
    func nextFile() async throws -> MultipartPartHead? {
        while let event = try await event() {
            switch event {
            case .partBegan(let head):
                // An empty name is what a browser sends for a field of which no file was chosen.
                isInFile = head.filename?.isEmpty == false
                if isInFile { return head }
            case .data(let range): try passOver(range.count)
            case .earlierData(let bytes): try passOver(bytes.count)
            case .partEnded, .finished, .needMore, .failed: continue
            }
        }
        return nil
    }

    /// The next bytes of the file; `nil` at its end.
    func next() async throws -> [UInt8]? {
        while isInFile, let event = try await event() {
            switch event {
            case .data(let range) where range.count == piece.count: return piece
            case .data(let range): return Array(piece[range])
            case .earlierData(let bytes): return Array(bytes)
            case .partEnded: isInFile = false
            case .partBegan, .finished, .needMore, .failed: continue
            }
        }
        return nil
    }

    private func passOver(_ count: Int) throws {
        passedOver += count
        guard passedOver <= Self.maxFieldBytes else {
            throw RecordError.badRequest(
                "The fields of the form that are no files are too large; a file has a file name", cause: .tooLarge,
                details: [("limit", .number(Int64(Self.maxFieldBytes)))])
        }
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

extension RecordError {
    fileprivate init(_ error: MultipartError) {
        switch error {
        case .malformed: self = .badRequest("The form could not be read: \(error.sentence)")
        case .tooLarge: self = .badRequest("The form could not be read: \(error.sentence)", cause: .tooLarge)
        }
    }
}
