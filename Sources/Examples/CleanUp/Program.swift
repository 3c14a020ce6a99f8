import ExampleSupport
import FogbaseClient
import Foundation

/// Writes 10,000 entries over a year and deletes those older than half a year in the background.
@main enum Program {
    static func main() async {
        await Example.run("Deletes what is older than 183 days while the app goes on.") { example in
            let app = Fogbase(example.server).container()
            try await app.signUp(Example.fresh("keeper"), password: "correct horse battery")
            let journal = Journal(database: app.privateDatabase, run: Example.fresh("run"))

            let now = Date()
            let times = randomTimes(10_000, before: now, run: journal.run)
            try await journal.write(times.filter { $0.key.hasSuffix("-0") })
            // The server adds an index when a query first needs it: immediately for few records. For many, it responds
            // with 503 until the index is built. So query once before writing. In production, the schema has them.
            _ = try await (journal.count(), journal.newest())
            try await journal.write(times.filter { !$0.key.hasSuffix("-0") })
            let count = try await journal.count()
            try example.check("\(count) entries are written", count == times.count)

            let limit = now.addingTimeInterval(-183 * day)
            let old = times.values.count { $0 < limit }
            let outcome = try await cleanUp(journal, before: limit, example)
            try example.check("\(outcome.changed) entries were too old, and are deleted", outcome.changed == old)
            try await compare(journal, with: times.filter { $0.value >= limit }, example)
        }
    }

    private static let day: TimeInterval = 86_400

    /// Times in the year before a date, in whole seconds, keyed by record name.
    private static func randomTimes(_ count: Int, before now: Date, run: String) -> [String: Date] {
        let end = now.timeIntervalSince1970.rounded(.down)
        return Dictionary(
            uniqueKeysWithValues: (0..<count).map { number in
                let age = TimeInterval(Int.random(in: 0..<Int(365 * day)))
                return ("\(run)-\(number)", Date(timeIntervalSince1970: end - age))
            })
    }

    /// Deletes, draws the bar, and sends another query whenever the bar has moved.
    private static func cleanUp(
        _ journal: Journal, before limit: Date, _ example: Example
    ) async throws -> SetOutcome {
        let newest = try await journal.newest()
        let deletion = journal.deleteInBackground(before: limit)
        var (answers, drawn) = (0, 0)
        for await progress in deletion.progress {
            if try await journal.newest() == newest { answers += 1 }
            let tenth = Int(progress.fraction * 10)
            if tenth > drawn { example.say("  \(ProgressBar(fraction: progress.fraction))") }
            drawn = tenth
        }
        try example.check("the app received \(answers) other responses meanwhile", answers > 0)
        return try await deletion.value
    }

    private static func compare(_ journal: Journal, with kept: [String: Date], _ example: Example) async throws {
        var found: [String: Date] = [:]
        for try await entry in journal.entries() {
            if found.count < 5 { example.say("  \(entry.id)  \(entry.time.formatted(.iso8601))") }
            found[entry.id] = entry.time
        }
        example.say("  … and \(found.count - 5) more")
        try example.check("what is left are the \(kept.count) others, with their times", found == kept)
        try example.check("the server counts as many", try await journal.count() == kept.count)
    }
}
