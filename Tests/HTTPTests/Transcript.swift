import Foundation
import Testing

/// One example of a Markdown file in `Transcripts`: a heading, prose, the bytes, and the outcome.
///
/// Bytes stand in a block marked `request` or `chunked`. Its line ends mean nothing; `\r`, `\n`, `\t`, `\s` (a space at
/// the end of a line), `\\` and `\xNN` do, and `\{text*count}` repeats. The block marked `outcome` has the verdict in its
/// first line, and after it facts as `key: value`.
struct Transcript: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable { case request, chunked }

    let file: String
    let title: String
    let kind: Kind
    let bytes: [UInt8]
    let outcome: [String]

    var testDescription: String { "\(file): \(title)" }

    /// All examples of all files.
    static let all: [Transcript] = load()

    private static func load() -> [Transcript] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().flatMap { name in
            let text = (try? String(contentsOf: directory.appending(path: name), encoding: .utf8)) ?? ""
            return examples(in: text, file: name)
        }
    }

    private static func examples(in text: String, file: String) -> [Transcript] {
        var examples: [Transcript] = []
        var title = ""
        var block: String?
        var lines: [String] = []
        var kind = Kind.request
        var bytes: [UInt8] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let open = block {
                guard line == "```" else {
                    lines.append(String(line))
                    continue
                }
                switch open {
                case "outcome":
                    examples.append(Transcript(file: file, title: title, kind: kind, bytes: bytes, outcome: lines))
                default:
                    kind = open == "chunked" ? .chunked : .request
                    bytes = unescape(lines.joined())
                }
                block = nil
            } else if line.hasPrefix("```") {
                block = String(line.dropFirst(3))
                lines = []
            } else if line.hasPrefix("## ") {
                title = String(line.dropFirst(3))
            }
        }
        return examples
    }

    private static func unescape(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\", let escape = rest.popFirst() else {
                bytes.append(contentsOf: String(character).utf8)
                continue
            }
            switch escape {
            case "r": bytes.append(0x0D)
            case "n": bytes.append(0x0A)
            case "t": bytes.append(0x09)
            case "s": bytes.append(0x20)
            case "x":
                bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            case "{":
                let body = rest.prefix { $0 != "}" }
                let parts = body.split(separator: "*")
                rest = rest.dropFirst(body.count + 1)
                for _ in 0..<(Int(parts.last ?? "") ?? 0) { bytes.append(contentsOf: unescape(String(parts[0]))) }
            default: bytes.append(contentsOf: String(escape).utf8)
            }
        }
        return bytes
    }
}
