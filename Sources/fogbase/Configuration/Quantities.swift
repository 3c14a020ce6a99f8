/// Sizes in bytes in human notation: `512`, `64KiB`, `16MiB`, `5GB`.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [
        ("gib", 1 << 30), ("mib", 1 << 20), ("kib", 1 << 10), ("gb", 1_000_000_000), ("mb", 1_000_000), ("kb", 1_000),
        ("b", 1), ("", 1),
    ]

    /// Returns the size in bytes. Returns `nil` if `text` is not a size or if the size exceeds 63 bits.
    static func parse(_ text: String) -> Int? {
        Quantity.parse(text, units: units.map { ($0.name, $0.bytes) })
    }

    /// Returns the shortest text for the exact size.
    static func show(_ bytes: Int) -> String {
        for (name, size) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        where bytes >= size && bytes % size == 0 {
            return "\(bytes / size)\(name)"
        }
        return String(bytes)
    }

    /// Returns a rounded size for people, such as `1.4 GiB`.
    static func showRounded(_ bytes: Int) -> String {
        for (name, size) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= size {
            let tenths = (bytes * 10 + size / 2) / size
            return tenths % 10 == 0 || tenths >= 1_000
                ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(bytes) bytes"
    }
}

/// Durations in human notation: `500ms`, `30s`, `5m`, `1h`, `7d`. A number without a unit is invalid.
enum DurationText {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    static func parse(_ text: String) -> Duration? {
        Quantity.parse(text, units: units.map { ($0.name, $0.milliseconds) }).map { .milliseconds($0) }
    }

    /// Returns the shortest text for the exact duration, in milliseconds or larger units.
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
    /// Parses an integer followed by one of the units, ignoring case.
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
    /// The text without whitespace at both ends.
    var trimmed: SubSequence {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return rest
    }

    /// The number that consists of these decimal digits; `nil` for any other text, including a sign.
    var asNumber: Int? {
        guard !isEmpty, utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(self)
    }
}
