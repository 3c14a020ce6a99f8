import Glibc
import HTTP

extension AccessLog.Line {
    /// Appends the line in the given format, with a line feed.
    func write(to output: inout [UInt8], _ format: AccessLog.Format) {
        switch format {
        case .text: writeText(to: &output)
        case .json: writeJSON(to: &output)
        }
    }

    private func writeText(to output: inout [UInt8]) {
        output += time.utf8
        output.append(0x20)
        Self.append(peer.isEmpty ? "-" : peer, to: &output, quote: false)
        output.append(0x20)
        Self.append(summary.method.text, to: &output, quote: false)
        output.append(0x20)
        Self.append(path, to: &output, quote: false)
        output += " \(summary.status.code) \(summary.responseBytes) \(duration)ms ".utf8
        Self.append(id, to: &output, quote: false)
        output.append(0x0A)
    }

    private func writeJSON(to output: inout [UInt8]) {
        output += "{\"time\":\"\(time)\",\"peer\":".utf8
        Self.append(peer, to: &output, quote: true)
        output += ",\"method\":".utf8
        Self.append(summary.method.text, to: &output, quote: true)
        output += ",\"path\":".utf8
        Self.append(path, to: &output, quote: true)
        output += ",\"route\":".utf8
        Self.append(summary.route.description, to: &output, quote: true)
        output += ",\"status\":\(summary.status.code),\"requestBytes\":\(summary.requestBytes)".utf8
        output += ",\"responseBytes\":\(summary.responseBytes),\"milliseconds\":\(duration),\"id\":".utf8
        Self.append(id, to: &output, quote: true)
        output += "}\n".utf8
    }

    /// The duration in milliseconds with three decimals, as text.
    private var duration: String {
        let microseconds = summary.nanoseconds / 1000
        let fraction = String(microseconds % 1000)
        return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - fraction.utf8.count))\(fraction)"
    }

    /// The time in RFC 3339 format: UTC with milliseconds.
    private var time: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ value: Int32, _ width: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
        }
        let day = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        let clock = "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
        return "\(day)T\(clock).\(padded(Int32(milliseconds % 1000), 3))Z"
    }

    /// Appends text, escaped so that it cannot forge a line. Escapes control characters, DEL, the C1 range, line and
    /// paragraph separators, and backslashes. Also escapes quotation marks in JSON, and spaces in text lines, where
    /// spaces separate fields.
    private static func append(_ text: String, to output: inout [UInt8], quote: Bool) {
        if quote { output.append(0x22) }
        for scalar in text.unicodeScalars {
            let value = scalar.value
            if value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
                || (!quote && value == 0x20)
            {
                let hex = String(value, radix: 16)
                output += "\\u\(String(repeating: "0", count: max(0, 4 - hex.utf8.count)))\(hex)".utf8
            } else if value == 0x5C || (quote && value == 0x22) {
                output += [0x5C, UInt8(value)]
            } else {
                output += Array(String(scalar).utf8)
            }
        }
        if quote { output.append(0x22) }
    }
}
