import Foundation
import RecordWire
import Testing

/// The README is pasted into shells. What it shows must work, in the order in which it is shown.
@Suite struct ReadmeTests {
    @Test func `what the README pastes into a shell works, and does what is said above it`() throws {
        let blocks = try Self.blocks()
        #expect(blocks.count >= 10)
        let server = try ServerProcess()
        let run = try Shell.run(blocks, port: server.port)
        #expect(run.status == 0, "\(run.text)")
        #expect(run.answers.count == blocks.count, "\(run.text)")
        for (block, answer) in zip(blocks, run.answers) {
            #expect(!answer.contains("serverErrorCode"), "\(block)\n\(answer)")
            // A block that asks and does not keep the answer shows it.
            #expect(!answer.isEmpty || block.contains("=$"), "\(block)")
        }

        let like = try #require(Self.answer(to: "increment\":1}}}'", blocks, run))
        #expect(like.contains(#""likes":{"value":1,"type":"INT64"}"#))
        let read = try #require(Self.answer(to: "fog -i ", blocks, run))
        #expect(read.hasPrefix("HTTP/1.1 200"))
        #expect(read.lowercased().contains("\netag: \""))
        let guarded = try #require(Self.answer(to: "If-Match", blocks, run))
        #expect(guarded.contains(#""title":{"value":"Hello, fog!","type":"STRING"}"#))
        let list = try #require(Self.answer(to: "?limit=", blocks, run))
        #expect(list.contains(#""recordName":"hello""#))
        #expect(!list.contains("harbour"), "A list of some fields shows only those")
        let query = try #require(Self.answer(to: "where=likes >= %d", blocks, run))
        #expect(query.contains(#""recordName":"hello""#) && query.contains(#""count":1"#), "\(query)")
        #expect(query.contains("INDEX_ADDED"), "Just in time: \(query)")
        let sets = try #require(Self.answer(to: "dryRun", blocks, run))
        #expect(sets.contains(#"{"matched":0,"deleted":0,"skipped":0,"dryRun":true}"#), "\(sets)")
        #expect(sets.contains(#"{"matched":1,"updated":1,"skipped":0}"#), "\(sets)")
        let feed = try #require(Self.answer(to: "since=", blocks, run))
        #expect(feed.contains(#"{"recordName":"hello","recordType":"Post","deleted":true}"#))
        #expect(feed.contains(#"{"recordName":"first","recordType":"Comment","deleted":true}"#))
        let secret = try #require(Self.answer(to: "database=private", blocks, run))
        #expect(secret.components(separatedBy: "for my eyes only").count == 3, "Written, and read again: \(secret)")

        try Self.examineRights(port: server.port)
    }

    @Test func `the feed shows the post before it is deleted`() throws {
        let blocks = try Self.blocks()
        let end = try #require(blocks.firstIndex { $0.contains("since=") })
        let server = try ServerProcess()
        let run = try Shell.run(Array(blocks[..<end]) + ["fog $URL/changes"], port: server.port)
        #expect(run.status == 0, "\(run.text)")
        let feed = try JSONValue.parse(Array(try #require(run.answers.last).utf8))
        let changes = try #require(feed["changes"]?.array)
        // Besides the user record.
        let posts = changes.filter { $0["recordType"]?.string != "Users" }
        #expect(posts.compactMap { $0["recordName"]?.string } == ["first", "hello"])
        #expect(changes.last?["fields"]?["comments"]?["value"]?.integer == 1)
    }

    @Test func `a line of the README that is broken is found`() throws {
        let server = try ServerProcess()
        var blocks = try Self.blocks()
        let create = try #require(blocks.firstIndex { $0.contains("/records/Post ") })
        blocks[create] = blocks[create].replacingOccurrences(of: "/records/Post ", with: "/record/Post ")
        let run = try Shell.run(blocks, port: server.port)
        #expect(run.status != 0 || run.answers.contains { $0.contains("serverErrorCode") })
    }

    /// Only the editor may create; everybody else reads.
    private static func examineRights(port: UInt16) throws {
        let client = try HTTPClient(port: port)
        let post = #"{"fields":{"title":"x"}}"#
        #expect(try client.send("POST", "/records/Post", post).status == 401)
        let signedIn = try client.send("POST", "/sessions", #"{"name":"ada","password":"correct horse"}"#)
        let token = try #require(signedIn.json?["token"]?.string)
        #expect(try client.send("POST", "/records/Post", post, token: token).status == 201)
        #expect(try client.send("GET", "/records/Post").status == 200)
    }

    /// The `sh` blocks of the README, in order.
    private static func blocks() throws -> [String] {
        try Shell.blocks(of: "README.md")
    }

    /// What the first block printed that holds a text.
    private static func answer(to part: String, _ blocks: [String], _ run: Shell.Run) -> String? {
        blocks.firstIndex { $0.contains(part) }.flatMap { $0 < run.answers.count ? run.answers[$0] : nil }
    }
}
