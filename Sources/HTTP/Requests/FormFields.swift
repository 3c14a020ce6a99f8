/// A parser for forms without files: `application/x-www-form-urlencoded` (URL standard §5.1).
public enum FormFields {
    /// Returns the fields in order; a field without `=` has an empty value.
    ///
    /// - Returns: `nil` if the body has a malformed escape, a NUL, or bytes that are not UTF-8.
    public static func parse(_ body: [UInt8]) -> [(name: String, value: String)]? {
        body.withUnsafeBytes { body in
            var fields: [(name: String, value: String)] = []
            for part in body.split(separator: UInt8(ascii: "&")) {
                let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
                let value = end < part.endIndex ? part[(end + 1)...] : part[end...]
                guard
                    let name = PercentCoding.decode(UnsafeRawBufferPointer(rebasing: part[..<end]), plusIsSpace: true),
                    let text = PercentCoding.decode(UnsafeRawBufferPointer(rebasing: value), plusIsSpace: true)
                else { return nil }
                fields.append((name, text))
            }
            return fields
        }
    }
}
