import FogbaseClient
import Foundation

/// The entries of one run of this app, in the private database of whoever is signed in.
struct Journal {
    let database: Database
    let run: String

    private var all: Query<Entry> { Query<Entry>().filter(.run, equals: run) }

    /// Writes entries, named by their number. The client cuts them into as many requests as the server wants.
    func write(_ times: [String: Date]) async throws {
        var batch = Batch()
        for (name, time) in times { try batch.create(Entry(run: run, time: time), named: name) }
        try await database.perform(batch, atomically: false).check()
    }

    /// Begins to delete what is older than a date, and returns at once.
    func deleteInBackground(before date: Date) -> BackgroundDeletion {
        database.deleteInBackground(all.filter(.time, lessThan: date))
    }

    func count() async throws -> Int {
        try await database.count(all)
    }

    func newest() async throws -> Stored<Entry>? {
        try await database.first(all.sorted(by: .time, ascending: false))
    }

    /// All that is there, the oldest first: page after page, however many there are.
    func entries() -> Records<Entry> {
        database.records(all.sorted(by: .time).limit(to: 1_000))
    }
}
