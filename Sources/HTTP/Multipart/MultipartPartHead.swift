/// What stands before the content of one part of a form (RFC 7578 §4).
public struct MultipartPartHead: Hashable, Sendable {
    /// The name of the form's field.
    public var name: String
    /// As the sender has it; see `ContentDisposition.safeFilename`. Without one the part is no file.
    public var filename: String?
    /// The value of Content-Type, blanks around it trimmed.
    public var contentType: String?

    public init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }

    /// - Parameter lines: All lines, each with its CR LF, without the empty one.
    init(lines: ArraySlice<UInt8>) throws(MultipartError) {
        var disposition: ContentDisposition?
        var contentType: ArraySlice<UInt8>?
        var rest = lines
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[..<(end - 1)]
            rest = rest[(end + 1)...]
            let (name, value) = try Self.field(line)
            switch name {
            case "content-disposition":
                guard disposition == nil else {
                    throw .malformed("The head of a part has more than one Content-Disposition.")
                }
                disposition = ContentDisposition(bytes: value)
                guard disposition != nil else { throw .malformed("The Content-Disposition of a part is malformed.") }
            case "content-type":
                guard contentType == nil else {
                    throw .malformed("The head of a part has more than one Content-Type.")
                }
                contentType = value
            case "content-transfer-encoding":
                // Deprecated, but some send the ones that change nothing (RFC 7578 §4.7).
                let coding = String(decoding: value.map(\.lowercased), as: UTF8.self)
                guard ["binary", "8bit", "7bit"].contains(coding) else {
                    throw .malformed("The content of a part may not be in a Content-Transfer-Encoding.")
                }
            default: break
            }
        }
        guard let disposition else { throw .malformed("The head of a part has no Content-Disposition.") }
        guard disposition.type == "form-data" else {
            throw .malformed("The Content-Disposition of a part is not form-data.")
        }
        guard let name = disposition.name else {
            throw .malformed("The Content-Disposition of a part names no field.")
        }
        self.name = name
        filename = disposition.filename
        self.contentType = contentType.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(MultipartError) -> (String, ArraySlice<UInt8>) {
        if let first = line.first, first.isBlank {
            throw .malformed("A line in the head of a part is folded.")
        }
        let name = line.prefix { $0.isToken }
        guard !name.isEmpty, name.endIndex < line.endIndex, line[name.endIndex] == UInt8(ascii: ":") else {
            throw .malformed("A line in the head of a part is no field.")
        }
        var value = line[(name.endIndex + 1)...].drop(while: \.isBlank)
        while let last = value.last, last.isBlank { value.removeLast() }
        guard !value.contains(where: \.isForbiddenInValue) else {
            throw .malformed("A field in the head of a part has a control character.")
        }
        return (String(decoding: name.map(\.lowercased), as: UTF8.self), value)
    }
}
