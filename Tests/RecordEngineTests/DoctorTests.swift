import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing
import Threads

@Suite struct DoctorTests {
    /// A data directory with one database that holds a record of each interesting sort, closed.
    private static func patient() async throws -> DoctorPatient {
        try await DoctorPatient { directory in
            let database = try RecordDatabase(
                directory: directory, environment: .development, passwords: PasswordWorkers(threads: 1))
            let large = Data(repeating: 7, count: 8_000).base64EncodedString()
            for (name, fields) in [
                ("parent", "\"title\":\"a\""), ("blob", "\"picture\":{\"value\":\"\(large)\",\"type\":\"BYTES\"}"),
                ("child", "\"post\":{\"value\":{\"recordName\":\"parent\",\"action\":\"DELETE_SELF\"}}"),
            ] {
                let input = try RecordInput.readSingle(Array("{\"fields\":{\(fields)}}".utf8))
                let operation = RecordOperation(
                    .create, typeName: RecordTypeName("Post"), isTypeInPath: true, recordName: RecordName(name),
                    input: input)
                _ = try await database.modify(
                    WriteRequest(
                        caller: .administrator(.bootstrap), address: .publicDefault, shape: .single,
                        operations: [operation]))
            }
            await database.close()
        }
    }

    @Test func `a sound directory has no problems, and its figures are reported`() async throws {
        let patient = try await Self.patient()
        let report = patient.examine()
        #expect(report.isHealthy, "\(report.findings)")
        let database = try #require(report.databases.first)
        #expect(report.databases.count == 1)
        #expect(database.container == "iCloud.test")
        #expect(database.environment == "development")
        #expect(!database.isInUse)
        let type = try #require(database.types.first)
        #expect(database.types.count == 1)
        #expect(type.name == "Post")
        #expect(type.fields == 3)
        #expect(type.records == 3)
        #expect(type.tombstones == 0)
        #expect(report.freeBytes > 0)
    }

    /// A type and a field that a running server creates while the doctor runs. They must not be reported as damage.
    @Test(arguments: ["the file", "records"])
    func `data that a running server adds meanwhile is not damage`(activity: String) async throws {
        let patient = try await Self.patient()
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        let (begun, mayGoOn) = (Gate(), Gate())
        let data = patient.data
        async let examined = withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let doctor = Doctor { progress in
                    guard progress.activity.hasSuffix(activity) else { return }
                    begun.open()
                    mayGoOn.waitBlocking()
                }
                continuation.resume(returning: doctor.examine(dataPath: data))
            }
        }
        await begun.wait()
        try await test.create("new", #""word":"x""#, type: "Novelty")
        try await test.create("more", #""later":1"#)
        mayGoOn.open()
        let report = await examined
        #expect(report.isHealthy, "\(report.findings)")
        await test.close()
    }

    @Test func `a database in use is examined too`() async throws {
        let patient = try await Self.patient()
        let database = try RecordDatabase(
            directory: patient.directory, environment: .development, passwords: PasswordWorkers(threads: 1))
        let report = patient.examine()
        #expect(report.isHealthy, "\(report.findings)")
        #expect(report.databases.first?.isInUse == true)
        await database.close()
    }

    @Test(arguments: [
        ("UPDATE record SET fields = replace(fields, 'STRING', 'STRUNG') WHERE name = 'parent'", "'parent'", "layout"),
        ("UPDATE record SET layout = x'01' WHERE name = 'parent'", "'parent'", "layout"),
        ("UPDATE record SET fields = fields || ' ' WHERE name = 'child'", "'child'", "layout"),
        ("DELETE FROM large_value", "'blob'", "lacks the large value"),
        ("UPDATE large_value SET value = '\"AAAA\"'", "'blob'", "damaged large value"),
        ("INSERT INTO large_value (record, field, value) VALUES (999, 1, '\"AAAA\"')", "999", "which has none"),
        ("INSERT INTO edge VALUES (1, 'parent', 999, 1, 1)", "'parent'", "matches no record"),
        ("UPDATE edge SET target = 'other'", "'child'", "is not in the reference table"),
        ("DELETE FROM edge", "'child'", "is not in the reference table"),
        ("UPDATE record SET zone = 77 WHERE name = 'child'", "'child'", "zone number 77"),
        ("UPDATE field SET kind = 2 WHERE name = 'title'", "'parent'", "not the schema's field"),
        ("DELETE FROM type", "type number", "is not in the schema"),
        ("UPDATE setting SET value = 1 WHERE name = 'sequence'", "sequence", "below"),
        ("UPDATE record SET deleted = 1 WHERE name = 'parent'", "'parent'", "still has fields"),
        ("INSERT INTO migration VALUES (99, 'from the future')", "development", "newer version"),
    ])
    func `injected damage is found and named`(sql: String, place: String, what: String) async throws {
        let patient = try await Self.patient()
        try patient.injure(sql)
        let problems = patient.problems
        #expect(problems.contains { $0.contains(place) && $0.contains(what) }, "\(problems)")
        #expect(!patient.examine().isHealthy)
    }

    @Test func `every problem comes with a remedy`() async throws {
        let patient = try await Self.patient()
        try patient.injure(
            "DELETE FROM large_value; DELETE FROM edge; UPDATE record SET layout = x'01' WHERE name = 'parent'")
        let findings = patient.examine().findings.filter { $0.kind == .problem }
        #expect(findings.count == 4)
        #expect(findings.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test func `a quick check skips records`() async throws {
        let patient = try await Self.patient()
        try patient.injure("DELETE FROM edge")
        #expect(patient.examine(isQuick: true).isHealthy)
    }

    @Test func `a thousand problems of one sort are counted, not listed`() async throws {
        let patient = try await Self.patient()
        try patient.injure(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO edge SELECT 1, 'target ' || i, 5000 + i, 1, 1 FROM n
            """)
        let report = patient.examine()
        #expect(report.findings.count { $0.kind == .problem } == 20)
        #expect(report.omitted == 2_980)
    }

    @Test func `bytes that are not a database are a finding, not a crash`() async throws {
        let patient = try await Self.patient()
        try Data(repeating: 0x55, count: 100_000).write(
            to: URL(fileURLWithPath: DataDirectory.databasePath(in: patient.directory)))
        #expect(patient.problems.contains { $0.contains("records.sqlite") })
    }

    @Test func `a damaged page is found`() async throws {
        let patient = try await Self.patient()
        let path = DataDirectory.databasePath(in: patient.directory)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // Every page except the first two: any page that SQLite reads first.
        for index in 8_192..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(!patient.problems.isEmpty)
    }

    @Test(arguments: ["", "/iCloud.test", "/iCloud.test/development", "/iCloud.test/development/secret"])
    func `files that others may read are found`(part: String) async throws {
        let patient = try await Self.patient()
        #expect(chmod(patient.data + part, 0o755) == 0)
        #expect(patient.problems.contains { $0.contains(patient.data + part + " is open to other users") })
    }

    @Test func `a missing secret and a missing directory are found`() async throws {
        let patient = try await Self.patient()
        try FileManager.default.removeItem(atPath: patient.directory + "/secret")
        #expect(patient.problems.contains { $0.contains("/secret is missing") })
        let nowhere = Doctor().examine(dataPath: patient.data + "/nowhere")
        #expect(!nowhere.isHealthy)
    }
}
