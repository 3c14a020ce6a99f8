/// What has numbers to show at `/metrics`.
public protocol MetricsSource: Sendable {
    func writeMetrics(into text: inout MetricsText)
}

/// Builds the text format of Prometheus, version 0.0.4.
///
/// The samples of one metric must be written one after the other: the format wants each family in one place, and
/// HELP and TYPE are written when the name changes.
public struct MetricsText: Sendable {
    public typealias Labels = [(name: StaticString, value: String)]

    /// The Content-Type of the text.
    public static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    public private(set) var text: [UInt8] = []
    private var family = ""

    public init() {}

    /// A number that only grows.
    public mutating func counter(_ name: StaticString, help: StaticString, labels: Labels = [], _ value: UInt64) {
        begin(name, help, "counter")
        sample(name, "", labels, extra: nil, .integer(value))
    }

    /// A sum of seconds, which only grows.
    public mutating func counter(_ name: StaticString, help: StaticString, labels: Labels = [], seconds: Double) {
        begin(name, help, "counter")
        sample(name, "", labels, extra: nil, .number(seconds))
    }

    /// A number that goes up and down.
    public mutating func gauge(_ name: StaticString, help: StaticString, labels: Labels = [], _ value: Double) {
        begin(name, help, "gauge")
        sample(name, "", labels, extra: nil, .number(value))
    }

    /// A distribution.
    ///
    /// - Parameters:
    ///   - bounds: The upper bound of each bucket but the last, rising.
    ///   - counts: How many observations fell into each bucket alone; one more than there are bounds, the last being
    ///     those above all of them. They are summed up here.
    ///   - sum: Of all observations.
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

    /// Backslash and line feed are escaped everywhere, the quote in label values only.
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
