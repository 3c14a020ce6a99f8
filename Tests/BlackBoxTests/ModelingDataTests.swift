import RecordWire
import Testing

/// Readers paste the commands of the page "Modeling data" into a shell, in its order.
@Suite struct ModelingDataTests {
    private static let page = "Sources/fogbase/fogbase.docc/ModelingData.md"
    /// What the page says in words: an app that already writes the new field.
    private static let newField = """
        fog -X PUT "$URL/records/Article/new" -H "Authorization: Bearer $TOKEN" \
          -d '{"fields":{"headline":"New","heading":"New"}}'
        """

    @Test func `the commands of the page do what it says`() throws {
        var blocks = try Shell.blocks(of: Self.page)
        let copy = try #require(blocks.firstIndex { $0.contains("\"copy\"") })
        #expect(copy == blocks.count - 2 && blocks.count == 12)
        blocks.insert(Self.newField, at: copy)
        let server = try ServerProcess()
        let client = try HTTPClient(port: server.port)
        let user = try client.send("POST", "/users", #"{"name":"ada","password":"correct horse"}"#)
        let run = try Shell.run(
            blocks, port: server.port,
            variables: [
                "TOKEN": try #require(user.json?["token"]?.string), "ADMIN": ServerProcess.administratorToken,
            ])
        try #require(run.status == 0 && run.responses.count == blocks.count, "\(run.text)")
        for (block, response) in zip(blocks, run.responses) {
            #expect(!response.contains("serverErrorCode"), "\(block)\n\(response)")
        }
        let week = try #require(zip(blocks, run.responses).first { $0.0.contains("/query/Event") }?.1)
        #expect(week.contains("Regatta"), "\(week)")
        #expect(run.responses[copy + 1].contains(#""matched":1,"updated":1"#), "\(run.responses[copy + 1])")
        #expect(run.responses[copy + 2].contains(#""matched":2,"updated":2"#), "\(run.responses[copy + 2])")
        let article = try client.send("GET", "/records/Article/anchors", token: ServerProcess.administratorToken)
        #expect(article.json?["fields"]?["heading"]?["value"] == "Hello", "\(article.text)")
        #expect(article.json?["fields"]?["headline"] == nil, "\(article.text)")
        let likes = try client.send("GET", "/records/Likes/anchors-likes", token: ServerProcess.administratorToken)
        #expect(likes.json?["fields"]?["good"]?["value"]?.integer == 1, "\(likes.text)")
        let types = try client.send(
            "GET", "/schema?environment=production", token: ServerProcess.administratorToken
        ).json?["types"]?.object?.keys
        #expect(Set(["Post", "Item", "Comment", "Likes", "Event"]).isSubset(of: types ?? []), "\(types ?? [])")
    }
}
