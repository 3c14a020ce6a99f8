import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordStorage
import StoreTestSupport
import Testing
import Threads

/// A store that makes its readers wait, like a store on a network. No layer above it may assume that readers run on the
/// loop's thread or that their statements never fail.
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

    @Test func `readers do no work on the thread of a loop`() async throws {
        let names = Locked<Set<String>>([])
        let database = try await Self.forum(
            StoreFaults {
                let name = Self.threadName
                names.withLock { _ = $0.insert(name) }
            })
        for target in Self.reads {
            for who in [TestDatabase.Who.administrator, .creator] {
                let response = await database.call(.get, target, as: who)
                #expect([200, 400, 403].contains(response.status), "\(target): \(response.text)")
            }
        }
        let seen = names.withLock { $0 }
        #expect(!seen.isEmpty)
        #expect(
            seen.allSatisfy { $0.hasPrefix("fog-read-") || $0.hasPrefix("fog-page-") || $0.hasPrefix("fog-query-") })
        await database.registry.close()
    }

    @Test func `concurrent readers get only permitted records, and none after their rights end`() async throws {
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
                group.addTask { Response(await api.respond(to: number % 2 == 0 ? secret : post, in: context)).status }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(statuses == [200])
        let ended = await database.call(.put, "/roles/editors", as: .administrator, body: #"{"members":[]}"#)
        #expect(ended.status == 200)
        for _ in 0..<6 {
            #expect(Response(await api.respond(to: secret, in: context)).status == 404)
        }
        await database.registry.close()
    }

    @Test func `a failing read fails only its own request`() async throws {
        let faults = StoreFaults()
        let database = try await Self.forum(faults)
        for step in 0..<12 {
            for target in Self.reads {
                let plan = FaultPlan(failAt: step, with: StoreFailure(.other, "lost"))
                faults.plan = plan
                let response = await database.call(.get, target, as: .administrator)
                faults.plan = nil
                if plan.hasFired {
                    #expect(
                        [200, 400, 500, 503].contains(response.status), "\(target), step \(step): \(response.text)")
                }
                let again = await database.call(.get, target, as: .administrator)
                #expect([200, 400, 403].contains(again.status), "\(target) after step \(step): \(again.text)")
            }
        }
        await database.registry.close()
    }
}
