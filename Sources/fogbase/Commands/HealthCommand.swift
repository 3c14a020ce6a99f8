import Glibc

/// `fogbase health`: one request to a running server, for container engines.
enum HealthCommand {
    /// Seconds that each step may take; engines allow three for the whole.
    private static let patience = 2

    static func run(_ settings: Settings) -> ExitCode {
        do {
            let status = try ask(host: reachable(settings.host), port: settings.port)
            guard status == 200 else {
                Terminal.complain("fogbase: The server is not ready: /health/ready answered \(status).")
                return .failure
            }
            Terminal.say("ready")
            return .success
        } catch {
            Terminal.complain("fogbase: \(error)")
            return .failure
        }
    }

    /// Where a server can be reached that listens on an address: one that listens everywhere, on the loopback.
    static func reachable(_ host: String) -> String {
        switch host {
        case "", "0.0.0.0", "*": "127.0.0.1"
        case "::", "[::]": "::1"
        default: host
        }
    }

    private static func ask(host: String, port: UInt16) throws -> Int {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
            throw TextFile.Problem(description: "The address \(host) is not known.")
        }
        defer { freeaddrinfo(found) }
        var last = "no address"
        var next: UnsafeMutablePointer<addrinfo>? = first
        while let address = next {
            defer { next = address.pointee.ai_next }
            let descriptor = socket(
                address.pointee.ai_family, address.pointee.ai_socktype, address.pointee.ai_protocol)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var time = timeval(tv_sec: patience, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
            }
            guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
                last = SystemError.text
                continue
            }
            if let status = exchange(descriptor, host) { return status }
            last = "no answer within \(patience) seconds"
        }
        throw TextFile.Problem(description: "No server answers at \(host), port \(port): \(last).")
    }

    /// Sends the request and returns the status, or `nil` if none comes.
    private static func exchange(_ descriptor: Int32, _ host: String) -> Int? {
        let name = host.contains(":") ? "[\(host)]" : host
        let request = Array("GET /health/ready HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return nil
        }
        var head: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 512)
        while head.count < 12 {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            head += piece.prefix(count)
        }
        let words = String(decoding: head, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1.") else { return nil }
        return Int(words[1].prefix(3))
    }
}
