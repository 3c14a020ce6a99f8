import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct AudienceDoctorTests {
    /// A closed data directory with three records: one with a list for its creator, one for everybody, one without.
    private static func patient() async throws -> DoctorPatient {
        try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            try await test.putType(
                fields: #""n":{"type":"INT64","indexes":["QUERYABLE"]}"#,
                grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
            let ann = try await test.signUp("ann").caller
            for (name, acl) in [
                ("mine", #"{"_creator":["read","write"]}"#), ("all", #"{"*":["read"]}"#), ("plain", "null"),
            ] {
                try await test.perform(.create, "Post", name, #"{"fields":{"n":1},"acl":\#(acl)}"#, as: ann)
            }
            await test.close()
        }
    }

    @Test func `sound audiences have no problems`() async throws {
        #expect(try await Self.patient().problems == [])
    }

    @Test(arguments: [
        (
            "DELETE FROM audience_record WHERE record = (SELECT id FROM record WHERE name = 'mine')",
            "is missing in an audience"
        ),
        ("UPDATE audience_record SET creator = 99", "an entry that does not match its record"),
        ("INSERT INTO audience_record SELECT 1, type, id, creator FROM record WHERE name = 'plain'", "does not match"),
        ("UPDATE record SET acl = NULL WHERE name = 'mine'", "does not match"),
        ("DELETE FROM audience WHERE principal = 0", "is missing in an audience"),
        ("DELETE FROM index_1 WHERE zone < 0", "is missing in the index on 'n'"),
        ("UPDATE OR REPLACE index_1 SET zone = 1", "that does not match its record"),
    ])
    func `inconsistent entries are reported`(sql: String, sentence: String) async throws {
        let patient = try await Self.patient()
        try patient.injure(sql)
        let problems = patient.problems
        #expect(problems.contains { $0.contains(sentence) }, "\(problems)")
    }
}
