import HTTP
import Testing

@Suite struct PreconditionsTests {
    /// 784111777 is Sun, 06 Nov 1994 08:49:37 GMT, when the representation `"a"` was last changed.
    @Test(
        arguments: [
            ("", .get, .proceed), ("", .put, .proceed),
            ("If-Match: \"a\"", .put, .proceed), ("If-Match: \"b\"", .put, .failed), ("If-Match: *", .put, .proceed),
            ("If-Match: \"b\", \"a\"", .put, .proceed), ("If-Match: \"b\"|If-Match: \"a\"", .put, .proceed),
            ("If-Match: W/\"a\"", .put, .proceed), ("If-Match: W/\"b\"", .put, .failed),
            ("If-Match: a", .put, .malformed), ("If-Match:", .put, .malformed),
            ("If-Match: \"a", .put, .malformed), ("If-Match: \"a\" \"b\"", .put, .malformed),
            ("If-Match: *, \"a\"", .put, .malformed), ("If-Match: ,, \"a\" ,", .put, .proceed),
            ("If-Match: w/\"a\"", .put, .malformed), ("If-Match: \"a\"x", .put, .malformed),
            ("If-Match: \"x,\\\"", .put, .failed), ("If-Match: \"b\"", .get, .failed),
            ("If-None-Match: \"a\"", .get, .notModified), ("If-None-Match: \"a\"", .head, .notModified),
            ("If-None-Match: \"a\"", .put, .failed), ("If-None-Match: \"b\"", .get, .proceed),
            ("If-None-Match: \"b\"", .put, .proceed), ("If-None-Match: W/\"a\"", .get, .notModified),
            ("If-None-Match: *", .get, .notModified), ("If-None-Match: *", .put, .failed),
            ("If-None-Match: \"b\",\"a\"", .get, .notModified), ("If-None-Match: a", .get, .malformed),
            ("If-None-Match: \"A\"", .get, .proceed),
            ("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .get, .notModified),
            ("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", .get, .proceed),
            ("If-Modified-Since: Sun, 06 Nov 1994 08:49:38 GMT", .get, .notModified),
            ("If-Modified-Since: Sun, 06 Nov 1994 08:49:38 GMT", .put, .proceed),
            ("If-Modified-Since: yesterday", .get, .proceed),
            ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", .put, .failed),
            ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .put, .proceed),
            ("If-Unmodified-Since: never", .put, .proceed),
            // A tag takes precedence over a date.
            ("If-None-Match: \"b\"|If-Modified-Since: Sun, 06 Nov 1994 08:49:38 GMT", .get, .proceed),
            ("If-Match: \"a\"|If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", .put, .proceed),
            // If-Match takes precedence over If-None-Match.
            ("If-Match: \"b\"|If-None-Match: \"a\"", .get, .failed),
            ("If-Match: \"a\"|If-None-Match: \"a\"", .get, .notModified),
        ] as [(String, HTTPMethod, Preconditions.Outcome)])
    func `conditions are judged in the order of RFC 9110`(
        _ lines: String, _ method: HTTPMethod, _ outcome: Preconditions.Outcome
    ) throws {
        let fields = try Self.fields(lines)
        let tag = try #require(EntityTag("\"a\""))
        #expect(
            Preconditions.evaluate(fields, method: method, entityTag: tag, lastModified: 784_111_777) == outcome)
    }

    @Test(
        arguments: [
            ("", .proceed), ("If-Match: *", .failed), ("If-Match: \"a\"", .failed), ("If-None-Match: *", .proceed),
            ("If-None-Match: \"a\"", .proceed), ("If-None-Match: a", .malformed),
        ] as [(String, Preconditions.Outcome)])
    func `a missing resource matches nothing`(_ lines: String, _ outcome: Preconditions.Outcome) throws {
        let fields = try Self.fields(lines)
        #expect(Preconditions.evaluate(fields, method: .put, entityTag: nil, exists: false) == outcome)
    }

    @Test(arguments: [
        ("", true), ("If-Range: \"a\"", true), ("If-Range: \"b\"", false), ("If-Range: W/\"a\"", false),
        ("If-Range: *", false), ("If-Range: a", false), ("If-Range: \"a\"|If-Range: \"a\"", false),
        ("If-Range: Sun, 06 Nov 1994 08:49:37 GMT", true), ("If-Range: Sun, 06 Nov 1994 08:49:38 GMT", false),
    ])
    func `a range is honoured if what it belongs to is current`(_ lines: String, _ applies: Bool) throws {
        let fields = try Self.fields(lines)
        #expect(
            Preconditions.rangeApplies(fields, entityTag: EntityTag("\"a\""), lastModified: 784_111_777) == applies)
    }

    @Test(arguments: ["", "a", "\"a", "a\"", "\"a\"b", "\"a\"b\"", "W\"a\"", "w/\"a\"", "\"a b\"", "\"a\u{7F}\"", "W/"])
    func `any other text is no entity tag`(_ text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test func `an entity tag has one spelling`() throws {
        #expect(EntityTag("W/\"x\"")?.text == "W/\"x\"")
        #expect(EntityTag(opaque: "x")?.text == "\"x\"")
        #expect(EntityTag(opaque: "x\"y") == nil)
        #expect(EntityTag("\"\"")?.opaque == "")
        let condition = try #require(EntityTagPrecondition.ifMatch(try Self.fields("If-Match: \"x\", W/\"y\"")))
        #expect(condition.matchesStrong("\"x\""))
        #expect(!condition.matchesStrong("\"y\""))
        #expect(condition.matchesWeak("\"y\""))
        #expect(!condition.matchesWeak("y"))
        #expect(EntityTagPrecondition.ifNoneMatch(HTTPFields()) == nil)
    }

    static func fields(_ lines: String) throws -> HTTPFields {
        var fields = HTTPFields()
        for line in lines.split(separator: "|") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            fields.append(try #require(HTTPFieldName(String(parts[0]))), String(parts[1]))
        }
        return fields
    }
}
