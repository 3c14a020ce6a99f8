import Foundation
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// For any schema, records and aggregate: the groups equal those of a slow and obvious evaluation.
/// `FOGBASE_ORACLE_CASES` sets the number of aggregates, `FOGBASE_ORACLE_SEED` the first one.
@Suite struct AggregateOracleTests {
    private static let casesPerDatabase = 50

    @Test func `groups agree with the oracle for every plan`() async throws {
        let variables = ProcessInfo.processInfo.environment
        let cases = variables["FOGBASE_ORACLE_CASES"].flatMap(Int.init) ?? 600
        let first = variables["FOGBASE_ORACLE_SEED"].flatMap(UInt64.init) ?? 1
        var tally: [String: Int] = [:]
        for number in 0..<UInt64(max(1, cases / Self.casesPerDatabase)) {
            try await Self.run(seed: first + number, &tally)
        }
        guard cases >= 600 else { return }
        for kind in ["records", "index", "several groups", "having", "too large", "bucket", "refused"] {
            #expect((tally[kind] ?? 0) > 0, "no case was: \(kind); there were \(tally)")
        }
    }

    private static func run(seed: UInt64, _ tally: inout [String: Int]) async throws {
        var samples = OracleSamples(seed: seed)
        let database = try await OracleDatabase(&samples) { test in
            var people: [(Caller, String)] = []
            for name in ["ann", "bob"] {
                let (caller, session) = try await test.signUp(name)
                people.append((caller, session.user.recordName))
            }
            return people
        }
        for number in 0..<casesPerDatabase {
            let aggregate = AggregateCase(&samples, database)
            if let failure = try await aggregate.failure(in: database, &tally) {
                Issue.record("FOGBASE_ORACLE_SEED=\(seed), case \(number)\n\(aggregate.description)\n\(failure)")
            }
        }
    }
}

/// One random aggregate.
private struct AggregateCase {
    private struct Key {
        let field: OracleField
        let bucket: String?
        var text: String { bucket.map { "\($0)(\(field.name))" } ?? field.name }
    }

    private struct Value {
        let function: String
        let field: OracleField?
        var text: String { field.map { "\(function)(\($0.name))" } ?? function }
    }

    private let condition: OracleCondition
    private let keys: [Key]
    private let values: [Value]
    private let input: AggregateInput
    /// The column and the number of `having`.
    private let having: (column: Int, bound: Int)?
    private let caller: Caller
    private let isPrivate: Bool

    init(_ samples: inout OracleSamples, _ database: OracleDatabase) {
        condition =
            samples.chance(50) ? OracleCondition() : samples.condition(database.fields, database.oracle.records)
        let fields = database.fields.filter { $0.isComparable && !$0.type.isList }
        var keys: [Key] = []
        for _ in 0..<samples.pick([0, 1, 1, 1, 2, 3]) {
            let field = samples.pick(fields)
            let bucket =
                field.type == .timestamp && samples.chance(70)
                ? samples.pick(["hour", "day", "week", "month", "year"]) : nil
            let key = Key(field: field, bucket: bucket)
            if !keys.contains(where: { $0.text == key.text }) { keys.append(key) }
        }
        var values: [Value] = []
        // Without keys there must be a value.
        for _ in 0..<samples.number((keys.isEmpty ? 1 : 0)...4) {
            let field = samples.chance(20) ? nil : samples.pick(fields)
            var functions = ["count"]
            if let field {
                functions.append("countDistinct")
                if field.type == .int64 || field.type == .double { functions += ["sum", "avg", "sum", "avg"] }
                if field.type != .reference { functions += ["min", "max"] }
            }
            let value = Value(function: samples.pick(functions), field: field)
            if !values.contains(where: { $0.text == value.text }) { values.append(value) }
        }
        self.keys = keys
        self.values = values
        let names = keys.map(\.text) + values.map(\.text)
        var input = AggregateInput()
        input.groupBy = keys.map(\.text)
        input.values = values.map(\.text)
        if keys.contains(where: { $0.bucket != nil }), samples.chance(60) {
            input.timeZone = samples.pick(["Europe/Berlin", "America/New_York", "Asia/Kathmandu"])
        }
        let counts = values.indices.filter { values[$0].function.hasPrefix("count") }
        if !counts.isEmpty, samples.chance(40) {
            let column = keys.count + samples.pick(counts)
            let bound = samples.number(0...4)
            having = (column, bound)
            input.having = "\(names[column]) > \(bound)"
        } else {
            having = nil
        }
        input.sort = (0..<samples.number(0...2)).map { _ in
            SortInput(name: samples.pick(names), isAscending: samples.chance(50))
        }
        input.limit = samples.pick([1, 2, 5, 1_000, 1_000])
        self.input = input
        isPrivate = samples.chance(20)
        let caller = samples.chance(50) ? Caller.administrator(.bootstrap) : samples.pick(database.callers)
        self.caller = isPrivate && caller.isBoundByGrants ? database.owner : caller
    }

    // MARK: Comparing

    func failure(in database: OracleDatabase, _ tally: inout [String: Int]) async throws -> String? {
        let type = try database.currentType()
        let binder = PredicateBinder(type: type, now: 0) { database.users[$0] }
        let predicate = try binder.bind(
            try PredicateSyntax.parse(condition.text), positional: condition.arguments, named: [:])
        let creator = database.isOwnOnly && !isPrivate ? caller.userID : nil
        let records = database.oracle.respond(predicate, sort: [], isPrivate: isPrivate, visibleTo: creator)
        var query = QueryInput()
        query.condition = condition.text
        query.arguments = condition.arguments
        query.aggregate = input
        query.explain = true
        let request = QueryRequest(
            caller: caller, address: isPrivate ? database.privateAddress : .publicDefault,
            typeName: try database.typeName(), input: query)
        try database.test.reader.refresh()
        let page: RecordPage
        let expected = expected(records, binder, database)
        do {
            page = try await database.test.reader.queries.run(request)
        } catch {
            if error.cause == .notIndexed, !database.isCovered || type.indexes.count > 56 {
                tally["refused", default: 0] += 1
                return nil
            }
            guard error.cause == .tooLarge, expected == nil else { return "was refused: \(error)" }
            tally["too large", default: 0] += 1
            return nil
        }
        guard let expected else { return "no error for a sum that is too large" }
        let isByIndex = page.plan?["access"]?.array?.first?["index"]?.string?.hasPrefix("index") ?? false
        tally[isByIndex ? "index" : "records", default: 0] += 1
        if expected.count > 1 { tally["several groups", default: 0] += 1 }
        if having != nil { tally["having", default: 0] += 1 }
        if keys.contains(where: { $0.bucket != nil }) { tally["bucket", default: 0] += 1 }
        let limit = input.limit ?? 0
        let json = try JSONValue.parse((page.groups ?? []) + Array("}".utf8))
        guard json["moreGroups"] == (expected.count > limit ? true : nil) else { return "moreGroups is wrong" }
        let groups = json["groups"]?.array ?? []
        let wanted = expected.prefix(limit)
        guard groups.count == wanted.count else { return "\(groups.count) groups, not \(wanted.count): \(json)" }
        for (group, want) in zip(groups, wanted) {
            let got =
                keys.map { group["key"]?[$0.text] } + values.map { group["values"]?[$0.text] }
            for (column, (one, other)) in zip(got, want).enumerated() {
                guard let one, isSame(one, other, column, database) else {
                    return "column \(column) is \(String(describing: one)), not \(String(describing: other)); \(json)"
                }
            }
        }
        return nil
    }

    private func isSame(_ json: JSONValue, _ value: QueryValue?, _ column: Int, _ database: OracleDatabase) -> Bool {
        if column < keys.count, case .user = keys[column].field.kind {
            guard case .integer(let number)? = value, let name = json.string else { return false }
            return database.users[name]?.rawValue == number
        }
        switch (value, json) {
        case (nil, .null): return true
        case (.integer(let one)?, .integer(let other)): return one == other
        case (.double(let one)?, .integer(let other)): return isNear(one, Double(other))
        case (.double(let one)?, .double(let other)): return isNear(one, other)
        case (.text(let one)?, .string(let other)): return one.elementsEqual(other.utf8)
        default: return false
        }
    }

    private func isNear(_ one: Double, _ other: Double) -> Bool {
        one == other || abs(one - other) <= max(abs(one), abs(other)) * 1e-14
    }

    // MARK: The oracle

    /// The groups in order, each as its keys and values; `nil` if a sum is too large.
    private func expected(
        _ records: [OracleRecord], _ binder: PredicateBinder, _ database: OracleDatabase
    ) -> [[QueryValue?]]? {
        var groups: [[QueryValue?]: [OracleRecord]] = [:]
        if keys.isEmpty { groups[[]] = [] }
        for record in records {
            let key = keys.map { key in
                rounded(value(of: key.field, in: record, binder), to: key.bucket)
            }
            groups[key, default: []].append(record)
        }
        var rows: [[QueryValue?]] = []
        for (key, members) in groups {
            var row = key
            for value in values {
                guard let result = result(value, members, binder) else { return nil }
                row.append(result)
            }
            if let having, case .integer(let count)? = row[having.column], count <= having.bound { continue }
            rows.append(row)
        }
        let names = keys.map(\.text) + values.map(\.text)
        return rows.sorted { left, right in
            for term in input.sort {
                guard let column = names.firstIndex(of: term.name), left[column] != right[column] else { continue }
                return precedes(left[column], right[column]) == term.isAscending
            }
            for column in keys.indices where left[column] != right[column] {
                return precedes(left[column], right[column])
            }
            return false
        }
    }

    private func precedes(_ left: QueryValue?, _ right: QueryValue?) -> Bool {
        guard let left else { return true }
        guard let right else { return false }
        return left.precedes(right)
    }

    private func value(of field: OracleField, in record: OracleRecord, _ binder: PredicateBinder) -> QueryValue? {
        switch field.kind {
        case .field: record.values[field.name]?.first
        case .recordName: .text(Array(record.name.utf8))
        case .created: .integer(record.created)
        case .modified: .integer(record.modified)
        case .user: .account(field.name == "createdUserRecordName" ? record.creator : record.modifier)
        }
    }

    private func rounded(_ value: QueryValue?, to bucket: String?) -> QueryValue? {
        guard let bucket, case .integer(let time)? = value else { return value }
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = TimeZone(identifier: input.timeZone ?? "UTC") ?? .current
        let unit: Calendar.Component =
            switch bucket {
            case "hour": .hour
            case "day": .day
            case "week": .weekOfYear
            case "month": .month
            default: .year
            }
        let date = Date(timeIntervalSince1970: Double(time) / 1_000)
        guard let start = calendar.dateInterval(of: unit, for: date)?.start else { return nil }
        return .integer(Int64((start.timeIntervalSince1970 * 1_000).rounded()))
    }

    /// The value of a group: `.some(nil)` is null, `nil` a sum that is too large.
    private func result(_ value: Value, _ members: [OracleRecord], _ binder: PredicateBinder) -> QueryValue?? {
        guard let field = value.field else { return .some(.integer(Int64(members.count))) }
        let present = members.compactMap { self.value(of: field, in: $0, binder) }
        switch value.function {
        case "count": return .some(.integer(Int64(present.count)))
        case "countDistinct": return .some(.integer(Int64(Set(present).count)))
        case "min": return .some(present.min { $0.precedes($1) })
        case "max": return .some(present.max { $0.precedes($1) })
        default: break
        }
        if present.isEmpty { return .some(nil) }
        let isSum = value.function == "sum"
        if field.type == .int64 {
            let sum = present.reduce(into: Int128(0)) { if case .integer(let next) = $1 { $0 += Int128(next) } }
            if !isSum { return .some(.double(Double(sum) / Double(present.count))) }
            return Int64(exactly: sum).map { .some(.integer($0)) }
        }
        let numbers = present.compactMap { if case .double(let number) = $0 { number } else { nil } }
        // Scaled, no intermediate sum overflows, and only numbers far below the others lose bits.
        let isLarge = numbers.contains { abs($0) > 1e290 }
        let sum = Self.sum(isLarge ? numbers.map { $0 * 0x1p-64 } : numbers)
        if !isSum {
            return .some(.double(isLarge ? sum / Double(present.count) * 0x1p64 : sum / Double(present.count)))
        }
        let whole = isLarge ? sum * 0x1p64 : sum
        return whole.isFinite ? .some(.double(whole)) : nil
    }

    /// The exact sum of doubles, rounded once: Shewchuk's algorithm, with a list of numbers that do not overlap.
    private static func sum(_ numbers: [Double]) -> Double {
        var parts: [Double] = []
        for number in numbers {
            var rest = number
            var kept: [Double] = []
            for var part in parts {
                if abs(rest) < abs(part) { swap(&rest, &part) }
                let high = rest + part
                let low = part - (high - rest)
                if low != 0 { kept.append(low) }
                rest = high
            }
            parts = kept + [rest]
        }
        return parts.reduce(0, +)
    }

    var description: String {
        "where: \(condition.text)\nargs: \(condition.arguments)\naggregate: \(input)\ncaller: \(caller)"
            + (isPrivate ? ", private" : "")
    }
}
