import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// A database with three users, and the model of their permissions.
final class AccessWorld {
    let test: TestDatabase
    var model = AccessModel()
    var people: [String: (caller: Caller, session: Session)] = [:]
    var keys: [String: NewAPIKey] = [:]
    var random: Generator
    var next = 0
    static let names = ["ann", "bob", "carl"]
    static let types = ["Post", "Note"]

    init(seed: Int, directory: String? = nil) async throws {
        test = try TestDatabase(directory: directory, keepsDirectory: directory != nil)
        random = Generator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        for name in Self.names { people[name] = try await test.signUp(name) }
        for role in model.roles.keys.sorted() {
            _ = try await test.database.roles.put(try #require(RoleName(role)), members: [])
        }
        try await putSchema()
        for type in Self.types { try await setGrants(0, type) }
        try await addScopes()
    }

    func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }

    /// The caller as its token says now.
    func caller(_ name: String) throws -> Caller {
        if name == AccessModel.administrator { return .administrator(.bootstrap) }
        if let role = Self.administrators[name] { return .administrator(Administrator(id: 0, role: role)) }
        if let key = keys[name] { return try test.caller(key.token) }
        guard let person = people[name] else { return .anonymous }
        try test.reader.refresh()
        return try Array(person.session.token.utf8).withUnsafeBytes { try test.reader.callers.authenticate($0) }
    }

    func principal(_ name: String) -> String { people[name]?.session.user.recordName ?? name }

    var callers: [String] {
        Self.names + [AccessModel.administrator, AccessModel.anonymous] + model.scopes.keys.sorted()
    }

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
        try await test.database.schemas.setGrants(grants, of: try #require(RecordTypeName(type)))
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
        switch random.next() % 18 {
        case 0..<7:
            next += 1
            let acl = list()
            let n = Int(random.next() % 4)
            let secret = self.secret()
            let mayWriteSecret = model.mayField("write", name, type: type, isOwn: name != AccessModel.anonymous)
            let isAllowed = model.mayCreate(name, type: type) && (secret == nil || mayWriteSecret)
            let body = #"{"fields":{"n":\#(n),"tags":["t\#(n)","all"]\#(json(secret))},"acl":\#(json(acl))}"#
            let rejection = await rejection { try await test.perform(.create, type, "r\(next)", body, as: caller) }
            #expect((rejection == nil) == isAllowed, "\(name) creates: \(String(describing: rejection))")
            if isAllowed { model.add("r\(next)", type: type, creator: name, acl: acl, n: n, secret: secret?.value) }
        case 7..<11:
            guard let target = model.records.keys.sorted().randomElement(using: &random) else { return }
            let record = try #require(model.records[target])
            let acl = list()
            let n = Int(random.next() % 4)
            let changesList = random.next() % 2 == 0
            let replacesAll = random.next() % 3 == 0
            let secret = self.secret()
            let mayWriteSecret = model.mayField("write", name, type: record.type, isOwn: record.creator == name)
            let tags = replacesAll ? #","tags":["t\#(n)","all"]"# : ""
            let body =
                #"{"fields":{"n":\#(n)\#(tags)\#(json(secret))}"# + (changesList ? #","acl":\#(json(acl))}"# : "}")
            let rejection = await rejection {
                try await test.perform(
                    .modify(createsMissing: false, replacesAll: replacesAll), record.type, target, body, as: caller)
            }
            let isAllowed =
                model.may("WRITE", name, record) && (secret == nil || mayWriteSecret)
                && (!changesList || model.may("READ", name, record))
            #expect((rejection == nil) == isAllowed, "\(name) writes \(record): \(String(describing: rejection))")
            if isAllowed {
                model.records[target]?.n = n
                if secret != nil || (replacesAll && mayWriteSecret) { model.records[target]?.secret = secret?.value }
                if changesList { model.records[target]?.acl = acl }
            } else if !model.may("READ", name, record), !model.may("WRITE", name, record) {
                #expect(rejection?.code == .notFound || rejection?.code == .authenticationRequired)
            }
        case 11..<13:
            guard let target = model.records.keys.sorted().randomElement(using: &random) else { return }
            let record = try #require(model.records[target])
            let rejection = await rejection { try await test.delete(target, type: record.type, as: caller) }
            let isAllowed = model.may("WRITE", name, record)
            #expect((rejection == nil) == isAllowed, "\(name) deletes \(record)")
            if isAllowed { model.records[target] = nil }
        case 13..<15:
            let role = pick(["editors", "staff"])
            let members = Self.names.filter { _ in random.next() % 2 == 0 }
            _ = try await test.database.roles.put(
                try #require(RoleName(role)), members: members.map(principal))
            model.roles[role] = Set(members)
        case 17: try await changeKey()
        case 15: try await setGrants(Int(random.next() % UInt64(Self.grants.count)), type)
        default: try await setFieldGrants(type)
        }
    }

    /// Every way of reading, by every caller.
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
        } catch let rejection as RecordError {
            // A caller without READ on all records of a type is denied as a whole.
            #expect(rejection.code == .accessDenied || rejection.code == .authenticationRequired)
            #expect(all.isEmpty, "\(name) may read \(all)")
        }
        try await compareSecrets(name, caller, type)
        for (record, what) in model.records where what.type == type {
            let found = try? test.read(record, type: type, as: caller)
            #expect((found != nil) == model.may("READ", name, what), "\(name) reads \(record)")
            if let found { #expect(found.fields["secret"] == shownSecret(of: what, name).map(FieldValue.int64)) }
        }
    }

    /// Changes keep the tags of the record's creation.
    private func hasTags(_ name: String) -> Bool { model.records[name] != nil }
}

struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
