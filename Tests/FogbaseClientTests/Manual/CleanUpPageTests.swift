#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @testable import CleanUpExample

    @Suite struct CleanUpPageTests {
        @Test func `the program of the tutorial runs, and a second time too`() async throws {
            let live = try LiveServer()
            let url = live.url

            for _ in 1...2 {
                let app = Fogbase(url).container()
                try await enter(app, as: "keeper")
                let run = UUID().uuidString
                let journal = Journal(database: app.privateDatabase, run: run)

                let now = Date()
                let days = (0..<365).map { ("\(run), day \($0)", now.addingTimeInterval(-86_400 * Double($0))) }
                try await journal.write(Dictionary(uniqueKeysWithValues: days))

                let deletion = journal.deleteInBackground(before: now.addingTimeInterval(-183.5 * 86_400))
                for await progress in deletion.progress {
                    print(ProgressBar(fraction: progress.fraction))
                }
                let outcome = try await deletion.value
                print("\(outcome.changed) are deleted, \(outcome.skipped) were left.")
                #expect(outcome == SetOutcome(matched: 181, changed: 181, skipped: 0))

                for try await entry in journal.entries() {
                    print(entry.id, entry.time)
                }
                print(try await journal.count())
                #expect(try await journal.count() == 184)
            }
        }
    }

#endif
