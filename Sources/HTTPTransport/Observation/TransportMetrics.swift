package import HTTP
import TLS
import Threads

/// The counters of the transport, for Prometheus.
///
/// Each loop has its own shard. The shard's lock is contended only during a scrape. A scrape adds up and formats the
/// shards.
package final class TransportMetrics: MetricsSource {
    /// The upper bounds of the latency buckets in seconds. They range from a cached read to a handler that hangs.
    package static let bounds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
    ]

    private let shards = Locked<[MetricsShard]>([])
    private let accessLog = Locked<AccessLog?>(nil)
    private let tls = Locked<TLSServer?>(nil)

    /// Creates metrics without shards.
    package init() {}

    /// Adds the number of lines dropped by `log` to the metrics.
    func include(_ log: AccessLog) {
        accessLog.withLock { $0 = log }
    }

    /// Adds the handshakes, and the expiry of the current certificate, to the metrics.
    func include(_ server: TLSServer) {
        tls.withLock { $0 = server }
    }

    func makeShard() -> MetricsShard {
        let shard = MetricsShard()
        shards.withLock { $0.append(shard) }
        return shard
    }

    package func writeMetrics(into text: inout MetricsText) {
        let total = total()
        text.gauge("fogbase_http_connections", help: "Open connections.", Double(total.open))
        text.gauge(
            "fogbase_http_connections_resting", help: "Open connections that are idle and hold little memory.",
            Double(total.resting))
        text.counter(
            "fogbase_http_connections_accepted_total", help: "Accepted connections.", total.accepted)
        text.counter(
            "fogbase_http_connections_refused_total", help: "Connections rejected with 503 because of a limit.",
            total.rejected)
        text.counter("fogbase_http_received_bytes_total", help: "Bytes read from clients.", total.received)
        text.counter("fogbase_http_sent_bytes_total", help: "Bytes written to clients.", total.sent)
        if let log = accessLog.withLock({ $0 }) {
            text.counter(
                "fogbase_access_log_dropped_lines_total", help: "Access log lines dropped because the queue was full.",
                log.dropped)
        }
        if let tls = tls.withLock({ $0 }) {
            for (result, count) in [
                ("full", total.handshakes.full), ("resumed", total.handshakes.resumed),
                ("failed", total.handshakes.failed),
            ] {
                text.counter(
                    "fogbase_tls_handshakes_total", help: "TLS handshakes by result.", labels: [("result", result)],
                    count)
            }
            text.gauge(
                "fogbase_tls_certificate_expiry_timestamp_seconds",
                help: "The end of the certificate's validity, in seconds since 1970-01-01 UTC.",
                Double(tls.identity.validity.upperBound))
        }
        let routes = total.routes.sorted { $0.key < $1.key }
        for (route, stats) in routes {
            for (status, count) in stats.statuses.sorted(by: { $0.key < $1.key }) {
                text.counter(
                    "fogbase_http_requests_total", help: "Responses by route and status.",
                    labels: [("route", route), ("status", String(status))], count)
            }
        }
        for (route, stats) in routes {
            text.histogram(
                "fogbase_http_request_duration_seconds",
                help: "Time from the last byte of the request head to the last byte of the response, in seconds.",
                labels: [("route", route)], bounds: Self.bounds, counts: stats.buckets,
                sum: Double(stats.nanoseconds) / 1e9)
        }
    }

    private struct RouteTotal {
        var statuses: [UInt16: UInt64] = [:]
        var buckets = [UInt64](repeating: 0, count: bounds.count + 1)
        var nanoseconds: UInt64 = 0
    }

    private struct Total {
        var open = 0
        var resting = 0
        var accepted: UInt64 = 0
        var rejected: UInt64 = 0
        var received: UInt64 = 0
        var sent: UInt64 = 0
        var handshakes = MetricsShard.Handshakes()
        var routes: [String: RouteTotal] = [:]
    }

    private func total() -> Total {
        var total = Total()
        for shard in shards.withLock({ $0 }) {
            let counts = shard.snapshot
            total.open += counts.open
            total.resting += counts.resting
            total.accepted &+= counts.accepted
            total.rejected &+= counts.rejected
            total.received &+= counts.received
            total.sent &+= counts.sent
            total.handshakes.full &+= counts.handshakes.full
            total.handshakes.resumed &+= counts.handshakes.resumed
            total.handshakes.failed &+= counts.handshakes.failed
            for entry in counts.entries {
                // The same literal has different addresses in different modules, so entries are merged by their text.
                var route = total.routes[entry.route.description, default: RouteTotal()]
                route.statuses[entry.status, default: 0] &+= entry.count
                route.nanoseconds &+= entry.nanoseconds
                for index in entry.buckets.indices { route.buckets[index] &+= entry.buckets[index] }
                total.routes[entry.route.description] = route
            }
        }
        return total
    }
}

/// The counters of one loop.
///
/// Unchecked: `traffic` is used on the loop's thread only; a lock protects all other state.
final class MetricsShard: @unchecked Sendable {
    /// The counters for the responses of one route with one status.
    struct Entry: Sendable {
        var route: StaticString
        var status: UInt16
        var count: UInt64 = 0
        var nanoseconds: UInt64 = 0
        var buckets = [UInt64](repeating: 0, count: TransportMetrics.bounds.count + 1)
    }

    /// The TLS handshakes that have ended.
    struct Handshakes: Sendable {
        var full: UInt64 = 0
        var resumed: UInt64 = 0
        var failed: UInt64 = 0
    }

    struct Counts: Sendable {
        var open = 0
        var resting = 0
        var accepted: UInt64 = 0
        var rejected: UInt64 = 0
        var received: UInt64 = 0
        var sent: UInt64 = 0
        var handshakes = Handshakes()
        var entries: [Entry] = []
        fileprivate var places: [Key: Int] = [:]
    }

    fileprivate struct Key: Hashable {
        var route: UInt
        var status: UInt16
    }

    private let counts = Locked(Counts())
    private var traffic = Traffic()
    private static let bounds: [UInt64] = TransportMetrics.bounds.map { UInt64($0 * 1e9) }

    var snapshot: Counts { counts.withLock { $0 } }

    func connectionDidOpen() {
        counts.withLock { counts in
            counts.open += 1
            counts.accepted &+= 1
        }
    }

    func connectionDidClose() {
        counts.withLock { counts in
            counts.open -= 1
            traffic.publish(to: &counts)
        }
    }

    func connectionDidRest() {
        counts.withLock { $0.resting += 1 }
    }

    func connectionDidWake() {
        counts.withLock { $0.resting -= 1 }
    }

    func connectionWasRejected() {
        counts.withLock { $0.rejected &+= 1 }
    }

    /// Counts a TLS handshake.
    ///
    /// - Parameter count: Its result.
    func handshakeDidEnd(_ count: WritableKeyPath<Handshakes, UInt64>) {
        counts.withLock { $0.handshakes[keyPath: count] &+= 1 }
    }

    /// Counts received bytes. Call this on the loop's thread.
    func didReceive(_ bytes: Int) {
        traffic.received &+= UInt64(bytes)
    }

    /// Counts sent bytes. Call this on the loop's thread.
    func didSend(_ bytes: Int) {
        traffic.sent &+= UInt64(bytes)
    }

    /// The bytes counted since the last publication. Each response and each closed connection publishes them, so a read
    /// takes no lock.
    private struct Traffic {
        var received: UInt64 = 0
        var sent: UInt64 = 0

        mutating func publish(to counts: inout Counts) {
            counts.received &+= received
            counts.sent &+= sent
            self = Traffic()
        }
    }

    func record(_ summary: HTTPRequestSummary) {
        var bucket = 0
        while bucket < Self.bounds.count, summary.nanoseconds > Self.bounds[bucket] { bucket += 1 }
        counts.withLock { counts in
            traffic.publish(to: &counts)
            let key = Key(route: UInt(bitPattern: summary.route.utf8Start), status: summary.status.code)
            let place: Int
            if let known = counts.places[key] {
                place = known
            } else {
                place = counts.entries.count
                counts.places[key] = place
                counts.entries.append(Entry(route: summary.route, status: summary.status.code))
            }
            counts.entries[place].count &+= 1
            counts.entries[place].nanoseconds &+= summary.nanoseconds
            counts.entries[place].buckets[bucket] &+= 1
        }
    }
}
