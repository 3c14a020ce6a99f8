import Foundation
import HTTP
import RecordEngine
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// A follower of event streams against the tables, in random histories of writes, revocations and reconnections.
@Suite struct EventStreamModelTests {
    /// What a follower has: the newest state of each record by its stream alone.
    private struct Copy {
        var records: [String: String] = [:]
        var resets = 0

        mutating func take(_ event: StreamReader.Event) throws {
            switch event.name {
            case "reset":
                let reason = event.json?["reason"]?.string ?? ""
                #expect(reason.hasPrefix("The caller's rights have changed"), "\(event)")
                records = [:]
                resets += 1
            case "caughtup": break
            case "leave": records[try #require(event.record)] = nil
            case "change":
                let json = try #require(event.json)
                let name = try #require(event.record)
                records[name] = json["deleted"]?.bool == true ? nil : json["recordChangeTag"]?.string
            default: Issue.record("\(event)")
            }
        }
    }

    /// One follower: a caller, what it follows, and its copy.
    private final class Follower {
        let who: TestDatabase.Who
        let query: String
        /// The same selection as a query.
        let condition: String
        var stream: StreamReader
        private var id: String?
        var copy = Copy()

        init(_ who: TestDatabase.Who, where condition: String, _ database: TestDatabase) async throws {
            self.who = who
            self.condition = condition.isEmpty ? "" : "&where=" + PathSegment.encode(condition)
            query = "?type=Post" + self.condition
            stream = try await database.stream(query, as: who)
        }

        func read() async throws {
            for event in try await stream.read() { try copy.take(event) }
        }

        /// Continues with the last id, as after a lost connection.
        func reconnect(_ database: TestDatabase) async throws {
            stream.leave()
            id = stream.lastID ?? id
            stream = try await database.stream(query, as: who, after: id)
        }
    }

    @Test(arguments: 0..<24) func `followers end with what their callers may see`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed) + 1)
        let database = try await TestDatabase.make()
        try await database.addForum()
        // Adds the index that the queries at the end need.
        await database.call(.get, "/query/Post?where=good%20%3E%3D%205", as: .administrator)
        var followers: [Follower] = []
        for who in [TestDatabase.Who.anonymous, .stranger, .creator, .member, .administrator] {
            for condition in ["", "good >= 5"] {
                followers.append(try await Follower(who, where: condition, database))
            }
        }
        let grants = [
            #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["READ","WRITE"]}"#,
            #"{"_icloud":["CREATE"],"_creator":["READ","WRITE"],"_world":["READ"],"editors":["READ","WRITE"]}"#,
        ]
        let lists = [
            "null", #"{"{creator}":["READ","WRITE"]}"#, #"{"{creator}":["READ","WRITE"],"{stranger}":["READ"]}"#,
            #"{"{creator}":["READ","WRITE"],"editors":["READ"]}"#,
        ]
        var grantChanges = 0
        var roleChanges = 0
        for step in 0..<60 {
            let number = Int.random(in: 0..<6, using: &random)
            // Some records are written once: a follower that misses the only change of one lacks it for good.
            let name = step % 8 == 5 ? "once\(step)" : "r\(number)"
            let good = Int.random(in: 0..<10, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                await database.call(
                    .put, "/records/Post/\(name)", as: .creator, body: #"{"fields":{"good":\#(good)}}"#)
            case 8..<11: await database.call(.delete, "/records/Post/\(name)", as: .creator)
            case 11..<14:
                let list = lists.randomElement(using: &random) ?? "null"
                await database.call(.patch, "/records/Post/\(name)", as: .creator, body: #"{"acl":\#(list)}"#)
            case 14:
                grantChanges += 1
                let new = grants.randomElement(using: &random) ?? ""
                await database.call(.put, "/grants/Post", as: .administrator, body: #"{"grants":\#(new)}"#)
            case 15:
                roleChanges += 1
                let members = Bool.random(using: &random) ? #"["{member}"]"# : #"["{member}","{stranger}"]"#
                await database.call(
                    .put, "/roles/editors", as: .administrator, body: #"{"members":\#(members)}"#)
            case 16..<18: try await followers.randomElement(using: &random)?.read()
            default: try await followers.randomElement(using: &random)?.reconnect(database)
            }
        }
        for follower in followers {
            // A loss of rights ends a stream's token while it is read.
            try await follower.read()
            let page = await database.call(
                .get, "/query/Post?limit=100" + follower.condition, as: follower.who)
            #expect(page.status == 200, "\(page.text)")
            var expected: [String: String] = [:]
            for record in page.records {
                expected[try #require(record["recordName"]?.string)] = record["recordChangeTag"]?.string
            }
            #expect(follower.copy.records == expected, "\(follower.who) \(follower.condition)")
            let causes =
                switch follower.who {
                case .administrator: 0
                case .anonymous: grantChanges
                default: grantChanges + roleChanges
                }
            #expect(follower.copy.resets <= causes, "\(follower.who) \(follower.condition)")
        }
    }
}
