import CLinux
package import Compression
package import HTTP
package import Sockets

/// What a server listens on, and every limit and deadline it keeps.
package struct HTTPServerConfiguration: Sendable {
    /// The waits that a client may cause. Each is a total, not a pause between bytes, except `body` and `write`.
    package struct Deadlines: Sendable {
        /// From the first byte of a head to its end; then 408.
        package var head: Duration = .seconds(10)
        /// What may be spent waiting for a body; bytes that come give it back at `minimumBytesPerSecond`, up to the whole.
        package var body: Duration = .seconds(60)
        /// Between requests; then the connection is closed without a word.
        package var idle: Duration = .seconds(75)
        /// How long an idle connection keeps its task; beyond it only its socket, until something comes.
        package var rest: Duration = .milliseconds(200)
        /// The same for a client that takes an answer; then a reset.
        package var write: Duration = .seconds(30)
        /// For a client to notice a refusal before its connection is closed.
        package var linger: Duration = .seconds(2)

        package init() {}
    }

    /// Where to listen; port 0 lets the system choose.
    package var addresses: [SocketAddress] = []
    /// How many event loops, each with a thread of its own.
    package var loops: Int
    /// Connections that the system keeps waiting before they are accepted.
    package var backlog: Int32 = 4096
    /// What a request head may measure.
    package var headLimits = RequestParser.Limits()
    package var deadlines = Deadlines()
    /// The slowest a client may send or take a body once the deadline's allowance is spent.
    package var minimumBytesPerSecond = 512
    /// Connections in all; one more is answered 503 and closed.
    package var maxConnections = 16_384
    /// Connections from one IPv4 address or one IPv6 /64 network; one more is answered 503. Unix sockets are exempt.
    package var maxConnectionsPerAddress = 1024
    /// How long a connection may use its loop before others have their turn.
    package var timeSlice = Duration.microseconds(250)
    /// Bytes of answers to pipelined requests that are gathered before they are written, and others have their turn.
    package var maxGatheredBytes = 64 << 10
    /// A body that has arrived with its head is given as `.bytes` up to this size.
    package var maxEagerBodyBytes = 64 << 10
    /// Bytes of request bodies that handlers hold, over all connections; beyond it: 503. An eighth is left
    /// for bodies that came with their heads.
    package var maxBodyBytesInFlight = 256 << 20
    /// Bytes of whole answers that wait for clients to take them, over all connections, apart from the 64 KiB or so that
    /// each connection gathers. Beyond it, those are reset that have taken nothing for the longest. Each loop has
    /// its share, but at least 64 MiB.
    package var maxAnswerBytesInFlight = 256 << 20
    /// What is read of a body that nobody wanted, so that the connection can be used again.
    package var maxDrainedBodyBytes = 64 << 10
    /// The output of a gzipped body that is pulled piece by piece (`collect` has its own limit); beyond it: 413.
    package var maxDecompressedBytes = 1 << 30
    /// The output per byte of input of a gzipped body; beyond it: 413.
    package var maxCompressionRatio = 200
    /// Answers of compressible types from this size on are gzipped for clients that accept it; `nil` for none.
    package var minimumCompressedBytes: Int? = 1400
    /// Larger answers go out as they are: compressing them would hold up everybody else on the loop.
    package var maximumCompressedBytes = 1_048_576
    package var compressionLevel = CompressionLevel.fastest
    /// Whose word is taken for where requests come from.
    package var trustedProxies = TrustedProxies.none
    /// Which origins may read answers; none by default.
    package var cors = CORSPolicy(origins: [])
    /// The methods that a preflight allows.
    package var corsMethods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]
    /// Where requests are logged; `nil` for nowhere.
    package var accessLog: AccessLog?
    /// The path below which a proxy serves the server, if it passes it on: handlers see requests without it. Empty for none.
    package var basePath: [UInt8] = []
    /// Paths that begin so hold secrets, such as signed URLs. Where no route says it, as in preflights and refusals, the
    /// access log has only this beginning of them.
    package var secretPaths: [String] = []
    /// Where they are counted; hand it to whoever answers `/metrics`.
    package var metrics = TransportMetrics()

    /// The defaults, with one loop per core that this process may use.
    package init(addresses: [SocketAddress] = []) {
        self.addresses = addresses
        loops = Int(fogbase_cpu_count())
    }
}
