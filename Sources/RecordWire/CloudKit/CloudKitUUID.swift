/// The `uuid` of errors of CloudKit's protocol. Clients decode it as a UUID (RFC 9562 §4), and some end at any other text.
///
/// The UUID contains the ID of the request, so that an operator finds the request of an error in the logs:
///
/// | ID of the request | UUID |
/// |---|---|
/// | this server's, 15 hexadecimal digits | `01234567-89ab-8cde-8000-000000000000`, with the version 8 before the last 3 digits |
/// | a client's UUID, with or without hyphens | the same in lower case |
/// | any other ID of a client | of version 8, computed from the ID |
package enum CloudKitUUID {
    /// Returns the UUID for the ID of a request, in lower case.
    package static func text(ofRequest id: String) -> String {
        let digits = digits(ofRequest: id)
        return String(unsafeUninitializedCapacity: 36) { buffer in
            var end = 0
            for (index, digit) in digits.enumerated() {
                if [8, 12, 16, 20].contains(index) {
                    buffer[end] = hyphen
                    end += 1
                }
                buffer[end] = digit
                end += 1
            }
            return end
        }
    }

    /// The version of UUIDs whose content an application defines (RFC 9562 §5.8). It is also a valid digit of the
    /// variant.
    private static let eight = UInt8(ascii: "8")
    private static let hyphen = UInt8(ascii: "-")

    /// Returns the 32 digits of the UUID.
    private static func digits(ofRequest id: String) -> [UInt8] {
        var bytes = Array(id.utf8)
        let hyphens = [8, 13, 18, 23]
        if bytes.count == 36, hyphens.allSatisfy({ bytes[$0] == hyphen }) {
            for index in hyphens.reversed() { bytes.remove(at: index) }
        }
        guard bytes.allSatisfy(isHexadecimal) else { return digits(hashing: id) }
        switch bytes.count {
        // The bit is that of lower case in letters, and is set in digits.
        case 32: return bytes.map { $0 | 0x20 }
        case 15:
            return bytes[..<12].map { $0 | 0x20 } + [eight] + bytes[12...].map { $0 | 0x20 } + [eight]
                + [UInt8](repeating: UInt8(ascii: "0"), count: 15)
        default: return digits(hashing: id)
        }
    }

    /// Returns the digits of a hash. Equal IDs have equal UUIDs; nothing else is promised of them.
    private static func digits(hashing id: String) -> [UInt8] {
        var digits: [UInt8] = []
        // FNV-1a with two starts.
        for start in [0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4] as [UInt64] {
            var hash = start
            for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: hash >> UInt64(shift)) & 15
                digits.append(digit < 10 ? digit + 0x30 : digit + 0x57)
            }
        }
        (digits[12], digits[16]) = (eight, eight)
        return digits
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
