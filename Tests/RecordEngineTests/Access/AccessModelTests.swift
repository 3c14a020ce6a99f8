import RecordEngine
import RecordModel
import RecordWire
import Testing

/// Random writes, lists, roles and grants by several callers; every way of reading is compared with the model.
@Suite struct AccessModelTests {
    private final class World {
        let test: TestDatabase
        var model = AccessModel()
        var people: [String: (caller: Caller, session: Session)] = [:]
        var random: Generator
        var next = 0
        static let names = ["ann", "bob", "carl"]
        static let types = ["Post", "Note"]

        init(seed: Int, folder: String? = nil) async throws {
            test = try TestDatabase(folder: folder, keepsFolder: folder != nil)
            random = Generator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
            for name in Self.names { people[name] = try await test.signUp(name) }
            for role in model.roles.keys.sorted() {
                _ = try await test.database.putRole(try #require(RoleName(role)), members: [])
            }
            let fields =
                #"{"n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},"tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]}}"#
            let types = Self.types.map { #""\#($0)":{"fields":\#(fields),"grants":{"_world":["READ"]}}"# }
            let schema = "{\"types\":{\(types.joined(separator: ","))}}"
            try await test.database.putSchema(SchemaDocument.read(Array(schema.utf8)))
            for type in Self.types { try await setGrants(0, type) }
        }

        func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }

        /// The caller as its token says now.
        func caller(_ name: String) throws -> Caller {
            if name == AccessModel.administrator { return .administrator(.bootstrap) }
            guard let person = people[name] else { return .anonymous }
            try test.reader.refresh()
            return try Array(person.session.token.utf8).withUnsafeBytes { try test.reader.authenticate($0) }
        }

        func principal(_ name: String) -> String { people[name]?.session.user.recordName ?? name }

        var callers: [String] { Self.names + [AccessModel.administrator, AccessModel.anonymous] }

        static let grants: [[String: Set<String>]] = [
            ["_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"]],
            ["_icloud": ["CREATE", "READ"], "_creator": ["WRITE"]],
            ["_icloud": ["CREATE"], "editors": ["READ", "WRITE"]],
            ["_world": ["READ", "WRITE"], "_icloud": ["CREATE"]],
            ["_creator": ["CREATE", "WRITE"]],
        ]

        func setGrants(_ number: Int, _ type: String) async throws {
            model.grants[type] = Self.grants[number]
            var grants = Grants()
            for (role, words) in Self.grants[number] {
                grants.byRole[try #require(RoleName(role))] = words.reduce(into: Permissions()) {
                    $0.formUnion(Permissions(word: $1) ?? [])
                }
            }
            try await test.database.setGrants(grants, of: try #require(RecordTypeName(type)))
        }

        func list() -> [String: Set<String>]? {
            if random.next() % 3 == 0 { return nil }
            var acl: [String: Set<String>] = [:]
            for _ in 0..<(random.next() % 4) {
                acl[pick(["*", "role:editors", "role:staff"] + Self.names)] = pick([
                    ["read"], ["read", "write"], ["write"],
                ])
            }
            return acl
        }

        func json(_ acl: [String: Set<String>]?) -> String {
            guard let acl else { return "null" }
            let members = acl.map { name, rights in
                "\"\(principal(name))\":[\(rights.sorted().map { "\"\($0)\"" }.joined(separator: ","))]"
            }
            return "{\(members.sorted().joined(separator: ","))}"
        }

        func step() async throws {
            let name = pick(callers)
            let caller = try caller(name)
            let type = pick(Self.types)
            switch random.next() % 16 {
            case 0..<7:
                next += 1
                let acl = list()
                let n = Int(random.next() % 4)
                let isAllowed = model.mayCreate(name, type: type)
                let body = #"{"fields":{"n":\#(n),"tags":["t\#(n)","all"]},"acl":\#(json(acl))}"#
                let refusal = await refusal { try await test.perform(.create, type, "r\(next)", body, as: caller) }
                #expect((refusal == nil) == isAllowed, "\(name) creates: \(String(describing: refusal))")
                if isAllowed { model.add("r\(next)", type: type, creator: name, acl: acl, n: n) }
            case 7..<11:
                guard let target = model.records.keys.sorted().randomElement(using: &random) else { return }
                let record = try #require(model.records[target])
                let acl = list()
                let n = Int(random.next() % 4)
                let changesList = random.next() % 2 == 0
                let body =
                    changesList
                    ? #"{"fields":{"n":\#(n)},"acl":\#(json(acl))}"# : #"{"fields":{"n":\#(n)}}"#
                let refusal = await refusal {
                    try await test.perform(
                        .modify(createsMissing: false, replacesAll: false), record.type, target, body, as: caller)
                }
                let isAllowed = model.may("WRITE", name, record)
                #expect((refusal == nil) == isAllowed, "\(name) writes \(record): \(String(describing: refusal))")
                if isAllowed {
                    model.records[target]?.n = n
                    if changesList { model.records[target]?.acl = acl }
                } else if !model.may("READ", name, record) {
                    #expect(refusal?.code == .notFound || refusal?.code == .authenticationRequired)
                }
            case 11..<13:
                guard let target = model.records.keys.sorted().randomElement(using: &random) else { return }
                let record = try #require(model.records[target])
                let refusal = await refusal { try await test.delete(target, type: record.type, as: caller) }
                let isAllowed = model.may("WRITE", name, record)
                #expect((refusal == nil) == isAllowed, "\(name) deletes \(record)")
                if isAllowed { model.records[target] = nil }
            case 13..<15:
                let role = pick(["editors", "staff"])
                let members = Self.names.filter { _ in random.next() % 2 == 0 }
                _ = try await test.database.putRole(
                    try #require(RoleName(role)), members: members.map(principal))
                model.roles[role] = Set(members)
            default: try await setGrants(Int(random.next() % UInt64(Self.grants.count)), type)
            }
        }

        /// Every way of reading, by everybody.
        func compare() async throws {
            for name in callers {
                let caller = try caller(name)
                for type in Self.types {
                    try await compare(name, caller, type)
                }
            }
        }

        private func compare(_ name: String, _ caller: Caller, _ type: String) async throws {
            let all = model.readable(name, type: type)
            do {
                var listed: [String] = []
                var cursor: String?
                repeat {
                    let page = try test.list(type: type, as: caller, limit: 3, cursor: cursor)
                    listed += page.names
                    cursor = page.cursor
                } while cursor != nil
                #expect(listed == all, "\(name) lists \(type)")
                for n in 0..<4 {
                    let expected = model.readable(name, type: type) { $0.n == n }
                    let page = try await test.query("n == \(n)", type: type, as: caller)
                    #expect(page.names == expected, "\(name): \(page.plan)")
                    #expect(page.count == Int64(expected.count))
                    #expect(
                        try await test.query("tags CONTAINS 't\(n)' AND n == \(n)", type: type, as: caller).names.count
                            <= expected.count)
                }
                let sorted = all.sorted { left, right in
                    let (one, two) = (model.records[left], model.records[right])
                    return (-(one?.n ?? 0), one?.order ?? 0) < (-(two?.n ?? 0), two?.order ?? 0)
                }
                #expect(try await test.pages(sort: "-n", limit: 2, type: type, as: caller) == sorted, "\(name) sorts")
                #expect(
                    try await test.pages("tags CONTAINS 'all' AND n > 0", sort: "-n", limit: 2, type: type, as: caller)
                        == sorted.filter { (model.records[$0]?.n ?? 0) > 0 && hasTags($0) })
            } catch let refusal as RecordError {
                // Who may read none of a type is refused as a whole.
                #expect(refusal.code == .accessDenied || refusal.code == .authenticationRequired)
                #expect(all.isEmpty, "\(name) may read \(all)")
            }
            for (record, what) in model.records where what.type == type {
                let found = try? test.read(record, type: type, as: caller)
                #expect((found != nil) == model.may("READ", name, what), "\(name) reads \(record)")
            }
        }

        /// Changes leave the tags as they were when the record was made.
        private func hasTags(_ name: String) -> Bool { model.records[name] != nil }
    }

    @Test(arguments: 1...8) func `every way of reading shows what the rules allow`(_ seed: Int) async throws {
        let patient = try await DoctorPatient { folder in
            let world = try await World(seed: seed, folder: folder)
            for _ in 0..<12 {
                for _ in 0..<10 { try await world.step() }
                try await world.compare()
            }
            await world.test.close()
        }
        #expect(patient.problems == [])
    }

    @Test(arguments: 1...8) func `whoever follows the feed ends with what the lists let it read`(_ seed: Int)
        async throws
    {
        let world = try await World(seed: seed + 100)
        var tokens: [String: String] = [:]
        var copies: [String: Set<String>] = [:]
        func follow(_ name: String, limit: Int) throws {
            let caller = try world.caller(name)
            var isComing = true
            while isComing {
                do {
                    let page = try world.test.changes(since: tokens[name], as: caller, limit: limit)
                    for change in page.changes {
                        let record = try #require(change["recordName"]?.string)
                        if change["deleted"] == .bool(true) {
                            copies[name, default: []].remove(record)
                        } else {
                            copies[name, default: []].insert(record)
                        }
                    }
                    tokens[name] = page.token
                    isComing = page.moreComing
                } catch let error as RecordError where error.cause == .tokenExpired {
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
            let readable = Set(World.types.flatMap { world.model.readable(name, type: $0) })
            #expect(copies[name, default: []] == readable, "\(name)")
        }
    }
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
