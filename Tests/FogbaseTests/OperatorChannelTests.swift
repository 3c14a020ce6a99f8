import Glibc
import RecordStorage
import Sockets
import Testing

@testable import fogbase

/// How the shell's commands find the server that runs.
@Suite struct OperatorChannelTests {
    private static func channel(_ hosts: [String], unix: String? = nil) throws -> OperatorChannel {
        var addresses = try hosts.map { try #require(SocketAddress(host: $0, port: 8_080)) }
        if let unix { addresses.append(try SocketAddress("unix:" + unix)) }
        return try #require(OperatorChannel(addresses: addresses, token: OperatorChannel.makeToken()))
    }

    @Test(arguments: [
        ("0.0.0.0", "http://127.0.0.1:8080"), ("::", "http://[::1]:8080"), ("127.0.0.1", "http://127.0.0.1:8080"),
        ("::1", "http://[::1]:8080"), ("192.0.2.1", "http://192.0.2.1:8080"),
    ])
    func `the address is one at which the server reaches itself`(host: String, url: String) throws {
        #expect(try Self.channel([host]).url == url)
    }

    @Test func `the file is its owner's, and is found while its process holds the directory`() throws {
        let directory = TemporaryDirectory()
        let channel = try Self.channel(["127.0.0.1"], unix: "/tmp/socket")
        try channel.write(to: directory.path)
        var status = stat()
        #expect(stat(OperatorChannel.path(in: directory.path), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        // The directory is not in use: its file was left by a killed process.
        #expect(try OperatorChannel.find(in: directory.path) == nil)
        let held = try DataDirectory(opening: directory.path)
        let found = try #require(try OperatorChannel.find(in: directory.path))
        #expect(found.url == channel.url && found.token == channel.token && found.unixPath == "/tmp/socket")
        #expect(found.process == getpid() && held.path == directory.path)
        #expect(found.version == Version.text && found.host == "127.0.0.1:8080")
        OperatorChannel.remove(from: directory.path)
        #expect(throws: Failure.self) { try OperatorChannel.find(in: directory.path) }
    }

    @Test func `a directory in use without an address of its server is reported in a sentence`() throws {
        let directory = TemporaryDirectory()
        let held = try DataDirectory(opening: directory.path)
        func sentence(_ text: String?) throws -> String {
            if let text {
                try DataDirectory.writeDurably(
                    Array(text.utf8), to: OperatorChannel.path(in: directory.path), in: directory.path)
            }
            do throws(Failure) {
                _ = try OperatorChannel.find(in: directory.path)
                return ""
            } catch {
                return error.sentences.joined()
            }
        }
        #expect(try sentence(nil).contains("is in use, and there is no"))
        #expect(try sentence("nonsense").contains("is damaged"))
        // No process has this number: it is above the greatest that Linux gives.
        let gone = #"{"url":"http://127.0.0.1:1","token":"t","process":2147483646,"version":"0.1.0","host":"h"}"#
        #expect(try sentence(gone).contains("is stale: process 2147483646 is gone"))
        #expect(try sentence(gone.replacing("0.1.0", with: "9.9.9")).contains("is Fogbase 9.9.9"))
        #expect(try sentence(gone.replacing(#","version":"0.1.0""#, with: "")).contains("another version"))
        #expect(held.path == directory.path)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("192.0.2.1", "192.0.2.1"),
    ])
    func `host and port are parsed from the address`(host: String, name: String) throws {
        #expect(try Self.channel([host]).places == [.network(host: name, port: 8_080)])
    }

    @Test func `a Unix socket is the second choice, and suffices alone`() throws {
        let both = try Self.channel(["127.0.0.1"], unix: "/tmp/socket")
        #expect(both.places == [.network(host: "127.0.0.1", port: 8_080), .unix(path: "/tmp/socket")])
        let alone = try Self.channel([], unix: "socket")
        let directory = TemporaryDirectory()
        try alone.write(to: directory.path)
        let held = try DataDirectory(opening: directory.path)
        let found = try #require(try OperatorChannel.find(in: directory.path))
        #expect(found.url == nil && found.host == "localhost" && found.places == alone.places)
        guard case .unix(let path) = found.places.first else {
            Issue.record("no socket")
            return
        }
        // Commands run in other directories than the server.
        #expect(path.hasPrefix("/") && path.hasSuffix("/socket") && held.path == directory.path)
        #expect(OperatorChannel(addresses: [], token: "t") == nil)
    }

    @Test func `the server is called by one of its names`() throws {
        let address = try #require(SocketAddress(host: "0.0.0.0", port: 80))
        #expect(OperatorChannel(addresses: [address], token: "t")?.host == "127.0.0.1:80")
        #expect(OperatorChannel(addresses: [address], token: "t", hosts: ["db.org", "x"])?.host == "db.org")
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}"), ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}", nil, ""), ("HTTP/1.1 200 OK\r\n", nil, ""),
        ("SSH-2.0\r\n\r\n", nil, ""), ("", nil, ""),
    ])
    func `a response is whole or none`(text: String, status: Int?, body: String) {
        let response = LocalHTTP.parse(Array(text.utf8))
        #expect(response?.status == status)
        #expect(String(decoding: response?.body ?? [], as: UTF8.self) == body)
    }

    @Test func `tokens are long and differ`() {
        let tokens = Set((0..<100).map { _ in OperatorChannel.makeToken() })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.hasPrefix("fbo_") && $0.utf8.count == 47 })
    }
}
