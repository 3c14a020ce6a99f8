import FuzzTargets
import HTTP
import RecordEngine
import RecordModel
import RecordWire
import Testing
import Threads

@testable import RecordAPI

/// What a request feeds to parsers and compilers on an event loop: the worst input of each, at its size limit.
///
/// Each row must take less than 20 ms in a release build, and time in proportion to its input. The times are processor
/// times of the thread, so that a busy machine changes them little, and each is the shortest of three.
@Suite struct WorstInputTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// The length of the input at the limit, in bytes or parts.
        let limit: Int
        /// Makes an input of a length, and returns the call to measure. Both may reject the input.
        let prepare: @Sendable (Int) -> () -> Void

        var testDescription: String { name }

        init(_ name: String, _ limit: Int, _ prepare: @escaping @Sendable (Int) -> () -> Void) {
            (self.name, self.limit, self.prepare) = (name, limit, prepare)
        }
    }

    #if DEBUG
        /// A debug build takes up to 40 times as long.
        private static let longest: UInt64 = 800_000_000
        private static let shortestRatio: UInt64 = 20_000_000
    #else
        private static let longest: UInt64 = 20_000_000
        /// Below this time, caches and allocations decide about ratios.
        private static let shortestRatio: UInt64 = 500_000
    #endif

    private static func repeated(_ piece: String, _ bytes: Int) -> String {
        String(repeating: piece, count: bytes / piece.utf8.count)
    }

    /// A row for a predicate that is parsed and bound. `text` returns a predicate of a length.
    private static func predicate(_ name: String, _ limit: Int, _ text: @escaping @Sendable (Int) -> String) -> Row {
        Row("predicate: \(name)", limit) { length in
            let text = text(length)
            return { _ = try? QuerySample.bind(text).simplified() }
        }
    }

    /// A pattern that occurs in several tests, each different.
    private static func patterns(_ count: Int, _ pattern: (Int) -> String) -> String {
        (0..<count).map { "title MATCHES[cd] '\(pattern($0))'" }.joined(separator: " OR ")
    }

    private static let longest16 = Limits.conditionBytes - 64

    private static let predicates: [Row] = [
        predicate("nested groups of nothing", 32) { depth in
            "title MATCHES '\(String(repeating: "(", count: depth))\(String(repeating: "){1000}", count: depth))'"
        },
        predicate("nested groups of what folds to nothing", 30) { depth in
            let close = String(repeating: "){0,1000}", count: depth)
            return "title MATCHES[c] '\(String(repeating: "(", count: depth))\u{AD}\(close)'"
        },
        predicate("many patterns of full length", 200) { count in patterns(count) { "a{1000}[a-\($0 % 10)b]{20}" } },
        predicate("many patterns with sets", 200) { count in
            patterns(count) { "([^\\\\p{Lu}\($0)]\\\\p{C}){480}" }
        },
        predicate("a pattern of sets", 1_000) { "ANY topics MATCHES[cd] '\(repeated("[éa-z]", $0))'" },
        predicate("a pattern of a large set", 1_000) { "title MATCHES[c] '([\(repeated("é-ü", $0))]b?){400}'" },
        predicate("a pattern of choices", 1_000) { "title MATCHES '(\(repeated("a|", $0))){2}'" },
        predicate("a pattern of open groups", 1_000) { "title MATCHES '\(repeated("(?<a", $0))'" },
        predicate("a pattern of marks", 1_000) { "title MATCHES[c] '\(repeated("\u{301}\u{323}", $0))'" },
        predicate("wildcards", 1_000) { "title LIKE[cd] '\(repeated("*é?", $0))'" },
        predicate("conditions", 200) { count in (0..<count).map { "a == \($0)" }.joined(separator: " OR ") },
        predicate("negations", longest16) { repeated("NOT ", $0) + "a == 1" },
        predicate("parentheses", longest16) { repeated("(", $0) + "a == 1" },
        predicate("arithmetic", longest16) { "a == 1\(repeated("+1*1", $0))" },
        predicate("minus signs", longest16) { "a == \(repeated("- ", $0))1" },
        predicate("digits", longest16) { "cost == \(repeated("9", $0))" },
        predicate("decimals", longest16) { "cost == 0.\(repeated("1", $0))e-\(repeated("9", 300))" },
        predicate("hexadecimal digits", longest16) { "cost == 0x\(repeated("f", $0))" },
        predicate("spaces", longest16) { repeated(" ", $0) + "a == 1" },
        predicate("escapes", longest16) { "title == '\(repeated("\\u0301", $0))'" },
        predicate("a set of values", 1_000) { "a IN {\((0..<$0).map { String($0) }.joined(separator: ","))}" },
        predicate("a set of texts", 1_000) { "title IN {\((0..<$0).map { "'\($0)'" }.joined(separator: ","))}" },
        predicate("a polygon", 600) { count in
            let corners = (0..<count).map { "loc(\($0 % 2),\(Double($0) / 100))" }.joined(separator: ",")
            return "place IN polygon({\(corners)})"
        },
        predicate("words", 1_000) { "SELF CONTAINS_ALL_TOKENS '\(repeated("a-b ", $0))'" },
        predicate("characters as words", 1_000) { "SELF CONTAINS '\(repeated("入", $0))'" },
        predicate("a long name", longest16) { "\(repeated("a", $0)) == 1" },
        predicate("a path", longest16) { "author\(repeated(".a", $0)) == 1" },
        predicate("a folded text", longest16) { "title ==[cd] '\(repeated("\u{FDFA}", $0))'" },
    ]

    /// A row for bytes of JSON or another text.
    private static func bytes(
        _ name: String, _ limit: Int, _ text: @escaping @Sendable (Int) -> String,
        _ read: @escaping @Sendable ([UInt8]) -> Void
    ) -> Row {
        Row(name, limit) { length in
            let bytes = Array(text(length).utf8)
            return { read(bytes) }
        }
    }

    /// The longest body that a loop reads itself.
    private static let body = BodyParserThread.minimumBytes

    private static let jsonTexts: [(String, @Sendable (Int) -> String)] = [
        ("arrays", { repeated("[", $0) }), ("empty arrays", { "[\(repeated("[],", $0))1]" }),
        ("equal long keys", { "{\(repeated("\"\(String(repeating: "k", count: 40))\":1,", $0))}" }),
        ("keys", { "{\((0..<($0 / 8)).map { "\"k\($0)\":1" }.joined(separator: ","))}" }),
        ("escapes", { "[\"\(repeated("\\u0041", $0))\"]" }), ("digits", { "[\(repeated("9", $0))]" }),
        ("decimals", { "[0.\(repeated("3", $0))]" }), ("spaces", { repeated(" ", $0) + "1" }),
        ("marks", { "[\"\(repeated("\u{301}\u{323}", $0))\"]" }),
    ]

    private static let documents: [Row] =
        jsonTexts.map { name, text in
            bytes("JSON: \(name)", body, text) { _ = try? JSONValue.parse($0) }
        } + [
            bytes("a query's fields", body, { #"{"recordType":"Post","fields":[\#(repeated("\"a\",", $0))"a"]}"# }) {
                _ = try? QueryInput.read($0)
            },
            bytes("a query's sort", body, { #"{"sortBy":[\#(repeated("{\"fieldName\":\"a\"},", $0))]}"# }) {
                _ = try? QueryInput.read($0)
            },
            bytes("a query's filters", body, { #"{"filterBy":[\#(repeated("{\"fieldName\":\"a\"},", $0))]}"# }) {
                _ = try? QueryInput.read($0)
            },
            bytes(
                "a query's unknown keys", body,
                { length in
                    "{\((0..<(length / 8)).map { "\"k\($0)\":1" }.joined(separator: ","))}"
                }
            ) { _ = try? QueryInput.read($0) },
            bytes(
                "a CloudKit query", body,
                { length in
                    #"{"query":{"recordType":"Post","filterBy":["#
                        + repeated(#"{"fieldName":"a","comparator":"IN","fieldValue":{"value":[1,2]}},"#, length)
                        + "]}}"
                }
            ) { _ = try? CloudKitQueryBody.read($0) },
            bytes(
                "a batch", body,
                { length in
                    #"{"operations":[\#(repeated("{\"operationType\":\"delete\",\"record\":{\"recordName\":\"a\"}},", length))]}"#
                }
            ) { _ = try? BatchInput.read($0, maxOperations: 200) },
            bytes(
                "a schema's fields", body,
                { length in
                    let fields = (0..<(length / 30)).map { "\"f\($0)\":{\"type\":\"STRING\"}" }.joined(separator: ",")
                    return #"{"types":{"Post":{"fields":{\#(fields)}}}}"#
                }
            ) { _ = try? SchemaDocument.read($0) },
            bytes(
                "a schema's indexes", body,
                { length in
                    let fields = (0..<1_000).map { "\"f\($0)\":{\"type\":\"STRING\"}" }.joined(separator: ",")
                    let columns = (0..<(length / 10)).map { "\"f\($0 % 1_000)\"" }.joined(separator: ",")
                    return #"{"types":{"Post":{"fields":{\#(fields)},"indexes":[{"fields":[\#(columns)]}]}}}"#
                }
            ) { _ = try? SchemaDocument.read($0) },
            bytes(
                "a schema text", body,
                { length in
                    let fields = (0..<(length / 20)).map { "f\($0) STRING QUERYABLE" }.joined(separator: ",")
                    return "DEFINE SCHEMA RECORD TYPE Post (\(fields));"
                }
            ) { _ = try? SchemaDocument.parse(text: $0) },
            bytes(
                "a schema text of types", body,
                { length in
                    "DEFINE SCHEMA " + (0..<(length / 40)).map { "RECORD TYPE T\($0) (a INT64);" }.joined()
                }
            ) { _ = try? SchemaDocument.parse(text: $0) },
            bytes("a schema text of comments", body, { repeated("// a\n", $0) + repeated("/*", 100) }) {
                _ = try? SchemaDocument.parse(text: $0)
            },
            bytes(
                "a schema text of grants", body,
                { length in
                    "DEFINE SCHEMA RECORD TYPE Post (a INT64, " + repeated("GRANT READ, WRITE TO \"_world\",", length)
                        + ");"
                }
            ) { _ = try? SchemaDocument.parse(text: $0) },
        ]

    /// The longest head that the server accepts.
    private static let head = 16 << 10

    private static func field(_ name: HTTPFieldName, _ value: String) -> HTTPFields {
        var fields = HTTPFields()
        fields.append(name, value)
        return fields
    }

    private static let heads: [Row] = [
        "a", ",", ";", "\"", "\\", "=", " ", "a;q=0.", "0-0,", "W/\"", "\"a\",", "a=\"\\\"", "%", ".",
    ].map { piece in
        Row("fields of \(piece)", head) { length in
            let text = repeated(piece, length)
            return {
                _ = MediaType("a/b;" + text)
                _ = ContentDisposition("form-data;" + text)
                _ = EntityTag(text)
                _ = HTTPDate.parse(text)
                _ = ByteRanges.parse("bytes=" + text, size: 1_000_000)
                _ = AcceptEncoding.acceptsGzip(field(.acceptEncoding, text))
                _ = EntityTagPrecondition.ifNoneMatch(field(.ifNoneMatch, text))
                _ = IPAddress(text)
                _ = RequestTarget("/records/" + text)?.queryItems
                _ = RequestTarget("/records?where=" + text)?.queryItems
            }
        }
    }

    private static let lists: [Row] = [
        Row("query parameters", head) { length in
            let text = "/query/Post?" + repeated("arg=1&", length)
            return {
                guard let target = RequestTarget(text) else { return }
                _ = try? RequestQuery(target, names: ["arg", "where"], [])
            }
        },
        Row("a sort", head) { length in
            let text = repeated("a,", length)
            return { _ = try? QueryInput.sort(text) }
        },
        Row("an expansion", Limits.expandBytes) { length in
            let text = repeated("a.b,", length)
            return { _ = try? QueryInput.expand(text) }
        },
        Row("an expansion backward", Limits.expandBytes) { length in
            let text = repeated("C.p(limit=3,sort=-a),", length)
            return { _ = try? QueryInput.expand(text) }
        },
        Row("an aggregate", head) { length in
            let text = repeated("day(a),", length)
            return {
                let input = try? AggregateInput.read { name in ["groupBy", "aggregate"].contains(name) ? text : nil }
                _ = try? input?.bind(to: QuerySample.type(), now: 0) { _ in nil }
            }
        },
        Row("the condition of an aggregate", 30) { depth in
            let open = String(repeating: "(", count: depth)
            let having = "title MATCHES '\(open)\(String(repeating: "){1000}", count: depth))'"
            return {
                let input = try? AggregateInput.read { ["groupBy": "title", "having": having][$0] }
                _ = try? input?.bind(to: QuerySample.type(), now: 0) { _ in nil }
            }
        },
        Row("arguments", 100) { count in
            let texts = (0..<count).map { _ in "[\(repeated("[1],", 100))1]" }
            return { _ = try? QueryInput.arguments(texts) }
        },
    ]

    private static func time(_ row: Row, _ length: Int) -> UInt64 {
        let call = row.prepare(length)
        var shortest = UInt64.max
        for _ in 0..<3 {
            let start = ThreadClock.now
            call()
            shortest = min(shortest, ThreadClock.now - start)
        }
        return shortest
    }

    @Test(.timeLimit(.minutes(5)), arguments: predicates + documents + heads + lists)
    func `the worst input is read fast, in time proportional to its length`(row: Row) {
        let times = [1, 2, 4].map { Self.time(row, row.limit * $0 / 4) }
        let text = times.map { "\($0 / 1_000)" }.joined(separator: ", ")
        print("worst input: \(row.name): \(text) µs at a quarter, half and all of \(row.limit)")
        #expect(times[2] < Self.longest, "\(row.name): \(text) µs")
        // A quadratic reader takes 16 times as long for four times the input.
        if times[2] > Self.shortestRatio {
            #expect(times[2] < 9 * max(times[0], Self.shortestRatio / 20), "\(row.name): \(text) µs")
        }
    }
}
