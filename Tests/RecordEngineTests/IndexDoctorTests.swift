import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

@Suite struct IndexDoctorTests {
    /// A closed data directory whose records have indexes, one of which could not be built.
    private static func patient() async throws -> DoctorPatient {
        try await DoctorPatient { directory in
            // In the background, so that the index that fails stays.
            let test = try TestDatabase(
                directory: directory, keepsDirectory: true, indexBuilding: .slices(of: 5))
            try await test.fill(5) { #""title":"t\#($0)","tags":["x","y\#($0)"],"same":1"# }
            try await test.putSchema(
                #"""
                {"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]},
                "tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]},"same":{"type":"INT64"}},
                "indexes":[{"fields":["same"],"unique":true}]}}}
                """#)
            await test.database.indexes.waitUntilBuilt()
            await test.close()
        }
    }

    @Test func `sound indexes have no problems, and a failed index is reported`() async throws {
        let patient = try await Self.patient()
        let report = patient.examine()
        #expect(report.isHealthy, "\(report.findings)")
        let notice = try #require(report.findings.first { $0.kind == .notice })
        #expect(notice.sentence.contains("The index on 'same' of type Post could not be built"))
        #expect(patient.examine(isQuick: true).isHealthy)
    }

    @Test(arguments: [
        (
            "DELETE FROM index_2 WHERE record = (SELECT id FROM record WHERE name = 'Post3')",
            "'Post3' of type Post is missing in the index on 'title'"
        ),
        (
            "UPDATE index_2 SET zone = 7 WHERE record = (SELECT id FROM record WHERE name = 'Post3')",
            "that does not match its record"
        ),
        ("INSERT INTO index_3 VALUES (1, x'0261', 99999)", "index on 'tags' of type Post has an entry"),
        ("DROP TABLE index_2", "The index on 'title' of type Post has lost its table"),
        ("CREATE TABLE index_77 (a)", "The table index_77 belongs to no index"),
        ("UPDATE record SET deleted = 1, layout = NULL, fields = NULL WHERE name = 'Post3'", "does not match"),
    ])
    func `inconsistent entries are reported`(sql: String, sentence: String) async throws {
        let patient = try await Self.patient()
        try patient.injure(sql)
        let problems = patient.problems
        #expect(problems.contains { $0.contains(sentence) }, "\(problems)")
    }

    @Test func `a file from before there were indexes is examined too, and gets them at the next start`() async throws {
        let patient = try await Self.patient()
        for sql in [
            "DROP TABLE index_1", "DROP TABLE index_2", "DROP TABLE index_3", "DROP TABLE index_definition",
            "DROP TABLE index_statistic", "ALTER TABLE field DROP COLUMN options",
            "DROP TABLE asset", "DROP TABLE asset_link", "DROP TABLE asset_claim", "DROP TABLE asset_unused",
            "DROP TABLE resumable_upload", "DROP TABLE audience", "DROP TABLE audience_record",
            "ALTER TABLE record DROP COLUMN former", "ALTER TABLE type DROP COLUMN has_lists",
            "ALTER TABLE type DROP COLUMN default_acl", "ALTER TABLE account DROP COLUMN kind",
            "ALTER TABLE account DROP COLUMN disabled",
            "DROP INDEX account_by_name_key", "ALTER TABLE account DROP COLUMN name_key",
            "DROP TABLE look_alike_account",
            "DROP TABLE schema_snapshot", "ALTER TABLE type DROP COLUMN former", "ALTER TABLE field DROP COLUMN former",
            "ALTER TABLE type DROP COLUMN renamed", "ALTER TABLE type DROP COLUMN renaming",
            "DROP TABLE job", "DROP TABLE schedule", "DROP TABLE webhook", "DROP TABLE webhook_delivery",
            "DROP TABLE hierarchy", "DROP TABLE access_update", "DROP TABLE job_rejection", "DROP TABLE share",
            "DROP TABLE participant",
            "DROP TABLE subscription", "DROP TABLE notification_token",
            "DROP TABLE lost_zone", "DROP INDEX zone_by_change", "ALTER TABLE zone DROP COLUMN changed",
            "ALTER TABLE zone DROP COLUMN created",
            "DROP TABLE api_key", "DROP TABLE cloudkit_token",
            "DROP TABLE gone_account",
            "DROP TABLE opening",
            "ALTER TABLE record DROP COLUMN received", "ALTER TABLE type DROP COLUMN has_preserved",
            "ALTER TABLE type DROP COLUMN acl_required",
            "DROP TABLE audit", "DROP TABLE audit_retention", "DROP TABLE audit_count",
            "ALTER TABLE field DROP COLUMN readers", "ALTER TABLE field DROP COLUMN writers",
            "DROP TABLE invitation", "DROP TABLE invitation_role", "DROP TABLE account_removal",
            "DROP TABLE removal_cascade", "DROP TABLE usage", "DROP TABLE idempotency", "DROP TABLE idempotency_sum",
            "CREATE TABLE idempotency (a)",
            "ALTER TABLE session DROP COLUMN ends",
            "DELETE FROM migration WHERE position >= 3",
        ] { try patient.injure(sql) }
        let report = patient.examine()
        #expect(report.isHealthy, "\(report.findings)")
        #expect(report.findings.map(\.kind) == [.notice])
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        let type = try #require(RecordTypeName("Post"))
        let made = try await test.database.indexes.add(IndexRequest(options: [1: .queryable, 2: .queryable]), to: type)
            .all
        #expect(made.map(\.isReady) == [true, true])
        try IndexOracle(test).check()
        await test.close()
    }
}
