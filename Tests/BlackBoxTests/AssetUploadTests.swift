import Cryptography
import Foundation
import RecordWire
import TestSupport
import Testing

/// Uploads over real sockets: slow ones, broken ones, and ones that are rejected before their bytes are sent.
@Suite struct AssetUploadTests {
    private static let token = ServerProcess.administratorToken

    private func head(_ length: Int, token: String? = token, _ more: String = "") -> String {
        let right = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return "POST /assets HTTP/1.1\r\nHost: localhost\r\n\(right)Content-Type: text/plain\r\n"
            + "Content-Length: \(length)\r\n\(more)\r\n"
    }

    @Test func `an upload that its client aborts leaves nothing`() throws {
        let server = try ServerProcess()
        let files = AssetFiles(server: server)
        for isReset in [false, true] {
            let client = try RawClient(port: server.port)
            try client.send(head(2_000_000))
            try client.send(sampleContent(1, count: 700_000))
            #expect(try files.become { !$0.isEmpty })
            if isReset { client.reset() } else { client.close() }
            #expect(try files.becomeEmpty())
        }
        // The same in chunks, the last one malformed.
        let client = try RawClient(port: server.port)
        try client.send(
            "POST /assets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Self.token)\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        try client.send("c3500\r\n")
        try client.send(sampleContent(2, count: 800_000))
        try client.send("\r\n")
        #expect(try files.become { !$0.isEmpty })
        try client.send("what\r\n")
        #expect(try client.receiveText().contains("400"))
        #expect(try files.becomeEmpty())
    }

    @Test func `an upload may arrive byte by byte`() throws {
        let server = try ServerProcess()
        let client = try RawClient(port: server.port)
        let content = sampleContent(1, count: 300)
        try client.send(head(content.count))
        for byte in content { try client.send([byte]) }
        let response = try client.receive(until: "downloadURL")
        #expect(response.hasPrefix("HTTP/1.1 201"))
        #expect(response.contains(SHA256.hash(content).base64))
        #expect(AssetFiles(server: server).names.count == 1)
    }

    @Test func `an upload is rejected before its bytes arrive`() throws {
        let server = try ServerProcess(settings: [
            "FOGBASE_ASSETS_MAX_BYTES": "1000000", "FOGBASE_ASSETS_UNREFERENCED_BYTES": "500000",
        ])
        for (length, token, status) in [
            (10, nil as String?, "401"), (10, "wrong", "401"), (1_000_001, Self.token, "413"),
            (600_000, Self.token, "413"),
        ] {
            for expects in ["Expect: 100-continue\r\n", ""] {
                let client = try RawClient(port: server.port)
                try client.send(head(length, token: token, expects))
                // No byte of the body is sent: the response must arrive anyway, without 100 Continue.
                let response = try client.receive(until: "\r\n\r\n")
                #expect(response.hasPrefix("HTTP/1.1 \(status)"), "\(length) \(token ?? "-") \(expects): \(response)")
            }
        }
        #expect(AssetFiles(server: server).names.isEmpty)
        let client = try RawClient(port: server.port)
        try client.send(head(5, "Expect: 100-continue\r\n"))
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        try client.send("hello")
        #expect(try client.receive(until: "downloadURL").hasPrefix("HTTP/1.1 201"))
    }

    @Test func `a file may be larger than other bodies`() throws {
        let server = try ServerProcess(settings: [
            "FOGBASE_LIMITS_BODY_BYTES": "65536", "FOGBASE_LIMITS_RECORD_BYTES": "65536",
        ])
        let client = try HTTPClient(port: server.port)
        let content = sampleContent(1, count: 1_000_000)
        let upload = try client.upload(content)
        #expect(upload.status == 201, "\(upload.text)")
        #expect(try client.link(upload, to: "a").status == 201)
        #expect(try client.download("a").body == content)
    }
}

/// A full disk: uploads are rejected with 507, and everything else works.
@Suite(.serialized) struct AssetDiskTests {
    private static var hasLimiter: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit") }
    private static var canMount: Bool {
        geteuid() == 0 && withVolume { _ in true } == true
    }

    private func checkRecords(_ server: ServerProcess, _ name: String) throws {
        let response = try HTTPClient(port: server.port).send(
            "PUT", "/records/Note/\(name)", #"{"fields":{"n":1}}"#, token: ServerProcess.administratorToken)
        #expect(response.status == 201, "\(response.text)")
    }

    private static func run(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.start()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test(.enabled(if: hasLimiter, "There is no /usr/bin/prlimit (apt-get install util-linux)"))
    func `a file that may not grow is reported as a full disk`() throws {
        let server = try ServerProcess(settings: ["FOGBASE_ASSETS_FREE_BYTES": "0"])
        try checkRecords(server, "before")
        // The signal that comes with it must not end the server.
        try #require(Self.run(["prlimit", "--pid", "\(server.pid)", "--fsize=2000000:"]))
        for length in [3_000_000, 5_000_000] {
            // A new connection each time: one with an unwanted body is closed.
            let response = try HTTPClient(port: server.port).upload(sampleContent(1, count: length))
            #expect(response.status == 507, "\(response.status) \(response.text)")
        }
        #expect(AssetFiles(server: server).names.isEmpty)
        try checkRecords(server, "while")
        let client = try HTTPClient(port: server.port)
        #expect(try client.upload(sampleContent(1, count: 1_000_000)).status == 201)
        try #require(Self.run(["prlimit", "--pid", "\(server.pid)", "--fsize=unlimited:"]))
        #expect(try client.upload(sampleContent(1, count: 3_000_000)).status == 201)
        #expect(server.terminate() == 0)
    }

    @Test(.enabled(if: canMount, Comment(rawValue: SmallDisk.reason)))
    func `a small disk fills up, and room is left for records`() throws {
        try Self.withVolume { directory in
            for free in [0, 8 << 20] {
                let server = try ServerProcess(
                    data: directory + "/data-\(free)", settings: ["FOGBASE_ASSETS_FREE_BYTES": "\(free)"])
                try checkRecords(server, "before")
                var count = 0
                var response = HTTPClient.Response()
                repeat {
                    response = try HTTPClient(port: server.port).upload(sampleContent(free + count, count: 900_000))
                    count += 1
                    try #require(count < 40)
                } while response.status == 201
                #expect(response.status == 507, "\(response.status) \(response.text)")
                #expect(response.text.contains("STORAGE_FULL"), "\(response.text)")
                #expect(AssetFiles(server: server).names.count == count - 1)
                if free > 0 {
                    for number in 0..<50 { try checkRecords(server, "note-\(number)") }
                }
                server.kill()
                try FileManager.default.removeItem(atPath: server.data)
            }
        }
    }

    /// Runs `body` with a file system of 20 MB; `nil` where none may be mounted.
    @discardableResult
    private static func withVolume<Value>(_ body: (String) throws -> Value) rethrows -> Value? {
        let directory = NSTemporaryDirectory() + "fogbase-volume-" + UUID().uuidString
        guard (try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)) != nil
        else { return nil }
        defer { try? FileManager.default.removeItem(atPath: directory) }
        guard run(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", directory]) else { return nil }
        defer { _ = run(["umount", "-l", directory]) }
        return try body(directory)
    }
}
