import HTTP
import RecordWire
import TestSupport
import Testing

/// Imports and exports.
@Suite struct TransferRoutesTests {
    /// Uploads a file, and returns its value.
    static func upload(
        _ test: TestDatabase, _ text: String, as who: TestDatabase.Who = .administrator, query: String = ""
    ) async throws -> String {
        let response = await test.call(
            .post, "/assets" + query, as: who, bytes: Array(text.utf8),
            headers: [("Content-Type", "application/octet-stream")])
        try #require(response.status == 201, "\(response.text)")
        return String(decoding: try #require(response.json?["asset"]).bytes, as: UTF8.self)
    }

    /// Imports a file, and returns the job as it has ended.
    static func importing(
        _ test: TestDatabase, _ text: String, _ options: String, as who: TestDatabase.Who = .administrator,
        query: String = ""
    ) async throws -> JSONValue {
        let file = try await upload(test, text, as: who, query: query)
        let response = await test.call(
            .post, "/imports" + query, as: who, body: #"{"file":\#(file),\#(options)}"#)
        try #require(response.status == 202, "\(response.text)")
        return try await end(test, response, as: who)
    }

    /// Waits until the job of a response has ended.
    static func end(
        _ test: TestDatabase, _ response: Response, as who: TestDatabase.Who = .administrator
    ) async throws -> JSONValue {
        let path = try #require(response.field("Location"))
        var pauses = Pauses()
        while true {
            let job = await test.call(.get, path, as: who).json
            guard ["queued", "running"].contains(job?["state"]?.string ?? "") else { return try #require(job) }
            await pauses.pause()
        }
    }

    static func rejections(_ test: TestDatabase, _ job: JSONValue) async -> [JSONValue] {
        let id = job["id"]?.string ?? ""
        return await test.call(.get, "/jobs/\(id)/rejections", as: .administrator).json?["rejections"]?.array ?? []
    }

    /// Exports records, and returns the file.
    static func exporting(
        _ test: TestDatabase, _ options: String, as who: TestDatabase.Who = .administrator
    ) async throws -> String {
        let response = await test.call(.post, "/exports", as: who, body: "{\(options)}")
        try #require(response.status == 202, "\(response.text)")
        let job = try await end(test, response, as: who)
        try #require(job["state"] == "succeeded", "\(job)")
        let file = await test.call(.get, "/jobs/\(job["id"]?.string ?? "")/file", as: who)
        #expect(file.status == 200 && file.text.utf8.count == job["bytes"]?.integer.map(Int.init), "\(job)")
        return file.text
    }

    @Test func `JSON lines become records, with dates and users by an administrator`() async throws {
        let test = try await TestDatabase.make()
        let ann = try #require(test.userNames[.creator])
        let lines = """
            {"recordName":"a","recordType":"Post","fields":{"title":{"value":"sea","type":"STRING"}},"created":{"timestamp":1000,"userRecordName":"\(ann)"}}

            {"recordName":"b","fields":{"title":"lake","likes":3}}
            {"fields":{"title":"river"}}
            """
        let job = try await Self.importing(test, lines, #""format":"jsonLines","recordType":"Post""#)
        #expect(job["state"] == "succeeded" && job["done"]?.integer == 3 && job["total"]?.integer == 3, "\(job)")
        let record = await test.call(.get, "/records/Post/a", as: .administrator).json
        #expect(
            record?["created"]?["timestamp"]?.integer == 1_000 && record?["created"]?["userRecordName"]?.string == ann)
        #expect(
            await test.call(.get, "/records/Post/b", as: .administrator).json?["fields"]?["likes"]?["type"] == "INT64")
        let log = await test.call(.get, "/audit?action=records.import", as: .administrator)
        #expect(log.json?["entries"]?.array?.count == 1 && log.text.contains(job["id"]?.string ?? "?"), "\(log.text)")
    }

    @Test func `rows of a table become records by the mapping, and the others are listed with their lines`()
        async throws
    {
        let test = try await TestDatabase.make()
        let table = "Nr;Titel;Preis\r\n007;\"Tee;\r\ngrün\";2,50\r\n008;Kaffee;viel\r\n009;Kakao;3\r\n007;Tee;1\r\n"
        let job = try await Self.importing(
            test, table,
            #"""
            "format":"table","table":{"separator":";"},"mapping":{"recordType":"Goods","columns":[
            {"column":"Nr","as":"recordName"},{"column":"Titel","field":"title","type":"STRING"},
            {"column":"Preis","field":"price","type":"DOUBLE","decimal":","}]}
            """#)
        #expect(job["state"] == "succeeded" && job["done"]?.integer == 2 && job["skipped"]?.integer == 2, "\(job)")
        let rejections = await Self.rejections(test, job)
        #expect(rejections.map { $0["line"]?.integer } == [4, 6], "\(rejections)")
        #expect(rejections.last?["serverErrorCode"] == "EXISTS", "\(rejections)")
        let tea = await test.call(.get, "/records/Goods/007", as: .administrator).json?["fields"]
        #expect(
            tea?["title"]?["value"] == "Tee;\r\ngrün" && tea?["price"]?["value"] == 2.5, "\(String(describing: tea))")
    }

    @Test(arguments: [("skip", "old", 0, 1), ("replace", "new", 1, 0), ("update", "new", 1, 0)])
    func `records that exist are treated as told`(
        existing: String, title: String, done: Int64, skipped: Int64
    ) async throws {
        let test = try await TestDatabase.make()
        await test.call(
            .put, "/records/Post/a", as: .administrator, body: #"{"fields":{"title":"old","likes":3}}"#)
        let job = try await Self.importing(
            test, #"{"recordName":"a","recordType":"Post","fields":{"title":"new"}}"#,
            #""format":"jsonLines","existing":"\#(existing)""#)
        #expect(job["done"]?.integer == done && job["skipped"]?.integer == skipped, "\(job)")
        let fields = await test.call(.get, "/records/Post/a", as: .administrator).json?["fields"]
        #expect(fields?["title"]?["value"]?.string == title)
        #expect((fields?["likes"] == nil) == (existing == "replace"))
        #expect(await Self.rejections(test, job).isEmpty)
    }

    @Test func `a dry run checks each row and writes nothing`() async throws {
        let test = try await TestDatabase.make()
        try await test.make([("a", #"{"title":"sea"}"#)], "Post")
        let job = try await Self.importing(
            test, "{\"recordName\":\"b\",\"fields\":{\"title\":\"x\"}}\n{\"fields\":{\"title\":4}}\nno JSON\n",
            #""format":"jsonLines","recordType":"Post","dryRun":true"#)
        #expect(job["done"]?.integer == 1 && job["skipped"]?.integer == 2, "\(job)")
        #expect(await Self.rejections(test, job).map { $0["line"]?.integer } == [2, 3])
        #expect(await test.call(.get, "/records/Post/b", as: .administrator).status == 404)
    }

    @Test func `an import ends when too many rows are rejected, and when the file cannot be read`() async throws {
        let test = try await TestDatabase.make()
        let many = try await Self.importing(
            test, String(repeating: "x\n", count: 30) + #"{"recordType":"Post","fields":{}}"#,
            #""format":"jsonLines","maxRejected":5"#)
        #expect(many["state"] == "failed" && many["error"]?["details"]?["limit"]?.integer == 5, "\(many)")
        let open = try await Self.importing(
            test, "a,b\n1,2\n\"never,ends\n",
            #"""
            "format":"table","mapping":{"recordType":"Goods","columns":[{"column":"a","field":"a","type":"STRING"}]}
            """#)
        #expect(open["state"] == "failed" && open["done"]?.integer == 1, "\(open)")
        #expect(open["error"]?["details"]?["line"]?.integer == 3, "\(open)")
    }

    @Test func `rows are written with the rights of the caller`() async throws {
        let test = try await TestDatabase.make()
        let job = try await Self.importing(
            test, #"{"recordName":"a","recordType":"Post","fields":{"title":"x"},"created":{"timestamp":1}}"#,
            #""format":"jsonLines""#, as: .creator)
        #expect(job["done"]?.integer == 1, "\(job)")
        let record = await test.call(.get, "/records/Post/a", as: .creator).json
        #expect(record?["created"]?["userRecordName"]?.string == test.userNames[.creator])
        #expect(record?["created"]?["timestamp"] != 1)
        let other = try await Self.importing(
            test, #"{"recordName":"a","recordType":"Post","fields":{"title":"y"}}"#,
            #""format":"jsonLines","existing":"replace""#, as: .stranger)
        #expect(other["done"]?.integer == 0 && other["skipped"]?.integer == 1, "\(other)")
        let file = try await Self.upload(test, "{}", as: .creator)
        let body = #"{"file":\#(file),"format":"jsonLines"}"#
        #expect(await test.call(.post, "/imports", as: .stranger, body: body).status == 400)
        #expect(await test.call(.post, "/imports", as: .anonymous, body: body).status == 400)
    }

    @Test func `an export has the records of a query in its order`() async throws {
        let test = try await TestDatabase.make()
        let rows = (0..<2_500).map { #"{"fields":{"number":\#($0),"title":"n\#($0)"}}"# }
        _ = try await Self.importing(test, rows.joined(separator: "\n"), #""format":"jsonLines","recordType":"Log""#)
        let lines = try await Self.exporting(
            test,
            #""format":"jsonLines","recordType":"Log","where":"number < 2400","sort":"-number","fields":["number"]"#)
        let numbers = try lines.split(separator: "\n").map { line in
            let record = try JSONValue.parse(Array(line.utf8))
            #expect(record["fields"]?.object?.keys == ["number"])
            return record["fields"]?["number"]?["value"]?.integer ?? -1
        }
        #expect(numbers == (0..<2_400).reversed())
    }

    @Test(arguments: ["jsonLines", "table"])
    func `an export of a type imports again, and its export is the same`(format: String) async throws {
        let test = try await TestDatabase.make()
        let rows = (0..<300).map {
            #"{"recordName":"r\#($0)","fields":{"number":\#($0),"title":"a, \"\#($0)\"\n","at":{"value":\#($0),"type":"TIMESTAMP"},"tags":["x","\#($0)"]}}"#
        }
        _ = try await Self.importing(test, rows.joined(separator: "\n"), #""format":"jsonLines","recordType":"Log""#)
        let options = #""format":"\#(format)","recordType":"Log","fields":["number","title","at","tags"]"#
        let file = try await Self.exporting(test, options)
        let other = try await TestDatabase.make()
        var more = ""
        if format == "table" {
            let upload = try await Self.upload(other, file)
            let preview = await other.call(
                .post, "/imports/preview", as: .administrator,
                body: #"{"file":\#(upload),"format":"table","recordType":"Log"}"#)
            try #require(preview.status == 200, "\(preview.text)")
            #expect(preview.json?["rows"]?.array?.count == 20 && preview.json?["problems"] == [], "\(preview.text)")
            for key in ["table", "mapping"] {
                more += #","\#(key)":\#(String(decoding: preview.json?[key]?.bytes ?? [], as: UTF8.self))"#
            }
        }
        let job = try await Self.importing(other, file, #""format":"\#(format)""# + more)
        #expect(job["done"]?.integer == 300 && job["skipped"]?.integer == 0, "\(job)")
        let again = try await Self.exporting(other, options)
        guard format == "table" else {
            #expect(again.split(separator: "\n").count == 300)
            return
        }
        #expect(again == file)
    }

    @Test func `an import goes on after a restart and writes no row twice`() async throws {
        let test = try await TestDatabase.make()
        let lines = (0..<20_000).map { #"{"fields":{"number":\#($0)}}"# }.joined(separator: "\n")
        let file = try await Self.upload(test, lines)
        let started = await test.call(
            .post, "/imports", as: .administrator, body: #"{"file":\#(file),"format":"jsonLines","recordType":"Log"}"#)
        let path = try #require(started.field("Location"))
        var restarts = 0
        while true {
            let job = await test.call(.get, path, as: .administrator).json
            guard job?["state"] != "succeeded" else { break }
            try #require(["queued", "running"].contains(job?["state"]?.string ?? ""), "\(String(describing: job))")
            if restarts < 3, (job?["done"]?.integer ?? 0) > 0 {
                try await test.restart()
                restarts += 1
            }
            await Task.yield()
        }
        #expect(restarts > 0)
        let query = await test.call(.get, "/query/Log?count=true&limit=1", as: .administrator)
        #expect(query.json?["count"]?.integer == 20_000, "\(query.text)")
    }

    @Test func `JSON lines in UTF-16 are previewed as they are imported`() async throws {
        let test = try await TestDatabase.make()
        let text = #"{"recordName":"a","fields":{"title":"霧"}}"# + "\n" + "nonsense\n"
        let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let upload = await test.call(.post, "/assets", as: .administrator, bytes: bytes)
        let file = String(decoding: try #require(upload.json?["asset"]).bytes, as: UTF8.self)
        let preview = await test.call(
            .post, "/imports/preview", as: .administrator,
            body: #"{"file":\#(file),"format":"jsonLines","recordType":"Post","encoding":"UTF-16LE"}"#)
        #expect(preview.json?["records"]?.array?.first?["fields"]?["title"] == "霧", "\(preview.text)")
        #expect(preview.json?["problems"]?.array?.map { $0["line"]?.integer } == [2], "\(preview.text)")
    }
}
