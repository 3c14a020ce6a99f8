import Foundation
import RecordWire
import Testing

/// The server below a path of a real proxy: clients can request every address in a response.
@Suite(.enabled(if: Nginx.program != nil, "apt-get install nginx"))
struct BasePathTests {
    private static let publicDirectory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Public").path

    /// A server below `/fog/`, and the proxy that serves it there.
    private struct World {
        let server: ServerProcess
        let nginx: Nginx

        init(_ passing: Nginx.Passing) throws {
            let port = try Nginx.freePort()
            server = try ServerProcess(settings: [
                // As people write it.
                "FOGBASE_PUBLIC_URL": "http://LocalHost:\(port)/fog/",
                "FOGBASE_PUBLIC_PATH": BasePathTests.publicDirectory,
            ])
            nginx = try Nginx(on: port, before: server.port, passing)
        }

        var origin: String { "http://localhost:\(nginx.port)" }

        func client() throws -> HTTPClient { try HTTPClient(port: nginx.port, host: "localhost:\(nginx.port)") }
    }

    @Test(arguments: Nginx.Passing.allCases)
    func `the console loads, signs in and sends requests below the path`(passing: Nginx.Passing) throws {
        let world = try World(passing)
        let client = try world.client()
        for path in ["/fog/", "/fog/_"] {
            let response = try client.send("GET", path)
            #expect(response.status == 308 && response.fields["location"] == "/fog/_/", "\(path): \(response)")
        }
        let page = try client.send("GET", "/fog/_/")
        let version = try #require(page.text.firstMatch(of: /src="(v-[a-z0-9]+)\/main.js"/)?.output.1)
        // The scripts derive the addresses of their requests from their own address.
        let script = try client.send("GET", "/fog/_/\(version)/scope.js")
        #expect(script.status == 200 && script.text.contains("import.meta.url"))
        #expect(script.fields["cache-control"]?.contains("immutable") == true)
        #expect(try client.send("GET", "/fog/_/examples/forum").fields["location"] == "/fog/_/examples/forum/")
        // Of a browser without Sec-Fetch-Site, as over http; nginx says its own name for the server in Host.
        let own = ["X-Fogbase-Console": "1", "Origin": world.origin]
        #expect(try client.send("GET", "/fog/_/session", fields: own).status == 204)
        let signedIn = try client.send(
            "POST", "/fog/_/session", #"{"token":"\#(ServerProcess.administratorToken)"}"#, fields: own)
        #expect(signedIn.status == 200, "\(signedIn.text)")
        let cookie = try #require(signedIn.fields["set-cookie"])
        #expect(cookie.contains("; Path=/fog/;"))
        let kept = own.merging(["Cookie": String(cookie.prefix { $0 != ";" })]) { $1 }
        #expect(try client.send("GET", "/fog/_/session", fields: kept).status == 200)
        #expect(try client.send("GET", "/fog/schema", fields: kept).status == 200)
        let stranger = kept.merging(["Origin": "http://evil.example"]) { $1 }
        #expect(try client.send("GET", "/fog/schema", fields: stranger).status == 401)
        let none = kept.merging(["Origin": "null"]) { $1 }
        #expect(try client.send("GET", "/fog/schema", fields: none).status == 401)
    }

    @Test(arguments: Nginx.Passing.allCases)
    func `every address in a response is reachable`(passing: Nginx.Passing) throws {
        let world = try World(passing)
        let client = try world.client()
        let token = ServerProcess.administratorToken
        let made = try client.send("POST", "/fog/records/Post", #"{"fields":{"title":"sea"}}"#, token: token)
        let location = try #require(made.fields["location"])
        #expect(location.hasPrefix("/fog/records/Post/"))
        #expect(try client.send("GET", location).status == 200)

        let upload = try client.send(
            "POST", "/fog/assets?filename=a.txt", bytes: Array("fog".utf8), type: "text/plain", token: token)
        let address = try #require(upload.json?["asset"]?["downloadURL"]?.string)
        #expect(address.hasPrefix(world.origin + "/fog/assets/"), "\(address)")
        let path = String(address.dropFirst(world.origin.count))
        #expect(try client.send("GET", path).text == "fog")
        // The signature covers the file, not the address of the request.
        let direct = try HTTPClient(port: world.server.port)
        #expect(try direct.send("GET", path).text == "fog")
        #expect(try direct.send("GET", String(path.dropFirst("/fog".count))).text == "fog")

        let tus = ["Tus-Resumable": "1.0.0"]
        let begun = try client.send(
            "POST", "/fog/assets/uploads", token: token, fields: tus.merging(["Upload-Length": "3"]) { $1 })
        let place = try #require(begun.fields["location"])
        #expect(place.hasPrefix("/fog/assets/uploads/"))
        #expect(try client.send("HEAD", place, token: token, fields: tus).fields["upload-offset"] == "0")

        let description = try client.send("GET", "/fog/openapi.json")
        #expect(description.json?["servers"]?.array?.first?["url"]?.string == world.origin + "/fog")
        let slash = try client.send("GET", "/fog/records/Post/?limit=1")
        #expect(slash.status == 308 && slash.fields["location"] == "/fog/records/Post?limit=1")
        #expect(try client.send("GET", "/fog/records/Post?limit=1").status == 200)
    }

    @Test func `a tag that a compressing proxy has weakened works as a precondition`() throws {
        let world = try World(.withoutPrefix)
        let client = try world.client()
        let token = ServerProcess.administratorToken
        #expect(try client.send("PUT", "/fog/records/Post/a", #"{"fields":{"n":1}}"#, token: token).status == 201)
        let read = try world.client().send("GET", "/fog/records/Post/a", fields: ["Accept-Encoding": "gzip"])
        let tag = try #require(read.fields["etag"])
        #expect(tag.hasPrefix("W/\"") && read.fields["content-encoding"] == "gzip")
        let change = #"{"fields":{"n":{"increment":1}}}"#
        let first = try client.send("PATCH", "/fog/records/Post/a", change, token: token, fields: ["If-Match": tag])
        #expect(first.status == 200, "\(first.text)")
        #expect(
            try client.send("PATCH", "/fog/records/Post/a", change, token: token, fields: ["If-Match": tag]).status
                == 412)
    }
}
