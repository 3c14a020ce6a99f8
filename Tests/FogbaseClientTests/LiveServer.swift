import FogbaseClient
import Foundation
import TestSupport
import Testing

/// The real binary on its own port, with a data directory that is removed with it.
///
/// The binary of `FOGBASE_BINARY`, or the one that was built with these tests.
///
/// Unchecked: one test starts, uses and stops it.
final class LiveServer: @unchecked Sendable {
    static let administratorToken = "client-tests-administrator-token"

    let data: String
    private(set) var port: UInt16 = 0
    private var process: Process?
    private var environment: [String: String]

    /// - Parameter settings: `FOGBASE_…` variables beside the defaults of these tests.
    init(settings: [String: String] = [:]) throws {
        data = NSTemporaryDirectory() + "fogbase-client-" + UUID().uuidString
        environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") && $0.key != "PORT" }
        environment["FOGBASE_ADMIN_TOKEN"] = Self.administratorToken
        environment["FOGBASE_LOG_ACCESS"] = "off"
        // All of a test's clients come from one address.
        environment["FOGBASE_LIMITS_RATES"] = "off"
        environment.merge(settings) { $1 }
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: data)
    }

    /// Where the server is.
    var url: URL { Self.local(port) }

    static func local(_ port: UInt16) -> URL {
        var address = URLComponents()
        (address.scheme, address.host, address.port) = ("http", "127.0.0.1", Int(port))
        return address.url ?? URL(fileURLWithPath: "/")
    }

    /// A client of the server that does not try again.
    func client(
        tokens: any TokenStore = MemoryTokenStore(), retry: RetryPolicy = .never, transport: (any Transport)? = nil,
        streaming: StreamPolicy = StreamPolicy()
    ) -> Container {
        var fogbase = Fogbase(url, tokens: tokens, retry: retry, transport: transport)
        fogbase.streaming = streaming
        return fogbase.container()
    }

    /// A client that may do everything.
    var administrator: Container { client(tokens: MemoryTokenStore(Self.administratorToken)) }

    private static var binary: String {
        ProcessInfo.processInfo.environment["FOGBASE_BINARY"] ?? program("fogbase")
    }

    /// The path of a program that was built with these tests.
    static func program(_ name: String) -> String {
        let runner = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let directories = [runner, CommandLine.arguments.first ?? ""].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent()
        }
        let candidates =
            directories.flatMap { directory in [directory, directory.deletingLastPathComponent()] }
            + [URL(fileURLWithPath: ".build/debug")]
        return candidates.map { $0.appendingPathComponent(name).path }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }

    /// Starts the server, again on the port that it had, and returns when it says where it listens.
    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.binary)
        process.arguments = ["serve", "--port", String(port), "--data", data]
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.start()
        self.process = process
        var text = ""
        while !text.contains("is listening on") || text.last != "\n" {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "The server ended before it listened: \(text)")
            text += String(decoding: piece, as: UTF8.self)
        }
        let address = try #require(text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") })
        port = try #require(UInt16(address.split(separator: ":").last ?? ""))
    }

    /// `kill -9`, waited for.
    func kill() {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The descriptors that the server has open for connections.
    var sockets: Int {
        let directory = "/proc/\(process?.processIdentifier ?? 0)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/" + name))?.hasPrefix("socket:")
                == true
        }
    }

    /// Puts a document as the administrator does, such as the members of a role.
    func put(_ json: String, _ path: String...) async throws {
        _ = try await send("PUT", json, path)
    }

    /// Posts a document as the administrator does, and returns the object of the response.
    func post(_ json: String, _ path: String...) async throws -> [String: Any] {
        let body = try await send("POST", json, path)
        return try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    private func send(_ method: String, _ json: String, _ path: [String]) async throws -> Data {
        let url = path.reduce(url) { $0.appendingPathComponent($1) }
        let request = TransportRequest(
            method: method, url: url,
            fields: [("Authorization", "Bearer \(Self.administratorToken)"), ("Content-Type", "application/json")],
            body: Data(json.utf8))
        let response = try await URLSessionTransport().send(request)
        try #require((200..<300).contains(response.status), "\(String(decoding: response.body, as: UTF8.self))")
        return Data(response.body)
    }
}
