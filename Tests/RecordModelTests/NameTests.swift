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
    func `an empty, long or controlling record name is refused`(text: String) {
        #expect(RecordName(text) == nil)
        #expect(ZoneName(text) == nil)
    }

    @Test(arguments: [".", ".."]) func `a record name is none of the segments that paths resolve`(text: String) {
        #expect(RecordName(text) == nil)
    }

    @Test(arguments: ["Post", "p", "A1_b", String(repeating: "z", count: 255)])
    func `an identifier is a letter, then letters, digits and underscores`(text: String) {
        #expect(RecordTypeName(text)?.description == text)
        #expect(FieldName(text)?.description == text)
        #expect(RoleName(text)?.isBuiltIn == false)
    }

    @Test(arguments: ["", "1a", "_a", "a-b", "a b", "é", "a.b", "a\0", String(repeating: "z", count: 256)])
    func `any other identifier is refused`(text: String) {
        #expect(RecordTypeName(text) == nil)
        #expect(FieldName(text) == nil)
        #expect(RoleName(text) == nil)
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
