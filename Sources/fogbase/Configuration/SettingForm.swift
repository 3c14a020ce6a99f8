import HTTP
import RecordAPI
import RecordEngine

/// The reason why a text is not a valid value for a setting.
struct BadValue: Error, Hashable {
    /// What the value must be, as the end of an error sentence: `must be …`.
    let expected: String

    init(_ expected: String) {
        self.expected = expected
    }
}

/// The format of the values of a setting.
struct SettingForm<Value: Sendable>: Sendable {
    /// The name of the value in help texts.
    let placeholder: String
    let parse: @Sendable (String) throws(BadValue) -> Value
    let show: @Sendable (Value) -> String
}

extension SettingForm where Value == String {
    /// Any text; empty means unset.
    static func text(_ placeholder: String) -> Self {
        SettingForm(placeholder: placeholder, parse: { $0 }, show: { $0 })
    }

    /// Addresses to listen on.
    static var host: Self {
        SettingForm(
            placeholder: "ADDRESSES",
            parse: { text throws(BadValue) in
                guard ListeningHost.list(text).allSatisfy(ListeningHost.isAddress) else {
                    throw BadValue(ListeningHost.rule)
                }
                return text
            }, show: { $0 })
    }

    /// A secret of at least `minimum` bytes.
    static func secret(minimum: Int) -> Self {
        SettingForm(
            placeholder: "TOKEN",
            parse: { text throws(BadValue) in
                guard text.utf8.count >= minimum, text.utf8.count <= 1_024,
                    text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
                else {
                    throw BadValue(
                        "must have at least \(minimum) visible ASCII characters; 'openssl rand -hex 32' creates one"
                    )
                }
                return text
            }, show: { $0.isEmpty ? "" : "********" })
    }

    /// The name of a container.
    static var containerName: Self {
        SettingForm(
            placeholder: "NAME",
            parse: { text throws(BadValue) in
                guard ContainerName(text) != nil else { throw BadValue("must be a container's name, " + containerRule) }
                return text
            }, show: { $0 })
    }
}

private let containerRule =
    "such as iCloud.org.example.Forum: letters, digits, dots, hyphens and underscores, the first a letter"

extension SettingForm where Value == [String] {
    static func list(
        _ placeholder: String, _ rule: String, allowsEmpty: Bool, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> Self {
        SettingForm(
            placeholder: placeholder,
            parse: { text throws(BadValue) in
                let items = text.split(separator: ",").map { String($0.trimmed) }
                guard allowsEmpty || !items.isEmpty, items.allSatisfy(isValid), Set(items).count == items.count else {
                    throw BadValue(rule)
                }
                return items
            }, show: { $0.joined(separator: ", ") })
    }

    static var containers: Self {
        .list(
            "NAMES", "must be one or more container names, separated by commas, each once, " + containerRule,
            allowsEmpty: false
        ) { ContainerName($0) != nil }
    }

    /// A list of entries that are normalized. If the list has several entries, the error names the invalid entry.
    private static func addresses(
        _ placeholder: String, _ canonical: @escaping @Sendable (String) throws(AddressProblem) -> String
    ) -> Self {
        SettingForm(
            placeholder: placeholder,
            parse: { text throws(BadValue) in
                let items = text.split(separator: ",").map { String($0.trimmed) }
                var known: [String] = []
                for item in items {
                    do throws(AddressProblem) {
                        let address = try canonical(item)
                        if !known.contains(address) { known.append(address) }
                    } catch {
                        throw BadValue(items.count == 1 ? error.expected : "has '\(item)', which \(error.expected)")
                    }
                }
                return known
            }, show: { $0.joined(separator: ", ") })
    }

    static var origins: Self {
        addresses("ORIGINS") { text throws(AddressProblem) in try CORSOrigin(text).text }
    }

    static var hosts: Self {
        addresses("HOSTS") { text throws(AddressProblem) in try HostPolicy.entry(text) }
    }
}

extension SettingForm where Value == PublicURL? {
    /// The URL that clients use to reach the server; empty means unset.
    static var publicURL: Self {
        SettingForm(
            placeholder: "URL",
            parse: { text throws(BadValue) in
                guard !text.isEmpty else { return nil }
                let url: PublicURL
                do throws(AddressProblem) { url = try PublicURL(text) } catch { throw BadValue(error.expected) }
                // A base path that begins like a route would be ambiguous.
                if let first = url.basePath.split(separator: "/").first,
                    RouteTable.native.firstSegments.union(CloudKitRouteTable.firstSegments).contains(String(first))
                {
                    throw BadValue(
                        "must not have a path that starts like a route of the server; use another path than /\(first)"
                    )
                }
                return url
            }, show: { $0?.text ?? "" })
    }
}

extension SettingForm where Value == [String] {
    /// A list of networks. The list may also contain words that name peers: `unix` those on a Unix socket, `gateway` the
    /// default gateway.
    static func networks(orWords words: [String] = []) -> Self {
        .list(
            "NETWORKS",
            "must be addresses or networks such as 10.0.0.0/8, 2001:db8::/32\(words.map { " or " + $0 }.joined()), separated by commas",
            allowsEmpty: true
        ) { IPNetwork($0) != nil || words.contains($0) }
    }
}

extension SettingForm where Value == RateLimit? {
    /// A rate limit: `500/s`, `10/min burst 20`, or `off`. By default, the burst equals the count of one period.
    static var rate: Self {
        SettingForm(
            placeholder: "RATE",
            parse: { text throws(BadValue) in
                guard text != "off" else { return nil }
                guard let rate = rate(text) else {
                    throw BadValue(
                        "must be a rate such as '500/s', '10/min burst 20' or '100/h', or off; at most 100000/s, and the bucket must refill within a day"
                    )
                }
                return rate
            }, show: { $0.map { "\($0.count)/\($0.period.rawValue) burst \($0.burst)" } ?? "off" })
    }

    private static func rate(_ text: String) -> RateLimit? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 1 || (words.count == 3 && words[1] == "burst") else { return nil }
        let parts = words[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = String(parts[0]).asNumber,
            let period = RateLimit.Period(rawValue: String(parts[1]))
        else { return nil }
        guard words.count == 3 else { return RateLimit(count, per: period, burst: count) }
        guard let burst = String(words[2]).asNumber else { return nil }
        return RateLimit(count, per: period, burst: burst)
    }
}

extension SettingForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few words.
    static var choice: Self {
        let words = Value.allCases.map(\.rawValue)
        return SettingForm(
            placeholder: words.joined(separator: "|"),
            parse: { text throws(BadValue) in
                guard let value = Value(rawValue: text) else {
                    let rule = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
                    let guess = Suggestion.sentence(for: text, among: words)
                    throw BadValue("must be \(rule)" + (guess.isEmpty ? "" : "." + guess))
                }
                return value
            }, show: { $0.rawValue })
    }
}

extension SettingForm where Value == Double {
    static var share: Self {
        SettingForm(
            placeholder: "SHARE",
            parse: { text throws(BadValue) in
                guard let share = Double(text), (0...1).contains(share) else {
                    throw BadValue("must be a share from 0 to 1, such as 0.1")
                }
                return share
            }, show: { $0 == 1 ? "1" : $0 == 0 ? "0" : "\($0)" })
    }
}

extension SettingForm where Value == UInt16 {
    static var port: Self {
        SettingForm(
            placeholder: "PORT",
            parse: { text throws(BadValue) in
                guard let port = text.asNumber, let value = UInt16(exactly: port) else {
                    throw BadValue("must be a port from 0 to 65535; 0 lets the system choose")
                }
                return value
            }, show: { String($0) })
    }
}

extension SettingForm where Value == UInt32 {
    /// The permissions of a file, as octal digits.
    static var mode: Self {
        SettingForm(
            placeholder: "MODE",
            parse: { text throws(BadValue) in
                guard (3...4).contains(text.utf8.count), let mode = UInt32(text, radix: 8), mode & 0o600 == 0o600,
                    mode <= 0o777
                else { throw BadValue("must be permissions such as 700, 660 or 666, with 6 or 7 for the owner") }
                return mode
            }, show: { String($0, radix: 8) })
    }
}

extension SettingForm where Value: FixedWidthInteger {
    /// - Parameter range: A range within the type.
    static func count(_ range: ClosedRange<Int>) -> Self {
        SettingForm(
            placeholder: "N",
            parse: { text throws(BadValue) in
                guard let number = text.asNumber, range.contains(number) else {
                    throw BadValue("must be a number from \(range.lowerBound) to \(range.upperBound)")
                }
                return Value(number)
            }, show: { String($0) })
    }

    /// - Parameter range: A range within the type.
    static func size(_ range: ClosedRange<Int>) -> Self {
        SettingForm(
            placeholder: "SIZE",
            parse: { text throws(BadValue) in
                guard let bytes = ByteCount.parse(text), range.contains(bytes) else {
                    throw BadValue(
                        "must be a size from \(ByteCount.show(range.lowerBound)) to \(ByteCount.show(range.upperBound)), such as 512KiB, 16MiB or a number of bytes"
                    )
                }
                return Value(bytes)
            }, show: { ByteCount.show(Int($0)) })
    }
}

extension SettingForm where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        SettingForm(
            placeholder: "TIME",
            parse: { text throws(BadValue) in
                guard let duration = DurationText.parse(text), range.contains(duration) else {
                    throw BadValue(
                        "must be a time from \(DurationText.show(range.lowerBound)) to \(DurationText.show(range.upperBound)), such as 500ms, 30s, 5m or 1h"
                    )
                }
                return duration
            }, show: { DurationText.show($0) })
    }
}
