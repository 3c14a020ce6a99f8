/// The header of one part of a form (RFC 7578 §4).
public struct MultipartPartHead: Hashable, Sendable {
    /// The name of the form field.
    public var name: String
    /// The file name as sent; see `ContentDisposition.safeFilename`. `nil` if the part is not a file.
    public var filename: String?
    /// The value of Content-Type, trimmed.
    public var contentType: String?

    /// Creates the head of a part.
    public init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }

    /// Parses the lines of a head.
    ///
    /// - Parameter lines: All lines of the head, each with its CR LF, without the empty line.
    /// - Throws: `.malformed` for a line that is not a field, a control character, a missing or repeated field, a
    ///   disposition other than form-data with a name, and a Content-Transfer-Encoding that changes the content.
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
                // The field is deprecated. Some clients still send the codings that do not change the content (RFC 7578
                // §4.7).
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
