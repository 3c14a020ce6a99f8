import FuzzTargets
import RecordModel
import TestSupport
import Testing

/// Numbers compare by value: an operand that the field's type does not have becomes the neighbour that decides alike.
struct PredicateNumberTests {
    private static let integers: [Int64] = [
        .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -2, -1, 0, 1, 2, 3, 4, (1 << 53) - 1, 1 << 53, (1 << 53) + 1,
        (1 << 53) + 2, .max - 1_024, .max - 512, .max - 511, .max - 1, .max,
    ]
    private static let doubles: [Double] = [
        -Double.greatestFiniteMagnitude, -0x1p64, (-0x1p63).nextDown, -0x1p63, (-0x1p63).nextUp, -0x1p53 - 2, -0x1p53,
        -1.5, -1, -0.5, -Double.leastNonzeroMagnitude, -0.0, 0, .leastNonzeroMagnitude, 0.5, 1, 2.5, 3, 3.5, 0x1p53 - 1,
        0x1p53, 0x1p53 + 2,
        (0x1p63).nextDown,
        0x1p63, (0x1p63).nextUp, .greatestFiniteMagnitude,
    ]

    /// -1, 0 or 1, exactly: both are split into a whole part and a rest.
    private static func compare(_ integer: Int64, _ double: Double) -> Int {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = double - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    private static let relations: [(String, @Sendable (Int) -> Bool)] = [
        ("==", { $0 == 0 }), ("!=", { $0 != 0 }), ("<", { $0 < 0 }), ("<=", { $0 <= 0 }), (">", { $0 > 0 }),
        (">=", { $0 >= 0 }),
    ]

    @Test func `an INT64 field compares with every double by value`() throws {
        for operand in Self.doubles {
            for (relation, holds) in Self.relations {
                let predicate = try QuerySample.bind("a \(relation) %@", [.double(operand)])
                for value in Self.integers {
                    let record = SampleRecord(values: ["a": .integer(value)])
                    let expected = holds(Self.compare(value, operand))
                    #expect(predicate.evaluate(record) == expected, "\(value) \(relation) \(operand)")
                    #expect(predicate.simplified().evaluate(record) == expected, "\(value) \(relation) \(operand)")
                }
                #expect(predicate.evaluate(SampleRecord()) == (relation == "!="))
            }
        }
    }

    @Test func `a DOUBLE field compares with every integer by value`() throws {
        for operand in Self.integers {
            for (relation, holds) in Self.relations {
                let predicate = try QuerySample.bind("cost \(relation) %@", [.integer(operand)])
                for value in Self.doubles {
                    let record = SampleRecord(values: ["cost": .double(value == 0 ? 0 : value)])
                    let expected = holds(-Self.compare(operand, value))
                    #expect(predicate.evaluate(record) == expected, "\(value) \(relation) \(operand)")
                }
                #expect(predicate.evaluate(SampleRecord()) == (relation == "!="))
            }
        }
    }

    @Test func `ranges and lists take each operand by value`() throws {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<2_000 {
            let low = Self.doubles.randomElement(using: &random) ?? 0
            let high = Self.doubles.randomElement(using: &random) ?? 0
            let value = Self.integers.randomElement(using: &random) ?? 0
            let record = SampleRecord(values: ["a": .integer(value)], lists: ["scores": [.integer(value)]])
            let isBetween = Self.compare(value, low) >= 0 && Self.compare(value, high) <= 0
            let isIn = Self.compare(value, low) == 0 || Self.compare(value, high) == 0
            let bounds = [QueryArgument.list([.double(low), .double(high)])]
            for (text, holds) in [
                ("a BETWEEN %@", isBetween), ("ANY scores BETWEEN %@", isBetween), ("a IN %@", isIn),
                ("ANY scores IN %@", isIn),
            ] {
                #expect(try QuerySample.bind(text, bounds).evaluate(record) == holds, "\(text) \(low) \(high) \(value)")
            }
        }
    }

    @Test(arguments: [
        ("a < 3.5", "a <= 3"), ("a <= 3.5", "a <= 3"), ("a > 3.5", "a >= 4"), ("a >= -3.5", "a >= -3"),
        ("a < -0.5", "a <= -1"), ("a == 3.5", "FALSEPREDICATE"), ("a != 3.5", "NOT FALSEPREDICATE"),
        ("a < 1e30", "a != NULL"), ("a > 1e30", "FALSEPREDICATE"), ("a >= -1e30", "a != NULL"),
        ("a < -1e30", "FALSEPREDICATE"), ("a IN {1, 1.5, 2}", "a IN {1, 2}"), ("a BETWEEN {0.5, 1e30}", "a >= 1"),
        ("a == -0.0", "a == 0"), ("cost == 9007199254740993", "FALSEPREDICATE"),
        ("cost < 9007199254740993", "cost <= 9007199254740992.0"),
        ("cost > 9007199254740993", "cost >= 9007199254740994.0"),
        ("cost < 9223372036854775807", "cost <= 9223372036854774784.0"),
        ("cost >= 9223372036854775807", "cost >= 9223372036854775808.0"),
        ("timestamp < 1000.5", "timestamp <= 1000"),
    ])
    func `an operand that the type does not have becomes its neighbour`(text: String, same: String) throws {
        #expect(try QuerySample.bind(text) == QuerySample.bind(same))
    }
}
