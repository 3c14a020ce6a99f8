/// The body of a 206 with several ranges: multipart/byteranges (RFC 9110 §14.6).
public struct MultipartByteRanges: Hashable, Sendable {
    /// The value of Content-Type for the whole answer.
    public let contentType: String
    /// The heads of the parts, and the ranges between them, in order.
    public let parts: [HTTPFileBody.Part]

    /// - Parameters:
    ///   - ranges: As `ByteRanges` gives them; none empty.
    ///   - size: The length of the whole representation in bytes.
    ///   - contentType: Of the whole representation; empty leaves it out.
    ///   - boundary: 1 to 70 characters of RFC 2046 §5.1.1 that do not occur in the representation, which a random one
    ///     does not.
    public init(
        _ ranges: [Range<Int>], size: Int, contentType: String, boundary: String = MultipartByteRanges.randomBoundary()
    ) {
        precondition(MultipartBoundary.isValid(boundary.utf8), "A boundary has 1 to 70 characters of RFC 2046 §5.1.1")
        // A token needs no quotes, and some clients look for none.
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

    /// The body in one piece, from a representation that lies in memory and that the ranges are within.
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

    /// 32 hexadecimal digits that nobody can know beforehand.
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
