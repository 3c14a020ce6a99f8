import Foundation
import Glibc
import TestSupport

/// A server with TLS, whose certificate is for `localhost` and signed by itself.
final class TLSReceiver {
    let port: UInt16
    /// The path of the certificate.
    let authorities: String
    private let directory: String
    private let process = Process()

    init() throws {
        directory = NSTemporaryDirectory() + "fogbase-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        authorities = directory + "/certificate.pem"
        try Data((Self.certificate + Self.key).utf8).write(to: URL(fileURLWithPath: authorities))
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, authorities]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
        let line = output.fileHandleForReading.availableData
        port = UInt16(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    deinit {
        // It has nothing to end in order.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static let program = """
        import http.server, ssl, sys

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// For `localhost`, valid until 2120.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
        CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDK+ibogJzd2smQy
        sRSsva3ON3G4+vpzqh0llCm7EB/URZnD4N2t0Es221tuOZYZ/LfKf9Sz8ZKfTJYv
        inej+3ujSDBGMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAPBgNVHRMBAf8EBTADAQH/
        MB0GA1UdDgQWBBQcspuXWU1eP0xrhZin2LG55OPojzAKBggqhkjOPQQDAgNIADBF
        AiA0pSImT3GkcNrdOXHuNQyMO5V/a0VbFxfh0YVOkvAMTQIhAOCGkiCewI1XHerB
        dfW5NRDJASbU8B9g4h0nlo5l5FEt
        -----END CERTIFICATE-----

        """

    /// The key of this certificate, which nothing but these tests trusts.
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgocd3/6AGEDn9KuGT
        l0snMqnP7suk9G7obS7cnU0a+2+hRANCAAQyvom6ICc3drJkMrEUrL2tzjdxuPr6
        c6odJZQpuxAf1EWZw+DdrdBLNttbbjmWGfy3yn/Us/GSn0yWL4p3o/t7
        -----END PRIVATE KEY-----

        """
}
