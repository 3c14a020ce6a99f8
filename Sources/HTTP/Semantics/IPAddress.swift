/// An IPv4 or IPv6 address in 128 bits. An IPv4 address is stored as `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), so both
/// spellings are equal.
public struct IPAddress: Hashable, Sendable {
    /// The 64 most significant bits.
    public let high: UInt64
    /// The 64 least significant bits.
    public let low: UInt64

    /// Creates an address from its two halves of 64 bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an IPv4 address.
    ///
    /// - Parameter ipv4: The address as a number; 127.0.0.1 is `0x7F00_0001`.
    public init(ipv4: UInt32) {
        high = 0
        low = 0xFFFF << 32 | UInt64(ipv4)
    }

    /// Parses an address without port and brackets; a zone (`fe80::1%2`) is ignored. `nil` for any other text, such as
    /// a name or an IPv4 address with leading zeros.
    public init?(_ text: some StringProtocol) {
        var bytes = ContiguousArray(text.utf8)[...]
        // The longest address has 45 characters; a zone is a number or the name of an interface.
        guard (2...64).contains(bytes.count) else { return nil }
        if let zone = bytes.firstIndex(of: UInt8(ascii: "%")) {
            guard bytes[..<zone].contains(UInt8(ascii: ":")) else { return nil }
            bytes = bytes[..<zone]
        }
        guard let address = bytes.contains(UInt8(ascii: ":")) ? Self.ipv6(bytes) : Self.ipv4(bytes) else { return nil }
        self = address
    }

    /// Whether this is an IPv4 address.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The address that limits count for this client: an IPv4 address itself, or the /64 network of an IPv6 address.
    /// One customer usually has a whole /64.
    public var customer: IPAddress {
        isIPv4 ? self : IPAddress(high: high, low: 0)
    }

    private static func ipv4(_ bytes: some Collection<UInt8>) -> IPAddress? {
        var address: UInt32 = 0
        var parts = 0
        for part in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt32 = 0
            for digit in part {
                guard digit.isDigit else { return nil }
                value = value * 10 + UInt32(digit &- 0x30)
            }
            guard value <= 255, parts < 4 else { return nil }
            address = address << 8 | value
            parts += 1
        }
        return parts == 4 ? IPAddress(ipv4: address) : nil
    }

    /// Parses an IPv6 address (RFC 4291 §2.2): eight groups. One run of groups may be written as `::`, and the last two
    /// groups may be written as an IPv4 address.
    private static func ipv6(_ bytes: some Collection<UInt8>) -> IPAddress? {
        let text = Array(bytes)
        let isValid = text.withUnsafeBytes { HostSyntax.isIPv6($0) }
        guard isValid else { return nil }
        // The syntax is valid: there is at most one `::` and there are at most eight groups.
        var groups: [UInt16] = []
        var gap: Int?
        for (index, part) in text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).enumerated() {
            if part.isEmpty {
                // `::` at the start or the end makes two empty parts.
                if gap == nil, index > 0 { gap = groups.count }
            } else if part.contains(UInt8(ascii: ".")) {
                guard let four = ipv4(Array(part)) else { return nil }
                groups.append(UInt16(truncatingIfNeeded: four.low >> 16))
                groups.append(UInt16(truncatingIfNeeded: four.low))
            } else {
                groups.append(part.reduce(0) { $0 << 4 | UInt16($1.hexValue ?? 0) })
            }
        }
        if let gap {
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return nil }
        let halves = [groups[..<4], groups[4...]].map { $0.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } }
        return IPAddress(high: halves[0], low: halves[1])
    }
}

extension IPAddress: CustomStringConvertible {
    /// The text form of RFC 5952 §4; an IPv4 address in dotted decimal.
    public var description: String {
        if isIPv4 {
            let ipv4 = UInt32(truncatingIfNeeded: low)
            return "\(ipv4 >> 24).\(ipv4 >> 16 & 255).\(ipv4 >> 8 & 255).\(ipv4 & 255)"
        }
        let groups: [UInt64] = [high, low].flatMap { half -> [UInt64] in
            [half >> 48, half >> 32 & 0xFFFF, half >> 16 & 0xFFFF, half & 0xFFFF]
        }
        var gap = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > max(gap.count, 1) { gap = start..<end }
            start = max(end, start + 1)
        }
        let texts = groups.map { String($0, radix: 16) }
        guard !gap.isEmpty else { return texts.joined(separator: ":") }
        return texts[..<gap.lowerBound].joined(separator: ":") + "::" + texts[gap.upperBound...].joined(separator: ":")
    }
}

/// A network in CIDR notation, such as `10.0.0.0/8` or `2001:db8::/32` (RFC 4632). A single address is a network with
/// one address.
public struct IPNetwork: Hashable, Sendable {
    private let first: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// Parses an address with an optional prefix length. `nil` for other text. Also `nil` if bits after the prefix are
    /// set, because `10.1.2.3/8` may be a mistake.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(parts[0]), !parts[0].contains("%") else { return nil }
        var length = 128
        if parts.count == 2 {
            let most = address.isIPv4 && !parts[0].contains(":") ? 32 : 128
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isDigit),
                let stated = Int(parts[1]), stated <= most
            else { return nil }
            length = 128 - most + stated
        }
        highMask = Self.mask(length)
        lowMask = Self.mask(length - 64)
        first = address
        guard address.high & ~highMask == 0, address.low & ~lowMask == 0 else { return nil }
    }

    /// Whether an address is in the network.
    public func contains(_ address: IPAddress) -> Bool {
        address.high & highMask == first.high && address.low & lowMask == first.low
    }

    private static func mask(_ bits: Int) -> UInt64 {
        bits <= 0 ? 0 : bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits))
    }
}
