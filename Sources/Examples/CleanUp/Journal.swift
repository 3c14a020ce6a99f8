import FogbaseClient
import Foundation

/// The entries of one run of this app, in the private database of the signed-in user.
struct Journal {
    let database: Database
    let run: String

    private var all: Query<Entry> { Query<Entry>().filter(.run, equals: run) }

    /// Writes entries, keyed by record name. The client splits them into as many requests as the server's limits
    /// require.
    func write(_ times: [String: Date]) async throws {
        var batch = Batch()
        for (name, time) in times { try batch.create(Entry(run: run, time: time), named: name) }
        try await database.perform(batch, atomically: false).check()
    }

    /// Starts to delete the entries older than a date, and returns immediately.
    func deleteInBackground(before date: Date) -> BackgroundDeletion {
        database.deleteInBackground(all.filter(.time, lessThan: date))
    }

    func count() async throws -> Int {
        try await database.count(all)
    }

    func newest() async throws -> Stored<Entry>? {
        try await database.first(all.sorted(by: .time, ascending: false))
    }

    /// All entries, oldest first, loaded page by page.
    func entries() -> Records<Entry> {
        database.records(all.sorted(by: .time).limit(to: 1_000))
    }
}
