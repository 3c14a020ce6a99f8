import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import Testing

/// The checks of assets by `fogbase doctor`: damage is injected and found.
@Suite struct AssetDoctorTests {
    /// A closed directory: `kept` has an asset, `both` has it too and one of its own; a third has no record.
    private static func patient() async throws -> DoctorPatient {
        try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            let (one, two) = (try await test.upload(sampleBytes(1)), try await test.upload(sampleBytes(2)))
            try await test.upload(sampleBytes(3))
            try await test.create("kept", #""file":\#(one.json())"#)
            try await test.create("both", #""files":[\#(one.json()),\#(two.json())]"#)
            await test.close()
        }
    }

    private static func path(_ patient: DoctorPatient, _ number: Int) throws -> String {
        let audit = try AssetAudit(patient.directory)
        let row = try #require(audit.rows.values.first { $0.hash == SHA256.hash(sampleBytes(number)) })
        return audit.directory.path(of: row.name)
    }

    @Test func `sound assets are no problem, at rest and in use`() async throws {
        let patient = try await Self.patient()
        #expect(patient.examine().findings.isEmpty, "\(patient.examine().findings)")
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        try await test.upload(sampleBytes(4))
        #expect(patient.examine().findings.isEmpty, "\(patient.examine().findings)")
        await test.close()
    }

    @Test(arguments: [
        (
            "DELETE FROM asset_link WHERE record = (SELECT id FROM record WHERE name = 'kept')", "'kept'",
            "is not in the link table"
        ),
        ("DELETE FROM asset WHERE id = 1", "'kept'", "is not in the asset table"),
        ("DELETE FROM asset WHERE id = 1", "asset number 1", "which does not contain it"),
        ("INSERT INTO asset_link VALUES (999, 1, 1)", "record number 999", "which does not contain it"),
        (
            "INSERT INTO asset_link SELECT id, 77, 1 FROM record WHERE name = 'kept'", "number 77",
            "which does not contain it"
        ),
        (
            "UPDATE record SET deleted = 1, layout = NULL, fields = NULL WHERE name = 'kept'", "asset number 1",
            "which does not contain it"
        ),
        ("UPDATE asset SET orphaned = 5 WHERE id = 1", "number 1 ", "would be deleted"),
        ("UPDATE asset SET orphaned = NULL WHERE id = 3", "number 3 ", "would never be deleted"),
        ("UPDATE asset SET size = 5 WHERE id = 2", "number 2 ", "should have 5 bytes"),
        ("UPDATE asset SET size = 5 WHERE id = 2", "'both'", "; it has 5"),
        ("UPDATE asset SET hash = x'01' WHERE id = 3", "development", "an invalid checksum"),
        ("UPDATE asset_unused SET bytes = bytes + 1", "development", "do not match their uploads: 1"),
    ])
    func `injected damage is found and named`(sql: String, place: String, what: String) async throws {
        let patient = try await Self.patient()
        try patient.injure(sql)
        let problems = patient.problems
        #expect(problems.contains { $0.contains(place) && $0.contains(what) }, "\(problems)")
        #expect(patient.examine().findings.allSatisfy { !$0.remedy.isEmpty })
        #expect(patient.examine(isQuick: true).isHealthy)
    }

    /// Uploading lost content again restores its link although the field already has that content. The sums count
    /// existing links, so lost content makes them too large until they are repaired, before or after.
    @Test(arguments: [true, false])
    func `a lost link is restored when the file is uploaded again`(mendsFirst: Bool) async throws {
        let patient = try await Self.patient()
        try patient.injure("DELETE FROM asset_link WHERE record = (SELECT id FROM record WHERE name = 'kept')")
        try patient.injure("DELETE FROM asset_link WHERE asset = 1")
        #expect(!patient.problems.isEmpty)
        if mendsFirst { #expect(try Doctor().repair(dataPath: patient.data).count == 1) }
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        let asset = try await test.upload(sampleBytes(1))
        try await test.change("kept", #""file":\#(asset.json())"#)
        try await test.change("both", #""files":[\#(asset.json()),\#(try await test.upload(sampleBytes(2)).json())]"#)
        // That of the third upload alone.
        #expect(try await test.database.assets.collect(unusedFor: -1) == 1)
        await test.close()
        if !mendsFirst { #expect(try Doctor().repair(dataPath: patient.data).count == 1) }
        #expect(patient.problems.isEmpty, "\(patient.problems)")
        let again = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        for name in ["kept", "both"] { try await again.delete(name) }
        await again.close()
        #expect(patient.problems.isEmpty, "\(patient.problems)")
    }

    @Test func `missing and truncated files are found`() async throws {
        let patient = try await Self.patient()
        try FileManager.default.removeItem(atPath: Self.path(patient, 1))
        #expect(truncate(try Self.path(patient, 3), 10) == 0)
        let problems = patient.problems
        #expect(problems.count == 2, "\(problems)")
        #expect(problems.contains { $0.contains("has lost its file") })
        #expect(problems.contains { $0.contains("should have 1000 bytes, and its file has 10") })
    }

    @Test func `a missing or truncated file is restored when it is uploaded again`() async throws {
        let patient = try await Self.patient()
        try FileManager.default.removeItem(atPath: Self.path(patient, 1))
        #expect(truncate(try Self.path(patient, 3), 10) == 0)
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        for number in [1, 2, 3] { _ = try await test.upload(sampleBytes(number)) }
        await test.close()
        #expect(patient.problems.isEmpty, "\(patient.problems)")
        #expect(FileManager.default.contents(atPath: try Self.path(patient, 3)) == Data(sampleBytes(3)))
    }

    @Test func `unreferenced files are reported as a notice`() async throws {
        let patient = try await Self.patient()
        let directory = AssetDirectory(database: patient.directory)
        let twin = AssetFileName(hash: SHA256.hash(sampleBytes(1)), file: 1)
        for path in [directory.path(of: twin), directory.path(ofUpload: "left")] {
            #expect(FileManager.default.createFile(atPath: path, contents: Data([1])))
        }
        let report = patient.examine()
        #expect(report.isHealthy)
        #expect(report.findings.count == 1)
        #expect(report.findings.first?.sentence.contains("2 files below") == true)
    }
}
