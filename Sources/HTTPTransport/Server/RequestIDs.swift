import HTTP

/// Creates IDs for requests without an ID: a random prefix per loop and a counter, in hexadecimal.
///
/// ```
/// prefix, 28 bits   counter, 32 bits
/// 7 digits          8 digits
/// ```
///
/// A `String` stores 15 characters without an allocation.
struct RequestIDs {
    private let prefix = UInt32.random(in: 0..<1 << 28)
    private var counter: UInt32 = 0

    /// The maximum length in characters of an ID from a client.
    static let maxLength = 64

    /// Returns the next ID.
    mutating func next() -> String {
        counter &+= 1
        let (prefix, counter) = (prefix, counter)
        return String(unsafeUninitializedCapacity: 15) { buffer in
            for index in 0..<7 { buffer[index] = Self.digit(prefix >> UInt32(24 - 4 * index)) }
            for index in 0..<8 { buffer[7 + index] = Self.digit(counter >> UInt32(28 - 4 * index)) }
            return 15
        }
    }

    /// Returns the client's ID if it is well formed (1 to 64 of `A-Z a-z 0-9 . _ -`). Otherwise returns the next ID.
    mutating func id(for fields: HTTPFields) -> String {
        let own: String?? = fields.withValue(of: .xRequestID) { bytes in
            guard (1...Self.maxLength).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        if case .some(.some(let id)) = own { return id }
        return next()
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let digit = UInt8(value & 15)
        return digit < 10 ? digit + 0x30 : digit + 0x57
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
