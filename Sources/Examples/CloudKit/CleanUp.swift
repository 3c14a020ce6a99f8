import ExampleSupport
import Foundation

/// An event at one time.
struct Entry: Model {
    var run: String
    var time: Date

    static let recordType = "WebEntry"
    static var names: [PartialKeyPath<Entry>: String] { [\.run: "run", \.time: "time"] }

    init(run: String, time: Date) { (self.run, self.time) = (run, time) }
    init(_ fields: Fields) throws { (run, time) = (try fields("run"), try fields("time")) }
    var fields: [String: FieldValue] { ["run": run.fieldValue, "time": time.fieldValue] }
}

/// The entries of one run of this app, in the private database of the signed-in user.
struct CleanUp {
    let services: WebServices
    let run: String

    private var all: Query<Entry> { Query<Entry>().filter(\.run, .equals, run) }

    /// Writes entries, keyed by record name, in as many requests as the limit of 200 operations requires.
    func write(_ times: [String: Date]) async throws {
        var rest = times.map { name, time in
            let record = CloudRecord(
                recordName: name, recordType: Entry.recordType, fields: Entry(run: run, time: time).fields)
            return RecordOperation(operationType: "create", record: record)
        }[...]
        while !rest.isEmpty {
            for item in try await services.modify(Array(rest.prefix(200)), desiredKeys: []) { _ = try item.get() }
            rest = rest.dropFirst(200)
        }
    }

    func newest() async throws -> Stored<Entry>? {
        try await services.find(all.sorted(by: \.time, ascending: false), limit: 1).items.first
    }

    /// All entries, oldest first, page by page.
    func entries() async throws -> [Stored<Entry>] {
        try await services.all(all.sorted(by: \.time))
    }

    /// Deletes the entries older than a date, a page of 200 with each request.
    ///
    /// CloudKit counts no records. So the progress is that of the time between the oldest entry and the date.
    ///
    /// - Parameter report: Receives the number of deleted entries, and a fraction from 0 to 1.
    /// - Returns: The number of deleted entries.
    func delete(before date: Date, _ report: (Int, Double) -> Void) async throws -> Int {
        let old = all.filter(\.time, .lessThan, date).sorted(by: \.time)
        var (deleted, first) = (0, Date?.none)
        while true {
            // What is deleted is gone from the query, so it always asks for the first page.
            let page = try await services.find(old).items
            guard let from = page.first?.model.time, let to = page.last?.model.time else { break }
            try await services.delete(page.map(\.name))
            deleted += page.count
            let start = first ?? from
            first = start
            report(deleted, to.timeIntervalSince(start) / max(1, date.timeIntervalSince(start)))
        }
        report(deleted, 1)
        return deleted
    }
}

// MARK: - The application

extension CleanUp {
    private static let day: TimeInterval = 86_400

    /// Writes 2,000 entries over a year and deletes those older than half a year.
    static func run(_ app: App) async throws {
        let example = app.example
        let services = try await app.signUp("keeper").signIn().inDatabase("private")
        let journal = CleanUp(services: services, run: Example.fresh("run"))

        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let times = Dictionary(
            uniqueKeysWithValues: (0..<2_000).map { number in
                let age = TimeInterval(Int.random(in: 0..<Int(365 * day)))
                return ("\(journal.run)-\(number)", now.addingTimeInterval(-age))
            })
        try await journal.write(times.filter { $0.key.hasSuffix("-0") })
        // Development adds an index when a query first needs it, which is quick for few records.
        _ = try await (journal.newest(), journal.entries())
        try await journal.write(times.filter { !$0.key.hasSuffix("-0") })
        let written = try await journal.entries().count
        try example.check("\(written) entries are written", written == times.count)

        let limit = now.addingTimeInterval(-183 * day)
        let deleted = try await journal.delete(before: limit) { count, fraction in
            let bar = String(repeating: "#", count: Int(fraction * 40))
            let rest = String(repeating: "-", count: 40 - bar.count)
            example.say("  [\(bar)\(rest)] \(Int(fraction * 100)) %, \(count) entries")
        }
        let old = times.values.count { $0 < limit }
        try example.check("\(deleted) entries were too old, and are deleted", deleted == old)
        let kept = Dictionary(uniqueKeysWithValues: try await journal.entries().map { ($0.name, $0.model.time) })
        try example.check("what is left are the others, with their times", kept == times.filter { $0.value >= limit })
    }
}
