import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// One random query, read page by page and compared with the oracle.
struct OracleCase {
    var condition: OracleCondition
    var sort: [SortInput]
    var limit: Int
    var caller: Caller
    var isPrivate: Bool
    var isExplained: Bool

    init(_ samples: inout OracleSamples, _ database: OracleDatabase) {
        condition = samples.condition(database.fields, database.oracle.records)
        sort = samples.sort(database.fields)
        limit = samples.pick([1, 2, 3, 5, 8, 13, 50, 1_000])
        isPrivate = samples.chance(25)
        caller = samples.chance(50) ? .administrator(.bootstrap) : samples.pick(database.callers)
        if isPrivate, caller.isBoundByGrants { caller = database.owner }
        isExplained = samples.chance(40)
    }

    /// The difference, with a description; `nil` if there is none.
    func failure(in database: OracleDatabase, _ tally: inout PlanTally) async throws -> String? {
        let type = try database.currentType()
        let binder = PredicateBinder(type: type, now: 0) { database.users[$0] }
        let predicate: Predicate
        do {
            predicate = try binder.bind(
                try PredicateSyntax.parse(condition.text), positional: condition.arguments, named: [:])
        } catch {
            if error.reason.contains("is SEARCHABLE") {
                tally.add("refused")
                return nil
            }
            // Without its marks, nothing is left of some texts.
            guard error.reason.contains("needs a string that is not empty") else { throw error }
            tally.add("nothing to search")
            return nil
        }
        let terms = try sort.map { try binder.sortTerm($0.name, isAscending: $0.isAscending, nulls: $0.nulls) }
        let creator = database.isOwnOnly && !isPrivate ? caller.userID : nil
        let expected = database.oracle.respond(predicate, sort: terms, isPrivate: isPrivate, visibleTo: creator)
        var input = QueryInput()
        input.condition = condition.text
        input.arguments = condition.arguments
        input.sort = sort
        input.fields = []
        // Not more than a handful of pages.
        input.limit = max(limit, (expected.count + 5) / 6)
        let names = expected.map { Array($0.name.utf8) }
        var found: [[UInt8]] = []
        var plan: JSONValue?
        var pages: [JSONValue] = []
        repeat {
            input.count = input.cursor == nil
            input.explain = isExplained
            let page: JSONValue
            do {
                page = try await ask(input, database)
            } catch let error as RecordError {
                let isUnsearchable =
                    database.environment == .production && error.reason.contains("is not marked searchable")
                if error.cause == .notIndexed, !database.isCovered || type.indexes.count > 56 || isUnsearchable {
                    tally.add("refused")
                    return nil
                }
                return "was refused: \(error)"
            }
            if isExplained {
                plan = page["plan"]
                tally.add(plan: page["plan"])
            }
            let records = page["records"]?.array ?? []
            let pageNames = records.compactMap { $0["recordName"]?.string.map { Array($0.utf8) } }
            let isLast = page["cursor"] == nil
            let wanted = Array(names.dropFirst(found.count).prefix(input.limit ?? 0))
            if input.count, page["count"]?.integer != Int64(names.count) {
                return "count \(page["count"]?.integer ?? -1), not \(names.count); \(text(plan))"
            }
            if pageNames != wanted {
                return "page behind \(found.count): \(Self.list(pageNames)), not \(Self.list(wanted)); \(text(plan))"
            }
            found += pageNames
            if isLast != (found.count == names.count) {
                return "\(isLast ? "ends" : "goes on") behind \(found.count) of \(names.count); \(text(plan))"
            }
            input.cursor = page["cursor"]?.string
            pages.append(page)
        } while input.cursor != nil
        input.count = false
        return try await strayingFailure(input, names, pages, database)
    }

    /// Walks the pages with a new direction at each step, and compares each page with the oracle.
    ///
    /// - Parameter pages: The pages of the walk forward.
    private func strayingFailure(
        _ input: QueryInput, _ names: [[UInt8]], _ pages: [JSONValue], _ database: OracleDatabase
    ) async throws -> String? {
        guard let limit = input.limit, pages.count > 1 else { return nil }
        var input = input
        var random = SeededGenerator(seed: UInt64(names.count * 31 + limit))
        var page = pages[pages.count - 1]
        var start = names.count - (page["records"]?.array ?? []).count
        for _ in 0..<8 {
            let next = page["cursor"]?.string
            let previous = page["previousCursor"]?.string
            let count = (page["records"]?.array ?? []).count
            if (next != nil) != (start + count < names.count) { return "cursor is wrong at \(start)" }
            if (previous != nil) != (start > 0) { return "previousCursor is wrong at \(start)" }
            let goesBack = next == nil || (previous != nil && Bool.random(using: &random))
            // Another length, because positions do not depend on pages.
            input.limit = Int.random(in: max(1, limit - 1)...limit + 1, using: &random)
            input.cursor = goesBack ? nil : next
            input.before = goesBack ? previous : nil
            let length = input.limit ?? limit
            let range =
                goesBack ? max(0, start - length)..<start : (start + count)..<min(names.count, start + count + length)
            page = try await ask(input, database)
            let found = (page["records"]?.array ?? []).compactMap { $0["recordName"]?.string.map { Array($0.utf8) } }
            if found != Array(names[range]) {
                return "page \(goesBack ? "before" : "after") \(start): \(Self.list(found)), not "
                    + "\(Self.list(Array(names[range]))); \(text(page["plan"]))"
            }
            start = range.lowerBound
        }
        return nil
    }

    private func ask(_ input: QueryInput, _ database: OracleDatabase) async throws -> JSONValue {
        let request = QueryRequest(
            caller: caller, address: isPrivate ? database.privateAddress : .publicDefault,
            typeName: try database.typeName(), input: input)
        try database.test.reader.refresh()
        return try await database.test.reader.queries.run(request).object
    }

    private func text(_ plan: JSONValue?) -> String { plan?["text"]?.string ?? "plan not asked for" }

    private static func list(_ names: [[UInt8]]) -> String {
        "[" + names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") + "]"
    }

    var description: String {
        let keys = sort.map { term in
            (term.isAscending ? "" : "-") + term.name + (term.nulls.map { " nulls \($0)" } ?? "")
        }.joined(separator: ",")
        return "where: \(condition.text)\nargs: \(condition.arguments)\nsort: \(keys)\nlimit: \(limit)\n"
            + "caller: \(caller)\(isPrivate ? ", private" : "")"
    }
}

/// How often each kind of plan has occurred.
struct PlanTally {
    private(set) var counts: [String: Int] = [:]

    mutating func add(_ kind: String, _ count: Int = 1) { counts[kind, default: 0] += count }

    mutating func add(_ other: PlanTally) { for (kind, count) in other.counts { add(kind, count) } }

    mutating func add(plan: JSONValue?) {
        guard let plan else { return }
        let scans = plan["access"]?.array ?? []
        let isSorted = plan["sort"]?.string == "sorted"
        let names = scans.compactMap { $0["index"]?.string }
        let way = scans.first?["direction"]?.string ?? ""
        if scans.isEmpty { add("nothing") }
        if isSorted { add("sorted") }
        if plan["residual"] != nil { add("filter") }
        if plan["text"]?.string?.contains("\nnearest: ") == true { add("nearest") }
        if scans.contains(where: { $0["condition"]?.string?.hasSuffix(", tested") == true }) { add("places") }
        if names.allSatisfy({ $0.hasPrefix("index") }), Set(names).count == 1, !isSorted {
            add(scans.count == 1 ? "index \(way)" : "merged IN \(way)")
        }
        if Set(names).count > 1 { add(isSorted ? "union, sorted" : "union, merged") }
        for scan in scans {
            let name = scan["index"]?.string ?? ""
            if name == "record name" { add(scans.count == 1 ? "name" : "names") }
            if name.hasSuffix("by creator") { add("creator \(way)") }
            if name.hasPrefix("records"), !name.hasSuffix("by creator") { add("records \(way)") }
            if name.hasSuffix("of members") { add("members") }
            if name.hasPrefix("postings") {
                add(name.contains("[words]") ? "words" : "several parts")
                if name.contains("[words]"), name.contains("contains]") { add("words and parts") }
            }
            if name.hasPrefix("index"), name.contains("[") { add(name.contains("contains]") ? "parts" : "form \(way)") }
            if name.hasPrefix("index"), plan["sort"]?.string == "none",
                scan["condition"]?.string?.contains("createdTimestamp") == true
            {
                add("one key with ids")
            }
        }
        if plan["ranOn"]?.string == "pool" { add("pool") }
    }
}
