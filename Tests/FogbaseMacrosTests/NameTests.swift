internal import RecordModel
internal import Testing

@testable internal import FogbaseMacros

/// The macros' rules for names against those of the server.
@Suite struct NameTests {
    @Test(
        arguments: [
            "", "a", "Z", "9", "_", "a9", "a_", "9a", "_a", "a b", "a-b", "é", "aé", "a\u{301}", "a.b", "😀", "開始日", "ガ",
            "カ\u{3099}", "x\u{200D}", "\u{301}a", "a・b", "価格１",
            String(repeating: "日", count: 85), String(repeating: "日", count: 86),
            String(repeating: "a", count: 255), String(repeating: "a", count: 256), "a\n", "\0",
        ])
    func `a name is valid if the server accepts it`(text: String) {
        #expect(isIdentifier(text) == (FieldName(text) != nil))
        #expect(isIdentifier(text) == (RecordTypeName(text) != nil))
    }

    @Test(arguments: SystemField.allCases)
    func `the name of a system field is rejected`(field: SystemField) {
        #expect(systemNames.contains("\(field.name)") || !isIdentifier("\(field.name)"))
    }

    @Test(
        arguments: [
            "recordID", "creationDate", "creatorUserRecordID", "modificationDate", "lastModifiedUserRecordID",
        ])
    func `another spelling of a system field is rejected`(text: String) {
        #expect(systemNames.contains(text))
    }

    @Test(arguments: [
        "recordType", "created", "modified", "deleted", "fields", "acl", "id", "createdAt", "parent", "share",
    ])
    func `a key of the record dictionary alone is a valid name`(text: String) {
        #expect(!systemNames.contains(text) && FieldName(text) != nil)
    }

    @Test(arguments: systemNames.sorted())
    func `the server rejects the names that the macros reject`(text: String) {
        #expect(FieldName(text) == nil)
    }
}
