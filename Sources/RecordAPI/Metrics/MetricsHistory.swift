internal import HTTP
internal import RecordModel
internal import RecordWire
internal import Threads

/// The last day of a few numbers of `/metrics`, for charts. It is kept in memory only.
///
/// The history reads the text of `/metrics`, so that no source of metrics needs to know it.
final class MetricsHistory: Sendable {
    /// A span of time with points at equal distances.
    enum Period: String, CaseIterable {
        case hour, day

        /// The distance of two points in milliseconds.
        var step: Int64 { self == .hour ? 10_000 : 300_000 }
        /// The number of points.
        var count: Int { self == .hour ? 360 : 288 }
    }

    /// What happened between two readings of the metrics, at the time of the second one.
    struct Point: Sendable {
        /// In milliseconds since 1970.
        let timestamp: Int64
        /// By the names in `MetricsReading.series`; `nil` for a number that does not exist, such as the latency
        /// without requests.
        let values: [Double?]
    }

    private struct Series {
        var last: MetricsReading?
        var points: [Point] = []
    }

    /// How much earlier than a point is due its reading may come, in milliseconds.
    private static let tolerance: Int64 = 5_000

    private let series = Locked<[Series]>(Period.allCases.map { _ in Series() })

    /// Adds a reading to each period whose next point is due.
    func add(_ reading: MetricsReading) {
        series.withLock { series in
            for (index, period) in Period.allCases.enumerated() {
                if let last = series[index].last,
                    (0..<period.step - Self.tolerance).contains(reading.timestamp - last.timestamp)
                {
                    continue
                }
                if let last = series[index].last, reading.timestamp > last.timestamp {
                    series[index].points.append(reading.point(since: last))
                    if series[index].points.count > period.count { series[index].points.removeFirst() }
                }
                series[index].last = reading
            }
        }
    }

    /// The points of a period, the oldest first.
    func points(_ period: Period) -> [Point] {
        series.withLock { $0[Period.allCases.firstIndex(of: period) ?? 0].points }
    }
}

/// The numbers of one reading of `/metrics` that the history needs.
struct MetricsReading: Sendable {
    /// In milliseconds since 1970.
    let timestamp: Int64
    private var requests: [UInt16: Double] = [:]
    /// The requests of each bucket of the duration and of all below it, by the bucket's upper bound in seconds.
    private var buckets: [Double: Double] = [:]
    private var sums: [String: Double] = [:]
    /// The responses with status 503 that asked to wait for an index build.
    private var indexWaits = 0.0

    /// The names of the values of a point. Rates are per second, durations in milliseconds, sizes in bytes.
    static let series = [
        "requests", "refused", "throttled", "failed", "median", "p99", "receivedBytes", "sentBytes", "writes",
        "queries", "processors", "connections", "streams", "memoryBytes", "databaseBytes",
    ]

    /// The metrics whose labels do not matter, by the names of the series.
    private static let rates: [String: String] = [
        "fogbase_http_received_bytes_total": "receivedBytes", "fogbase_http_sent_bytes_total": "sentBytes",
        "fogbase_commit_writes_total": "writes", "fogbase_queries_total": "queries",
        "process_cpu_seconds_total": "processors",
    ]
    private static let gauges: [String: String] = [
        "fogbase_http_connections": "connections", "fogbase_feed_streams": "streams",
        "process_anonymous_memory_bytes": "memoryBytes", "fogbase_database_bytes": "databaseBytes",
    ]

    /// Reads the text of `/metrics`.
    init(_ text: [UInt8], at timestamp: Int64) {
        self.timestamp = timestamp
        for line in text.split(separator: 0x0A) where line.first != UInt8(ascii: "#") {
            guard let space = line.lastIndex(of: 0x20),
                let value = Double(String(decoding: line[line.index(after: space)...], as: UTF8.self))
            else { continue }
            let sample = String(decoding: line[..<space], as: UTF8.self)
            let name = String(sample.prefix { $0 != "{" })
            switch name {
            case "fogbase_http_requests_total":
                if let status = Self.label("status", sample).flatMap({ UInt16($0) }) {
                    requests[status, default: 0] += value
                }
            case "fogbase_http_index_waits_total": indexWaits += value
            case "fogbase_http_request_duration_seconds_bucket":
                guard let bound = Self.label("le", sample) else { continue }
                buckets[bound == "+Inf" ? .infinity : Double(bound) ?? .infinity, default: 0] += value
            default:
                if let series = Self.rates[name] ?? Self.gauges[name] { sums[series, default: 0] += value }
            }
        }
    }

    /// The value of a label of a sample. Routes, the only values with quotation marks or commas, are not asked for.
    private static func label(_ name: String, _ sample: String) -> Substring? {
        guard let range = sample.firstRange(of: "\(name)=\"") else { return nil }
        return sample[range.upperBound...].prefix { $0 != "\"" }
    }

    /// What happened since an earlier reading.
    func point(since earlier: MetricsReading) -> MetricsHistory.Point {
        let seconds = Double(timestamp - earlier.timestamp) / 1_000
        func count(_ statuses: ClosedRange<UInt16>) -> Double {
            requests.reduce(0) { sum, item in
                statuses.contains(item.key) ? sum + item.value - (earlier.requests[item.key] ?? 0) : sum
            }
        }
        var values: [String: Double] = [
            "requests": count(0...999) / seconds, "throttled": count(429...429) / seconds,
            "refused": (count(400...499) - count(429...429)) / seconds,
            "failed": max(0, count(500...599) - (indexWaits - earlier.indexWaits)) / seconds,
        ]
        for series in Self.rates.values {
            values[series] = max(0, (sums[series] ?? 0) - (earlier.sums[series] ?? 0)) / seconds
        }
        for series in Self.gauges.values { values[series] = sums[series] ?? 0 }
        values["median"] = duration(0.5, since: earlier)
        values["p99"] = duration(0.99, since: earlier)
        return MetricsHistory.Point(timestamp: timestamp, values: Self.series.map { values[$0] })
    }

    /// The duration in milliseconds that a share of the requests did not exceed, between the bounds of its bucket;
    /// `nil` without requests.
    private func duration(_ share: Double, since earlier: MetricsReading) -> Double? {
        let bounds = buckets.keys.sorted()
        let counts = bounds.map { (buckets[$0] ?? 0) - (earlier.buckets[$0] ?? 0) }
        guard let total = counts.last, total > 0, let place = counts.firstIndex(where: { $0 >= share * total }) else {
            return nil
        }
        let (lower, below) = place == 0 ? (0, 0) : (bounds[place - 1], counts[place - 1])
        // Above the last bound only that bound is known.
        guard bounds[place].isFinite else { return lower * 1_000 }
        let part = counts[place] > below ? (share * total - below) / (counts[place] - below) : 1
        return (lower + part * (bounds[place] - lower)) * 1_000
    }
}
