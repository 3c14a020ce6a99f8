import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// The database of an older version: `Upgrade/before-imports.sql`, which `python3 -m Tests.upgrade --dump` has made with
/// the version before imports and renames. That verb tests an upgrade and the way back with the binary itself.
@Suite struct UpgradeTests {
    private static func open() async throws -> DoctorPatient {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Upgrade/before-imports.sql")
        let sql = try String(contentsOf: file, encoding: .utf8)
        return try await DoctorPatient { directory in
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Connection(path: DataDirectory.databasePath(in: directory), role: .writer).execute(SQL(sql))
            // The first start migrates.
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            await test.close()
        }
    }

    @Test func `the doctor finds nothing in an upgraded database`() async throws {
        let patient = try await Self.open()
        let report = patient.examine()
        #expect(report.isHealthy, "\(report.findings)")
        #expect(report.databases.first?.types.contains { $0.name == "Goods" && $0.records == 4 } == true, "\(report)")
    }

    @Test func `records of an older version are read, found and synced as before`() async throws {
        let patient = try await Self.open()
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        let goods = try test.read("g2", type: "Goods")
        #expect(goods.fields["title"] == .string("Sea and fog 2") && goods.fields["price"] == .double(0.5))
        #expect(goods.fields["note"] == .string("new"))
        #expect(goods.fields["counts"] == .list(element: .int64, [.int64(1), .int64(2)]))
        #expect(Set(goods.fields.keys) == Set(Self.fields))
        #expect(try test.read("g3", type: "Goods").fields["cost"] == .int64(17))
        for (condition, names) in [
            ("count == 3", ["g3"]), ("title BEGINSWITH 'Sea' AND count < 2", ["g0", "g1"]),
            ("distance(place, loc(50.1, 8.5)) < 1000", ["g1"]), ("tags CONTAINS 'tag1'", ["g1"]),
            ("maker == 'm1'", ["g0", "g1", "g2", "g3"]),
        ] {
            let page = try await test.query(condition, type: "Goods")
            #expect(page.names.sorted() == names, "\(condition): \(page.json)")
            #expect(page.notices.isEmpty, "\(condition) needs no index that is not there: \(page.json)")
        }
        let changes = try test.changes()
        #expect(changes.changes.contains { $0["recordName"] == "g4" && $0["deleted"] == true }, "\(changes.changes)")
        await test.close()
    }

    private static let fields = [
        "title", "count", "price", "made", "data", "place", "maker", "tags", "counts", "prices", "times", "makers",
        "note",
    ]

    @Test func `accounts, roles, access lists, shares, jobs and schedules stay`() async throws {
        let patient = try await Self.open()
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        var callers: [String: Caller] = [:]
        for name in ["ann", "bob", "eve"] {
            let session = try await test.database.accounts.signIn(
                Credentials(name: name, password: "correct horse of the upgrade"),
                account: try test.reader.accounts.lookUp(named: name))
            try test.reader.refresh()
            callers[name] = try Array(session.token.utf8).withUnsafeBytes { try test.reader.callers.authenticate($0) }
        }
        let (ann, bob, eve) = (try #require(callers["ann"]), try #require(callers["bob"]), try #require(callers["eve"]))
        #expect(try test.read("s1", type: "Secret", as: bob).fields["title"] == .string("for two"))
        #expect(await rejection { _ = try test.read("s1", type: "Secret", as: eve) }?.code == .notFound)
        try await test.change("g3", #""cost":18"#, type: "Goods", as: eve)
        #expect(await rejection { try await test.change("g3", #""cost":19"#, type: "Goods", as: ann) } != nil)
        let admin = Caller.administrator(.bootstrap)
        let jobs = try test.reader.jobs.list(Jobs.Filter(limit: 10), for: admin).jobs.map { $0.json(for: admin) }
        #expect(jobs.contains { $0["kind"] == "updateRecords" && $0["state"] == "succeeded" }, "\(jobs)")
        #expect(jobs.allSatisfy { $0["bytes"] == nil }, "\(jobs)")
        await test.close()
    }
}
