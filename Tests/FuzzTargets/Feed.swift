package import HTTP

/// Runs a parser over bytes that arrive in pieces, and puts its verdict into words.
package enum Feed {
    /// - Parameter cuts: How many bytes are there at each call, rising; all of them come last.
    package static func verdict(
        _ bytes: [UInt8], cuts: some Sequence<Int> = EmptyCollection(), limits: RequestParser.Limits = .init()
    ) -> RequestParser.Verdict {
        var parser = RequestParser(limits: limits)
        return verdict(&parser, bytes, cuts: cuts)
    }

    package static func verdict(
        _ parser: inout RequestParser, _ bytes: [UInt8], cuts: some Sequence<Int>
    ) -> RequestParser.Verdict {
        for cut in cuts where cut < bytes.count {
            // A copy of its own, so that reading past the end would be seen.
            let verdict = Array(bytes[..<cut]).withUnsafeBytes { parser.parse($0) }
            if case .needMore = verdict { continue }
            return verdict
        }
        return bytes.withUnsafeBytes { parser.parse($0) }
    }

    /// The result of a chunked body as text: its data, then how it ended.
    package static func chunked(_ bytes: [UInt8], cuts: some Sequence<Int> = EmptyCollection()) -> [String] {
        var decoder = ChunkedDecoder()
        var data: [UInt8] = []
        var start = 0
        for cut in Array(cuts) + [bytes.count] where cut > start || cut == bytes.count {
            let piece = Array(bytes[start..<cut])
            var offset = 0
            pull: while true {
                switch piece.withUnsafeBytes({ decoder.next($0, from: &offset) }) {
                case .data(let range):
                    data.append(contentsOf: piece[range])
                case .needMore:
                    break pull
                case .finished(let consumed):
                    return [text(data), "finished \(start + consumed)"]
                case .malformed(let reason):
                    return ["malformed: \(reason)"]
                }
            }
            start = cut
        }
        return [text(data), "incomplete"]
    }

    private static func text(_ data: [UInt8]) -> String {
        "data \(String(decoding: data, as: UTF8.self).debugDescription)"
    }
}

extension RequestParser.Verdict {
    /// The verdict as the first line of an outcome.
    package var words: String {
        switch self {
        case .needMore:
            return "incomplete"
        case .rejected(let rejection):
            return "refused \(rejection.status.code): \(rejection.reason)"
        case .head(let head, let consumed):
            var words = "\(head.method.text) \(head.target.rawPath)"
            if let query = head.target.rawQuery { words += "?\(query)" }
            words += head.version == .http10 ? " HTTP/1.0" : " HTTP/1.1"
            switch head.framing {
            case .none: words += ", no body"
            case .length(let length): words += ", length \(length)"
            case .chunked: words += ", chunked"
            }
            words += head.keepsAlive ? ", keep-alive" : ", close"
            if head.expectsContinue { words += ", expects continue" }
            return words + ", \(consumed) bytes"
        }
    }

    /// The verdict with everything that a head holds.
    package var allWords: String {
        guard case .head(let head, _) = self else { return words }
        return words + head.fields.map { "\n\($0.name.text): \($0.value)" }.joined()
    }

    /// A fact of an outcome, by its key.
    package func fact(_ key: String) -> String {
        guard case .head(let head, _) = self else { return "no head" }
        switch key {
        case "segments":
            return (0..<head.target.segmentCount).map { "[\(head.target.segment($0) ?? "undecodable")]" }.joined()
        case "query":
            guard let items = head.target.queryItems else { return "undecodable" }
            return items.map { "[\($0.name)=\($0.value)]" }.joined()
        default:
            guard let name = HTTPFieldName(key) else { return "no such key" }
            return head.fields.values(of: name).map { "[\($0)]" }.joined()
        }
    }
}
