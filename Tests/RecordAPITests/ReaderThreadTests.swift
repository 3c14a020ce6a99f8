import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordStorage
import StoreTestSupport
import Testing
import Threads

/// A store that makes its readers wait, as one behind a network does. Nothing above it may depend on readers being on the
/// loop's thread, or on their statements never failing.
@Suite struct ReaderThreadTests {
    private static let reads = [
        "/records/Post", "/records/Post/p1", "/records/Post/p1?fields=title",
        "/query/Post?where=title+%3D%3D+%27sea%27",
        "/query/Post?where=title+%3D%3D+%27sea%27&count=true", "/changes", "/users/me", "/roles", "/roles/editors",
        "/schema",
        "/keys", "/users", "/invitations", "/sessions",
    ]

    private static func forum(_ faults: StoreFaults) async throws -> TestDatabase {
        let database = try await TestDatabase.make(drivers: StoreDrivers(reader: faults.makeDriver)) {
            $0.readerThreads = 3
        }
        try await database.addForum()
        return database
    }

    private static var threadName: String {
        let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    }

    @Test func `readers take no step on the thread of a loop`() async throws {
        let names = Locked<Set<String>>([])
        let database = try await Self.forum(
            StoreFaults {
                let name = Self.threadName
                names.withLock { _ = $0.insert(name) }
            })
        for target in Self.reads {
            for who in [TestDatabase.Who.administrator, .creator] {
                let answer = await database.call(.get, target, as: who)
                #expect([200, 400, 403].contains(answer.status), "\(target): \(answer.text)")
            }
        }
        let seen = names.withLock { $0 }
        #expect(!seen.isEmpty)
        #expect(
            seen.allSatisfy { $0.hasPrefix("fog-read-") || $0.hasPrefix("fog-page-") || $0.hasPrefix("fog-query-") })
        await database.registry.close()
    }

    @Test func `many at once get what they may have, and one whose rights end gets no more`() async throws {
        let database = try await Self.forum(StoreFaults { sched_yield() })
        let context = database.context
        let api = database.api
        func request(_ target: String, _ who: TestDatabase.Who) throws -> HTTPRequest {
            var fields = HTTPFields()
            if let token = database.tokens[who] { fields.append(.authorization, "Bearer \(token)") }
            return HTTPRequest(
                method: .get, target: try #require(RequestTarget(target)), fields: fields, body: .empty, id: "request-1"
            )
        }
        let secret = try request("/records/Secret/s1", .member)
        let post = try request("/records/Post/p1", .stranger)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask { Answer(await api.respond(to: number % 2 == 0 ? secret : post, in: context)).status }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(statuses == [200])
        let ended = await database.call(.put, "/roles/editors", as: .administrator, body: #"{"members":[]}"#)
        #expect(ended.status == 200)
        for _ in 0..<6 {
            #expect(Answer(await api.respond(to: secret, in: context)).status == 404)
        }
        await database.registry.close()
    }

    @Test func `a step of a reader that fails fails its request alone`() async throws {
        let faults = StoreFaults()
        let database = try await Self.forum(faults)
        for step in 0..<12 {
            for target in Self.reads {
                let plan = FaultPlan(failAt: step, with: StoreFailure(.other, "lost"))
                faults.plan = plan
                let answer = await database.call(.get, target, as: .administrator)
                faults.plan = nil
                if plan.hasFired {
                    #expect([200, 400, 500, 503].contains(answer.status), "\(target), step \(step): \(answer.text)")
                }
                let again = await database.call(.get, target, as: .administrator)
                #expect([200, 400, 403].contains(again.status), "\(target) after step \(step): \(again.text)")
            }
        }
        await database.registry.close()
    }
}
