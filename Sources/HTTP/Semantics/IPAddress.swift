/// An IPv4 or IPv6 address as 128 bits. An IPv4 address is kept as `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), so that it is one
/// address whichever way a socket or a proxy writes it.
public struct IPAddress: Hashable, Sendable {
    /// The two halves, most significant first.
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter ipv4: 127.0.0.1 is `0x7F00_0001`.
    public init(ipv4: UInt32) {
        high = 0
        low = 0xFFFF << 32 | UInt64(ipv4)
    }

    /// An address as text, without port and brackets; a zone (`fe80::1%2`) is left away. `nil` for anything else, such as
    /// a name, or an IPv4 address whose numbers have leading zeros.
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

    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The address itself if it is IPv4; else its /64 network, which one customer has whole and can walk through at will.
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

    /// RFC 4291 §2.2: eight groups, one run of them perhaps `::`, the last two perhaps as an IPv4 address.
    private static func ipv6(_ bytes: some Collection<UInt8>) -> IPAddress? {
        let text = Array(bytes)
        let isValid = text.withUnsafeBytes { HostSyntax.isIPv6($0) }
        guard isValid else { return nil }
        // The syntax is known to be right: one gap at most, and no more groups than fit.
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
    /// As RFC 5952 §4 writes it; an IPv4 address with dots.
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

/// Addresses that begin with the same bits, as in `10.0.0.0/8` or `2001:db8::/32` (RFC 4632); a lone address is a network of
/// one.
public struct IPNetwork: Hashable, Sendable {
    private let first: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// `nil` unless the text is an address, perhaps with a slash and a length, and has no bits beyond it: who writes
    /// `10.1.2.3/8` may mean something else.
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

    public func contains(_ address: IPAddress) -> Bool {
        address.high & highMask == first.high && address.low & lowMask == first.low
    }

    private static func mask(_ bits: Int) -> UInt64 {
        bits <= 0 ? 0 : bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits))
    }
}
