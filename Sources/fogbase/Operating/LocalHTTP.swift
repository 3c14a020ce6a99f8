import Glibc
import Sockets

/// One request to a server on this machine, over a connection of its own.
enum LocalHTTP {
    struct Answer: Hashable {
        let status: Int
        let body: [UInt8]
    }

    /// Where a server is.
    enum Place: Hashable, CustomStringConvertible {
        /// A name or an address, without brackets.
        case network(host: String, port: UInt16)
        case unix(path: String)

        var description: String {
            switch self {
            case .network(let host, let port): "\(host), port \(port)"
            case .unix(let path): path
            }
        }
    }

    /// Sends a request and returns the answer, whose body ends with the connection.
    ///
    /// - Parameters:
    ///   - places: Where the server is. The first that takes a connection gets the request, and no other: what was sent may
    ///     have been done.
    ///   - lines: The head without its last, empty line; its connection closes.
    ///   - patience: Seconds that each step may take.
    /// - Throws: A sentence: nobody answers, or not to the end.
    static func send(
        to places: [Place], lines: [String], body: [UInt8] = [], patience: Int
    ) throws(TextFile.Problem) -> Answer {
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        var problem = TextFile.Problem(description: "There is no server to connect to.")
        for place in places {
            let descriptor: Int32
            do throws(TextFile.Problem) {
                descriptor = try connect(to: place, patience: patience)
            } catch {
                problem = error
                continue
            }
            defer { close(descriptor) }
            guard let answer = exchange(descriptor, request) else {
                throw TextFile.Problem(
                    description: "The server at \(place) did not respond within \(patience) seconds.")
            }
            return answer
        }
        throw problem
    }

    /// A connection to a place.
    private static func connect(to place: Place, patience: Int) throws(TextFile.Problem) -> Int32 {
        var last = "no address"
        switch place {
        case .unix(let path):
            let address: SocketAddress
            do throws(SocketError) { address = try SocketAddress("unix:" + path) } catch {
                throw TextFile.Problem(description: "\(path) is no path of a socket: \(error).")
            }
            let descriptor = address.withSystemAddress { open(AF_UNIX, 0, $0, $1, patience) }
            if descriptor >= 0 { return descriptor }
            last = SystemError.text
        case .network(let host, let port):
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
                throw TextFile.Problem(description: "The address \(host) is unknown.")
            }
            defer { freeaddrinfo(found) }
            var next: UnsafeMutablePointer<addrinfo>? = first
            while let address = next?.pointee {
                next = address.ai_next
                let descriptor = open(
                    address.ai_family, address.ai_protocol, address.ai_addr, address.ai_addrlen, patience)
                if descriptor >= 0 { return descriptor }
                last = SystemError.text
            }
        }
        throw TextFile.Problem(description: "No server responds at \(place): \(last).")
    }

    /// A connected socket; -1 if there is none, and `errno` says why.
    private static func open(
        _ family: Int32, _ kind: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t, _ patience: Int
    ) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), kind)
        guard descriptor >= 0 else { return -1 }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        guard Glibc.connect(descriptor, address, length) == 0 else {
            let code = errno
            close(descriptor)
            errno = code
            return -1
        }
        return descriptor
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
