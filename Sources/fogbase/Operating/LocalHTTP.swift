import Glibc
import Sockets
import TLS

/// Sends one request to a server on this machine, over a new connection.
enum LocalHTTP {
    struct Response: Hashable {
        let status: Int
        let body: [UInt8]
    }

    /// The network address or Unix socket of a server.
    enum Place: Hashable, CustomStringConvertible {
        /// A name or an address, without brackets. With TLS, every certificate is accepted: the connection does not leave
        /// this machine, and the certificate is for the name that other machines use.
        case network(host: String, port: UInt16, isEncrypted: Bool = false)
        case unix(path: String)

        var description: String {
            switch self {
            case .network(let host, let port, _): "\(host), port \(port)"
            case .unix(let path): path
            }
        }
    }

    /// Sends a request and returns the response. The response body must end with the connection.
    ///
    /// - Parameters:
    ///   - places: The locations of the server. Only the first location that accepts a connection gets the request,
    ///     because a request may have been executed once it was sent.
    ///   - lines: The request head without its empty line. It must contain `Connection: close`.
    ///   - maxWait: The maximum time of each step in seconds.
    /// - Throws: A sentence if no connection can be made or no complete response arrives.
    static func send(
        to places: [Place], lines: [String], body: [UInt8] = [], maxWait: Int
    ) throws(TextFile.Problem) -> Response {
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        let (line, place) = try connect(to: places, maxWait: maxWait)
        guard line.send(request), let response = receiveResponse(line) else {
            throw TextFile.Problem(
                description: "The server at \(place) did not respond within \(maxWait) seconds.")
        }
        return response
    }

    /// Sends a request whose body is a file, and returns the response.
    ///
    /// - Parameter lines: The request head without its empty line. It must contain the length and `Connection: close`.
    /// - Throws: A sentence if the file cannot be read, no connection can be made or no complete response arrives.
    static func send(
        to places: [Place], lines: [String], file path: String, maxWait: Int
    ) throws(TextFile.Problem) -> Response {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw TextFile.Problem(description: "\(path) cannot be read: \(SystemError.text).") }
        defer { close(file) }
        let (line, place) = try connect(to: places, maxWait: maxWait)
        var isSent = line.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        // A server that rejects a file responds before it has all of it, and closes the connection.
        while isSent {
            let count = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            isSent = line.send(Array(piece[..<count]))
        }
        guard let response = receiveResponse(line) else {
            throw TextFile.Problem(description: "The server at \(place) did not respond within \(maxWait) seconds.")
        }
        return response
    }

    /// Sends a request whose response has no end, and passes on the bytes of its body as they arrive.
    ///
    /// - Parameters:
    ///   - lines: The request head for HTTP/1.0, without its empty line. The body is then not chunked.
    ///   - maxWait: The maximum time without a byte in seconds.
    ///   - each: Receives the next bytes of the body. Returns whether to continue.
    /// - Returns: The response if it is not 200; `nil` if the stream has ended.
    /// - Throws: A sentence if no connection can be made; the errors of `each`.
    static func follow<Failure: Error>(
        at places: [Place], lines: [String], maxWait: Int, _ each: ([UInt8]) throws(Failure) -> Bool
    ) throws -> Response? {
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let (line, _) = try connect(to: places, maxWait: maxWait)
        guard line.send(request) else { return nil }
        var bytes: [UInt8] = []
        var isBody = false
        while let piece = line.receive(), !piece.isEmpty {
            if isBody {
                guard try each(piece) else { return nil }
            } else {
                bytes += piece
                // The body of an error ends with the connection.
                guard status(bytes) == 200 else { continue }
                guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
                isBody = true
                guard try each(Array(bytes[end.upperBound...])) else { return nil }
            }
        }
        return isBody ? nil : parse(bytes)
    }

    /// Returns a connection to the first location that accepts one, and the location.
    ///
    /// - Throws: A sentence if no connection can be made.
    private static func connect(
        to places: [Place], maxWait: Int
    ) throws(TextFile.Problem) -> (line: Line, place: Place) {
        var problem = TextFile.Problem(description: "There is no server to connect to.")
        for place in places {
            do throws(TextFile.Problem) {
                return (try connect(to: place, maxWait: maxWait), place)
            } catch {
                problem = error
            }
        }
        throw problem
    }

    /// Returns the status in the first line of a response; `nil` if it has not arrived yet.
    private static func status(_ bytes: [UInt8]) -> Int? {
        let words = String(decoding: bytes.prefix(16), as: UTF8.self).split(separator: " ")
        return words.count > 2 || bytes.count > 12 ? words.dropFirst().first.flatMap { Int($0) } : nil
    }

    /// Returns a connection to a location.
    ///
    /// - Throws: A sentence if no connection can be made.
    private static func connect(to place: Place, maxWait: Int) throws(TextFile.Problem) -> Line {
        var last = "no address"
        switch place {
        case .unix(let path):
            let address: SocketAddress
            do throws(SocketError) { address = try SocketAddress("unix:" + path) } catch {
                throw TextFile.Problem(description: "\(path) is no path of a socket: \(error).")
            }
            let descriptor = address.withSystemAddress { open(AF_UNIX, 0, $0, $1, maxWait) }
            if descriptor >= 0 { return Line(descriptor) }
            last = SystemError.text
        case .network(let host, let port, let isEncrypted):
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
                    address.ai_family, address.ai_protocol, address.ai_addr, address.ai_addrlen, maxWait)
                if descriptor >= 0 {
                    let line = Line(descriptor)
                    guard isEncrypted, !line.encrypt() else { return line }
                    throw TextFile.Problem(description: "The server at \(place) does not speak TLS, or is overloaded.")
                }
                last = SystemError.text
            }
        }
        throw TextFile.Problem(description: "No server responds at \(place): \(last).")
    }

    /// Returns a connected socket. On failure, returns -1 and sets `errno`.
    private static func open(
        _ family: Int32, _ kind: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t, _ maxWait: Int
    ) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), kind)
        guard descriptor >= 0 else { return -1 }
        var time = timeval(tv_sec: maxWait, tv_usec: 0)
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

    /// Reads the whole response. Returns `nil` if it is incomplete.
    private static func receiveResponse(_ line: Line) -> Response? {
        var bytes: [UInt8] = []
        while let piece = line.receive() {
            if piece.isEmpty { return parse(bytes) }
            bytes += piece
        }
        return nil
    }

    /// Parses a response; `nil` if it is malformed or truncated.
    static func parse(_ bytes: [UInt8]) -> Response? {
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
        return Response(status: status, body: body)
    }
}
