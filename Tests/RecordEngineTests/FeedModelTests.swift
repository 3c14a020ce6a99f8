import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct FeedModelTests {
    /// A client that copies its readable records, by name and type, from the feed alone.
    private struct Follower {
        let caller: Caller
        var token: String?
        var copy: Set<String> = []

        mutating func follow(_ test: TestDatabase, limit: Int) throws {
            var more = true
            while more {
                do {
                    let page = try test.changes(since: token, as: caller, limit: limit)
                    for change in page.changes {
                        let name = change["recordName"]?.string ?? ""
                        let key = "\(change["recordType"]?.string ?? "")/\(name)"
                        if change["deleted"] == .bool(true) {
                            copy.remove(key)
                        } else {
                            // A name has one record: the earlier record of another type is gone.
                            copy = copy.filter { !$0.hasSuffix("/\(name)") }
                            copy.insert(key)
                        }
                    }
                    token = page.token
                    more = page.moreComing
                } catch let error as RecordError where error.cause == .tokenExpired {
                    token = nil
                    copy = []
                }
            }
        }
    }

    @Test(arguments: seeds(6)) func `a follower of the feed ends with exactly the records that it may read`(_ seed: Int)
        async throws
    {
        var limits = DatabaseLimits()
        limits.tombstoneSeconds = 0
        let test = try TestDatabase(limits: limits)
        let users: [Caller] = [
            .user(16, roles: [:]), .user(17, roles: [:]), .user(18, roles: [:]), .administrator(.bootstrap),
        ]
        var followers = (users + [.anonymous]).map { Follower(caller: $0) }
        var random = Generator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        let types = ["Open", "Own", "Shut"]
        let grants: [Grants] = [
            .standard, Grants([.authenticated: .create, .creator: [.read, .write]]), Grants(),
            Grants([.world: [.read, .write], .authenticated: .create]),
        ]
        for type in types { try await test.create("seed-\(type)", type: type) }
        for (type, grant) in zip(types, grants) {
            try await test.database.schemas.setGrants(grant, of: try #require(RecordTypeName(type)))
        }
        for _ in 0..<250 {
            let name = "n\(random.next() % 6)"
            let type = types[Int(random.next() % 3)]
            let caller = users[Int(random.next() % 4)]
            switch random.next() % 24 {
            case 0..<8: _ = try? await test.create(name, #""n":1"#, type: type, as: caller)
            case 8..<12: _ = try? await test.change(name, #""n":2"#, type: type, as: caller)
            case 12..<18: _ = try? await test.delete(name, type: type, as: caller)
            case 18: _ = try await test.database.maintenance.run()
            case 19:
                try await test.database.schemas.setGrants(
                    grants[Int(random.next() % 4)], of: try #require(RecordTypeName(type)))
            default:
                let limit = 1 + Int(random.next() % 4)
                try followers[Int(random.next() % UInt64(followers.count))].follow(test, limit: limit)
            }
        }
        for index in followers.indices {
            try followers[index].follow(test, limit: 3)
            let caller = followers[index].caller
            var readable: Set<String> = []
            for type in types {
                for name in (try? test.list(type: type, as: caller).names) ?? [] { readable.insert("\(type)/\(name)") }
            }
            #expect(followers[index].copy == readable, "\(caller)")
        }
    }

    private struct Generator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
