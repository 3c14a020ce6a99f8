import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// `assets/upload`, the upload itself, saving of receipts, reading and `assets/rereference`.
@Suite struct CloudKitAssetTests {
    /// Asks for an upload URL of `Post.photo` and returns its path.
    static func permit(
        _ client: CloudKitClient, user: String?, record: String = "a", field: String = "photo",
        database: String = "public"
    ) async throws -> String {
        let response = await client.call(
            .post, "\(database)/assets/upload", user: user,
            body: #"{"tokens":[{"recordType":"Post","fieldName":"\#(field)","recordName":"\#(record)"}]}"#)
        return try path(of: try #require(response.json?["tokens"]?.array?.first?["url"]?.string, "\(response.text)"))
    }

    /// The path of an absolute URL, in the form in which a client sends it.
    static func path(of url: String) throws -> String {
        #expect(url.hasPrefix("http://"), "\(url)")
        let rest = url.dropFirst("http://".count)
        return String(rest[try #require(rest.firstIndex(of: "/"))...])
    }

    /// Uploads a text and returns the value for a field as JSON.
    static func upload(
        _ client: CloudKitClient, user: String?, record: String = "a", text: String = "hello"
    ) async throws -> String {
        let path = try await permit(client, user: user, record: record)
        let response = await client.test.call(.post, path, body: text)
        return String(decoding: try #require(response.json?["singleFile"], "\(response.text)").bytes, as: UTF8.self)
    }

    static func save(
        _ client: CloudKitClient, user: String, _ value: String, record: String = "a", type: String = "Post",
        field: String = "photo", database: String = "public", operation: String = "forceUpdate"
    ) async -> Response {
        await client.call(
            .post, "\(database)/records/modify", user: user,
            body: CloudKitModifyRouteTests.body(
                CloudKitModifyRouteTests.operation(
                    operation,
                    #""recordName":"\#(record)","recordType":"\#(type)","fields":{"\#(field)":{"value":\#(value)}}"#)))
    }

    @Test func `an asset goes up, into a record, and down again`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let tokens = await client.call(
            .post, "public/assets/upload", user: user,
            body:
                #"{"tokens":[{"recordType":"Post","fieldName":"photo","recordName":"a"},{"recordType":"Post","fieldName":"photo"}],"zoneID":{"zoneName":"_defaultZone"}}"#
        )
        let list = try #require(tokens.json?["tokens"]?.array, "\(tokens.text)")
        #expect(
            list.map { $0.object?.keys } == [["recordName", "fieldName", "url"], ["recordName", "fieldName", "url"]])
        #expect(list[0]["recordName"] == "a" && list[0]["fieldName"] == "photo")
        #expect(list[1]["recordName"]?.string?.count == 36)
        let path = try Self.path(of: try #require(list[0]["url"]?.string))
        let uploaded = await client.test.call(.post, path, body: "hello", headers: [("Content-Type", "image/png")])
        #expect(uploaded.status == 200, "\(uploaded.text)")
        let file = try #require(uploaded.json?["singleFile"])
        #expect(file.object?.keys == ["fileChecksum", "receipt", "size", "wrappingKey", "referenceChecksum"])
        #expect(file["size"] == 5)
        for key in ["fileChecksum", "receipt", "wrappingKey", "referenceChecksum"] {
            #expect(file[key]?.string?.isEmpty == false, "\(key)")
        }
        let saved = await Self.save(
            client, user: user, String(decoding: file.bytes, as: UTF8.self), operation: "create")
        let value = try #require(saved.records.first?["fields"]?["photo"], "\(saved.text)")
        #expect(value["type"] == "ASSETID")
        #expect(value["value"]?.object?.keys == ["fileChecksum", "size", "downloadURL"])
        let url = try Self.path(of: try #require(value["value"]?["downloadURL"]?.string))
        #expect(await client.test.call(.get, url).text == "hello")
        // Clients replace the last segment, or send the placeholder as it is.
        let slash = try #require(url.lastIndex(of: "/"))
        let base = url[...slash]
        for name in ["photo.png", "${f}", "%24%7Bf%7D", "a%20b.jpg"] {
            let response = await client.test.call(.get, base + name)
            #expect(response.status == 200 && response.text == "hello", "\(name): \(response.text)")
            #expect(response.field("Content-Disposition")?.contains("filename") != true, "\(name)")
        }
        #expect(await client.test.call(.get, String(base.dropLast())).text == "hello")
        let wrong = base.dropLast(5) + "AAAA/x"
        #expect(await client.test.call(.get, String(wrong)).status == 404)
    }

    @Test func `a native URL keeps its file name`() async throws {
        let client = try await CloudKitClient.make()
        let uploaded = await client.test.call(.post, "/assets?filename=a.txt", as: .creator, body: "hello")
        let url = try #require(uploaded.json?["asset"]?["downloadURL"]?.string)
        #expect(await client.test.call(.get, url).status == 200)
        #expect(await client.test.call(.get, url.replacing("a.txt", with: "b.txt")).status == 404)
    }

    @Test(arguments: [HTTPMethod.post, .put]) func `bytes come raw or in a form`(method: HTTPMethod) async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let form = """
            --XX\r\nContent-Disposition: form-data; name="note"\r\n\r\nskipped\r
            --XX\r\nContent-Disposition: form-data; name="files"; filename="file.file"\r
            Content-Type: application/octet-stream\r\n\r\nhello\r\n--XX--\r\n
            """
        for (body, type) in [
            ("hello", "application/octet-stream"), ("hello", "text/plain"),
            ("hello", "application/x-www-form-urlencoded"), (form, "multipart/form-data; boundary=XX"),
        ] {
            let path = try await Self.permit(client, user: user)
            let response = await client.test.call(method, path, body: body, headers: [("Content-Type", type)])
            #expect(response.status == 200, "\(type): \(response.text)")
            #expect(response.json?["singleFile"]?["size"] == 5, "\(type): \(response.text)")
        }
        let empty = try await Self.permit(client, user: user)
        let none = await client.test.call(
            method, empty, body: "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--XX--\r\n",
            headers: [("Content-Type", "multipart/form-data; boundary=XX")])
        #expect(none.status == 400 && none.code == "BAD_REQUEST", "\(none.text)")
    }

    @Test func `pages of any origin may send bytes to a URL`() async throws {
        let client = try await CloudKitClient.make(token: #","origins":["https://app.example.org"]"#)
        let user = try await client.signIn()
        let path = try await Self.permit(client, user: user)
        let origin = ("Origin", "https://other.example.org")
        let preflight = await client.test.call(
            .options, path, headers: [origin, ("Access-Control-Request-Method", "POST")])
        #expect(preflight.field("Access-Control-Allow-Origin") == "*", "\(preflight.fields)")
        let response = await client.test.call(.post, path, body: "x", headers: [origin])
        #expect(response.field("Access-Control-Allow-Origin") == "*")
        #expect(response.route.hasSuffix("/assets/upload/{permission}"))
    }

    @Test func `a server-to-server key uploads as itself`() async throws {
        let client = try await CloudKitClient.make()
        let type = await client.test.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Post":{"fields":{"photo":{"type":"ASSET"}}}}}"#)
        try #require(type.status == 200, "\(type.text)")
        let tokens = try await client.signed(
            .post, "public/assets/upload",
            body: #"{"tokens":[{"recordType":"Post","fieldName":"photo","recordName":"k"}]}"#)
        let path = try Self.path(
            of: try #require(tokens.json?["tokens"]?.array?.first?["url"]?.string, "\(tokens.text)"))
        let uploaded = await client.test.call(.post, path, body: "hello")
        let value = String(
            decoding: try #require(uploaded.json?["singleFile"], "\(uploaded.text)").bytes, as: UTF8.self)
        let body = CloudKitModifyRouteTests.body(
            CloudKitModifyRouteTests.operation(
                "create", #""recordName":"k","recordType":"Post","fields":{"photo":{"value":\#(value)}}"#))
        let saved = try await client.signed(.post, "public/records/modify", body: body)
        #expect(saved.records.first?["fields"]?["photo"]?["value"]?["size"] == 5, "\(saved.text)")
    }

    @Test func `a URL that was not made here is not found`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let path = try await Self.permit(client, user: user)
        for wrong in [path.dropLast() + "_", "\(CloudKitClient.root)/public/assets/upload/x"] {
            let response = await client.test.call(.post, String(wrong), body: "x")
            #expect(response.status == 404 && response.code == "NOT_FOUND", "\(response.text)")
        }
    }

    @Test func `a URL ends with its user`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let path = try await Self.permit(client, user: user)
        let disabled = await client.test.call(
            .patch, "/users/{creator}", as: .administrator, body: #"{"disabled":true}"#)
        try #require(disabled.status == 200)
        #expect(await client.test.call(.post, path, body: "x").status == 401)
    }

    @Test func `a caller without permission gets no URL`() async throws {
        let client = try await CloudKitClient.make()
        let body = #"{"tokens":[{"recordType":"Post","fieldName":"photo"}]}"#
        #expect(await client.call(.post, "public/assets/upload", body: body).status == 421)
        #expect(await client.call(.post, "private/assets/upload", body: body).status == 421)
        let many = (0...200).map { _ in #"{"recordType":"Post","fieldName":"photo"}"# }.joined(separator: ",")
        let user = try await client.signIn()
        for (body, status) in [
            (#"{"tokens":[\#(many)]}"#, 400), ("{}", 400), (#"{"tokens":[{"recordType":"Post"}]}"#, 400),
            (#"{"tokens":[{"recordType":"Post","fieldName":"photo"}],"zoneID":{"zoneName":"Other"}}"#, 404),
        ] {
            let response = await client.call(.post, "public/assets/upload", user: user, body: body)
            #expect(response.status == status, "\(response.text)")
        }
    }

    @Test func `a file that is too large exceeds the quota`() async throws {
        var limits = DatabaseLimits()
        limits.assetBytes = 4
        let test = try await TestDatabase.make(limits: limits)
        let made = await test.call(.post, "/cloudkit/tokens", as: .administrator, body: #"{"name":"App"}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        let signedIn = await test.call(
            .post, "/cloudkit/sign-in/\(made.json?["id"]?.string ?? "")",
            body: #"{"name":"ann","password":"correct horse"}"#)
        let user = try #require(signedIn.json?["webAuthToken"]?.string, "\(signedIn.text)")
        let response = await test.call(
            .post, "\(CloudKitClient.root)/public/assets/upload?ckAPIToken=\(token)&ckWebAuthToken=\(user)",
            body: #"{"tokens":[{"recordType":"Post","fieldName":"photo"}]}"#)
        let path = try Self.path(
            of: try #require(response.json?["tokens"]?.array?.first?["url"]?.string, "\(response.text)"))
        let tooLarge = await test.call(.post, path, body: "hello")
        #expect(tooLarge.status == 413 && tooLarge.code == "QUOTA_EXCEEDED", "\(tooLarge.text)")
    }

    @Test func `a receipt is for one field of one record`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        // Fields become assets with their first value.
        let first = try await Self.upload(client, user: user)
        #expect(await Self.save(client, user: user, first).records.first?["serverErrorCode"] == nil)
        let value = try await Self.upload(client, user: user, text: "other")
        func code(_ response: Response) -> String? { response.records.first?["serverErrorCode"]?.string }
        #expect(code(await Self.save(client, user: user, value, record: "b")) == "BAD_REQUEST")
        #expect(code(await Self.save(client, user: user, value, field: "other")) == "BAD_REQUEST")
        #expect(code(await Self.save(client, user: user, value, type: "Other")) == "CONFLICT")
        #expect(code(await Self.save(client, user: user, value, database: "private")) == "BAD_REQUEST")
        let size = value.replacing(#""size":5"#, with: #""size":6"#)
        #expect(code(await Self.save(client, user: user, size)) == "BAD_REQUEST")
        let checksum = try #require(try JSONValue.parse(Array(first.utf8))["fileChecksum"]?.string)
        let own = try #require(try JSONValue.parse(Array(value.utf8))["fileChecksum"]?.string)
        #expect(
            code(await Self.save(client, user: user, value.replacing(own, with: checksum))) == "BAD_REQUEST")
        #expect(code(await Self.save(client, user: user, value)) == nil)
        // A value that was read has no receipt, and stays where it is.
        let lookup = await client.call(
            .post, "public/records/lookup", user: user, body: #"{"records":[{"recordName":"a"}]}"#)
        let read = try #require(lookup.records.first?["fields"]?["photo"]?["value"])
        let text = String(decoding: read.bytes, as: UTF8.self)
        #expect(code(await Self.save(client, user: user, text)) == nil)
        #expect(code(await Self.save(client, user: user, text, record: "b")) == "BAD_REQUEST")
    }

    @Test func `a receipt belongs to its uploader, and the native interface takes it too`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let value = try await Self.upload(client, user: user, record: "n")
        let keys = ["wrappingKey", "referenceChecksum"]
        let body = #"{"fields":{"photo":{"value":\#(value),"type":"ASSET"}}}"#
        #expect(keys.allSatisfy(value.contains))
        #expect(await client.test.call(.put, "/records/Post/n", as: .stranger, body: body).status == 400)
        #expect(await client.test.call(.put, "/records/Post/m", as: .creator, body: body).status == 400)
        #expect(await client.test.call(.put, "/records/Post/n", as: .creator, body: body).status == 201)
    }

    @Test func `assets of a list each have a receipt`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let one = try await Self.upload(client, user: user, text: "one")
        let two = try await Self.upload(client, user: user, text: "two!")
        let saved = await Self.save(client, user: user, "[\(one),\(two)]")
        let list = try #require(saved.records.first?["fields"]?["photo"], "\(saved.text)")
        #expect(list["type"] == "ASSETID_LIST")
        #expect(list["value"]?.array?.map { $0["size"] } == [3, 4])
    }

    @Test func `an existing asset is written to another record`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let value = try await Self.upload(client, user: user)
        #expect(await Self.save(client, user: user, value).records.first?["serverErrorCode"] == nil)
        let response = await client.call(
            .post, "public/assets/rereference", user: user,
            body:
                #"{"assets":[{"recordName":"a","fieldName":"photo","recordType":"Post"},{"recordName":"none","fieldName":"photo"},{"recordName":"a","fieldName":"none"}],"zoneID":{"zoneName":"_defaultZone"}}"#
        )
        let assets = try #require(response.json?["assets"]?.array, "\(response.text)")
        #expect(assets.map { $0["serverErrorCode"]?.string } == [nil, "NOT_FOUND", "NOT_FOUND"], "\(response.text)")
        #expect(assets[1].object?.keys == ["recordName", "fieldName", "reason", "serverErrorCode", "uuid"])
        let other = String(decoding: assets[0].bytes, as: UTF8.self)
        let saved = await Self.save(client, user: user, other, record: "b", field: "cover")
        #expect(saved.records.first?["fields"]?["cover"]?["value"]?["size"] == 5, "\(saved.text)")
        // The bytes are there as long as one record refers to them.
        _ = await client.call(
            .post, "public/records/modify", user: user,
            body: CloudKitModifyRouteTests.body(
                CloudKitModifyRouteTests.operation("forceDelete", #""recordName":"a""#)))
        let url = try #require(saved.records.first?["fields"]?["cover"]?["value"]?["downloadURL"]?.string)
        #expect(await client.test.call(.get, try Self.path(of: url)).text == "hello")
    }

    @Test func `an asset that the caller may not read is not referenced`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let value = try await Self.upload(client, user: user)
        #expect(await Self.save(client, user: user, value).records.first?["serverErrorCode"] == nil)
        let granted = await client.test.call(
            .put, "/grants/Post", as: .administrator, body: #"{"grants":{"_icloud":["CREATE"]}}"#)
        try #require(granted.status == 200, "\(granted.text)")
        let response = await client.call(
            .post, "public/assets/rereference", user: try await client.signIn(as: "bob"),
            body: #"{"assets":{"recordName":"a","fieldName":"photo"}}"#)
        #expect(response.json?["assets"]?.array?.first?["serverErrorCode"] == "NOT_FOUND", "\(response.text)")
    }
}
