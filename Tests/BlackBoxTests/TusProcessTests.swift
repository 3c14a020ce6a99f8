import Cryptography
import Foundation
import RecordWire
import TestSupport
import Testing

/// Uploads in several requests over lines that break and to a server that is killed.
@Suite(.serialized) struct TusProcessTests {
    private static let authorization = "Authorization: Bearer \(ServerProcess.administratorToken)\r\n"

    private static func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    private static func begin(_ length: Int, on server: ServerProcess) throws -> String {
        let response = try HTTPClient(port: server.port).send(
            "POST", "/assets/uploads", token: ServerProcess.administratorToken,
            fields: ["Tus-Resumable": "1.0.0", "Upload-Length": "\(length)", "Content-Length": "0"])
        try #require(response.status == 201)
        return try #require(response.fields["location"])
    }

    /// Sends the head of a part and as much of its body as is said.
    private static func send(
        _ url: String, at offset: Int, _ body: ArraySlice<UInt8>, of count: Int, on server: ServerProcess
    ) throws -> RawClient {
        let client = try RawClient(port: server.port)
        try client.send(
            "PATCH \(url) HTTP/1.1\r\nHost: localhost\r\n\(authorization)Tus-Resumable: 1.0.0\r\n"
                + "Upload-Offset: \(offset)\r\nContent-Type: application/offset+octet-stream\r\n"
                + "Content-Length: \(count)\r\n\r\n")
        try client.send(Array(body))
        return client
    }

    private static func offset(_ url: String, on server: ServerProcess) throws -> Int {
        let response = try HTTPClient(port: server.port).send(
            "HEAD", url, token: ServerProcess.administratorToken, fields: ["Tus-Resumable": "1.0.0"])
        try #require(response.status == 200)
        return try #require(response.fields["upload-offset"].flatMap { Int($0) })
    }

    private static func state(_ url: String, on server: ServerProcess) throws -> JSONValue {
        let response = try HTTPClient(port: server.port).send("GET", url, token: ServerProcess.administratorToken)
        try #require(response.status == 200)
        return try #require(response.json)
    }

    /// Sends the rest, and compares the stored content.
    private static func finish(_ url: String, _ bytes: [UInt8], on server: ServerProcess) throws {
        let offset = try offset(url, on: server)
        let client = try send(url, at: offset, bytes[offset...], of: bytes.count - offset, on: server)
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 204"))
        let asset = try state(url, on: server)["asset"]
        #expect(asset?["fileChecksum"]?.string == SHA256.hash(bytes).base64)
        #expect(asset?["size"]?.integer == Int64(bytes.count))
    }

    @Test func `all bytes received before a connection broke are kept`() async throws {
        let server = try ServerProcess()
        let bytes = Self.bytes(2_000_000)
        let url = try Self.begin(bytes.count, on: server)
        var offset = 0
        for (number, count) in [1, 300_000, 700_001].enumerated() {
            let client = try Self.send(
                url, at: offset, bytes[offset..<offset + count], of: bytes.count - offset, on: server)
            offset += count
            // Closed in order: a reset would discard bytes that the server has not read yet.
            if number.isMultiple(of: 2) { client.finishSending() } else { client.close() }
            let deadline = Date().addingTimeInterval(60)
            var pauses = Pauses()
            while try Self.state(url, on: server)["offset"]?.integer != Int64(offset), Date() < deadline {
                await pauses.pause()
            }
            try #require(try Self.state(url, on: server)["offset"]?.integer == Int64(offset))
        }
        try Self.finish(url, bytes, on: server)
    }

    @Test func `a client continues at once although the server considers its old connection open`() throws {
        let server = try ServerProcess()
        let bytes = Self.bytes(1_000_000)
        let url = try Self.begin(bytes.count, on: server)
        let dead = try Self.send(url, at: 0, bytes[..<500_000], of: bytes.count, on: server)
        // The server lets the later of two requests continue: only now is the other one certainly the later one.
        #expect(try AssetFiles(server: server).become { !$0.isEmpty })
        try Self.finish(url, bytes, on: server)
        // Its further bytes are too late.
        try? dead.send(Array(bytes[500_000...]))
        let response = (try? dead.receive(until: "\r\n\r\n")) ?? ""
        #expect(
            response.isEmpty || response.hasPrefix("HTTP/1.1 409") || response.hasPrefix("HTTP/1.1 404"), "\(response)")
        #expect(try Self.state(url, on: server)["offset"]?.integer == Int64(bytes.count))
    }

    @Test func `kill -9 loses nothing that was acknowledged`() async throws {
        let server = try ServerProcess()
        let bytes = Self.bytes(1_500_000)
        let url = try Self.begin(bytes.count, on: server)
        var acknowledged = 0
        for step in [200_000, 1, 400_000] {
            let end = acknowledged + step
            let whole = try Self.send(url, at: acknowledged, bytes[acknowledged..<end], of: step, on: server)
            #expect(try whole.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 204"))
            acknowledged = end
            let broken = try Self.send(url, at: end, bytes[end..<end + 150_000], of: 300_000, on: server)
            server.kill()
            broken.close()
            try server.start()
            let found = try Self.offset(url, on: server)
            #expect(found >= acknowledged)
            acknowledged = found
        }
        try Self.finish(url, bytes, on: server)
    }
}
