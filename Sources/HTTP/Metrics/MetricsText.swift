/// A source of metrics for `/metrics`.
public protocol MetricsSource: Sendable {
    func writeMetrics(into text: inout MetricsText)
}

/// Builds the Prometheus text format, version 0.0.4.
///
/// Write all samples of one metric consecutively, because the format requires it. HELP and TYPE are written whenever
/// the metric name changes.
public struct MetricsText: Sendable {
    /// The names and values of the labels of one sample.
    public typealias Labels = [(name: StaticString, value: String)]

    /// The Content-Type of the text.
    public static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    /// The text written so far.
    public private(set) var text: [UInt8] = []
    private var family = ""

    /// Creates an empty text.
    public init() {}

    /// Adds a counter, a number that never decreases.
    public mutating func counter(_ name: StaticString, help: StaticString, labels: Labels = [], _ value: UInt64) {
        begin(name, help, "counter")
        sample(name, "", labels, extra: nil, .integer(value))
    }

    /// Adds a counter of seconds.
    public mutating func counter(_ name: StaticString, help: StaticString, labels: Labels = [], seconds: Double) {
        begin(name, help, "counter")
        sample(name, "", labels, extra: nil, .number(seconds))
    }

    /// Adds a gauge, a number that can rise and fall.
    public mutating func gauge(_ name: StaticString, help: StaticString, labels: Labels = [], _ value: Double) {
        begin(name, help, "gauge")
        sample(name, "", labels, extra: nil, .number(value))
    }

    /// Adds a histogram.
    ///
    /// - Parameters:
    ///   - bounds: The upper bound of each bucket except the last, ascending.
    ///   - counts: The number of observations in each bucket, not cumulative. This function adds them up. The array has
    ///     one more element than `bounds`, for the observations above all bounds.
    ///   - sum: The sum of all observations.
    public mutating func histogram(
        _ name: StaticString, help: StaticString, labels: Labels = [], bounds: [Double], counts: [UInt64], sum: Double
    ) {
        begin(name, help, "histogram")
        var total: UInt64 = 0
        for (index, count) in counts.enumerated() {
            total &+= count
            let bound = index < bounds.count ? bounds[index] : .infinity
            sample(name, "_bucket", labels, extra: bound, .integer(total))
        }
        sample(name, "_sum", labels, extra: nil, .number(sum))
        sample(name, "_count", labels, extra: nil, .integer(total))
    }

    private enum Value {
        case integer(UInt64)
        case number(Double)
    }

    private mutating func begin(_ name: StaticString, _ help: StaticString, _ type: StaticString) {
        let family = "\(name)"
        guard family != self.family else { return }
        self.family = family
        text.append(literal: "# HELP ")
        text.append(literal: name)
        text.append(literal: " ")
        help.withUTF8Buffer { escape($0, quotes: false) }
        text.append(literal: "\n# TYPE ")
        text.append(literal: name)
        text.append(literal: " ")
        text.append(literal: type)
        text.append(literal: "\n")
    }

    private mutating func sample(
        _ name: StaticString, _ suffix: StaticString, _ labels: Labels, extra: Double?, _ value: Value
    ) {
        text.append(literal: name)
        text.append(literal: suffix)
        var separator: StaticString = "{"
        for label in labels {
            text.append(literal: separator)
            text.append(literal: label.name)
            text.append(literal: "=\"")
            escape(label.value.utf8, quotes: true)
            text.append(literal: "\"")
            separator = ","
        }
        if let extra {
            text.append(literal: separator)
            text.append(literal: "le=\"")
            append(extra)
            text.append(literal: "\"")
            separator = ","
        }
        if separator.utf8Start[0] == UInt8(ascii: ",") { text.append(literal: "}") }
        text.append(literal: " ")
        switch value {
        case .integer(let integer): text.append(contentsOf: String(integer).utf8)
        case .number(let number): append(number)
        }
        text.append(literal: "\n")
    }

    private mutating func append(_ number: Double) {
        if number.isNaN {
            text.append(literal: "NaN")
        } else if number.isInfinite {
            text.append(literal: number < 0 ? "-Inf" : "+Inf")
        } else {
            text.append(contentsOf: number.description.utf8)
        }
    }

    /// Escapes backslashes and line feeds in label values and HELP texts, and quotation marks only in label values.
    private mutating func escape(_ bytes: some Sequence<UInt8>, quotes: Bool) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\\"): text.append(literal: "\\\\")
            case 0x0A: text.append(literal: "\\n")
            case UInt8(ascii: "\"") where quotes: text.append(literal: "\\\"")
            default: text.append(byte)
            }
        }
    }
}
