import Geography
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Queries as JSON: bodies, arguments, sorts, and their identity.
struct QueryInputTests {
    static func rejection(_ body: String) -> RecordError? {
        do throws(RecordError) {
            _ = try QueryInput.read(utf8(body))
            return nil
        } catch { return error }
    }

    static func argumentRefusal(_ json: String) -> RecordError? {
        do throws(RecordError) {
            _ = try QueryInput.argument(json)
            return nil
        } catch { return error }
    }

    static func bind(_ body: String) throws(RecordError) -> BoundQuery {
        let input = try QueryInput.read(utf8(body))
        guard let type = try? Sample.type() else { throw .recordNotFound }
        return try input.bind(to: type, now: 9) { name in name == "_bob" ? 7 : nil }
    }

    static func bindRefusal(_ body: String) -> RecordError? {
        do throws(RecordError) {
            _ = try bind(body)
            return nil
        } catch { return error }
    }

    @Test func `a body has every key`() throws {
        let input = try QueryInput.read(
            utf8(
                """
                {"recordType":"Post","where":"int64 > %d AND string == $s","args":[3],"vars":{"s":"x"},
                "filterBy":[{"fieldName":"double","comparator":"LESS_THAN","fieldValue":{"value":1.5}}],
                "sort":["-timestamp","string"],"limit":50,"fields":["string"],"cursor":"abc","count":true,"explain":true}
                """))
        var expected = QueryInput()
        expected.recordType = RecordTypeName("Post")
        expected.condition = "int64 > %d AND string == $s"
        expected.arguments = [.integer(3)]
        expected.variables = ["s": .string("x")]
        expected.filters = [FilterSyntax(fieldName: "double", comparator: "LESS_THAN", value: .double(1.5))]
        expected.sort = [SortInput(name: "timestamp", isAscending: false), SortInput(name: "string")]
        expected.limit = 50
        expected.fields = ["string"]
        expected.cursor = "abc"
        expected.count = true
        expected.explain = true
        #expect(input == expected)
        let bound = try Self.bind(
            "{\"where\":\"int64 > 3\",\"filterBy\":{\"fieldName\":\"int64\",\"comparator\":\"LESS_THAN\",\"fieldValue\":{\"value\":9}},"
                + "\"sortBy\":{\"systemFieldName\":\"createdTimestamp\",\"ascending\":false}}")
        #expect(bound.predicate.text() == "int64 > 3 AND int64 < 9")
        #expect(bound.sort == [SortTerm(.system(.createdTimestamp), isAscending: false)])
    }

    @Test func `every key may be absent or null`() throws {
        #expect(try QueryInput.read(utf8("{}")) == QueryInput())
        let keys = [
            "recordType", "where", "args", "vars", "filterBy", "sort", "sortBy", "limit", "fields", "cursor", "count",
            "explain",
        ]
        let body = "{" + keys.map { "\"\($0)\":null" }.joined(separator: ",") + "}"
        #expect(try QueryInput.read(utf8(body)) == QueryInput())
        #expect(try Self.bind("{}") == BoundQuery(predicate: .constant(true)))
    }

    @Test(arguments: [
        "[]", "1", "", "{\"recordType\":1}", "{\"recordType\":\"1\"}", "{\"where\":1}", "{\"args\":{}}", "{\"args\":1}",
        "{\"vars\":[]}", "{\"filterBy\":1}", "{\"filterBy\":[1]}", "{\"filterBy\":{}}", "{\"sort\":1}",
        "{\"sort\":[1]}",
        "{\"sort\":\"\"}", "{\"sort\":\"a,,b\"}", "{\"sort\":\"-\"}", "{\"sortBy\":\"a\"}", "{\"sortBy\":[{}]}",
        "{\"sortBy\":{\"fieldName\":\"a\",\"ascending\":1}}", "{\"sortBy\":{\"fieldName\":\"a\",\"up\":true}}",
        "{\"sort\":\"a\",\"sortBy\":{\"fieldName\":\"a\"}}", "{\"limit\":\"5\"}", "{\"limit\":1.5}", "{\"limit\":1e30}",
        "{\"fields\":1}", "{\"fields\":[1]}", "{\"cursor\":1}", "{\"count\":1}", "{\"explain\":\"yes\"}", "{} x",
        "{\"where\":\"a\",\"where\":\"a\"}", "{\"args\":[1}", "{\"where\":nope}",
        "{\"filterBy\":{\"fieldName\":\"a\",\"comparator\":\"EQUALS\"}}",
        "{\"filterBy\":{\"fieldName\":\"a\",\"fieldValue\":{\"value\":1}}}",
        "{\"filterBy\":{\"comparator\":\"EQUALS\",\"fieldValue\":{\"value\":1}}}",
        "{\"filterBy\":{\"fieldName\":\"a\",\"comparator\":\"EQUALS\",\"fieldValue\":1,\"x\":1}}",
        "{\"filterBy\":{\"systemFieldName\":\"title\",\"comparator\":\"EQUALS\",\"fieldValue\":1}}",
        "{\"sortBy\":{\"fieldName\":\"location\",\"relativeLocation\":{\"value\":3}}}",
    ])
    func `a body of another shape is rejected`(body: String) {
        #expect(Self.rejection(body)?.code == .badRequest)
    }

    @Test(arguments: ["query", "resultsLimit", "desiredKeys", "WHERE", "", "argss"])
    func `an unknown key is rejected by name, null or not`(key: String) {
        for value in ["1", "null"] {
            let error = Self.rejection("{\"limit\":1,\"\(key)\":\(value)}")
            #expect(error?.detail("key") == .text(key))
            #expect(error?.detail("offset") == .number(11))
        }
    }

    static let arguments: [(String, QueryArgument)] = [
        ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("5", .integer(5)), (" 5 ", .integer(5)),
        ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .double(0x1p63)), ("5.0", .double(5)),
        ("1e3", .double(1_000)), ("\"x\"", .string("x")), ("\"\\u00e9\"", .string("é")),
        ("[]", .list([])), ("[1,\"x\",null,2.5]", .list([.integer(1), .string("x"), .null, .double(2.5)])),
        ("{\"value\":1,\"type\":\"INT64\"}", .integer(1)), ("{\"value\":3.0,\"type\":\"INT64\"}", .integer(3)),
        ("{\"value\":true,\"type\":\"INT64\"}", .integer(1)), ("{\"value\":1,\"type\":\"DOUBLE\"}", .double(1)),
        ("{\"value\":5,\"type\":\"TIMESTAMP\"}", .timestamp(5)),
        ("{\"type\":\"TIMESTAMP\",\"value\":\"1970-01-01T00:00:01.5Z\"}", .timestamp(1_500)),
        ("{\"value\":\"x\",\"type\":\"STRING\"}", .string("x")), ("{\"value\":\"x\"}", .string("x")),
        ("{\"value\":{\"recordName\":\"x\"}}", .reference("x")),
        ("{\"value\":[1,2]}", .list([.integer(1), .integer(2)])),
        ("{\"recordName\":\"x\"}", .reference("x")), ("{\"recordName\":\"x\",\"action\":\"NONE\"}", .reference("x")),
        ("{\"value\":{\"recordName\":\"x\",\"action\":\"DELETE_SELF\"},\"type\":\"REFERENCE\"}", .reference("x")),
        ("{\"value\":\"x\",\"type\":\"REFERENCE\"}", .reference("x")),
        (
            "{\"value\":[\"x\",{\"recordName\":\"y\"}],\"type\":\"REFERENCE_LIST\"}",
            .list([.reference("x"), .reference("y")])
        ),
        ("[{\"recordName\":\"x\"}]", .list([.reference("x")])), ("{\"value\":null,\"type\":\"STRING\"}", .null),
        ("{\"value\":[1],\"type\":\"TIMESTAMP_LIST\"}", .list([.timestamp(1)])),
        ("{\"value\":[1,\"x\"],\"type\":\"LIST\"}", .list([.integer(1), .string("x")])),
        ("{\"value\":null,\"type\":\"LIST\"}", .null), ("{\"value\":1,\"type\":null}", .integer(1)),
        ("{\"value\":\"AAAA\",\"type\":\"BYTES\"}", .bytes),
        ("{\"latitude\":1,\"longitude\":2}", .location(Place(latitude: 1, longitude: 2)!)),
    ]

    @Test(arguments: arguments.indices)
    func `an argument is bare or typed`(row: Int) throws {
        let (json, argument) = Self.arguments[row]
        #expect(try QueryInput.argument(json) == argument, "\(json)")
        #expect(try QueryInput.read(utf8("{\"args\":[\(json)]}")).arguments == [argument], "\(json)")
        #expect(try QueryInput.read(utf8("{\"vars\":{\"x\":\(json)}}")).variables == ["x": argument], "\(json)")
    }

    @Test(arguments: [
        "", "x", "1 2", "[1", "[[1]]", "[1,[2]]", "{}", "{\"a\":1}", "{\"value\":1,\"x\":2}", "1e999", "nul", "'x'",
        "{\"value\":1,\"type\":\"STRING\"}", "{\"value\":1.5,\"type\":\"INT64\"}", "{\"value\":1,\"type\":\"NUMBER\"}",
        "{\"value\":1,\"type\":5}", "{\"value\":\"x\",\"type\":\"TIMESTAMP\"}", "{\"value\":1,\"type\":\"INT64_LIST\"}",
        "{\"value\":[1,\"x\"],\"type\":\"INT64_LIST\"}", "{\"value\":[1,[2]],\"type\":\"LIST\"}", "{\"recordName\":1}",
        "{\"recordName\":\"x\",\"zoneID\":\"north\"}", "{\"value\":{\"value\":1}}", "{\"latitude\":1}",
        "{\"value\":[null],\"type\":\"STRING_LIST\"}", "{\"recordName\":\"x\",\"recordName\":\"x\"}",
    ])
    func `an argument of another shape is rejected`(json: String) {
        #expect(Self.argumentRefusal(json)?.code == .badRequest)
    }

    @Test func `the rejection of an argument has its index`() {
        #expect(Self.rejection("{\"args\":[1,[[2]]]}")?.detail("argument") == .number(1))
        #expect(Self.rejection("{\"vars\":{\"a\":1,\"b\":{}}}")?.detail("argument") == .text("b"))
        do throws(RecordError) {
            _ = try QueryInput.arguments(["1", "\"x\"", "x"])
            Issue.record("x is no JSON")
        } catch {
            #expect(error.detail("argument") == .number(2))
            #expect(error.cause == .malformedJSON)
        }
        let error = Self.bindRefusal("{\"where\":\"int64 == %d AND int64 < %d\",\"args\":[1,\"x\"]}")
        #expect(error?.cause == .typeMismatch)
        #expect(error?.detail("argument") == .number(1))
        #expect(error?.detail("offset") == .number(24))
        #expect(error?.detail("field") == .text("int64"))
    }

    @Test(
        arguments: [
            ("a", [("a", true)]), ("-a", [("a", false)]), ("+a", [("a", true)]),
            ("-timestamp,title", [("timestamp", false), ("title", true)]),
            (" -a , b ", [("a", false), ("b", true)]),
        ] as [(String, [(String, Bool)])])
    func `a sort is a list of fields with a sign`(text: String, terms: [(String, Bool)]) throws {
        let expected = terms.map { SortInput(name: $0.0, isAscending: $0.1) }
        #expect(try QueryInput.sort(text) == expected)
        #expect(try QueryInput.read(utf8("{\"sort\":\"\(text)\"}")).sort == expected)
        #expect(try QueryInput.read(utf8("{\"sort\":[\"\(text)\"]}")).sort == expected)
    }

    @Test func `a repeated sort field counts once, with its first direction`() throws {
        let bound = try Self.bind("{\"sort\":\"-int64,string,int64\"}")
        #expect(bound.sort.map(\.field.name) == ["int64", "string"])
        #expect(bound.sort.map(\.isAscending) == [false, true])
    }

    @Test func `counts have limits`() throws {
        let list = { (item: String, count: Int) in repeatElement(item, count: count).joined(separator: ",") }
        let filter = "{\"fieldName\":\"int64\",\"comparator\":\"EQUALS\",\"fieldValue\":1}"
        _ = try QueryInput.read(utf8("{\"args\":[\(list("1", 100))]}"))
        _ = try QueryInput.argument("[\(list("1", 1_000))]")
        _ = try QueryInput.sort(list("a", 8))
        _ = try Self.bind("{\"filterBy\":[\(list(filter, 200))]}")
        let tests = { (count: Int) in repeatElement("int64 == 1", count: count).joined(separator: " AND ") }
        _ = try Self.bind("{\"where\":\"\(tests(100))\",\"filterBy\":[\(list(filter, 100))]}")
        let rejected: [RecordError?] = [
            Self.rejection("{\"args\":[\(list("1", 101))]}"),
            Self.rejection("{\"vars\":{\((0..<101).map { "\"a\($0)\":1" }.joined(separator: ","))}}"),
            Self.rejection("{\"args\":[[\(list("1", 1_001))]]}"), Self.argumentRefusal("[\(list("1", 1_001))]"),
            Self.argumentRefusal("{\"value\":[\(list("1", 1_001))],\"type\":\"INT64_LIST\"}"),
            Self.rejection("{\"sort\":\"\(list("a", 9))\"}"), Self.rejection("{\"sort\":[\(list("\"a\"", 9))]}"),
            Self.rejection("{\"sortBy\":[\(list("{\"fieldName\":\"a\"}", 9))]}"),
            Self.rejection("{\"filterBy\":[\(list(filter, 201))]}"),
            Self.rejection("{\"fields\":[\(list("\"a\"", 1_001))]}"),
            Self.rejection("{\"fields\":\"\(list("a", 1_001))\"}"),
            Self.bindRefusal("{\"where\":\"\(tests(101))\",\"filterBy\":[\(list(filter, 100))]}"),
            Self.bindRefusal(
                "{\"args\":[\(list("1", 60))],\"vars\":{\((0..<60).map { "\"a\($0)\":1" }.joined(separator: ","))}}"),
        ]
        for (index, error) in rejected.enumerated() {
            #expect(error?.code == .badRequest, "\(index)")
            #expect(error?.cause == .tooLarge, "\(index)")
        }
    }

    @Test func `a query is identified by its content and not by its page`() throws {
        let base = "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[3],\"sort\":\"string\""
        let identity = { (body: String) in try QueryInput.read(utf8("{\(body)}")).identity }
        let first = try identity(base)
        #expect(
            try identity(base + ",\"limit\":5,\"fields\":[\"a\"],\"cursor\":\"c\",\"count\":true,\"explain\":true")
                == first)
        let others = [
            "\"recordType\":\"Posts\",\"where\":\"int64 > %d\",\"args\":[3],\"sort\":\"string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 >= %d\",\"args\":[3],\"sort\":\"string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[3.0],\"sort\":\"string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[[3]],\"sort\":\"string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[\"3\"],\"sort\":\"string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[3,3],\"sort\":\"string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[33],\"sort\":\"string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[3],\"sort\":\"-string\"",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[3],\"sort\":\"string,int64\"",
            base + ",\"vars\":{\"x\":1}",
            base + ",\"filterBy\":{\"fieldName\":\"a\",\"comparator\":\"IN\",\"fieldValue\":[1]}",
            base + ",\"filterBy\":{\"fieldName\":\"a\",\"comparator\":\"IN\",\"fieldValue\":[]}",
            base
                + ",\"filterBy\":{\"fieldName\":\"a\",\"comparator\":\"EQUALS\",\"fieldValue\":{\"recordName\":\"x\"}}",
            base + ",\"filterBy\":{\"fieldName\":\"a\",\"comparator\":\"EQUALS\",\"fieldValue\":\"x\"}",
            // Composed and decomposed letters look alike and are two texts.
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[\"\\u00e9\"]",
            "\"recordType\":\"Post\",\"where\":\"int64 > %d\",\"args\":[\"e\\u0301\"]",
        ]
        let identities = try others.map(identity) + [first]
        #expect(Set(identities).count == identities.count)
        let swapped = ["{\"vars\":{\"a\":1,\"b\":2}}", "{\"vars\":{\"b\":2,\"a\":1}}"]
        #expect(try QueryInput.read(utf8(swapped[0])).identity == QueryInput.read(utf8(swapped[1])).identity)
    }

    @Test(arguments: 0..<4)
    func `mutated bodies are either parsed or rejected`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let bodies =
            Self.arguments.map { "{\"args\":[\($0.0)],\"vars\":{\"x\":\($0.0)},\"sort\":[\"-a\"],\"limit\":1}" } + [
                "{\"filterBy\":[{\"fieldName\":\"a\",\"comparator\":\"IN\",\"fieldValue\":{\"value\":[1]}}],\"sortBy\":[{\"fieldName\":\"a\"}]}"
            ]
        for _ in 0..<2_000 {
            var bytes = utf8(bodies.randomElement(using: &random) ?? "")
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(utf8("{}[],:\"1-.en\\").randomElement(using: &random) ?? 0, at: place)
                }
            }
            do throws(RecordError) {
                _ = try QueryInput.read(bytes).identity
            } catch {
                #expect(error.code == .badRequest || error.code == .zoneNotFound)
            }
        }
    }
}
