import Foundation
import RecordWire
import Testing

/// Readers paste the commands of the README into a shell.
@Suite struct ReadmeTests {
    @Test func `the commands of the README work twice on one server, and show what it says`() throws {
        let blocks = try Shell.blocks(of: "README.md")
        let server = try ServerProcess()
        let run = try Shell.run(blocks + blocks, port: server.port)
        #expect(run.status == 0, "\(run.text)")
        try #require(blocks.count == 3 && run.responses.count == 6, "\(run.text)")
        #expect(!run.text.contains("serverErrorCode"), "\(run.text)")
        let shown = try JSONValue.parse(Array(try #require(Shell.blocks(of: "README.md", language: "json").first).utf8))
        for feed in [run.responses[2], run.responses[5]] {
            let lines = feed.split(separator: "\n").map { Array($0.utf8) }
            let page = try JSONValue.parse(try #require(lines.last))
            let changes = try #require(page["changes"]?.array)
            #expect(changes.count == 1)
            #expect(changes.first?.object?.keys == shown.object?.keys)
            #expect(changes.first?["recordName"] == shown["recordName"])
            #expect(changes.first?["fields"]?["likes"]?["value"]?.integer == 1)
        }
        let created = try JSONValue.parse(Array(run.responses[1].utf8))
        #expect(created["fields"] == shown["fields"])
    }
}

/// Readers paste the commands of the tutorial into a shell, in the order of the page.
@Suite struct TutorialTests {
    @Test func `the commands of the tutorial work twice on one server, and do what it says`() throws {
        let blocks = try Self.blocks()
        #expect(blocks.count >= 10)
        let server = try ServerProcess()
        let run = try Shell.run(blocks + blocks, port: server.port)
        #expect(run.status == 0, "\(run.text)")
        try #require(run.responses.count == 2 * blocks.count, "\(run.text)")
        for (block, response) in zip(blocks + blocks, run.responses) {
            #expect(!response.contains("serverErrorCode"), "\(block)\n\(response)")
            // A block that sends a request without storing the response prints it.
            #expect(!response.isEmpty || block.contains("=$"), "\(block)")
        }
        for round in 1...2 {
            try Self.examine(blocks, Array(run.responses[(round - 1) * blocks.count..<round * blocks.count]), round)
        }
        try Self.examineRights(port: server.port)
    }

    private static func examine(_ blocks: [String], _ responses: [String], _ round: Int) throws {
        func respond(to part: String) throws -> String {
            responses[try #require(blocks.firstIndex { $0.contains(part) }, "\(part)")]
        }
        let like = try respond(to: "increment\":1}}}'")
        #expect(like.contains(#""likes":{"value":1,"type":"INT64"}"#))
        let read = try respond(to: "fog -i ")
        #expect(read.hasPrefix("HTTP/1.1 200"))
        #expect(read.lowercased().contains("\netag: \""))
        let guarded = try respond(to: "If-Match")
        #expect(guarded.contains(#""title":{"value":"Hello, fog!","type":"STRING"}"#))
        let list = try respond(to: "?limit=")
        #expect(list.contains(#""recordName":"hello""#))
        #expect(!list.contains("harbour"), "A list of some fields shows only those")
        let query = try respond(to: "where=likes >= %d")
        #expect(query.contains(#""recordName":"hello""#) && query.contains(#""count":1"#), "\(query)")
        #expect(query.contains("INDEX_ADDED") == (round == 1), "Just in time: \(query)")
        let sets = try respond(to: "dryRun")
        #expect(sets.contains(#"{"matched":0,"deleted":0,"skipped":0,"dryRun":true}"#), "\(sets)")
        #expect(sets.contains(#"{"matched":1,"updated":1,"skipped":0}"#), "\(sets)")
        let feed = try respond(to: "since=")
        #expect(feed.contains(#"{"recordName":"hello","recordType":"Story","deleted":true}"#))
        #expect(feed.contains(#"{"recordName":"first","recordType":"Comment","deleted":true}"#))
        let secret = try respond(to: "database=private")
        let times = secret.components(separatedBy: "for my eyes only").count - 1
        #expect(times == 1 + round, "Written, and read again: \(secret)")
    }

    @Test func `the response that the tutorial explains has the keys and types of a real one`() throws {
        let blocks = try Self.blocks()
        let create = try #require(blocks.firstIndex { $0.contains("-X PUT $URL/records/Story/hello") })
        let server = try ServerProcess()
        let run = try Shell.run(Array(blocks[...create]), port: server.port)
        let real = try JSONValue.parse(Array(try #require(run.responses.last).utf8))
        let shown = try JSONValue.parse(Array(try #require(Shell.blocks(of: Self.page, language: "json").first).utf8))
        for path in [[], ["fields"], ["fields", "day"], ["created"], ["modified"]] {
            func keys(_ value: JSONValue) -> [String] {
                path.reduce(value) { $0[$1] ?? .null }.object?.keys ?? []
            }
            #expect(keys(shown) == keys(real), "\(path)")
        }
        #expect(shown["fields"] == real["fields"])
        #expect(shown["created"]?["deviceID"] == real["created"]?["deviceID"])
    }

    @Test func `sign-up with a taken name gives no token, and the shell reports it`() throws {
        let blocks = try Self.blocks()
        let enter = try #require(blocks.firstIndex { $0.contains("enter()") })
        let server = try ServerProcess()
        let foreign = blocks[enter].replacingOccurrences(of: "correct horse", with: "wrong horse")
        let run = try Shell.run(
            Array(blocks[...enter]) + ["{\n\(foreign)\n} 2> said", "echo \"<$ADA>\"; cat said"], port: server.port)
        #expect(run.responses.last?.hasPrefix("<>") == true, "\(run.text)")
        #expect(run.responses.last?.contains("AUTHENTICATION_FAILED") == true, "\(run.text)")
    }

    @Test func `the feed shows the post before it is deleted`() throws {
        let blocks = try Self.blocks()
        let end = try #require(blocks.firstIndex { $0.contains("since=") })
        let server = try ServerProcess()
        let run = try Shell.run(Array(blocks[..<end]) + ["fog $URL/changes"], port: server.port)
        #expect(run.status == 0, "\(run.text)")
        let feed = try JSONValue.parse(Array(try #require(run.responses.last).utf8))
        let changes = try #require(feed["changes"]?.array)
        // Besides the user record.
        let posts = changes.filter { $0["recordType"]?.string != "Users" }
        #expect(posts.compactMap { $0["recordName"]?.string } == ["first", "hello"])
        #expect(changes.last?["fields"]?["comments"]?["value"]?.integer == 1)
    }

    @Test func `a broken command is found`() throws {
        let server = try ServerProcess()
        var blocks = try Self.blocks()
        let create = try #require(blocks.firstIndex { $0.contains("-X PUT $URL/records/Story/hello") })
        blocks[create] = blocks[create].replacingOccurrences(of: "/records/Story/", with: "/record/Story/")
        let run = try Shell.run(blocks, port: server.port)
        #expect(run.status != 0 || run.responses.contains { $0.contains("serverErrorCode") })
    }

    /// Only the editor may create; everyone else reads.
    private static func examineRights(port: UInt16) throws {
        let client = try HTTPClient(port: port)
        let post = #"{"fields":{"title":"x"}}"#
        #expect(try client.send("POST", "/records/Story", post).status == 401)
        let signedIn = try client.send("POST", "/sessions", #"{"name":"ada","password":"correct horse"}"#)
        let token = try #require(signedIn.json?["token"]?.string)
        #expect(try client.send("POST", "/records/Story", post, token: token).status == 201)
        #expect(try client.send("GET", "/records/Story").status == 200)
    }

    private static let page = "Sources/fogbase/fogbase.docc/Tutorial.md"

    /// The `sh` blocks of the tutorial, in order.
    private static func blocks() throws -> [String] {
        try Shell.blocks(of: page)
    }
}
