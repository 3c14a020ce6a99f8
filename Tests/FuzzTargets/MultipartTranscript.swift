package import HTTP

/// The contents of a multipart body as lines: parts, their joined content, and how it ended.
package struct MultipartTranscript: Hashable {
    package var events: [String] = []
    /// `nil` if the body was whole.
    package var error: MultipartError?

    /// The parser's result for the body cut at `cuts`.
    package init(_ body: [UInt8], cuts: [Int] = [], boundary: String, limits: MultipartParser.Limits = .init()) throws {
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

    package static func line(_ head: MultipartPartHead) -> String {
        "part \(head.name) \(head.filename ?? "-") \(head.contentType ?? "-")"
    }
}
