import TestSupport

/// Random texts with seeds.
enum RandomTexts {
    private static let ranges: [ClosedRange<UInt32>] = [
        0x20...0x7E, 0x20...0x7E, 0x30...0x39, 0x2C...0x2E, 0xA0...0x24F, 0x300...0x36F, 0x370...0x3FF, 0x400...0x487,
        0x591...0x5EA, 0x610...0x670, 0x900...0x97F, 0x9A0...0x9E3, 0xB3E...0xBD7, 0xE01...0xE4E, 0xF40...0xF84,
        0x1000...0x103F, 0x1100...0x11FF, 0x1E00...0x1FFF, 0x2000...0x206F, 0x2100...0x214F, 0x2460...0x24FF,
        0x2600...0x27BF, 0x3001...0x3020, 0x3041...0x30FF, 0x3041...0x309A, 0x3131...0x318E, 0x3200...0x33FF,
        0x4E00...0x4E40,
        0xAC00...0xAC7F, 0xF900...0xF920, 0xFB00...0xFB4F, 0xFDF0...0xFDFF, 0xFE00...0xFEFF, 0xFF01...0xFFDC,
        0x11080...0x110CF, 0x16D40...0x16D70, 0x1D15E...0x1D1C0, 0x1D400...0x1D4FF, 0x1F1E6...0x1F64F,
        0x2F800...0x2F820,
    ]

    /// A text of up to 16 scalars of many scripts, often several of one block after each other.
    static func any(seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        var view = String.UnicodeScalarView()
        var range = ranges[0]
        for _ in 0..<Int.random(in: 0...16, using: &random) {
            if Int.random(in: 0..<3, using: &random) == 0, let other = ranges.randomElement(using: &random) {
                range = other
            }
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { view.append(scalar) }
        }
        return String(view)
    }

    /// Words of few letters, so that they often occur again.
    static func words(count: ClosedRange<Int>, using random: inout SeededGenerator) -> String {
        let alphabets: [[Character]] = [["a", "B", "\u{E9}"], ["東", "京", "カ"], ["1", "2"], ["가", "나"], ["東", "a"]]
        return (0..<Int.random(in: count, using: &random)).map { _ in
            let alphabet = alphabets.randomElement(using: &random) ?? []
            let letters = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            return String(letters)
        }.joined(separator: " ")
    }
}
