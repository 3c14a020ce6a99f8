import Foundation
import TestSupport
import Testing

/// A real nginx in front of a server, below the path `/fog/`.
///
/// Unchecked: one test starts, uses and stops it.
final class Nginx: @unchecked Sendable {
    enum Passing: String, CaseIterable, Sendable {
        /// The server gets `/records/Post`.
        case withoutPrefix
        /// The server gets `/fog/records/Post`.
        case withPrefix
    }

    /// Where the program is; `nil` if there is none.
    static let program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let port: UInt16
    private let directory: String
    private let process = Process()

    /// - Parameter port: A free one: nginx cannot choose its own.
    init(on port: UInt16, before server: UInt16, _ passing: Passing) throws {
        self.port = port
        directory = NSTemporaryDirectory() + "fogbase-nginx-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(directory)/\($0);"
        }
        let configuration = """
            daemon off;
            master_process off;
            pid \(directory)/nginx.pid;
            error_log stderr notice;
            events { worker_connections 64; }
            http {
                access_log off;
                \(temporary.joined(separator: "\n    "))
                gzip on;
                gzip_min_length 20;
                gzip_proxied any;
                gzip_types application/json;
                server {
                    listen 127.0.0.1:\(port);
                    location /fog/ {
                        proxy_pass http://127.0.0.1:\(server)\(passing == .withoutPrefix ? "/" : "");
                    }
                }
            }
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: directory + "/nginx.conf"))
        process.executableURL = URL(fileURLWithPath: try #require(Self.program))
        process.arguments = ["-p", directory, "-e", "stderr", "-c", directory + "/nginx.conf"]
        let output = Pipe()
        process.standardError = output
        try process.start()
        // It reports when it listens.
        var text = ""
        while !text.contains("using the \"epoll\" event method") {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "nginx ended before it listened: \(text)")
            text += String(decoding: piece, as: UTF8.self)
        }
    }

    deinit {
        // It would not hear of SIGTERM: it has the signal mask of a thread of these tests.
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A free port.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) | getsockname(descriptor, address, &length)
            }
        }
        try #require(status == 0)
        return UInt16(bigEndian: address.sin_port)
    }
}
