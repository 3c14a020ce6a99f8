import HTTP
import RecordWire
import TestSupport
import Testing

/// Random histories of writes, with readers that stop and continue anywhere, against a naive evaluator.
@Suite struct NotificationModelTests {
    /// One change of a record.
    private struct Change {
        enum Kind { case create, update, delete }

        let step: Int
        let place: String
        let type: String
        let name: String
        /// The step at which the record was created. A record of a deleted name is another record.
        let born: Int
        let kind: Kind
        let number: Int
    }

    /// A subscription, as a predicate over changes.
    private struct Model {
        let name: String
        let kind: String
        /// The databases and zones that it watches.
        let places: Set<String>
        var type = ""
        var events = ["create", "update", "delete"]
        /// The least number that matches.
        var least = 0
        let since: Int
    }

    private static let places = ["public", "private/_defaultZone", "private/A", "private/B"]

    private let database: TestDatabase
    private var random: SeededGenerator
    private var log: [Change] = []
    private var live: [String: (born: Int, number: Int)] = [:]
    private var models: [Model] = []
    /// Tokens of readers that had everything, with the step at which they had.
    private var tokens: [(token: String?, step: Int)] = [(nil, 0)]
    private var step = 0

    init() async throws {
        database = try await TestDatabase.make()
        random = SeededGenerator(seed: 0)
        for zone in ["A", "B"] { await database.call(.put, "/zones/\(zone)?database=private", as: .creator) }
        for type in ["Post", "Note"] {
            for place in ["", "?database=private"] { try await database.write("\(type)/\(type)first\(place)", 1) }
        }
    }

    @Test(arguments: seeds(3)) func `readers learn what the naive evaluator says, in order`(_ seed: Int) async throws {
        var run = self
        run.random = SeededGenerator(seed: UInt64(seed))
        try await run.play()
    }

    private mutating func play() async throws {
        for number in 0..<4 { try await subscribe(number) }
        for _ in 0..<120 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<8: try await change()
            case 8 where models.count < 10: try await subscribe(models.count)
            case 9: try await readInterrupted()
            default: try await readAll()
            }
        }
        try await readAll()
    }

    // MARK: Steps

    private mutating func subscribe(_ number: Int) async throws {
        let name = "s\(number)"
        let isPublic = number.isMultiple(of: 3)
        var model: Model
        var body: String
        switch number % 5 {
        case 1:
            model = Model(name: name, kind: "zone", places: ["private/A"], since: step)
            body = #"{"type":"zone","zone":"A"}"#
        case 2:
            model = Model(name: name, kind: "database", places: Set(Self.places.dropFirst()), since: step)
            body = #"{"type":"database"}"#
        default:
            let zone = isPublic ? nil : ["A", "B", "_defaultZone", nil].randomElement(using: &random) ?? nil
            let places = isPublic ? ["public"] : zone.map { ["private/\($0)"] } ?? Set(Self.places.dropFirst())
            model = Model(name: name, kind: "query", places: places, since: step)
            model.type = Bool.random(using: &random) ? "Post" : "Note"
            model.events =
                [["create"], ["update"], ["delete"], ["create", "update"], model.events, model.events]
                .randomElement(using: &random) ?? model.events
            model.least = Bool.random(using: &random) ? 5 : 0
            let condition = model.least > 0 ? #","where":"n >= 5""# : ""
            let events = model.events.map { "\"\($0)\"" }.joined(separator: ",")
            body =
                #"{"type":"query","recordType":"\#(model.type)","firesOn":[\#(events)]\#(condition)\#(zone.map { #","zone":"\#($0)""# } ?? "")}"#
        }
        let isPrivate = !(model.kind == "query" && isPublic)
        try await database.subscribe(name, body, in: isPrivate ? "database=private" : "")
        models.append(model)
    }

    private mutating func change() async throws {
        step += 1
        let place = Self.places.randomElement(using: &random) ?? "public"
        let type = Bool.random(using: &random) ? "Post" : "Note"
        let name = "r\(Int.random(in: 0..<4, using: &random))"
        let number = Int.random(in: 0..<10, using: &random)
        let parts = place.split(separator: "/")
        let query = parts.count == 1 ? "" : "?database=private&zone=\(parts[1])"
        // A name belongs to one type in its zone.
        let (path, key) = ("\(type)/\(type)\(name)\(query)", "\(place) \(type)\(name)")
        let known = live[key]
        var kind = Change.Kind.create
        if known != nil, Int.random(in: 0..<3, using: &random) == 0 {
            try await database.erase(path)
            live[key] = nil
            kind = .delete
        } else {
            try await database.write(path, number)
            if known != nil { kind = .update }
            live[key] = (known?.born ?? step, number)
        }
        log.append(
            Change(
                step: step, place: place, type: type, name: "\(type)\(name)", born: known?.born ?? step, kind: kind,
                number: number))
    }

    /// Reads everything after an earlier token, in pages of any length.
    private mutating func readAll() async throws {
        let start = tokens.randomElement(using: &random) ?? (nil, 0)
        let reader = NotificationClient(database, as: .creator, since: start.token)
        let found = try await reader.read("limit=\(Int.random(in: 1...5, using: &random))")
        #expect(lastOfDatabases(found) == expected(after: start.step), "after \(start.step) at \(step)")
        tokens.append((reader.token, step))
    }

    /// A database comes once for each page that has changes of its zones.
    private func lastOfDatabases(_ found: [String]) -> [String] {
        let databases = Set(models.filter { $0.kind == "database" }.map(\.name))
        return found.enumerated().filter { index, text in
            !databases.contains(text) || !found[(index + 1)...].contains(text)
        }.map(\.element)
    }

    /// Reads with writes between the pages, and goes back to an earlier page now and then.
    private mutating func readInterrupted() async throws {
        let start = tokens.randomElement(using: &random) ?? (nil, 0)
        let reader = NotificationClient(database, as: .creator, since: start.token)
        var found: [String] = []
        for _ in 0..<4 {
            let before = reader.token
            found += try await reader.page("limit=2").notifications
            if Int.random(in: 0..<3, using: &random) == 0 { reader.token = before }
            try await change()
        }
        found += try await reader.read("limit=3")
        // At least once: a record may come before and after a change of it. A subscription that does not fire on all
        // events may see a record match with an update on which it does not fire.
        func subject(_ text: String) -> String {
            text.split(separator: " ").filter { !["create", "update", "delete"].contains($0) }.joined(separator: " ")
        }
        let complete = Set(models.filter { $0.events.count == 3 }.map(\.name))
        let wanted = expected(after: start.step).filter { text in
            complete.contains(text.split(separator: " ").first.map(String.init) ?? "")
        }
        let missing = Set(wanted.map(subject)).subtracting(found.map(subject))
        #expect(missing.isEmpty, "\(missing) of \(found)")
        tokens.append((reader.token, step))
    }

    // MARK: The naive evaluator

    private func expected(after start: Int) -> [String] {
        var told: [(step: Int, model: Int, text: String)] = []
        for (index, model) in models.enumerated() {
            let after = max(start, model.since)
            let changes = log.filter { $0.step > after && model.places.contains($0.place) }
            if model.kind != "query" {
                guard let last = changes.last else { continue }
                let zone = model.kind == "zone" ? " in A" : ""
                told.append((last.step, index, model.name + zone))
                continue
            }
            for (_, group) in Dictionary(grouping: changes.filter { $0.type == model.type }, by: \.born) {
                guard let last = group.last, let reason = reason(of: last, for: model, after: after) else { continue }
                told.append((last.step, index, "\(model.name) \(reason) \(last.type)/\(last.name)"))
            }
        }
        return told.sorted { ($0.step, $0.model) < ($1.step, $1.model) }.map(\.text)
    }

    private func reason(of last: Change, for model: Model, after: Int) -> String? {
        if last.kind == .delete { return model.events.contains("delete") && isKept(last) ? "delete" : nil }
        guard last.number >= model.least else { return nil }
        if last.born > after, model.events.contains("create") { return "create" }
        return (last.born <= after || last.kind == .update) && model.events.contains("update") ? "update" : nil
    }

    /// Whether the log still has a deletion. A new record of an old name leaves the last one only.
    private func isKept(_ deletion: Change) -> Bool {
        let others = log.filter { $0.place == deletion.place && $0.name == deletion.name && $0.step > deletion.step }
        guard let next = others.first(where: { $0.kind == .delete }) else { return true }
        return !others.contains { $0.kind == .create && $0.step > next.step }
    }
}
