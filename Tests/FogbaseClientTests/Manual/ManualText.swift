import Foundation

/// The manual's pages, and the sources of their examples.
enum ManualText {
    /// The directory of the repository.
    static let home = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The README, and each page of the client's manual, by their paths in the repository.
    static let pages = ["README.md"] + files(in: "Sources/FogbaseClient/FogbaseClient.docc", ending: ".md")

    /// The code of the examples and of the tests in this directory, by its paths.
    static let sources: [String: [String]] = {
        let folders = ["Sources/Examples", "Tests/FogbaseClientTests/Manual"]
        let paths = folders.flatMap { files(in: $0, ending: ".swift") }
        return Dictionary(uniqueKeysWithValues: paths.map { ($0, code((try? text($0)) ?? "")) })
    }()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: home.appendingPathComponent(path), encoding: .utf8)
    }

    /// The blocks of a page in a language, without their marks.
    static func blocks(_ page: String, _ language: String = "swift") throws -> [String] {
        try text(page).components(separatedBy: "```\(language)\n").dropFirst().map { part in
            part.components(separatedBy: "```").first ?? ""
        }
    }

    /// The lines that count: no blank lines, comments, imports, conditions of compilation or expectations of a test;
    /// each without leading and trailing spaces.
    static func code(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { line in
            let omitted = ["//", "import ", "@testable ", "#if", "#endif", "#expect", "try #expect", "await #expect"]
            return !line.isEmpty && !omitted.contains { line.hasPrefix($0) }
        }
    }

    /// The paragraphs of a block: separated by blank lines, with lines that count.
    static func paragraphs(_ block: String) -> [[String]] {
        block.components(separatedBy: "\n\n").map(code).filter { !$0.isEmpty }
    }

    /// Whether paragraphs occur in a source one after the other, with consecutive lines.
    static func stand(_ paragraphs: [[String]], in source: [String]) -> Bool {
        var start = 0
        for lines in paragraphs {
            let place = (start..<source.count).first { index in
                source[index] == lines.first && source[index...].starts(with: lines)
            }
            guard let place else { return false }
            start = place + lines.count
        }
        return !paragraphs.isEmpty
    }

    static func files(in folder: String, ending: String) -> [String] {
        let paths = FileManager.default.enumerator(atPath: home.appendingPathComponent(folder).path)
        return (paths?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }
            .sorted()
    }
}
