import RecordModel
import RecordWire
import TestSupport
import Testing

/// Conditions evaluated on a record, and their cost. The oracle of queries shows that the results are right.
@Suite struct RecordMatcherTests {
    /// Evaluates a condition on a record; returns the result and the work.
    private func ask(_ condition: String, _ fields: String) throws -> (matches: Bool, work: Int) {
        let binder = PredicateBinder(type: try Sample.type(), now: 0) { _ in nil }
        let matcher = RecordMatcher(try binder.bind(try PredicateSyntax.parse(condition)))
        return try Sample.withRecord(fields) { record in
            var meter = MatchCostMeter()
            return (try matcher.matches(record, &meter), meter.spent)
        }
    }

    private static func list(_ count: Int) -> String {
        "\"int64list\":[\((0..<count).map(String.init).joined(separator: ","))]"
    }

    @Test func `members are found among many values by hash`() throws {
        let fields = "{\(Self.list(20_000))}"
        let few = try ask("ANY int64list IN {-1, -2}", fields)
        let values = (1...999).map { String(-$0) }.joined(separator: ", ")
        let many = try ask("ANY int64list IN {\(values)}", fields)
        #expect(!few.matches && !many.matches)
        #expect(many.work < 2 * few.work)
        #expect(try ask("ANY int64list IN {\(values), 19999}", fields).matches)
    }

    @Test func `a field that several tests read is decoded once`() throws {
        let fields = #"{\#(Self.list(20_000)),"string":"\#(String(repeating: "a", count: 100_000))"}"#
        for (one, another) in [
            ("NOT (int64list CONTAINS -1)", "NOT (int64list CONTAINS -2)"), ("string != 'b'", "string != 'c'"),
        ] {
            let single = try ask(one, fields)
            let tenfold = try ask(([one] + Array(repeating: another, count: 9)).joined(separator: " AND "), fields)
            #expect(single.matches && tenfold.matches)
            // The comparisons of a list cost something, too.
            #expect(tenfold.work < 3 * single.work)
        }
    }

    @Test func `an absent field that several tests read is absent for all of them`() throws {
        #expect(try !ask("int64 > 1 OR int64 < 1 OR int64list CONTAINS 1 OR int64list CONTAINS 2", "{}").matches)
        #expect(try ask("int64 != 1 AND int64 != 2 AND NOT (int64list CONTAINS 1)", "{}").matches)
        #expect(try ask("int64 == NULL AND (int64 > 1 OR int64 < 1 OR string == NULL)", "{}").matches)
    }

    @Test func `a list is not decoded if decoding it is too much work at once`() throws {
        let binder = PredicateBinder(type: try Sample.type(), now: 0) { _ in nil }
        let matcher = RecordMatcher(try binder.bind(try PredicateSyntax.parse("int64list CONTAINS 1")))
        try Sample.withRecord("{\(Self.list(20_000))}") { record in
            var meter = MatchCostMeter(largestStep: 100_000)
            #expect(throws: MatchFailure.self) { _ = try matcher.matches(record, &meter) }
            #expect(meter.spent < 1_000)
        }
    }

    @Test(arguments: ["string", "ANY stringlist"])
    func `the deadline is checked within one match of a pattern`(field: String) throws {
        let binder = PredicateBinder(type: try Sample.type(), now: 0) { _ in nil }
        let condition = #"\#(field) MATCHES '(?:[\\p{Cn}\\p{Co}\\p{L}]*){230}Z'"#
        let matcher = RecordMatcher(try binder.bind(try PredicateSyntax.parse(condition)))
        let text = #""\#(String(repeating: "a", count: 500_000))""#
        try Sample.withRecord(#"{"string":\#(text),"stringlist":[\#(text)]}"#) { record in
            var looks = 0
            var meter = MatchCostMeter {
                looks += 1
                return looks < 200
            }
            #expect(throws: MatchFailure.self) { _ = try matcher.matches(record, &meter) }
            #expect(looks == 200)
            // The decoding of the text, and a clock reading about every 65,536 units.
            #expect(meter.spent < 20_000_000 + 200 * 140_000)
            var limited = MatchCostMeter(recordLimit: 30_000_000)
            #expect(throws: MatchFailure.self) { _ = try matcher.matches(record, &limited) }
            #expect(limited.spent < 31_000_000)
        }
    }

    @Test(arguments: ["string CONTAINS[cd] 'x'", "string MATCHES[cd] '.*x'", "ANY stringlist CONTAINS[d] 'x'"])
    func `the deadline is checked while a text is folded`(condition: String) throws {
        let binder = PredicateBinder(type: try Sample.type(), now: 0) { _ in nil }
        let matcher = RecordMatcher(try binder.bind(try PredicateSyntax.parse(condition)))
        let text = #""\#(String(repeating: "a\u{301}\u{FDFA}", count: 50_000))""#
        try Sample.withRecord(#"{"string":\#(text),"stringlist":[\#(text)]}"#) { record in
            var looks = 0
            var patient = MatchCostMeter {
                looks += 1
                return true
            }
            let matches = try matcher.matches(record, &patient)
            #expect(!matches)
            #expect(looks > 50)
            let needed = looks
            looks = 0
            var meter = MatchCostMeter {
                looks += 1
                return looks < needed / 2
            }
            #expect(throws: MatchFailure.self) { _ = try matcher.matches(record, &meter) }
            #expect(looks == needed / 2)
        }
    }

    @Test(arguments: ["==", "IN", ">=", "BEGINSWITH", "ENDSWITH"])
    func `most tests fold only the part of a text that decides them`(test: String) throws {
        let value = test == "IN" ? "{'x', 'yy'}" : "'x'"
        func work(_ count: Int) throws -> Int {
            let text = String(repeating: "\u{E9}", count: count)
            let found = try ask("string \(test)[cd] \(value)", #"{"string":"\#(text)"}"#)
            #expect(!found.matches)
            return found.work
        }
        // Decoding the text costs 1 for each byte, and folding it whole would cost 8.
        let (long, short) = (try work(100_000), try work(1_000))
        #expect(long - short < 450_000)
    }

    @Test func `a short match of a long pattern costs little`() throws {
        let text = String(repeating: "a", count: 10_000)
        let long = try ask("string MATCHES 'b{900}|a*'", #"{"string":"\#(text)"}"#)
        let short = try ask("string MATCHES 'b|a*'", #"{"string":"\#(text)"}"#)
        #expect(long.matches && short.matches)
        #expect(long.work < 2 * short.work)
    }

    @Test func `the deadline is checked within a record`() throws {
        let tests = (1...50).map { "NOT (int64list CONTAINS -\($0))" }.joined(separator: " AND ")
        let binder = PredicateBinder(type: try Sample.type(), now: 0) { _ in nil }
        let matcher = RecordMatcher(try binder.bind(try PredicateSyntax.parse(tests)))
        try Sample.withRecord("{\(Self.list(20_000))}") { record in
            var looks = 0
            var patient = MatchCostMeter {
                looks += 1
                return true
            }
            let matches = try matcher.matches(record, &patient)
            #expect(matches)
            #expect(looks >= 50)
            looks = 0
            var meter = MatchCostMeter {
                looks += 1
                return looks < 10
            }
            #expect(throws: MatchFailure.self) { _ = try matcher.matches(record, &meter) }
            #expect(looks == 10)
            var limited = MatchCostMeter(recordLimit: patient.spent - 1)
            #expect(throws: MatchFailure.self) { _ = try matcher.matches(record, &limited) }
            var enough = MatchCostMeter(recordLimit: patient.spent)
            let stillMatches = try matcher.matches(record, &enough)
            #expect(stillMatches)
        }
    }
}
