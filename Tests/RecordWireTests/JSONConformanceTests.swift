import RecordWire
import Testing

/// The rules of RFC 8259, document by document, after the ideas of JSONTestSuite.
struct JSONConformanceTests {
    static let valid: [(String, JSONValue)] = [
        ("null", nil), (" \t\r\n true \n", true), ("false", false), ("0", 0), ("-0", 0), ("-1", -1), ("10", 10),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", 9.223372036854775808e18), ("0.5", 0.5), ("1e2", 100.0), ("1E+2", 100.0),
        ("1e-2", 0.01), ("-0.0", -0.0), ("1.7976931348623157e308", 1.7976931348623157e308),
        ("5e-324", .double(.leastNonzeroMagnitude)),
        ("1e-400", 0.0), ("123456789012345678901234567890", 1.2345678901234568e29),
        ("\"\"", ""), ("\"a\"", "a"), ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{c}\n\r\t"),
        ("\"\\u0000\"", "\u{0}"), ("\"\u{0}\"".replacing("\u{0}", with: "\\u0000"), "\0"),
        ("\"\\u0041\\u00e9\\u20AC\"", "Aé€"),
        ("\"\\uD83D\\ude00\"", "😀"), ("\"😀\"", "😀"), ("\"\u{2028}\u{2029}\"", "\u{2028}\u{2029}"),
        ("\"\u{7f}\"", "\u{7f}"), ("\"\u{FEFF}\"", "\u{FEFF}"), ("\"\u{10FFFF}\"", "\u{10FFFF}"),
        ("\"abcdefgh\"", "abcdefgh"), ("\"abcdefghi\\n\"", "abcdefghi\n"), ("\"\\uFFFF\\uFFFE\"", "\u{FFFF}\u{FFFE}"),
        ("[]", []), ("[ ]", []), ("[1, [2,[3 ]]]", [1, [2, [3]]]), ("[null,\"\",{}]", [nil, "", [:]]),
        ("{}", [:]), ("{ }", [:]), ("{\"\":0}", ["": 0]), ("{\"a\" : 1 , \"b\":{\"a\":2}}", ["a": 1, "b": ["a": 2]]),
        ("{\"\\u0061b\":1}", ["ab": 1]), ("{\"a\":1,\"A\":2}", ["a": 1, "A": 2]),
    ]

    @Test(arguments: 0..<valid.count)
    func `a valid document is read`(index: Int) throws {
        let (document, expected) = Self.valid[index]
        let value = try JSONValue.parse(utf8(document))
        #expect(value == expected)
        #expect(try JSONValue.parse(value.bytes) == value)
    }

    static let invalid = [
        "", " ", "nul", "nulll", "True", "TRUE", "NaN", "Infinity", "-", "+1", "01", "-01", "00", "1.", ".5", "-.5",
        "1.e1", "1e", "1e+", "1E-", "0x10", "1_000", "1 2", "1,", "--1", "1e1.5", "1.2.3", "1e400", "-1e400",
        "\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\U0041\"", "\"\n\"",
        "\"\t\"", "\"\u{1f}\"", "\"\\'\"", "'a'", "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\uD800\"", "\"\\uD800a\"",
        "\"\\uD800\\n\"", "\"\\uDC00\\uD800\"", "\"\\uD83D\\u0041\"", "\"\\uD83D\\uDE0\"",
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1}", "[\"a\" \"b\"]", "[,]", "[1:2]", "[]]", "[[]",
        "{", "}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,\"a\":1}", "{\"a\" 1}",
        "{\"a\":1 \"b\":2}", "{\"a\":1,,\"b\":2}", "{a:1}", "{1:1}", "{'a':1}", "{null:1}", "{\"a\"::1}", "{\"a\":}",
        "{\"a\":1}}", "{\"a\":1}x", "{\"a\":1}{}", "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}",
        "{\"x\":{\"b\":1,\"b\":2}}", "[{\"c\":1,\"c\":2}]", "// comment\n1", "1 // comment", "/* */1", "#1",
        "\u{FEFF}1", "\u{a0}1", "\u{0c}1", "\u{0b}1", "1\u{0}", "\u{0}",
    ]

    @Test(arguments: invalid)
    func `an invalid document is rejected`(document: String) {
        let bytes = utf8(document)
        #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE],
            [0xFF], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x28, 0x80], [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]])
    func `text that is not UTF-8 is rejected at every position`(sequence: [UInt8]) {
        for prefix in ["", "a", "abcdefg", "abcdefgh", "é"] {
            for suffix in ["", "z", "abcdefghijkl"] {
                let bytes = utf8("\"" + prefix) + sequence + utf8(suffix + "\"")
                #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
            }
        }
    }

    @Test func `objects and lists nest 32 deep and no deeper`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            utf8(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        _ = try JSONValue.parse(nested(32))
        let tooDeep = nested(33)
        let far = utf8(String(repeating: "{\"a\":[", count: 100_000))
        #expect(throws: JSONError("it is nested deeper than 32", at: 32)) { try JSONValue.parse(tooDeep) }
        #expect(throws: JSONError.self) { try JSONValue.parse(far) }
    }

    @Test(arguments: [1, 7, 8, 9, 10, 40, 1_000])
    func `a doubled key is found among any number of keys`(count: Int) throws {
        let keys = (0..<count).map { "\"key\($0)\":\($0)" }
        let sound = utf8("{" + keys.joined(separator: ",") + "}")
        #expect(try JSONValue.parse(sound).object?.count == count)
        for doubled in Set([0, count / 2, count - 1]) {
            let document = utf8("{" + (keys + ["\"\\u006bey\(doubled)\":0"]).joined(separator: ",") + "}")
            #expect(throws: JSONError.self) { try JSONValue.parse(document) }
        }
    }

    @Test func `keys that differ in one byte or only after normalization are different keys`() throws {
        let keys = [
            "abcdefgh1", "abcdefgh2", "bbcdefgh1", "abcdefghXabcdefgh", "abcdefghYabcdefgh", "a", "ab", "\u{e9}",
            "e\u{301}",
        ]
        let document = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        #expect(try JSONValue.parse(utf8(document)).object?.members.count == keys.count)
    }

    @Test func `an error has its location`() {
        let bytes = utf8("{\"a\": tru}")
        #expect(throws: JSONError("a value was expected", at: 6)) { try JSONValue.parse(bytes) }
    }

    @Test func `only quotes, backslashes and control characters are escaped`() {
        var all: [UInt8] = []
        all.appendString(
            String(String.UnicodeScalarView((0...0x80).compactMap(Unicode.Scalar.init(_:)))) + "\u{2028}😀/")
        let expected =
            #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
            + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f !\""#
            + "#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\u{7f}\u{80}"
            + "\u{2028}😀/\""
        #expect(text(all) == expected)
    }
}
