import RecordModel
import RecordWire
import TestSupport

/// Random fields, values, conditions and sorts, with many ties and all edges that keys have.
struct OracleSamples {
    var random: SeededGenerator
    /// Whether texts around the length that keys keep are among the values.
    var hasLongTexts = false
    /// Whether conditions search for words.
    var hasSearches = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        hasLongTexts = chance(35)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: Values

    private static let texts = [
        "", "a", "ab", "abc", "a\u{0}", "a\u{0}b", "ab\u{0}", "\u{0}", "\u{0}\u{0}", "a\u{1}", "\u{1}", "\u{FF}",
        "caf\u{E9}", "cafe\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "Z", "z", "\u{DF}", "\u{1F600}", "\u{FFFF}",
        "\u{10FFFF}", "\u{E000}", "\"quote\\", "\u{7F}\n\r\t", "b", "ba", "1", "10", "2", "CAF\u{C9}", "Cafe", "ABC",
        "Abc",
        "\u{FB01}", "FI", "\u{FF88}\u{FF7A}", "\u{30CD}\u{30B3}", "\u{130}", "I", "\u{304B}\u{3099}", "\u{304C}",
        "a*b?c",
        "abcabc", "aab aab", "ab b Cafe", "B2 caf\u{E9}, ba-ab", "\u{732B}\u{3068}\u{72AC}", "\u{72AC}\u{3068}b",
    ]
    /// Words that searches look for.
    static let words = [
        "a", "ab", "abc", "b", "ba", "cafe", "CAF\u{C9}", "z", "1", "10", "fi", "\u{732B}", "\u{3068}\u{72AC}",
        "\u{72AC}",
        "\u{30CD}\u{30B3}", "aab", "x", "quote", "-",
    ]
    private static let integers: [Int64] = [
        0, 0, 1, 1, 2, 3, -1, -2, 100, .min, .max, .min + 1, .max - 1, 1 << 53, (1 << 53) + 1, (1 << 53) - 1,
        -(1 << 53) - 1, 255, 256,
    ]
    private static let doubles: [Double] = [
        0, -0.0, 1, 1, 2, -1, 1.5, -1.5, 3.25, 0.1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .leastNormalMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 1e300, 1e-300,
    ]
    private static let times: [Int64] = [
        0, 1, -1, 1_767_225_600_000, 1_767_225_600_001, 1_767_225_599_999, 1_772_366_400_000, 86_400_000, 999,
    ]

    private mutating func text() -> String {
        guard hasLongTexts, chance(30) else { return pick(Self.texts) }
        let head = String(repeating: "x", count: pick([1_022, 1_023, 1_024]))
        return head + pick(["", "x", "y", "\u{E9}", "xx", "xy", "\u{0}", "x\u{0}", "\u{0}z", "e\u{301}y"])
    }

    mutating func value(of type: FieldType) -> QueryValue {
        switch type.element {
        case .string: .text(Array(text().utf8))
        case .reference: .text(Array(pick(["a", "b", "c", "caf\u{E9}", "cafe\u{301}", "target-1"]).utf8))
        case .int64: .integer(pick(Self.integers))
        case .timestamp: .integer(pick(Self.times))
        default: .double(pick(Self.doubles))
        }
    }

    /// A value as the JSON of a field.
    static func json(_ value: QueryValue, as type: FieldType) -> JSONValue {
        switch (value, type.element) {
        case (.text(let bytes), .reference): ["recordName": .string(String(decoding: bytes, as: UTF8.self))]
        case (.text(let bytes), _): .string(String(decoding: bytes, as: UTF8.self))
        case (.integer(let integer), _): .integer(integer)
        case (.double(let double), _): .double(double)
        }
    }

    // MARK: Operands

    /// An operand for a field: mostly a value that some record has, or a neighbour of one, in one of its spellings.
    mutating func operand(_ field: OracleField, _ records: [OracleRecord]) -> QueryArgument {
        switch field.kind {
        case .user(let names): return .string(chance(10) ? "_nobody-knows" : pick(names))
        case .recordName:
            return .string(
                chance(80) && !records.isEmpty ? pick(records).name : pick(["n", "n1", "zz", "", "caf\u{E9}"]))
        case .created: return time(chance(90) && !records.isEmpty ? pick(records).created : 0)
        case .modified: return time(chance(90) && !records.isEmpty ? pick(records).modified : 0)
        case .field(let type):
            var value = value(of: type)
            if chance(65), !records.isEmpty, let known = pick(records).values[field.name], !known.isEmpty {
                value = pick(known)
            }
            return argument(value, type)
        }
    }

    private mutating func time(_ milliseconds: Int64) -> QueryArgument {
        let time = milliseconds + Int64(pick([0, 0, 0, 1, -1]))
        return chance(50) ? .timestamp(time) : .integer(time)
    }

    private mutating func argument(_ value: QueryValue, _ type: FieldType) -> QueryArgument {
        switch (value, type.element) {
        case (.text(var bytes), .string):
            if chance(15) { bytes.append(contentsOf: Array(pick(["\u{0}", "a", "\u{1}"]).utf8)) }
            return .string(String(decoding: bytes, as: UTF8.self))
        case (.text(let bytes), _):
            let name = String(decoding: bytes, as: UTF8.self)
            return chance(50) ? .string(name) : .reference(name)
        case (.integer(let integer), .timestamp):
            if integer == 1_767_225_600_000, chance(50) { return .string("2026-01-01T00:00:00Z") }
            return chance(50) ? .timestamp(integer) : .integer(integer)
        case (.integer(let integer), _):
            if chance(10) { return .bool(chance(50)) }
            if chance(20) { return .double(pick([Double(integer), Double(integer) + 0.5, 0.5, -1.5, 1e300, 0x1p63])) }
            return .integer(integer)
        case (.double(let double), _):
            if chance(20) { return .integer(pick(Self.integers)) }
            return .double(chance(15) ? pick([double.nextUp, double.nextDown].filter(\.isFinite)) : double)
        }
    }
}
