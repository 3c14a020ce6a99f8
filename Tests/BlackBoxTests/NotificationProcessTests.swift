import Foundation
import RecordWire
import TestSupport
import Testing

/// Subscriptions and devices that outlive the server's process.
@Suite struct NotificationProcessTests {
    private let server: ServerProcess
    private let user: String

    init() throws {
        server = try ServerProcess(settings: ["FOGBASE_DATA_CONTAINERS": "iCloud.org.example.Forum"])
        let made = try HTTPClient(port: server.port).send(
            "POST", "/users", #"{"name":"ann","password":"correct horse"}"#)
        user = try #require(made.json?["token"]?.string, "\(made.text)")
    }

    private func write(_ name: String) throws {
        let response = try HTTPClient(port: server.port).send(
            "PUT", "/records/Note/\(name)", #"{"fields":{"text":"sea"}}"#, token: user)
        try #require(response.status == 201, "\(response.text)")
    }

    private func subscribe() throws {
        let response = try HTTPClient(port: server.port).send(
            "PUT", "/subscriptions/notes", #"{"type":"query","recordType":"Note"}"#, token: user)
        try #require(response.status == 201, "\(response.text)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a subscription and the position of its reader survive kills of the server`() throws {
        try subscribe()
        var (written, read): ([String], [String]) = ([], [])
        var token = ""
        for round in 0..<3 {
            try write("a\(round)")
            server.kill()
            try server.start()
            try write("b\(round)")
            written += ["a\(round)", "b\(round)"]
            let response = try HTTPClient(port: server.port).send("GET", "/notifications?since=\(token)", token: user)
            try #require(response.status == 200, "\(response.text)")
            read += (response.json?["notifications"]?.array ?? []).compactMap { $0["recordName"]?.string }
            token = try #require(response.json?["token"]?.string).replacingOccurrences(of: "+", with: "%2B")
        }
        #expect(read == written)
    }

    /// Signs in as a web page does, creates a token, and returns the path to poll.
    private func createDevice() throws -> String {
        let client = try HTTPClient(port: server.port)
        let made = try client.send(
            "POST", "/cloudkit/tokens", #"{"name":"Web app"}"#, token: ServerProcess.administratorToken)
        let (id, token) = (made.json?["id"]?.string ?? "", made.json?["token"]?.string ?? "")
        let session = try client.send(
            "POST", "/cloudkit/sign-in/\(id)", #"{"name":"ann","password":"correct horse"}"#)
        let web = try #require(session.json?["webAuthToken"]?.string, "\(session.text)")
        let device = try client.send(
            "POST",
            "/device/1/iCloud.org.example.Forum/development/tokens/create?ckAPIToken=\(token)&ckWebAuthToken=\(web)",
            #"{"apnsEnvironment":"development"}"#)
        let url = try #require(device.json?["webcourierURL"]?.string, "\(device.text)")
        return try #require(URL(string: url)?.path)
    }

    private func poll(_ path: String) throws -> String? {
        let client = try RawClient(port: server.port)
        try client.send(Array("GET \(path) HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
        let response = try client.receiveAll()
        let end = try #require(response.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        try #require(response.starts(with: Array("HTTP/1.1 200".utf8)), "\(String(decoding: response, as: UTF8.self))")
        return try JSONValue.parse(Array(response[end...]))["ck"]?["qry"]?["rid"]?.string
    }

    @Test(.timeLimit(.minutes(2)))
    func `a device that polls continues after a restart, and waits for what is written later`() async throws {
        try write("old")
        try subscribe()
        let path = try createDevice()
        try write("a")
        try write("b")
        #expect(try poll(path) == "a")
        #expect(try poll(path) == "b")
        #expect(server.terminate() == 0)
        try server.start()
        // Nothing is repeated after an orderly end.
        let this = self
        let waiting = Task.detached { try this.poll(path) }
        try write("c")
        #expect(try await waiting.value == "c")
        server.kill()
        try server.start()
        try write("d")
        // A crash may repeat what the last minute had.
        var found: [String?] = []
        while found.last != "d", found.count < 4 { found.append(try poll(path)) }
        #expect(found == ["d"] || found == ["c", "d"])
    }
}
