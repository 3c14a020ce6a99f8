import HTTP
import RecordWire
import TestSupport
import Testing

/// Walks through pages while records change. The pages and the feed since the first page's token are one moment.
@Suite struct ConsistentWalkTests {
    @Test(arguments: ["/records/Post?limit=4", "/query/Post?limit=4&sort=n", "/records/Post?limit=4&expand=of"])
    func `a walk and the feed after it give the records of one moment`(_ target: String) async throws {
        let database = try await TestDatabase.make()
        var random = SeededGenerator(seed: UInt64(target.count))
        var truth: [String: Int64] = [:]
        func change() async {
            let name = "p\(Int.random(in: 0..<30, using: &random))"
            if Bool.random(using: &random), truth[name] != nil {
                let gone = await database.call(.delete, "/records/Post/\(name)", as: .creator)
                #expect(gone.status == 204)
                truth[name] = nil
            } else {
                let number = Int64.random(in: 0..<100, using: &random)
                let put = await database.call(
                    .put, "/records/Post/\(name)", as: .creator,
                    body: #"{"fields":{"n":\#(number),"of":{"recordName":"p1"}}}"#)
                #expect(put.status < 300, "\(put.text)")
                truth[name] = number
            }
        }
        for _ in 0..<40 { await change() }
        var copy: [String: Int64] = [:]
        var token: String?
        var cursor = ""
        repeat {
            let page = await database.call(
                .get, target + (cursor.isEmpty ? "&syncToken=true" : "&cursor=\(Self.escaped(cursor))"),
                as: .creator)
            try #require(page.status == 200, "\(page.text)")
            for record in page.records {
                copy[record["recordName"]?.string ?? ""] = record["fields"]?["n"]?["value"]?.integer
            }
            if cursor.isEmpty { token = try #require(page.json?["syncToken"]?.string, "\(page.text)") }
            #expect((page.json?["syncToken"] == nil) == !cursor.isEmpty)
            cursor = page.json?["cursor"]?.string ?? ""
            for _ in 0..<3 { await change() }
        } while !cursor.isEmpty
        // The pages alone differ from the records, or the test would show nothing.
        #expect(copy != truth)
        var since = try #require(token)
        var more = true
        while more {
            let feed = await database.call(
                .get, "/changes?limit=5&type=Post&since=\(Self.escaped(since))", as: .creator)
            try #require(feed.status == 200, "\(feed.text)")
            for record in feed.json?["changes"]?.array ?? [] {
                let name = record["recordName"]?.string ?? ""
                copy[name] = record["deleted"] == .bool(true) ? nil : record["fields"]?["n"]?["value"]?.integer
            }
            since = feed.json?["token"]?.string ?? ""
            more = feed.json?["moreComing"] == .bool(true)
        }
        #expect(copy == truth)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    @Test func `a query in the body asks for the token too`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/records/Post/a", as: .administrator, body: #"{"fields":{"n":1}}"#)
        let page = await database.call(.post, "/query", body: #"{"recordType":"Post","syncToken":true}"#)
        #expect(page.json?["syncToken"]?.string?.isEmpty == false, "\(page.text)")
        let wrong = await database.call(.post, "/query", body: #"{"recordType":"Post","syncToken":"yes"}"#)
        #expect(wrong.status == 400)
        #expect(await database.call(.get, "/query/Post?syncToken=maybe").status == 400)
    }
}
