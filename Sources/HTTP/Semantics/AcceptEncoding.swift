/// The content codings that a client accepts (RFC 9110 §12.5.3).
public enum AcceptEncoding {
    /// Whether gzip is acceptable and not less preferred than identity.
    ///
    /// Without the field, RFC 9110 allows any coding. The result is still `false`, because many clients cannot decode
    /// gzip. Malformed elements are ignored.
    public static func acceptsGzip(_ fields: HTTPFields) -> Bool {
        var gzip: Int?
        var identity: Int?
        var anyOther: Int?
        fields.forEachValue(of: .acceptEncoding) { line in
            line.forEachListElement { element in
                guard let (coding, weight) = weighted(element) else { return }
                if coding.equalsIgnoringCase("gzip") || coding.equalsIgnoringCase("x-gzip") {
                    gzip = max(gzip ?? 0, weight)
                } else if coding.equalsIgnoringCase("identity") {
                    identity = weight
                } else if coding.equals("*") {
                    anyOther = weight
                }
            }
        }
        let gzipWeight = gzip ?? anyOther ?? 0
        // If identity is not listed, it is acceptable with the lowest preference.
        return gzipWeight > 0 && gzipWeight >= identity ?? 0
    }

    /// Returns the coding of an element and its weight in thousandths; `nil` if the element is malformed.
    private static func weighted(
        _ element: UnsafeRawBufferPointer
    ) -> (coding: UnsafeRawBufferPointer, weight: Int)? {
        var end = 0
        while end < element.count, element[end].isToken { end += 1 }
        let coding = element.part(0, end)
        var rest = element.part(end, element.count).trimmed
        guard !coding.isEmpty else { return nil }
        if rest.isEmpty { return (coding, 1000) }
        guard rest[0] == UInt8(ascii: ";") else { return nil }
        rest = rest.part(1, rest.count).trimmed
        guard rest.count >= 3, rest[0] | 0x20 == UInt8(ascii: "q"), rest[1] == UInt8(ascii: "=") else { return nil }
        return weight(rest.part(2, rest.count)).map { (coding, $0) }
    }

    /// Parses a qvalue (RFC 9110 §12.4.2): 0 to 1 with up to three decimals. Returns thousandths.
    static func weight(_ text: UnsafeRawBufferPointer) -> Int? {
        guard text.count >= 1, text.count <= 5, text[0] == UInt8(ascii: "0") || text[0] == UInt8(ascii: "1") else {
            return nil
        }
        var value = text[0] == UInt8(ascii: "1") ? 1000 : 0
        var place = 100
        for index in 1..<max(text.count, 1) {
            if index == 1 {
                guard text[1] == UInt8(ascii: ".") else { return nil }
            } else {
                guard text[index].isDigit else { return nil }
                value += Int(text[index] &- 0x30) * place
                place /= 10
            }
        }
        return value <= 1000 ? value : nil
    }
}
