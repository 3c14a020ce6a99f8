import Glibc
import RecordEngine
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

    @Test func `the file is its owner's, and is found while its process holds the folder`() throws {
        let folder = TemporaryFolder()
        let channel = try Self.channel(["127.0.0.1"], unix: "/tmp/socket")
        try channel.write(to: folder.path)
        var status = stat()
        #expect(stat(OperatorChannel.path(in: folder.path), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        // Nobody holds the folder: what is there was left by a process that was killed.
        #expect(try OperatorChannel.find(in: folder.path) == nil)
        let held = try DataFolder(opening: folder.path)
        let found = try #require(try OperatorChannel.find(in: folder.path))
        #expect(found.url == channel.url && found.token == channel.token && found.unixPath == "/tmp/socket")
        #expect(found.process == getpid() && held.path == folder.path)
        OperatorChannel.remove(from: folder.path)
        #expect(try OperatorChannel.find(in: folder.path) == nil)
    }

    @Test func `a file of a process that is gone is none, even if another holds the folder`() throws {
        let folder = TemporaryFolder()
        let held = try DataFolder(opening: folder.path)
        // No process has this number: it is above the greatest that Linux gives.
        let text = #"{"url":"http://127.0.0.1:1","token":"t","process":2147483646}"#
        try DataFolder.writeDurably(
            Array(text.utf8), to: OperatorChannel.path(in: folder.path), in: folder.path)
        #expect(try OperatorChannel.find(in: folder.path) == nil)
        try DataFolder.writeDurably(
            Array("nonsense".utf8), to: OperatorChannel.path(in: folder.path), in: folder.path)
        #expect(try OperatorChannel.find(in: folder.path) == nil)
        #expect(held.path == folder.path)
    }

    @Test func `tokens are long and differ`() {
        let tokens = Set((0..<100).map { _ in OperatorChannel.makeToken() })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.hasPrefix("fbo_") && $0.utf8.count == 47 })
    }
}
