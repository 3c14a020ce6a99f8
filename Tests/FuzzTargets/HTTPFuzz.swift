import HTTP

/// Properties of the readers of HTTP.
enum HTTPFuzz {
    /// The result does not depend on how the bytes are cut, and accepted input is legal by a slower reading.
    static func head(_ bytes: [UInt8]) -> String? {
        let (cuts, bytes) = cuts(of: bytes)
        let whole = Feed.verdict(bytes)
        if Feed.verdict(bytes, cuts: cuts).allWords != whole.allWords { return "Cut at \(cuts), it reads otherwise." }
        switch whole {
        case .needMore: return nil
        case .head(let head, let consumed):
            _ = head.target.queryItems
            for segment in 0..<head.target.segmentCount { _ = head.target.segment(segment) }
            return HeadOracle.objection(Array(bytes[..<consumed]), head)
        case .rejected(let rejection):
            let known = [400, 413, 414, 417, 431, 501, 505].contains(rejection.status.code)
            return known ? nil : "Refused with \(rejection.status.code)."
        }
    }

    static func chunked(_ bytes: [UInt8]) -> String? {
        let (cuts, bytes) = cuts(of: bytes)
        return Feed.chunked(bytes, cuts: cuts) == Feed.chunked(bytes) ? nil : "Cut at \(cuts), it reads otherwise."
    }

    /// The same for forms, whose boundary is `B`.
    static func multipart(_ bytes: [UInt8]) -> String? {
        let (cuts, bytes) = cuts(of: bytes)
        guard let whole = try? MultipartTranscript(bytes, boundary: "B"),
            let pieces = try? MultipartTranscript(bytes, cuts: cuts, boundary: "B")
        else { return "A legal boundary is refused." }
        return whole == pieces ? nil : "Cut at \(cuts), it reads otherwise."
    }

    /// Values of fields, as text of any kind.
    static func semantics(_ bytes: [UInt8]) -> String? {
        var choices = FuzzChoices(bytes)
        let which = choices.number(below: 8)
        let size = choices.number(below: 2_000)
        let text = String(decoding: choices.rest, as: UTF8.self)
        switch which {
        case 0: return ranges(text, size: size)
        case 1: return fileName(text)
        case 2: return disposition(text)
        case 3: _ = MediaType(text).map { ($0.isJSON, $0["boundary"]) }
        case 4: _ = HTTPDate.parse(text, now: 1_772_366_400)
        case 5: _ = EntityTag(text)
        case 6:
            guard let target = RequestTarget(text) else { return nil }
            _ = target.queryItems
            for segment in 0..<target.segmentCount { _ = target.segment(segment) }
        default: return conditions(text)
        }
        return nil
    }

    private static func ranges(_ text: String, size: Int) -> String? {
        guard case .ranges(let ranges) = ByteRanges.parse(text, size: size) else { return nil }
        guard (1...ByteRanges.maxRanges).contains(ranges.count) else { return "\(ranges.count) ranges" }
        for range in ranges where range.isEmpty || range.lowerBound < 0 || range.upperBound > size {
            return "\(range) of \(size)"
        }
        for (index, range) in ranges.enumerated() {
            for other in ranges[..<index] where other.overlaps(range) { return "\(range) and \(other)" }
        }
        return nil
    }

    private static func fileName(_ text: String) -> String? {
        guard let name = ContentDisposition.safeFilename(text) else { return nil }
        guard (1...ContentDisposition.maxFilenameBytes).contains(name.utf8.count) else {
            return "\(name.utf8.count) bytes"
        }
        guard name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else {
            return "The name \(name.debugDescription)"
        }
        return ContentDisposition.safeFilename(name) == name ? nil : "A safe name is not safe: \(name.debugDescription)"
    }

    /// The field written for a name can be parsed again, is one line of ASCII, and has the same meaning.
    private static func disposition(_ text: String) -> String? {
        _ = ContentDisposition(text)
        guard let name = ContentDisposition.safeFilename(text) else { return nil }
        let value = ContentDisposition.attachment(filename: name)
        guard value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return value.debugDescription }
        guard let read = ContentDisposition(value) else { return "Not read again: \(value)" }
        return read.type == "attachment" && read.filename == name ? nil : "\(name.debugDescription) became \(value)"
    }

    private static func conditions(_ text: String) -> String? {
        var fields = HTTPFields()
        for name in [HTTPFieldName.ifMatch, .ifNoneMatch, .range, .origin]
        where text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            fields.append(name, text)
        }
        let tag = EntityTag(opaque: "a")
        _ = Preconditions.evaluate(fields, method: .get, entityTag: tag)
        _ = Preconditions.rangeApplies(fields, entityTag: tag)
        _ = AcceptEncoding.acceptsGzip(fields)
        // The operator writes the lists of origins; clients send the origins that are compared.
        _ = (
            FormFields.parse(Array(text.utf8)), try? CORSOrigin(text), try? PublicURL(text), try? HostPolicy.entry(text)
        )
        var response = HTTPResponse(.ok)
        if let target = RequestTarget("/") {
            let request = HTTPRequest(method: .get, target: target, fields: fields)
            CORSPolicy(origins: ["https://*.a.example", "http://[::1]:*", "app://*"]).apply(to: &response, for: request)
        }
        return nil
    }

    /// Where the input is cut, by its own first bytes: anywhere in its first 512, or in all of a long one.
    private static func cuts(of bytes: [UInt8]) -> (cuts: [Int], rest: [UInt8]) {
        var choices = FuzzChoices(bytes)
        let places = (0..<2).map { _ in choices.number(below: 512) }
        let rest = Array(choices.rest)
        return (places.map { min($0 * max(1, rest.count / 512), rest.count) }.sorted(), rest)
    }
}
