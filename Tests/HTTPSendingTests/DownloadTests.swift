import Foundation
import HTTP
import HTTPSending
import TestSupport
import Testing
import Threads

/// Requests whose response goes into a file, and what a response keeps.
@Suite struct DownloadTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("fogbase-\(UUID())")

    private func get(
        _ path: String, mostBytes: Int64? = nil, limits: SendingLimits = SendingLimits(),
        _ script: @escaping @Sendable (ScriptedReceiver.Peer) -> Void
    ) async throws -> Result<IncomingResponse, SendingFailure> {
        let receiver = ScriptedReceiver(script)
        let sender = HTTPSender(.anywhere, limits: limits, agent: "Test/1", threadName: "test")
        var request = OutgoingRequest(
            getting: try OutgoingURL("http://127.0.0.1:\(receiver.port)/file"), into: path, mostBytes: mostBytes)
        request.keptFields = ["content-type", "x-next"]
        let result: Result<IncomingResponse, SendingFailure>
        do throws(SendingFailure) { result = .success(try await sender.send(request)) } catch {
            result = .failure(error)
        }
        await sender.close()
        return result
    }

    private func file(_ name: String = "file") throws -> String {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.appendingPathComponent(name).path
    }

    private func content(_ path: String) -> Int? {
        (try? Data(contentsOf: URL(fileURLWithPath: path)))?.count
    }

    @Test func `a body goes into the file, and wanted fields into the response`() async throws {
        let path = try file()
        defer { try? FileManager.default.removeItem(at: directory) }
        let seen = Locked("")
        let result = try await get(path) { peer in
            let request = peer.request()
            seen.withLock { $0 = request }
            peer.send(
                "HTTP/1.1 200 OK\r\nX-Next:  abc\r\nX-Other: d\r\nContent-Type: image/png\r\nContent-Length: 300000\r\n\r\n"
            )
            peer.send(String(repeating: "x", count: 300_000))
        }
        #expect(
            result
                == .success(
                    IncomingResponse(
                        status: 200, body: [], retryAfter: nil,
                        fields: ["x-next": "abc", "content-type": "image/png"])))
        #expect(content(path) == 300_000)
        #expect(seen.withLock { $0 }.hasPrefix("GET /file HTTP/1.1\r\n"))
    }

    @Test func `an empty body makes an empty file, and an error makes none`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let empty = try file("empty")
        _ = try await get(empty) {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(content(empty) == 0)
        let missing = try file("missing")
        let result = try await get(missing) {
            _ = $0.request()
            $0.send("HTTP/1.1 410 Gone\r\nContent-Length: 4\r\n\r\ngone")
        }
        #expect(result == .success(IncomingResponse(status: 410, body: Array("gone".utf8), retryAfter: nil)))
        #expect(content(missing) == nil)
    }

    @Test func `a body that breaks off, is too long, idle or not writable is no file`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = try file()
        let short = try await get(path) {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        }
        guard case .failure(.failed) = short else {
            Issue.record("\(short)")
            return
        }
        let long = try await get(path, mostBytes: 5) {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef")
        }
        #expect(long == .success(IncomingResponse(status: 200, body: [], retryAfter: nil, isTruncated: true)))
        var limits = SendingLimits()
        limits.totalMilliseconds = nil
        limits.idleSeconds = 1
        let idle = try await get(path, limits: limits) {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            $0.waitForEnd()
        }
        #expect(idle == .failure(.failed("The receiver did not respond in time")))
        let unwritable = try await get("/proc/none/file") {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
        }
        #expect(
            unwritable == .failure(.failed("The file /proc/none/file cannot be created: No such file or directory")))
    }
}
