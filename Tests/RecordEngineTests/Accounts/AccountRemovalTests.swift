import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

@Suite struct AccountRemovalTests {
    private static func address(_ user: User) -> DatabaseAddress {
        DatabaseAddress(scope: .privateDatabase(owner: user.id))
    }

    /// Small slices, so that there are many.
    private static var slices: IndexBuildOptions {
        var building = IndexBuildOptions()
        building.recordsPerSlice = 2
        return building
    }

    private static func count(_ sql: String, in directory: String) throws -> Int64 {
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .reader)
        return try connection.integer(SQL(sql)) ?? 0
    }

    /// An account with a private database of all that records can have, and a bystander with the same.
    private static func fill(_ test: TestDatabase) async throws -> [Session] {
        var sessions: [Session] = []
        for name in ["ann", "bob"] {
            let (caller, session) = try await test.signUp(name)
            sessions.append(session)
            let own = address(session.user)
            let asset = try await test.upload(sampleBytes(name == "ann" ? 1 : 2), as: caller, in: own)
            try await test.create("top", #""n":1,"file":\#(asset.json())"#, as: caller, in: own)
            for number in 0..<60 {
                let large = String(repeating: "QUJD", count: number % 20 == 0 ? 2_000 : 2)
                try await test.create(
                    "r\(number)",
                    #""n":\#(number),"data":{"value":"\#(large)","type":"BYTES"},"t":{"recordName":"top","action":"\#(number % 2 == 0 ? "VALIDATE" : "DELETE_SELF")"}"#,
                    as: caller, in: own)
            }
            for number in 0..<5 {
                try await test.perform(.delete(ignoresMissing: false), "Post", "r\(number)", as: caller, in: own)
            }
            try await test.create("public-" + name, #""n":1"#, as: caller)
            _ = try await test.upload(sampleBytes(name == "ann" ? 3 : 4), as: caller, in: own)
        }
        let type = try #require(RecordTypeName("Post"))
        _ = try await test.database.indexes.add(IndexRequest(options: [1: [.queryable, .sortable]]), to: type)
        await test.database.indexes.waitUntilBuilt()
        return sessions
    }

    private static func remove(_ session: Session, _ test: TestDatabase) async throws {
        try test.reader.refresh()
        try await test.database.accounts.remove(
            try test.reader.accounts.lookUp(session.user.id), password: "correct horse",
            token: Array(session.token.utf8))
    }

    /// Only the public records of the account are left, and everything of the other account.
    private static func check(_ sessions: [Session], in directory: String) throws {
        let (ann, bob) = (sessions[0].user, sessions[1].user)
        for sql in [
            "SELECT count(*) FROM account WHERE id = \(ann.id)",
            "SELECT count(*) FROM session WHERE account = \(ann.id)",
            "SELECT count(*) FROM zone WHERE owner = \(ann.id)", "SELECT count(*) FROM account_removal",
            "SELECT count(*) FROM asset_claim WHERE uploader = \(ann.id)",
            "SELECT count(*) FROM asset_unused WHERE uploader = \(ann.id)",
            "SELECT count(*) FROM record WHERE zone NOT IN (SELECT id FROM zone)",
            "SELECT count(*) FROM large_value WHERE record NOT IN (SELECT id FROM record)",
            "SELECT count(*) FROM edge WHERE source NOT IN (SELECT id FROM record)",
            "SELECT count(*) FROM asset_link WHERE record NOT IN (SELECT id FROM record)",
            "SELECT count(*) FROM index_1 WHERE record NOT IN (SELECT id FROM record)",
        ] { #expect(try count(sql, in: directory) == 0, "\(sql)") }
        #expect(try count("SELECT count(*) FROM zone WHERE scope = 1 AND owner = \(bob.id)", in: directory) == 1)
        #expect(
            try count("SELECT count(*) FROM record WHERE zone <> 1 AND deleted = 0", in: directory) == 56)
        #expect(try count("SELECT count(*) FROM asset WHERE orphaned IS NULL", in: directory) == 1)
        #expect(try count("SELECT count(*) FROM asset_claim WHERE uploader = \(bob.id)", in: directory) > 0)
    }

    @Test func `the data of a removed account is deleted in slices, and no data of others`() async throws {
        let patient = try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true, indexBuilding: Self.slices)
            try await Self.checkRemoval(on: test)
            await test.close()
        }
        #expect(patient.problems == [])
    }

    private static func checkRemoval(on test: TestDatabase) async throws {
        let sessions = try await Self.fill(test)
        try await Self.remove(sessions[0], test)
        // From the response on.
        let token = Array(sessions[0].token.utf8)
        #expect(await rejection { _ = try token.withUnsafeBytes { try test.reader.callers.authenticate($0) } } != nil)
        #expect(await rejection { try await test.signIn("ann") }?.code == .authenticationFailed)
        // A write that was under way finds no database and creates none.
        let late = Caller.user(sessions[0].user.id, roles: [:])
        #expect(
            await rejection { try await test.create("late", as: late, in: Self.address(sessions[0].user)) }?.code
                == .authenticationFailed)
        await test.database.accounts.removalsAreDone()
        try Self.check(sessions, in: test.directory)
        #expect(try test.assetTroubles() == [])
        #expect(try test.read("public-ann").created?.userRecordName == "_deleted")
        try await test.signIn("bob")
    }

    @Test func `an interrupted removal resumes at the next start`() async throws {
        var interruptions = 0
        for steps in stride(from: 50, to: 2_000, by: 90) {
            let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: directory) }
            var sessions: [Session] = []
            do {
                let test = try TestDatabase(directory: directory, keepsDirectory: true, indexBuilding: Self.slices)
                sessions = try await Self.fill(test)
                // The disk fails in the middle, and the database closes in this state.
                let plan = FaultPlan(
                    failAt: steps, with: StoreFailure(code: 1034, message: "fsync"), losesTransaction: true)
                test.inject(plan)
                let response = await rejection { try await Self.remove(sessions[0], test) }
                await test.database.accounts.removalsAreDone()
                await test.close()
                // After the last step.
                if !plan.hasFired { break }
                // The effects of a failed commit are unknown.
                if response != nil { continue }
            }
            interruptions += 1
            let test = try TestDatabase(directory: directory, keepsDirectory: true, indexBuilding: Self.slices)
            await test.database.accounts.removalsAreDone()
            try Self.check(sessions, in: directory)
            #expect(try test.assetTroubles() == [])
            await test.close()
        }
        #expect(interruptions >= 3)
    }

    /// The disk has space again, and no writes come.
    @Test func `a failed removal is retried`() async throws {
        var failures = 0
        for steps in stride(from: 100, to: 2_000, by: 200) {
            let test = try TestDatabase(indexBuilding: Self.slices)
            let sessions = try await Self.fill(test)
            let plan = FaultPlan(failAt: steps, with: StoreFailure(code: 13, message: "database or disk is full"))
            test.inject(plan)
            let response = await rejection { try await Self.remove(sessions[0], test) }
            await test.database.accounts.removalsAreDone()
            test.inject(nil)
            // After the last step.
            if !plan.hasFired { break }
            // The removal itself was rejected.
            if response != nil { continue }
            failures += 1
            let left = "SELECT count(*) FROM account_removal"
            #expect(await eventually { (try? Self.count(left, in: test.directory)) == 0 })
            await test.database.accounts.removalsAreDone()
            try Self.check(sessions, in: test.directory)
        }
        #expect(failures >= 2)
    }

    @Test func `the number of a deleted zone is not reused`() async throws {
        let test = try TestDatabase()
        let (ann, session) = try await test.signUp("ann")
        try await test.create("a", as: ann, in: Self.address(session.user))
        let zone = try Self.count("SELECT max(id) FROM zone", in: test.directory)
        try await Self.remove(session, test)
        await test.database.accounts.removalsAreDone()
        #expect(try Self.count("SELECT max(id) FROM zone", in: test.directory) == 1)
        let (bob, other) = try await test.signUp("bob")
        try await test.create("a", as: bob, in: Self.address(other.user))
        #expect(try Self.count("SELECT max(id) FROM zone", in: test.directory) > zone)
    }

    @Test func `DELETE_SELF deletes records with a user record, and VALIDATE does not keep an account`() async throws {
        let test = try TestDatabase(indexBuilding: Self.slices)
        let (ann, session) = try await test.signUp("ann")
        let bob = try await test.signUp("bob").caller
        let name = session.user.recordName
        try await test.database.schemas.setGrants(Grants([.world: .read, .creator: .write]), of: .users)
        let cord = #""t":{"recordName":"\#(name)","action":"DELETE_SELF"}"#
        for number in 0..<10 { try await test.create("follows\(number)", cord, as: ann) }
        try await test.create("further", #""t":{"recordName":"follows3","action":"DELETE_SELF"}"#, as: bob)
        try await test.create("circle", #""t":{"recordName":"further","action":"DELETE_SELF"}"#, as: bob)
        try await test.change("further", #""u":{"recordName":"circle","action":"DELETE_SELF"}"#, as: bob)
        try await test.create("holds", #""t":{"recordName":"\#(name)","action":"VALIDATE"}"#, as: bob)
        try await test.create("stays", #""n":1"#, as: ann)
        // The user record is not deleted with another record.
        try await test.create("anchor", as: bob)
        #expect(
            await rejection {
                try await test.change(
                    name, #""top":{"recordName":"anchor","action":"DELETE_SELF"}"#, type: "Users", as: ann)
            }?.code == .badRequest)
        try await Self.remove(session, test)
        await test.database.accounts.removalsAreDone()
        #expect(Set(try test.list().names) == ["holds", "stays", "anchor"])
        #expect(try test.list(type: "Users").names.count == 1)
        let deleted = try test.changes().changes.filter { $0["deleted"] == .bool(true) }
        #expect(deleted.count == 13)
    }

    @Test func `uploads in several requests of a removed account are collected`() async throws {
        let test = try TestDatabase()
        let (ann, session) = try await test.signUp("ann")
        _ = try await test.upload(sampleBytes(5), as: ann, in: Self.address(session.user))
        try await test.create(
            "a", #""file":\#(try await test.upload(sampleBytes(6), as: ann, in: Self.address(session.user)).json())"#,
            as: ann, in: Self.address(session.user))
        try await Self.remove(session, test)
        await test.database.accounts.removalsAreDone()
        #expect(try await test.database.assets.collect(unusedFor: -1) == 2)
        #expect(try test.assetTroubles() == [])
    }
}
