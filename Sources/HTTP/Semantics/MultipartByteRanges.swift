/// The body of a 206 response with several ranges: multipart/byteranges (RFC 9110 §14.6).
public struct MultipartByteRanges: Hashable, Sendable {
    /// The Content-Type of the response.
    public let contentType: String
    /// The heads of the parts and the ranges of the file, in the order in which they are sent.
    public let parts: [HTTPFileBody.Part]

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - ranges: The ranges from `ByteRanges`; none is empty.
    ///   - size: The length of the whole representation in bytes.
    ///   - contentType: The Content-Type of the whole representation. If empty, the parts have no Content-Type.
    ///   - boundary: 1 to 70 characters from the set in RFC 2046 §5.1.1 that do not occur in the representation. The
    ///     random default does not occur there in practice.
    public init(
        _ ranges: [Range<Int>], size: Int, contentType: String, boundary: String = MultipartByteRanges.randomBoundary()
    ) {
        precondition(MultipartBoundary.isValid(boundary.utf8), "A boundary has 1 to 70 characters of RFC 2046 §5.1.1")
        // A boundary that is a token needs no quotes, and some clients do not expect quotes.
        let isToken = boundary.utf8.allSatisfy(\.isToken)
        self.contentType = "multipart/byteranges; boundary=" + (isToken ? boundary : "\"\(boundary)\"")
        let type = contentType.utf8.map { $0.isForbiddenInValue ? 0x20 : $0 }
        var parts: [HTTPFileBody.Part] = []
        parts.reserveCapacity(2 * ranges.count + 1)
        for range in ranges {
            var head: [UInt8] = []
            if !parts.isEmpty { head.append(literal: "\r\n") }
            head.append(literal: "--")
            head.append(contentsOf: boundary.utf8)
            if !type.isEmpty {
                head.append(literal: "\r\nContent-Type: ")
                head.append(contentsOf: type)
            }
            head.append(literal: "\r\nContent-Range: ")
            head.append(contentsOf: ByteRange.contentRange(range, size: size).utf8)
            head.append(literal: "\r\n\r\n")
            parts.append(.bytes(head))
            parts.append(.range(range))
        }
        var end: [UInt8] = []
        if !parts.isEmpty { end.append(literal: "\r\n") }
        end.append(literal: "--")
        end.append(contentsOf: boundary.utf8)
        end.append(literal: "--\r\n")
        parts.append(.bytes(end))
        self.parts = parts
    }

    /// The length of the body in bytes.
    public var length: Int { parts.reduce(0) { $0 + $1.count } }

    /// Returns the whole body.
    ///
    /// - Parameter representation: The representation in memory; it contains the ranges.
    public func bytes(of representation: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(length)
        for part in parts {
            switch part {
            case .bytes(let bytes): body += bytes
            case .range(let range): body += representation[range]
            }
        }
        return body
    }

    /// Returns 32 unpredictable hexadecimal digits.
    public static func randomBoundary() -> String {
        var generator = SystemRandomNumberGenerator()
        var digits: [UInt8] = []
        for _ in 0..<2 {
            let word: UInt64 = generator.next()
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift) & 15)
                digits.append(digit < 10 ? digit &+ 0x30 : digit &+ 0x57)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
