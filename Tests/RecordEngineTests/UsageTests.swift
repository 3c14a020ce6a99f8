import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// The usage of accounts is counted with their records, and limited.
@Suite struct UsageTests {
    private static func quotas(
        user: Usage = Usage(), container: Usage = Usage()
    ) -> DatabaseLimits {
        var limits = DatabaseLimits()
        limits.quotas = Quotas(user: user, container: container)
        return limits
    }

    private static func used(_ test: TestDatabase, _ caller: Caller) throws -> Usage {
        try test.reader.refresh()
        return try #require(try test.reader.usage(for: caller)).used
    }

    @Test func `the sums match the records, whatever is done and undone`() async throws {
        let patient = try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            let ann = try await test.signUp("ann")
            let bob = try await test.signUp("bob")
            let grants = Grants([.world: .read, .authenticated: .all])
            try await test.create("first", #""n":1"#, as: ann.caller)
            try await test.database.schemas.setGrants(grants, of: try #require(RecordTypeName("Post")))
            let own = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.caller.userID)))
            var random = SeededGenerator(seed: 11)
            for step in 0..<120 {
                let caller = random.next() % 2 == 0 ? ann.caller : bob.caller
                let name = "r\(random.next() % 12)"
                let long = String(repeating: "x", count: Int(random.next() % 9_000))
                switch random.next() % 8 {
                case 0, 1: _ = await rejection { try await test.create(name, #""t":"\#(long)""#, as: caller) }
                case 2:
                    let data = Data(long.utf8).base64EncodedString()
                    _ = await rejection {
                        try await test.change(name, #""big":{"value":"\#(data)","type":"BYTES"}"#, as: caller)
                    }
                case 3: _ = await rejection { try await test.delete(name, as: caller) }
                case 4: _ = await rejection { try await test.create(name, #""t":"\#(long)""#, as: ann.caller, in: own) }
                case 5:
                    // The second operation fails, and in an atomic batch so does the first.
                    _ = try await test.batch(
                        """
                        {"operations":[{"operationType":"forceReplace","record":{"recordName":"\(name)","recordType":"Post",
                        "fields":{"n":{"value":\(step)}}}},
                        {"operationType":"create","record":{"recordName":"first","recordType":"Post","fields":{}}}],
                        "atomic":\(random.next() % 2 == 0)}
                        """, as: caller)
                case 6:
                    let asset = try await test.upload(Array("\(long)\(step)".utf8), as: caller)
                    _ = await rejection {
                        try await test.change(name, #""file":\#(asset.json())"#, as: caller)
                    }
                default:
                    _ = await rejection {
                        try await test.perform(
                            .modify(createsMissing: true, replacesAll: true), "Post", name, #"{"fields":{"n":1}}"#,
                            as: caller)
                    }
                }
            }
            let all = try Self.used(test, .administrator(.bootstrap))
            let each = try Self.used(test, ann.caller) + Self.used(test, bob.caller)
            #expect(all.records == each.records && all.bytes == each.bytes && all.assetBytes == each.assetBytes)
            #expect(all.records > 5 && all.bytes > 5_000 && all.assetBytes > 0)
            await test.close()
        }
        #expect(patient.problems == [])
        try patient.injure("UPDATE usage SET bytes = bytes + 1 WHERE owner = -1")
        try patient.injure("DELETE FROM usage WHERE owner > 15")
        #expect(patient.problems.contains { $0.contains("Usage sums of accounts") })
        // While the directory is in use, nothing is repaired.
        for path in [patient.data, patient.directory] {
            let held = try DataDirectory(opening: path)
            #expect(throws: DataDirectory.Problem.self) { try Doctor().repair(dataPath: patient.data) }
            #expect(held.path == path)
        }
        let repairs = try Doctor().repair(dataPath: patient.data)
        #expect(repairs.map(\.label) == ["iCloud.test/development"] && repairs.allSatisfy { $0.sums >= 2 })
        #expect(patient.problems == [])
        #expect(try Doctor().repair(dataPath: patient.data).isEmpty)
    }

    @Test func `the record limit of a user covers the public and its private database together`() async throws {
        // The account's own user record is the first.
        let test = try TestDatabase(limits: Self.quotas(user: Usage(records: 3)))
        let ann = try await test.signUp("ann")
        let bob = try await test.signUp("bob")
        let own = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.caller.userID)))
        try await test.create("a", as: ann.caller)
        try await test.create("b", as: ann.caller, in: own)
        let rejected = await rejection { try await test.create("c", as: ann.caller) }
        #expect(rejected?.code == .quotaExceeded)
        let keys = (rejected?.details ?? []).map { $0.key }
        #expect(keys == ["quota", "used", "limit"])
        #expect(await rejection { try await test.create("c", as: ann.caller, in: own) }?.code == .quotaExceeded)
        #expect(await rejection { _ = try test.read("c") }?.code == .notFound)
        try await test.create("c", as: bob.caller)
        try await test.change("a", #""n":1"#, as: ann.caller)
        try await test.delete("a", as: ann.caller)
        try await test.create("d", as: ann.caller)
        // The operator's records count for no user.
        for number in 0..<5 { try await test.create("o\(number)") }
        // Records that the operator writes into a private database count for its owner.
        #expect(await rejection { try await test.create("e", in: own) }?.code == .quotaExceeded)
        await test.close()
    }

    @Test func `a batch uses the remaining quota, or nothing if it is atomic`() async throws {
        let test = try TestDatabase(limits: Self.quotas(user: Usage(records: 3)))
        let ann = try await test.signUp("ann")
        func batch(_ isAtomic: Bool) -> String {
            let items = (0..<4).map {
                #"{"operationType":"create","record":{"recordName":"\#(isAtomic ? "a" : "b")\#($0)","recordType":"Post","fields":{}}}"#
            }
            return #"{"operations":[\#(items.joined(separator: ","))],"atomic":\#(isAtomic)}"#
        }
        let atomic = try await test.batch(batch(true), as: ann.caller)
        #expect(atomic.contains { $0["serverErrorCode"]?.string == "QUOTA_EXCEEDED" })
        #expect(try Self.used(test, ann.caller).records == 1)
        let loose = try await test.batch(batch(false), as: ann.caller)
        #expect(loose.map { $0["serverErrorCode"]?.string } == [nil, nil, "QUOTA_EXCEEDED", "QUOTA_EXCEEDED"])
        #expect(try Self.used(test, ann.caller).records == 3)
        await test.close()
    }

    @Test func `fields and files have quotas of their own, and less is always allowed`() async throws {
        let test = try TestDatabase(limits: Self.quotas(user: Usage(bytes: 28_000, assetBytes: 5_000)))
        let ann = try await test.signUp("ann")
        let long = String(repeating: "x", count: 15_000)
        try await test.create("a", #""t":"\#(long)""#, as: ann.caller)
        #expect(
            await rejection { try await test.create("b", #""t":"\#(long)""#, as: ann.caller) }?.code == .quotaExceeded)
        // A value that is stored outside its record counts too.
        let big = Data(long.utf8).base64EncodedString()
        let change = #""big":{"value":"\#(big)","type":"BYTES"}"#
        #expect(await rejection { try await test.change("a", change, as: ann.caller) }?.code == .quotaExceeded)
        try await test.change("a", #""t":"short""#, as: ann.caller)
        try await test.change("a", change, as: ann.caller)
        let file = try await test.upload([UInt8](repeating: 7, count: 4_000), as: ann.caller)
        try await test.change("a", #""file":\#(file.json())"#, as: ann.caller)
        let other = try await test.upload([UInt8](repeating: 8, count: 4_000), as: ann.caller)
        try await test.create("c", as: ann.caller)
        #expect(
            await rejection { try await test.change("c", #""file":\#(other.json())"#, as: ann.caller) }?.code
                == .quotaExceeded)
        try await test.change("a", #""file":\#(other.json())"#, as: ann.caller)
        #expect(try Self.used(test, ann.caller).assetBytes == 4_000)
        // A file that leaves its field no longer counts, even if no other replaces it.
        try await test.change("a", #""file":null"#, as: ann.caller)
        #expect(try Self.used(test, ann.caller).assetBytes == 0)
        let third = try await test.upload([UInt8](repeating: 9, count: 4_000), as: ann.caller)
        try await test.change("a", #""file":\#(third.json())"#, as: ann.caller)
        try await test.delete("a", as: ann.caller)
        let left = try Self.used(test, ann.caller)
        #expect(left.assetBytes == 0 && left.bytes < 100)
        await test.close()
    }

    @Test func `a caller that reaches the quota of all learns nothing about others`() async throws {
        let test = try TestDatabase(limits: Self.quotas(container: Usage(records: 4)))
        let ann = try await test.signUp("ann")
        for number in 0..<3 { try await test.create("o\(number)") }
        let rejected = await rejection { try await test.create("a", as: ann.caller) }
        #expect(rejected?.code == .quotaExceeded)
        let keys = (rejected?.details ?? []).map { $0.key }
        #expect(keys == ["quota"])
        #expect(await rejection { try await test.create("p") }?.code == .quotaExceeded)
        #expect(try Self.used(test, .administrator(.bootstrap)).records == 4)
        await test.close()
    }

    @Test func `a writer of another user's record learns nothing about the owner's usage`() async throws {
        let test = try TestDatabase(limits: Self.quotas(user: Usage(bytes: 30_000, assetBytes: 5_000)))
        let ann = try await test.signUp("ann")
        let eve = try await test.signUp("eve")
        let own = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.caller.userID)))
        try await test.create("a", as: ann.caller)
        try await test.database.schemas.setGrants(
            Grants([.world: .read, .authenticated: .all]), of: try #require(RecordTypeName("Post")))
        let file = try await test.upload([UInt8](repeating: 7, count: 3_000), as: ann.caller)
        try await test.change("a", #""file":\#(file.json())"#, as: ann.caller)
        let other = try await test.upload([UInt8](repeating: 8, count: 3_000), as: eve.caller)
        func text(_ count: Int) -> String { #""t":"\#(String(repeating: "x", count: count))""# }
        try await test.create("b", text(10_000), as: ann.caller)
        for change in [text(25_000), #""other":\#(other.json())"#] {
            let rejected = await rejection { try await test.change("a", change, as: eve.caller) }
            #expect(rejected?.code == .quotaExceeded)
            #expect((rejected?.details ?? []).map { $0.key } == ["quota"])
        }
        /// How much Eve gets in at most.
        func room() async throws -> Int {
            var (fits, fails) = (0, 40_000)
            while fails - fits > 1 {
                let middle = (fits + fails) / 2
                if await rejection({ try await test.change("a", text(middle), as: eve.caller) }) == nil {
                    fits = middle
                    try await test.change("a", text(0), as: eve.caller)
                } else {
                    fails = middle
                }
            }
            return fits
        }
        let before = try await room()
        #expect(before > 15_000)
        // Neither the size of Ann's private database nor that it was written to.
        try await test.create("private", text(15_000), as: ann.caller, in: own)
        #expect(try await room() == before)
        try await test.delete("private", as: ann.caller, in: own)
        #expect(try await room() == before)
        try await test.create("private", text(15_000), as: ann.caller, in: own)
        let growth = text(15_000)
        // Ann gets the error, and so does the operator.
        for caller in [ann.caller, .administrator(.bootstrap)] {
            let rejected = await rejection { try await test.change("a", growth, as: caller) }
            #expect((rejected?.details ?? []).map { $0.key } == ["quota", "used", "limit"])
        }
        await test.close()
    }

    @Test func `a caller without quota left adds nothing to the records of others`() async throws {
        let test = try TestDatabase(limits: Self.quotas(user: Usage(bytes: 10_240)))
        let ann = try await test.signUp("ann")
        let eve = try await test.signUp("eve")
        try await test.create("ofOperator")
        try await test.database.schemas.setGrants(
            Grants([.world: .all, .authenticated: .all]), of: try #require(RecordTypeName("Post")))
        try await test.create("ofNobody", as: .anonymous)
        try await test.create("ofAnn", as: ann.caller)
        let large = #""t":"\#(String(repeating: "x", count: 50_000))""#
        let small = #""t":"\#(String(repeating: "x", count: 5_000))""#
        for name in ["ofOperator", "ofNobody", "ofAnn"] {
            let rejected = await rejection { try await test.change(name, large, as: eve.caller) }
            #expect(rejected?.code == .quotaExceeded, "\(name)")
            try await test.change(name, small, as: eve.caller)
            try await test.change(name, #""t":"""#, as: eve.caller)
        }
        // Above its quota, an account may still make others' records smaller.
        try await test.create("ofEve", #""t":"\#(String(repeating: "x", count: 9_000))""#, as: eve.caller)
        for name in ["ofOperator", "ofNobody", "ofAnn"] {
            let rejected = await rejection { try await test.change(name, small, as: eve.caller) }
            #expect(rejected?.code == .quotaExceeded, "\(name)")
            // It is Eve's own quota.
            #expect((rejected?.details ?? []).map { $0.key } == ["quota", "used", "limit"], "\(name)")
            try await test.change(name, #""t":null"#, as: eve.caller)
        }
        try await test.change("ofOperator", large)
        await test.close()
    }

    @Test func `removing an account keeps the sums correct`() async throws {
        let patient = try await DoctorPatient { directory in
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            let ann = try await test.signUp("ann")
            let own = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.caller.userID)))
            try await test.create("a", #""n":1"#, as: ann.caller)
            for number in 0..<20 { try await test.create("p\(number)", #""n":1"#, as: ann.caller, in: own) }
            let name = try #require(UserRecordName(ann.session.user.recordName))
            try await test.database.accounts.remove(name, by: .shell)
            await test.database.accounts.removalsAreDone()
            #expect(try Self.used(test, .administrator(.bootstrap)).records == 1)
            await test.close()
        }
        #expect(patient.problems == [])
    }
}
