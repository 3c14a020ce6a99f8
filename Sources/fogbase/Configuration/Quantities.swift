/// Sizes as people write them: `512`, `64KiB`, `16MiB`, `5GB`.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [
        ("gib", 1 << 30), ("mib", 1 << 20), ("kib", 1 << 10), ("gb", 1_000_000_000), ("mb", 1_000_000), ("kb", 1_000),
        ("b", 1), ("", 1),
    ]

    /// The bytes, or `nil` if `text` is no size or beyond 63 bits.
    static func parse(_ text: String) -> Int? {
        Quantity.parse(text, units: units.map { ($0.name, $0.bytes) })
    }

    /// The shortest text that says the same exactly.
    static func show(_ bytes: Int) -> String {
        for (name, size) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        where bytes >= size && bytes % size == 0 {
            return "\(bytes / size)\(name)"
        }
        return String(bytes)
    }

    /// A rounded size for people, such as `1.4 GiB`.
    static func showRounded(_ bytes: Int) -> String {
        for (name, size) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= size {
            let tenths = (bytes * 10 + size / 2) / size
            return tenths % 10 == 0 || tenths >= 1_000
                ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(bytes) bytes"
    }
}

/// Times as people write them: `500ms`, `30s`, `5m`, `1h`, `7d`. A number without unit is refused.
enum DurationText {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    static func parse(_ text: String) -> Duration? {
        Quantity.parse(text, units: units.map { ($0.name, $0.milliseconds) }).map { .milliseconds($0) }
    }

    /// The shortest text that says the same, down to milliseconds.
    static func show(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        for (name, size) in units where milliseconds >= size && milliseconds % size == 0 {
            return "\(milliseconds / size)\(name)"
        }
        return "\(milliseconds)ms"
    }
}

private enum Quantity {
    /// A whole number followed by one of the units, in either case.
    static func parse(_ text: String, units: [(String, Int)]) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = String(text.dropFirst(digits.count).trimmed).lowercased()
        guard !digits.isEmpty, let number = Int(digits), let size = units.first(where: { $0.0 == unit })?.1 else {
            return nil
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: size)
        return overflow ? nil : product
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmed: SubSequence {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return rest
    }

    /// The number that these decimal digits write; `nil` for anything else, signs included.
    var asNumber: Int? {
        guard !isEmpty, utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(self)
    }
}
