import FuzzTargets
import RecordModel
import TestSupport
import Testing

/// Random texts never crash, and random conditions survive the way through their text.
struct PredicateFuzzTests {
    static let seeds =
        PredicateConformanceTests.table.map(\.text) + PredicateConformanceTests.more.map(\.text)
        + PredicateRejectionTests.syntax.map(\.text) + PredicateRejectionTests.unavailable.map(\.text)

    static let fragments = [
        "(", ")", "{", "}", "[", "]", ",", ".", "'", "\"", "\\", "\\u", "\\ud800", "%", "%@", "%K", "$", "$x", "#", "!",
        "!=", "=", "<", ">", "&&", "||", " AND ", " OR ", " NOT ", "ANY ", "IN", "NULL", "0x", "0b", "1e", "-", "+",
        "9223372036854775808",
        "1e308", "e", ":", "now()", "- 3 days", "+", "-", "date(", "CAST(", "ref(", "雑", "\0", "\u{301}", "\n", "SELF",
        "a", "topics",
    ]

    @Test(arguments: 0..<8)
    func `mutated texts are either bound or rejected`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let arguments: [QueryArgument] = [.integer(1), .string("title"), .double(.infinity), .null, .list([.asset])]
        for _ in 0..<1_500 {
            var text = Array((Self.seeds.randomElement(using: &random) ?? "").unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let location = Int.random(in: 0...text.count, using: &random)
                let length = Int.random(in: 0...min(3, text.count - location), using: &random)
                let insert =
                    Bool.random(using: &random)
                    ? Array((Self.fragments.randomElement(using: &random) ?? "").unicodeScalars)
                    : Array((Self.seeds.randomElement(using: &random) ?? "").unicodeScalars.prefix(9))
                text.replaceSubrange(location..<(location + length), with: insert)
            }
            let string = String(String.UnicodeScalarView(text))
            let given = Array(arguments.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
            guard
                let error = QuerySample.rejection(string, given, Bool.random(using: &random) ? ["x": .integer(1)] : [:])
            else { continue }
            #expect(error.code == .badRequest)
            #expect(!error.reason.isEmpty)
            #expect(error.found != nil && error.expected != nil)
            if let offset = error.offset { #expect((0...string.utf8.count).contains(offset)) }
            #expect((error.found ?? "").unicodeScalars.count <= 70)
        }
    }

    @Test(arguments: 0..<4)
    func `the text of a condition binds to the same condition`(seed: Int) throws {
        var maker = PredicateMaker(random: SeededGenerator(seed: UInt64(seed)))
        for _ in 0..<400 {
            let predicate = try maker.predicate(depth: 4)
            let simplified = predicate.simplified()
            #expect(simplified.simplified() == simplified)
            let text = simplified.text(limit: 1 << 20)
            #expect(try QuerySample.bind(text).simplified() == simplified, "\(text)")
            for _ in 0..<4 {
                let record = try maker.record()
                #expect(predicate.evaluate(record) == simplified.evaluate(record), "\(text)")
            }
        }
    }

    @Test func `the longest permitted text takes time in proportion to its length`() async {
        let count = Limits.conditionBytes
        for unit in [
            "a", "'", "\\", "(", "!", "{", "1", "#", ".", "a.", "'\\'", "$", "%@", "AND ", "a == 'x' OR ", "{1,", "a:",
        ] {
            let text = String(repeating: unit, count: count / unit.utf8.count)
            let took = await shortestTime(below: .seconds(1)) { _ = QuerySample.rejection(text) }
            #expect(took < .seconds(1), "\(unit)")
            _ = QuerySample.rejection("a == '" + text)
        }
    }
}

/// Makes random conditions and records.
struct PredicateMaker {
    var random: SeededGenerator

    private static let scalars = [
        "title", "threadname", "a", "size", "in", "cost", "timestamp", "author", "recordName",
    ]
    private static let lists = ["topics", "scores", "rates"]
    private static let texts = ["", "a", "ab", "b", "雑談", "a\"b\\c", "\n\t\0", "%@ $x", "it's"]

    mutating func predicate(depth: Int) throws -> Predicate {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
        case 0: return .constant(Bool.random(using: &random))
        case 1..<5: return .condition(try condition())
        case 5: return .not(try predicate(depth: depth - 1))
        case 6: return .and(try predicates(depth: depth - 1))
        default: return .or(try predicates(depth: depth - 1))
        }
    }

    private mutating func predicates(depth: Int) throws -> [Predicate] {
        var predicates: [Predicate] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) { predicates.append(try predicate(depth: depth)) }
        return predicates
    }

    private mutating func condition() throws -> Condition {
        let isMember = Int.random(in: 0..<4, using: &random) == 0
        let name = (isMember ? Self.lists : Self.scalars).randomElement(using: &random) ?? "a"
        let field = try QuerySample.field(name)
        if Int.random(in: 0..<8, using: &random) == 0, name != "recordName" { return Condition(field, .isNull) }
        return Condition(field, test(field, isMember), subject: isMember ? .anyMember : .value)
    }

    private mutating func test(_ field: QueryField, _ isMember: Bool) -> ValueTest {
        let isText = field.type.element == .string
        switch Int.random(in: 0..<(field.type == .reference ? 2 : isText ? 5 : 4), using: &random) {
        case 0: return .equals(value(field))
        case 1: return .isIn((0..<Int.random(in: 0...4, using: &random)).map { _ in value(field) })
        case 2, 3: return .isWithin(range(field, isMember))
        default: return .hasPrefix(Array((Self.texts.randomElement(using: &random) ?? "").utf8))
        }
    }

    private mutating func range(_ field: QueryField, _ isMember: Bool) -> ValueRange {
        switch Int.random(in: 0..<(isMember ? 4 : 5), using: &random) {
        case 0: return ValueRange()
        case 1: return ValueRange(lower: .init(value(field), isInclusive: Bool.random(using: &random)))
        case 2: return ValueRange(upper: .init(value(field), isInclusive: Bool.random(using: &random)))
        case 3: return ValueRange(from: value(field), to: value(field))
        default:
            return ValueRange(
                lower: .init(value(field), isInclusive: Bool.random(using: &random)),
                upper: .init(value(field), isInclusive: Bool.random(using: &random)))
        }
    }

    private mutating func value(_ field: QueryField) -> QueryValue {
        switch field.type.element {
        case .string: QuerySample.text(Self.texts.randomElement(using: &random) ?? "")
        case .reference: QuerySample.text(["a", "b", "c"].randomElement(using: &random) ?? "")
        case .double:
            .double([0, 0.1, -1.5, 1e20, .leastNonzeroMagnitude, -0x1p70, 3].randomElement(using: &random) ?? 0)
        default: .integer([0, 1, 2, 3, -1, .max, .min, 1 << 53].randomElement(using: &random) ?? 0)
        }
    }

    mutating func record() throws -> SampleRecord {
        var record = SampleRecord()
        for name in Self.scalars where name == "recordName" || Bool.random(using: &random) {
            record.values[name] = value(try QuerySample.field(name))
        }
        for name in Self.lists where Bool.random(using: &random) {
            let field = try QuerySample.field(name)
            record.lists[name] = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(field) }
        }
        return record
    }
}
