import Foundation
import RecordWire
import Testing

/// Keys, administrators and the operator's channel, on a real server.
@Suite struct AdministrationTests {
    private static let token = ServerProcess.administratorToken

    @Test func `a revoked key is rejected on a connection that is open, and after the next start`() throws {
        let server = try ServerProcess()
        let (service, administrator) = (try HTTPClient(port: server.port), try HTTPClient(port: server.port))
        let made = try administrator.send(
            "POST", "/keys", #"{"name":"sync","scope":{"actions":["read","create"]}}"#, token: Self.token)
        let key = try #require(made.json?["token"]?.string)
        let id = try #require(made.json?["id"]?.string)
        for _ in 0..<3 { #expect(try service.send("POST", "/records/Post", "{}", token: key).status == 201) }
        #expect(try administrator.send("DELETE", "/keys/\(id)", token: Self.token).status == 204)
        #expect(try service.send("GET", "/records/Post", token: key).status == 401)
        #expect(server.terminate() == 0)
        try server.start()
        #expect(try HTTPClient(port: server.port).send("GET", "/records/Post", token: key).status == 401)
        for name in try FileManager.default.subpathsOfDirectory(atPath: server.data) {
            guard let bytes = FileManager.default.contents(atPath: server.data + "/" + name) else { continue }
            #expect(bytes.range(of: Data(key.utf8)) == nil, "\(name)")
        }
    }

    @Test func `an administrator's session lives through a restart and ends when it is disabled`() throws {
        let server = try ServerProcess()
        let client = try HTTPClient(port: server.port)
        let made = try client.send(
            "POST", "/administrators", #"{"name":"ada","password":"correct horse","role":"developer"}"#,
            token: Self.token)
        #expect(made.status == 201, "\(made.text)")
        let session = try client.send(
            "POST", "/administrators/sessions", #"{"name":"ada","password":"correct horse"}"#)
        let token = try #require(session.json?["token"]?.string)
        #expect(try client.send("GET", "/schema", token: token).status == 200)
        server.kill()
        try server.start()
        let again = try HTTPClient(port: server.port)
        #expect(try again.send("GET", "/schema", token: token).status == 200)
        #expect(try again.send("PATCH", "/administrators/ada", #"{"disabled":true}"#, token: Self.token).status == 200)
        #expect(try again.send("GET", "/schema", token: token).status == 401)
    }

    @Test func `the operator's file names the running server and is removed when it ends`() throws {
        let server = try ServerProcess()
        let path = server.data + "/operator.json"
        func channel() throws -> JSONValue {
            try JSONValue.parse([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
        }
        let first = try channel()
        #expect(first["url"]?.string == "http://127.0.0.1:\(server.port)")
        #expect(first["process"]?.integer == Int64(server.pid))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let token = try #require(first["token"]?.string)
        let me = try HTTPClient(port: server.port).send("GET", "/users/me", token: token)
        #expect(me.json?["role"] == "owner")
        // The file of a killed server is replaced, and its token is invalid.
        server.kill()
        #expect(FileManager.default.fileExists(atPath: path))
        try server.start()
        #expect(try channel()["token"]?.string != token)
        #expect(try HTTPClient(port: server.port).send("GET", "/users/me", token: token).status == 401)
        #expect(server.terminate() == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
