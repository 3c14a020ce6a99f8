import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Random writes, lists, roles and grants by several callers; every way of reading is compared with the model.
@Suite struct AccessModelTests {
    @Test(arguments: seeds(1)) func `every way of reading shows what the rules allow`(_ seed: Int) async throws {
        let patient = try await DoctorPatient { directory in
            let world = try await AccessWorld(seed: seed, directory: directory)
            for _ in 0..<12 {
                for _ in 0..<10 { try await world.step() }
                try await world.compare()
            }
            await world.test.close()
        }
        #expect(patient.problems == [])
    }

    @Test(arguments: seeds(3)) func `a follower of the feed ends with exactly the records that access lists permit`(
        _ seed: Int
    )
        async throws
    {
        let world = try await AccessWorld(seed: seed + 100)
        var tokens: [String: String] = [:]
        var copies: [String: Set<String>] = [:]
        func follow(_ name: String, limit: Int) throws {
            let caller = try world.caller(name)
            var isComing = true
            while isComing {
                do {
                    let page = try world.test.changes(since: tokens[name], as: caller, limit: limit)
                    for change in page.changes {
                        guard change["recordType"]?.string != "Users" else { continue }
                        let record = try #require(change["recordName"]?.string)
                        if change["deleted"] == .bool(true) {
                            copies[name, default: []].remove(record)
                        } else {
                            copies[name, default: []].insert(record)
                        }
                    }
                    tokens[name] = page.token
                    isComing = page.moreComing
                } catch let error as RecordError
                    where error.cause == .tokenExpired || (error.cause == .tokenInvalid && world.keys[name] != nil)
                {
                    // Another key of the same name is another caller.
                    tokens[name] = nil
                    copies[name] = []
                }
            }
        }
        for _ in 0..<60 {
            for _ in 0..<4 { try await world.step() }
            try follow(world.pick(world.callers), limit: 1 + Int(world.random.next() % 4))
        }
        for name in world.callers {
            try follow(name, limit: 3)
            let readable = Set(AccessWorld.types.flatMap { world.model.readable(name, type: $0) })
            #expect(copies[name, default: []] == readable, "\(name)")
        }
    }
}
