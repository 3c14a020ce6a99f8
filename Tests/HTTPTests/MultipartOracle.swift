@testable import HTTP

/// What a multipart body says, as lines: parts, their joined content, and how it ended.
struct MultipartTranscript: Hashable {
    var events: [String] = []
    /// `nil` if the body was whole.
    var error: MultipartError?

    /// What the parser makes of the body cut at `cuts`.
    init(_ body: [UInt8], cuts: [Int] = [], boundary: String, limits: MultipartParser.Limits = .init()) throws {
        var parser = try MultipartParser(boundary: boundary, limits: limits)
        var content: [UInt8] = []
        var start = 0
        for cut in cuts + [body.count] {
            let piece = Array(body[start..<cut])
            start = cut
            var offset = 0
            var last = -1
            pulling: while true {
                switch parser.next(piece, from: &offset) {
                case .needMore:
                    if offset != piece.count { events.append("left \(piece.count - offset) bytes") }
                    break pulling
                case .partBegan(let head): events.append(Self.line(head))
                case .data(let range):
                    if range.isEmpty || range.lowerBound < last { events.append("empty data, or twice") }
                    last = range.upperBound
                    content += piece[range]
                case .earlierData(let bytes):
                    if bytes.isEmpty { events.append("empty data") }
                    content += bytes
                case .partEnded:
                    events.append("content " + String(decoding: content, as: UTF8.self) + " of \(content.count)")
                    content = []
                case .finished: events.append("finished")
                case .failed(let error):
                    self.error = error
                    if parser.end() != error { events.append("another error at the end") }
                    events.append("open content of \(content.count)")
                    return
                }
            }
        }
        error = parser.end()
        if error != nil { events.append("open content of \(content.count)") }
    }

    static func line(_ head: MultipartPartHead) -> String {
        "part \(head.name) \(head.filename ?? "-") \(head.contentType ?? "-")"
    }
}

/// Reads a whole body at once, byte by byte and without any cleverness.
enum MultipartOracle {
    struct Malformed: Error {}

    static func events(_ body: [UInt8], boundary: String) throws -> [String] {
        let text = [13, 10] + body
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var events: [String] = []
        var at = 0
        var contentStart: Int?
        while true {
            guard at + delimiter.count <= text.count else { throw Malformed() }
            guard text[at...].starts(with: delimiter) else {
                at += 1
                continue
            }
            var next = at + delimiter.count
            let isClosing = text[next...].starts(with: [45, 45])
            let follower = next < text.count ? text[next] : nil
            guard isClosing || text[next...].starts(with: [13, 10]) || [10, 32, 9].contains(follower) else {
                at += 1
                continue
            }
            if let start = contentStart {
                let content = text[start..<max(start, at)]
                events.append("content " + String(decoding: content, as: UTF8.self) + " of \(content.count)")
            }
            if isClosing {
                next += 2
                while next < text.count, text[next] == 32 || text[next] == 9 { next += 1 }
                guard next == text.count || text[next] == 13 else { throw Malformed() }
                return events + ["finished"]
            }
            while next < text.count, text[next] == 32 || text[next] == 9 { next += 1 }
            guard text[next...].starts(with: [13, 10]) else { throw Malformed() }
            next += 2
            let headStart = next
            while true {
                guard let end = text[next...].firstIndex(of: 10), end > next, text[end - 1] == 13 else {
                    throw Malformed()
                }
                let isEmpty = end == next + 1
                if isEmpty { break }
                next = end + 1
            }
            events.append(MultipartTranscript.line(try MultipartPartHead(lines: text[headStart..<next])))
            at = next
            contentStart = next + 2
        }
    }
}
