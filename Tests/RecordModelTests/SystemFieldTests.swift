import RecordModel
import Testing

struct SystemFieldTests {
    @Test(arguments: [
        ("recordName", SystemField.recordName), ("recordID", .recordName), ("___recordID", .recordName),
        ("___recordId", .recordName), ("createdTimestamp", .createdTimestamp), ("creationDate", .createdTimestamp),
        ("___createTime", .createdTimestamp), ("createdUserRecordName", .createdUserRecordName),
        ("creatorUserRecordID", .createdUserRecordName), ("___createdBy", .createdUserRecordName),
        ("modifiedTimestamp", .modifiedTimestamp), ("modificationDate", .modifiedTimestamp),
        ("___modTime", .modifiedTimestamp), ("modifiedUserRecordName", .modifiedUserRecordName),
        ("lastModifiedUserRecordID", .modifiedUserRecordName), ("___modifiedBy", .modifiedUserRecordName),
        ("recordChangeTag", .recordChangeTag), ("___etag", .recordChangeTag), ("___share", .share),
        ("___parent", .parent), ("___PARENT", .parent),
    ])
    func `every spelling of a system field is known and is rejected for other fields`(
        spelling: String, field: SystemField
    ) {
        #expect(SystemField(spelling) == field)
        #expect(FieldName(spelling) == nil)
    }

    @Test(arguments: ["title", "RecordName", "createdtimestamp", "_share", "", "shared", "share", "parent"])
    func `other names are free`(spelling: String) {
        #expect(SystemField(spelling) == nil)
    }

    @Test func `share and parent are fields of a type, and of the system as a systemFieldName`() {
        for (name, field) in [("share", SystemField.share), ("parent", .parent)] {
            #expect(FieldName(name)?.text == name)
            #expect(SystemField(systemFieldName: name) == field)
            #expect(SystemField(systemFieldName: "___\(name)") == field)
        }
        #expect(SystemField(systemFieldName: "creationDate") == .createdTimestamp)
        #expect(SystemField(systemFieldName: "title") == nil)
    }

    @Test func `a system field's own name reads back`() {
        for field in SystemField.allCases { #expect(SystemField(field.name.description) == field) }
    }
}
