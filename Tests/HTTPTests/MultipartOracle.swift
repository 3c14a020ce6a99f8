import FuzzTargets

@testable import HTTP

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
