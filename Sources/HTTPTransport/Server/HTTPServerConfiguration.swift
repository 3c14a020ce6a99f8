import CLinux
package import Compression
package import HTTP
package import Sockets
package import TLS

/// The addresses, limits and deadlines of a server.
package struct HTTPServerConfiguration: Sendable {
    /// The limits on the time that a client may take. Each deadline is a total, not a pause between bytes, except for
    /// `body` and `write`.
    package struct Deadlines: Sendable {
        /// The maximum time from the first to the last byte of a head; after that, the response is 408. Also the maximum
        /// time of a TLS handshake, from the start of the connection.
        package var head: Duration = .seconds(10)
        /// The maximum total wait for a body; after that, the response is 408. Received bytes restore the allowance at
        /// `minimumBytesPerSecond`, up to this value.
        package var body: Duration = .seconds(60)
        /// The maximum time between requests; after that, the connection is closed without a response.
        package var idle: Duration = .seconds(75)
        /// The time after which an idle connection ends its task and keeps only its socket.
        package var rest: Duration = .milliseconds(200)
        /// The maximum total wait for a client to read a response, restored like `body`; after that, the connection is
        /// reset.
        package var write: Duration = .seconds(30)
        /// The maximum time of a lingering close, in which the client can read the last response.
        package var linger: Duration = .seconds(2)

        /// Creates the default deadlines.
        package init() {}
    }

    /// The addresses to listen on; port 0 lets the system choose.
    package var addresses: [SocketAddress] = []
    /// The certificate with which all addresses except for Unix sockets speak HTTPS; `nil` for plain HTTP.
    package var tls: TLSServer?
    /// The value of `Strict-Transport-Security` in responses over TLS; `nil` for none.
    package var strictTransportSecurity: String?
    /// The permissions of the files of Unix sockets.
    package var unixSocketMode: UInt32 = 0o700
    /// The number of event loops, each with its own thread.
    package var loops: Int
    /// The maximum number of connections that wait in the kernel to be accepted.
    package var backlog: Int32 = 4096
    /// The limits of a request head.
    package var headLimits = RequestParser.Limits()
    /// The deadlines of connections, bodies and responses.
    package var deadlines = Deadlines()
    /// The clock of the deadlines; `nil` for the system's monotonic clock.
    package var clock: LoopClock?
    /// The minimum transfer rate of a body or response, once its deadline has no allowance left.
    package var minimumBytesPerSecond = 512
    /// The maximum number of connections in total. A further connection gets 503 and is closed.
    package var maxConnections = 16_384
    /// The maximum number of connections from one IPv4 address or one IPv6 /64 network. A further connection gets 503.
    /// Unix sockets are exempt.
    package var maxConnectionsPerAddress = 1024
    /// How long a connection may run before the other connections of its loop run.
    package var timeSlice = Duration.microseconds(250)
    /// The maximum number of bytes of responses to pipelined requests that are collected. Beyond it, the responses are
    /// written and other connections run.
    package var maxGatheredBytes = 64 << 10
    /// The maximum size in bytes of a body that is passed as `.bytes` if it has arrived with its head.
    package var maxEagerBodyBytes = 64 << 10
    /// The maximum number of bytes of request bodies in memory, over all connections; 503 if exceeded. An eighth is
    /// reserved for bodies that arrived with their heads.
    package var maxBodyBytesInFlight = 256 << 20
    /// The maximum number of bytes of whole responses that wait for clients, over all connections. Each connection can
    /// collect about 64 KiB in addition. If the limit is exceeded, the connections whose clients have read nothing for
    /// the longest time are reset. Each loop has an equal share, but at least 64 MiB.
    package var maxResponseBytesInFlight = 256 << 20
    /// The maximum number of bytes of an unread body that are discarded to reuse the connection.
    package var maxDrainedBodyBytes = 64 << 10
    /// The maximum output in bytes of a gzip body that is read in pieces; 413 if exceeded. `collect` has its own limit.
    package var maxDecompressedBytes = 1 << 30
    /// The maximum number of output bytes per input byte of a gzip body; 413 if exceeded.
    package var maxCompressionRatio = 200
    /// The minimum size in bytes of a response to compress, for compressible types and clients that accept gzip; `nil`
    /// to compress none.
    package var minimumCompressedBytes: Int? = 1400
    /// The maximum size in bytes of a response to compress. Compressing a larger response would delay all other
    /// connections of the loop.
    package var maximumCompressedBytes = 1_048_576
    /// The gzip compression level of responses.
    package var compressionLevel = CompressionLevel.fastest
    /// The proxies that the server trusts to report the client's address.
    package var trustedProxies = TrustedProxies.none
    /// The origins whose pages may read responses; by default no origin.
    package var cors = CORSPolicy(origins: [])
    /// Called with the origin of each page that wants to read a response and may not; `nil` to ignore them.
    package var didRejectOrigin: (@Sendable (String) -> Void)?
    /// The methods that a preflight response allows.
    package var corsMethods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]
    /// Whether the handler itself responds to preflights of a target, and decides which origins may read its responses.
    package var handlesOwnPreflights: @Sendable (RequestTarget) -> Bool = { _ in false }
    /// The access log; `nil` to log no requests.
    package var accessLog: AccessLog?
    /// The path prefix for a proxy that does not remove it; empty for none. Handlers get targets without the prefix.
    package var basePath: [UInt8] = []
    /// Returns what the access log shows of a path without a route, as in preflights and rejections. The path may be a
    /// secret, such as a signed URL.
    package var loggedPath: @Sendable (String) -> String = { $0 }
    /// The metrics of the server, to be included in `/metrics`.
    package var metrics = TransportMetrics()

    /// Creates the default configuration, with one loop per core that this process may use.
    package init(addresses: [SocketAddress] = []) {
        self.addresses = addresses
        loops = Int(fogbase_cpu_count())
    }
}
