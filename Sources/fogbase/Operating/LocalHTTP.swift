import Glibc

/// One request to a server on this machine, over a connection of its own.
enum LocalHTTP {
    struct Answer: Hashable {
        let status: Int
        let body: [UInt8]
    }

    /// Sends a request and returns the answer, whose body ends with the connection.
    ///
    /// - Parameters:
    ///   - host: A name or an address, without brackets.
    ///   - lines: The head without its last, empty line; its connection closes.
    ///   - patience: Seconds that each step may take.
    /// - Throws: A sentence: nobody answers, or not to the end.
    static func send(
        host: String, port: UInt16, lines: [String], body: [UInt8] = [], patience: Int
    ) throws(TextFile.Problem) -> Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
            throw TextFile.Problem(description: "The address \(host) is not known.")
        }
        defer { freeaddrinfo(found) }
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
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
            // What was sent may have been done, so no other address is tried.
            guard let answer = exchange(descriptor, request) else {
                throw TextFile.Problem(
                    description: "The server at \(host), port \(port), gave no answer within \(patience) seconds.")
            }
            return answer
        }
        throw TextFile.Problem(description: "No server answers at \(host), port \(port): \(last).")
    }

    /// Sends the request and reads all of the answer; `nil` if it does not come, or is cut off.
    private static func exchange(_ descriptor: Int32, _ request: [UInt8]) -> Answer? {
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            sent += count
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return parse(bytes) }
            bytes += piece.prefix(count)
        }
    }

    /// Takes an answer apart; `nil` if it is none, or shorter than it says.
    static func parse(_ bytes: [UInt8]) -> Answer? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        let body = Array(bytes[end.upperBound...])
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            guard body.count == parts[1].trimmed.asNumber else { return nil }
        }
        return Answer(status: status, body: body)
    }
}
