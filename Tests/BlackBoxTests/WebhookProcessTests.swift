import Foundation
import RecordWire
import TestSupport
import Testing
import Threads

/// Webhooks of a real server over real connections.
@Suite struct WebhookProcessTests {
    private static let manual = "Sources/fogbase/fogbase.docc/Webhooks.md"
    private static let local = ["FOGBASE_WEBHOOKS_ALLOW_PRIVATE": "127.0.0.0/8"]

    private func send(
        _ server: ServerProcess, _ method: String, _ path: String, _ body: String? = nil, expecting status: Int
    ) throws -> JSONValue? {
        let client = try HTTPClient(port: server.port)
        let response = try client.send(method, path, body, token: ServerProcess.administratorToken)
        try #require(response.status == status, "\(response)")
        return response.json
    }

    @Test func `a message arrives, and the example of the manual verifies it`() async throws {
        let server = try ServerProcess(settings: Self.local)
        let requests = Locked<[String]>([])
        let receiver = ScriptedReceiver { peer in
            let request = peer.request()
            requests.withLock { $0.append(request) }
            peer.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        }
        let made = try send(
            server, "POST", "/webhooks", #"{"url":"http://127.0.0.1:\#(receiver.port)/hook"}"#, expecting: 201)
        let secret = try #require(made?["secret"]?.string)
        _ = try send(server, "PUT", "/records/Post/p1", #"{"fields":{"title":"sea"}}"#, expecting: 201)
        #expect(await eventually { !requests.withLock { $0 }.isEmpty })
        let request = try #require(requests.withLock { $0 }.first)
        let parts = request.components(separatedBy: "\r\n\r\n")
        var fields: [String: String] = [:]
        for line in parts[0].components(separatedBy: "\r\n").dropFirst() {
            let pair = line.components(separatedBy: ": ")
            fields[pair[0].lowercased()] = pair[1]
        }
        #expect(parts[1].contains(#""recordName":"p1""#))
        let example = try #require(try Shell.blocks(of: Self.manual, language: "python").first)
        let program = """
            import json, os, sys
            \(example)
            fields = json.loads(os.environ["HOOK_FIELDS"])
            body = os.environ["HOOK_BODY"].encode()
            verify(os.environ["HOOK_SECRET"], fields, body)
            for wrong in [body + b" ", body[1:]]:
                try:
                    verify(os.environ["HOOK_SECRET"], fields, wrong)
                except ValueError:
                    continue
                sys.exit("A changed body was accepted")
            print("verified")
            """
        let run = try Shell.run(
            ["python3 -c \"$HOOK_PROGRAM\""], port: server.port,
            variables: [
                "HOOK_PROGRAM": program, "HOOK_SECRET": secret, "HOOK_BODY": parts[1],
                "HOOK_FIELDS": String(decoding: try JSONEncoder().encode(fields), as: UTF8.self),
            ])
        #expect(run.responses == ["verified"], "\(run.text)")
    }

    @Test func `a killed server sends again what was not acknowledged, and a stopped one does not wait`() async throws {
        let server = try ServerProcess(settings: Self.local)
        let ids = Locked<[String]>([])
        // The receiver reads messages, and never responds.
        let receiver = ScriptedReceiver { peer in
            let request = peer.request()
            let line = request.components(separatedBy: "\r\n").first { $0.hasPrefix("webhook-id: ") }
            ids.withLock { $0.append(line ?? "") }
            peer.waitForEnd()
        }
        _ = try send(
            server, "POST", "/webhooks", #"{"url":"http://127.0.0.1:\#(receiver.port)/"}"#, expecting: 201)
        _ = try send(server, "PUT", "/records/Post/p1", #"{"fields":{}}"#, expecting: 201)
        #expect(await eventually { ids.withLock { $0.count } == 1 })
        server.kill()
        try server.start()
        // No request has named the database since the start.
        #expect(await eventually { ids.withLock { $0.count } == 2 })
        #expect(Set(ids.withLock { $0 }).count == 1)
        #expect(server.terminate() == 0)
    }

    @Test func `without the setting, private addresses and plain HTTP are rejected`() throws {
        let server = try ServerProcess()
        for url in ["http://127.0.0.1/", "https://127.0.0.1/", "https://[::1]/", "http://example.org/"] {
            let rejection = try send(server, "POST", "/webhooks", #"{"url":"\#(url)"}"#, expecting: 400)
            #expect(rejection?["reason"]?.string?.contains("webhooks.allow_private") == true)
        }
        // A name is judged when the server connects.
        let made = try send(server, "POST", "/webhooks", #"{"url":"https://localhost/"}"#, expecting: 201)
        let id = try #require(made?["id"]?.string)
        let attempt = try send(server, "POST", "/webhooks/\(id)/test", expecting: 200)
        #expect(attempt?["delivered"] == false)
        #expect(attempt?["error"]?.string?.contains("not public") == true)
    }
}
