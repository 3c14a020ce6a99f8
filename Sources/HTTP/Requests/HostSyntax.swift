/// The syntax of Host and of the authority in an absolute-form target (RFC 9110 §7.2, RFC 3986 §3.2).
enum HostSyntax {
    /// Whether `value` is a host with an optional port: a name, an IPv4 address, or an IPv6 address in brackets.
    ///
    /// This check is stricter than RFC 3986. An empty host is invalid (RFC 9110 §4.2.1), and so is user information
    /// (RFC 9110 §4.2.4). Percent-encoding and sub-delims are invalid because no DNS name has them. A comma is also
    /// invalid because proxies join two Host fields with one. IPvFuture addresses and zone identifiers are invalid too.
    static func isValid(_ value: UnsafeRawBufferPointer) -> Bool {
        guard let first = value.first, value.count <= 262 else { return false }
        var end = 0
        if first == UInt8(ascii: "[") {
            while end < value.count, value[end] != UInt8(ascii: "]") { end += 1 }
            guard end < value.count, isIPv6(value.part(1, end)) else { return false }
            end += 1
        } else {
            while end < value.count, value[end] != UInt8(ascii: ":") {
                guard isNameByte(value[end]) else { return false }
                end += 1
            }
            guard end > 0, end <= 255 else { return false }
        }
        if end == value.count { return true }
        guard value[end] == UInt8(ascii: ":") else { return false }
        return isPort(value.part(end + 1, value.count))
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }

    /// Whether the digits are a port: `*DIGIT` (RFC 3986), at most 65535. An empty port is valid.
    private static func isPort(_ digits: UnsafeRawBufferPointer) -> Bool {
        guard digits.count <= 5 else { return false }
        var port = 0
        for digit in digits {
            guard digit.isDigit else { return false }
            port = port * 10 + Int(digit &- 0x30)
        }
        return port <= 65535
    }

    /// Whether the text is an IPv6address (RFC 3986 §3.2.2): eight groups of 1 to 4 hexadecimal digits, with at most
    /// one run of groups written as `::`. An IPv4 address may replace the last two groups.
    static func isIPv6(_ text: UnsafeRawBufferPointer) -> Bool {
        var groups = 0
        var hasGap = false
        var index = 0
        if text.count >= 2, text[0] == UInt8(ascii: ":"), text[1] == UInt8(ascii: ":") {
            hasGap = true
            index = 2
            if index == text.count { return true }
        }
        while index < text.count {
            var end = index
            while end < text.count, text[end].hexValue != nil { end += 1 }
            if end < text.count, text[end] == UInt8(ascii: ".") {
                guard isIPv4(text.part(index, text.count)) else { return false }
                groups += 2
                index = text.count
                break
            }
            guard end > index, end - index <= 4 else { return false }
            groups += 1
            if end == text.count {
                index = end
                break
            }
            guard text[end] == UInt8(ascii: ":"), end + 1 < text.count else { return false }
            index = end + 1
            if text[index] == UInt8(ascii: ":") {
                guard !hasGap else { return false }
                hasGap = true
                index += 1
            }
        }
        return hasGap ? groups <= 7 : groups == 8
    }

    /// Whether the text is four decimal numbers from 0 to 255 without leading zeros, separated by dots.
    private static func isIPv4(_ text: UnsafeRawBufferPointer) -> Bool {
        var parts = 0
        var index = 0
        while true {
            var end = index
            var value = 0
            while end < text.count, text[end].isDigit, end - index < 4 {
                value = value * 10 + Int(text[end] &- 0x30)
                end += 1
            }
            guard end > index, value <= 255, end - index == 1 || text[index] != UInt8(ascii: "0") else { return false }
            parts += 1
            if end == text.count { return parts == 4 }
            guard text[end] == UInt8(ascii: "."), parts < 4 else { return false }
            index = end + 1
        }
    }
}
