import FogbaseClient
import Foundation
import RecordModel
import Testing

@Suite struct LiveQueryTests {
    private struct Goods: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case code, price, rate, tags }

        var code: String
        var price: Int
        var rate: Double?
        var tags: [String]

        static func field(for keyPath: PartialKeyPath<Goods>) -> Fields? {
            switch keyPath {
            case \Goods.code: .code
            case \Goods.price: .price
            case \Goods.rate: .rate
            case \Goods.tags: .tags
            default: nil
            }
        }
    }

    /// Reads less of the same records.
    private struct Label: Codable, RecordCodable {
        enum Fields: String, RecordFields, CaseIterable { case code }

        static let recordType = "Goods"
        var code: String
    }

    private static func database(with count: Int) async throws -> (LiveServer, Database) {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        var batch = Batch()
        for number in 0..<count {
            try batch.create(
                Goods(
                    code: "A-\(number)", price: number, rate: number.isMultiple(of: 3) ? nil : Double(number) / 2,
                    tags: number.isMultiple(of: 2) ? ["even", "n\(number)"] : ["odd"]), named: "goods\(number)")
        }
        #expect(try await database.perform(batch, atomically: false).failures.isEmpty)
        return (server, database)
    }

    @Test func `filters of every kind find the same records as in memory`() async throws {
        let (server, database) = try await Self.database(with: 120)
        defer { withExtendedLifetime(server) {} }
        let all = try await database.records(Query<Goods>()).reduce(into: [Goods]()) { $0.append($1.model) }
        #expect(all.count == 120)
        let cases: [(Query<Goods>, (Goods) -> Bool)] = [
            (Query().filter(.price, in: 10...20), { (10...20).contains($0.price) }),
            (Query().filter(.price, in: 10..<20), { (10..<20).contains($0.price) }),
            (Query().filter(.price, in: [3, 5, 900]), { [3, 5].contains($0.price) }),
            (Query().filter(.code, beginsWith: "A-1"), { $0.code.hasPrefix("A-1") }),
            (Query().filter(.code, contains: "-1"), { $0.code.contains("-1") }),
            (Query().filter(.text(.code, .contains("a-1", ignoring: .case))), { $0.code.contains("A-1") }),
            (Query().filter(.text(.code, .equals("\u{E1}-7", ignoring: .caseAndDiacritics))), { $0.code == "A-7" }),
            (Query().filter(.text(.code, .beginsWith("a-2", ignoring: .case))), { $0.code.hasPrefix("A-2") }),
            (Query().filter(.text(.code, .endsWith("7"))), { $0.code.hasSuffix("7") }),
            (Query().filter(.text(\.code, .endsWith("-17", ignoring: .diacritics))), { $0.code.hasSuffix("-17") }),
            (Query().filter(.text(.code, .like("?-*9"))), { $0.code.hasSuffix("9") }),
            (Query().filter(.text(.code, .matches("a-[0-4]\\d", ignoring: .case))), { (10...49).contains($0.price) }),
            (Query().filter(.text(.tags, .contains("ODD", ignoring: .case))), { $0.tags == ["odd"] }),
            (Query().filter("ALL tags BEGINSWITH %@ AND tags.@count == 1", "o"), { $0.tags == ["odd"] }),
            (Query().filter("price < %d * 2", 4), { $0.price < 8 }),
            (Query().filter(.rate, isAbsent: true), { $0.rate == nil }),
            (Query().filter(.rate, isAbsent: false), { $0.rate != nil }),
            (Query().filter(.rate, greaterThan: 20.5), { ($0.rate ?? 0) > 20.5 }),
            (Query().filter(.tags, contains: "odd"), { $0.tags.contains("odd") }),
            (Query().filter(.tags, anyIn: ["n4", "n6"]), { ["A-4", "A-6"].contains($0.code) }),
            (Query().filter(.tags, noneIn: ["odd", "n4"]), { $0.tags.first == "even" && $0.price != 4 }),
            (Query().filter(.code, equals: "A-7").filter(.price, lessThan: 2, .or), { $0.price == 7 || $0.price < 2 }),
            (
                Query(\.price >= 5 && (\.price < 9 || \.rate == nil)),
                { $0.price >= 5 && ($0.price < 9 || $0.rate == nil) }
            ),
            (Query().filter("price BETWEEN {%d, %d}", 4, 6), { (4...6).contains($0.price) }),
            (Query().filter(.price, in: [Int]()), { _ in false }),
        ]
        for (query, isMatch) in cases {
            let expected = all.filter(isMatch)
            let found = try await database.fetch(query.limit(to: 1_000)).items.map(\.model)
            #expect(found == expected, "\(query)")
            #expect(try await database.count(query) == expected.count, "\(query)")
        }
    }

    @Test func `pages follow each other to the end`() async throws {
        let (server, database) = try await Self.database(with: 250)
        defer { withExtendedLifetime(server) {} }
        let query = Query<Goods>().filter(.price, atLeast: 10).sorted(by: .price, ascending: false).limit(to: 100)
        var page = try await database.fetchCounting(query)
        #expect(page.count == 240 && page.items.first?.price == 249)
        var prices = page.items.map(\.price)
        while let next = page.next {
            page = try await database.fetch(after: next)
            prices += page.items.map(\.price)
        }
        #expect(prices == (10..<250).reversed())
        let label = try await database.first(Query<Label>().sorted(by: .createdAt, ascending: false))
        #expect(label?.code == "A-249")
        let named = try await database.fetch(Label.self, names: (0..<300).map { "goods\($0)" })
        #expect(named.items.count == 250 && named.missing.count == 50)
    }

    @Test func `a record that does not fit its model hides no other`() async throws {
        let (server, database) = try await Self.database(with: 3)
        defer { withExtendedLifetime(server) {} }
        var odd = Record("Goods", name: "odd")
        odd["code"] = "B"
        _ = try await database.save(odd)
        let page = try await database.fetch(Query<Goods>())
        #expect(page.items.count == 3 && page.failures.count == 1 && page.failures.first?.recordName == "odd")
        await #expect(throws: FogbaseError.self) { for try await _ in database.records(Query<Goods>()) {} }
    }

    @Test func `sets are changed and deleted on the server`() async throws {
        let (server, database) = try await Self.database(with: 100)
        defer { withExtendedLifetime(server) {} }
        let cheap = Query<Goods>().filter(.price, lessThan: 40)
        #expect(try await database.change(matching: cheap, .increment(.price, by: 1_000)).changed == 40)
        #expect(try await database.count(cheap) == 0)
        let dear = Query<Goods>().filter(.price, atLeast: 1_000)
        await #expect(throws: FogbaseError.self) { _ = try await database.delete(matching: dear, ifAtMost: 10) }
        #expect(try await database.delete(matching: dear) == SetOutcome(matched: 40, changed: 40, skipped: 0))
        await #expect(throws: FogbaseError.self) { _ = try await database.delete(matching: Query<Goods>()) }
        #expect(try await database.deleteAll(Goods.self).changed == 60)
    }

    @Test func `a deletion continues in the background and reports its progress`() async throws {
        let (server, database) = try await Self.database(with: 1_500)
        defer { withExtendedLifetime(server) {} }
        let deletion = database.deleteInBackground(Query<Goods>().filter(.price, lessThan: 1_200))
        var last: BackgroundDeletion.Progress?
        for await progress in deletion.progress {
            #expect(progress.total == 1_200 && progress.deleted >= last?.deleted ?? 0)
            last = progress
        }
        #expect(last?.fraction == 1)
        #expect(try await deletion.value == SetOutcome(matched: 1_200, changed: 1_200, skipped: 0))
        #expect(try await database.count(Query<Goods>()) == 300)
    }

    @Test func `a deletion in the background reports that it was canceled`() async throws {
        // Its first request is rejected, and the retry waits for an hour.
        let server = InMemoryServer()
        await server.failNext(status: 503)
        let waiting = RetryPolicy(attempts: 2) { _ in try await Task.sleep(for: .seconds(3_600)) }
        let database = server.makeClient(retry: waiting).container().publicDatabase
        let deletion = database.deleteInBackground(Query<Goods>().filter(.all))
        deletion.cancel()
        await #expect(throws: CancellationError.self) { _ = try await deletion.value }
    }

    @Test func `debug prints the query and each record`() async throws {
        let (server, database) = try await Self.database(with: 2)
        defer { withExtendedLifetime(server) {} }
        let lines = LockedLines()
        _ = try await database.fetch(Query<Goods>().filter(.price, atLeast: 1).debug { lines.append($0) })
        #expect(lines.all.first == "Query: Goods where price >= 1")
        #expect(lines.all.contains { $0.hasPrefix("Record goods1: Goods(code: \"A-1\"") })
    }

    @Test func `debug(in:) returns the plan, and figures for those who may see them`() async throws {
        let (server, database) = try await Self.database(with: 5)
        let query = Query<Goods>().filter(.price, atLeast: 1).sorted(by: .price, ascending: false).limit(to: 2)
        _ = try await database.fetch(query)
        let report = try await query.debug(in: server.client().publicDatabase)
        #expect(report.indexes == ["index (price)"], "\(report)")
        #expect(report.returnedRows == 2 && report.serverTime == nil && report.roundTrip > .zero)
        #expect(!report.isSorted && report.residual == nil && report.advice.isEmpty, "\(report)")
        let full = try await query.debug(in: database)
        #expect(full.examinedRows ?? 0 >= 2 && full.estimatedRows != nil && full.serverTime != nil, "\(full)")
        let lines = full.description.split(separator: "\n")
        #expect(lines.first == "query: Goods where price >= 1 sorted by -price limit 2")
        #expect(lines.contains { $0.hasPrefix("plan: scan index (price) backward: price >= 1") }, "\(full)")
        #expect(lines.contains { $0.hasPrefix("rows: 2 returned, ") && $0.hasSuffix(" estimated") }, "\(full)")
        #expect(lines.contains { $0.hasPrefix("time: ") && $0.contains(" on the server, ") }, "\(full)")
    }

    @Test func `debug(in:) says which indexes the server has added, and that double has no plans`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        try await database.create(Goods(code: "A-1", price: 3, tags: []), named: "g")
        let report = try await Query<Goods>().filter(.price, equals: 3).debug(in: database)
        #expect(report.advice.contains("the server has added the index (price)"), "\(report)")
        let double = InMemoryServer().makeClient().container().publicDatabase
        await #expect(throws: FogbaseError.self) { _ = try await Query<Goods>().debug(in: double) }
    }

    @Test func `debug prints each added index once, and cases by their own names`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let kite = Toy(state: .worn, box: nil, sizes: [.init(edge: .round)], name: "kite", tags: ["a"])
        try await database.create(kite, named: "t")
        let lines = LockedLines()
        let query = Query<Toy>().filter(.state, equals: Toy.State.worn).filter(.tags, anyIn: ["a", "b"])
            .sorted(by: .name, ascending: false).debug { lines.append($0) }
        let page = try await database.fetch(query)
        #expect(page.notices.count > 1 && Set(page.notices).count == page.notices.count, "\(page.notices)")
        let naming = page.notices.filter { $0.hasPrefix("Toy, index ") }
        #expect(naming == page.notices)
        let text = #"Record t: Toy(state: worn, box: nil, sizes: [Size(edge: round)], name: "kite", tags: ["a"])"#
        #expect(lines.all.contains(text), "\(lines.all)")
    }
}

/// A model whose types are nested in others.
private struct Toy: Codable, RecordCodable {
    enum Fields: String, RecordFields, CaseIterable { case state, box, sizes, name, tags }
    enum State: String, Codable, FieldConvertible { case new, worn }
    struct Size: Codable {
        enum Edge: Int, Codable { case square, round }
        var edge: Edge
    }

    var state: State
    var box: State?
    var sizes: [Size]
    var name: String
    var tags: [String]
}

/// Lines that come from anywhere.
///
/// Unchecked: the list is touched only while the lock is held.
final class LockedLines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }
    func append(_ line: String) { lock.withLock { lines.append(line) } }
}
