import RecordModel
import Testing

struct NameTests {
    @Test(arguments: ["a", "é", "日本", "_user", "a b", "...", String(repeating: "a", count: 255), "\u{A0}", "x\u{200B}"])
    func `a record name may be any text without control characters`(text: String) {
        #expect(RecordName(text)?.text == text)
        #expect(ZoneName(text)?.text == text)
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 256), String(repeating: "é", count: 128), "a\n", "\0", "\u{7F}", "\u{80}",
        "a\u{9F}",
    ])
    func `a record name that is empty, long or has control characters is rejected`(text: String) {
        #expect(RecordName(text) == nil)
        #expect(ZoneName(text) == nil)
    }

    @Test(arguments: ["a", "_defaultZone", "12345678", "a name of more than sixteen bytes", "é", "日本日本日本日本"])
    func `names are equal if all their bytes are`(text: String) {
        #expect(RecordName(text) == RecordName(String(decoding: Array(text.utf8), as: UTF8.self)))
        #expect(ZoneName(text) == ZoneName(String(decoding: Array(text.utf8), as: UTF8.self)))
        for position in text.utf8.indices.map({ text.utf8.distance(from: text.startIndex, to: $0) }) {
            var bytes = Array(text.utf8)
            bytes[position] ^= 1
            guard let other = String(validating: bytes, as: UTF8.self) else { continue }
            #expect(RecordName(text) != RecordName(other))
            #expect(ZoneName(text) != ZoneName(other))
        }
        #expect(RecordName(text) != RecordName(text + "a"))
        #expect(RecordName(text) != RecordName(String(text.dropLast()) + "ab"))
    }

    @Test func `names with the same characters in other bytes are different`() {
        #expect(RecordName("e\u{301}") != RecordName("\u{E9}"))
        // Both are of the same length.
        #expect(RecordName("a\u{302}\u{323}") != RecordName("a\u{323}\u{302}"))
        #expect(ZoneName("a\u{302}\u{323}") != ZoneName("a\u{323}\u{302}"))
    }

    @Test(arguments: [".", ".."]) func `a record name cannot be a segment that paths resolve`(text: String) {
        #expect(RecordName(text) == nil)
    }

    @Test(arguments: [
        "Post", "p", "A1_b", String(repeating: "z", count: 255), "é", "開始日", "価格１", "Größe_2", "тема",
        String(repeating: "日", count: 85),
    ])
    func `an identifier is a letter of any script, then letters, digits and underscores`(text: String) {
        #expect(RecordTypeName(text)?.description == text)
        #expect(FieldName(text)?.description == text)
        #expect(RoleName(text)?.isBuiltIn == false)
    }

    @Test(arguments: [
        "", "1a", "_a", "a-b", "a b", "a.b", "a\0", String(repeating: "z", count: 256), "😀", "１a",
        "\u{301}a", "x\u{200D}y", "x\u{200B}", "\u{115F}", "日 本", "日\u{FE0F}", String(repeating: "日", count: 86),
    ])
    func `any other identifier is rejected`(text: String) {
        #expect(RecordTypeName(text) == nil)
        #expect(FieldName(text) == nil)
        #expect(RoleName(text) == nil)
    }

    @Test func `both forms of a name are one, in NFC`() {
        let (composed, decomposed) = ("ガ", "カ\u{3099}")
        #expect(FieldName(decomposed)?.text.utf8.elementsEqual(composed.utf8) == true)
        #expect(RecordTypeName(decomposed) == RecordTypeName(composed))
        // With more bytes than an identifier has, and not in NFC.
        #expect(FieldName(String(repeating: decomposed, count: 60))?.text.utf8.count == 180)
    }

    @Test func `the built-in roles have CloudKit's names`() {
        #expect(RoleName("_world") == .world)
        #expect(RoleName("_icloud") == .authenticated)
        #expect(RoleName("_creator") == .creator)
        #expect(RoleName.world.isBuiltIn)
        #expect(RoleName("_other") == nil)
    }

    @Test func `a user's record name is an underscore and 32 lower-case hexadecimal digits`() {
        #expect(UserRecordName("_0123456789abcdef0123456789abcdef") != nil)
        for text in [
            "", "_", "_0123456789ABCDEF0123456789abcdef", "0123456789abcdef0123456789abcdef0",
            "_0123456789abcdef0123456789abcdeg", "_0123456789abcdef0123456789abcdef0",
        ] {
            #expect(UserRecordName(text) == nil, "\(text)")
        }
    }
}
