#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import TestSupport
    import Testing

    @Suite struct LiveResultsPageTests {
        @RecordCodable
        struct ChatLine {
            var room: String
            var text: String
        }

        @MainActor
        final class ChatList {
            private(set) var lines: [Stored<ChatLine>] = []

            func follow(_ room: String, in database: Database) async throws {
                let query = Query<ChatLine>().filter(.room, equals: room).sorted(by: .createdAt, ascending: false)
                for try await result in database.live(query.limit(to: 20)) {
                    lines = result.records
                }
            }
        }

        func describe(_ result: LiveResult<ChatLine>) -> [String] {
            result.changes.map { change in
                switch change {
                case .removed(let index): "row \(index) goes"
                case .inserted(let index): "row \(index) is new: \(result.records[index].text)"
                case .moved(let from, let to): "row \(from) moves to \(to)"
                case .updated(let index): "row \(index) is reloaded"
                }
            }
        }

        @Test(.timeLimit(.minutes(1))) func `a list shows what others write, until its task is canceled`() async throws
        {
            let live = try LiveServer()
            let database = live.administrator.publicDatabase
            try await database.create(ChatLine(room: "sea", text: "Calm."))
            let list = ChatList()
            let task = Task { try await list.follow("sea", in: live.administrator.publicDatabase) }
            var pauses = Pauses()
            while await list.lines.count < 1 { await pauses.pause() }
            let second = try await database.create(ChatLine(room: "sea", text: "Windy."))
            try await database.create(ChatLine(room: "dunes", text: "Quiet."))
            while await list.lines.first?.id != second.id { await pauses.pause() }
            #expect(await list.lines.map(\.text) == ["Windy.", "Calm."])
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        @Test func `changes are described, and a server without streams is polled`() async throws {
            let server = InMemoryServer(administratorToken: "all")
            let database = server.makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
            try await database.create(ChatLine(room: "sea", text: "Calm."))
            let query = Query<ChatLine>()
            for try await result in database.live(query, every: .seconds(5), atMost: .seconds(30)) {
                #expect(describe(result) == ["row 0 is new: Calm."])
                print(result.records.count)
                if !result.records.isEmpty { break }
            }
        }
    }

#endif
