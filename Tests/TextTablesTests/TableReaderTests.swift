import FuzzTargets
import RecordModel
import TestSupport
import Testing

@testable import TextTables

@Suite struct TableReaderTests {
    @Test(
        arguments: [
            ("a,b\n1,2\n", ["1 4 a|b", "2 8 1|2", "end"]),
            ("a,b\r\n1,2\r3,4\n5,6", ["1 5 a|b", "2 9 1|2", "3 13 3|4", "4 16 5|6", "end"]),
            ("\u{FEFF}\"a\",b\n", ["1 9 \"a\"|b", "end"]),
            ("\n\r\n\ra\n", ["4 6 a", "end"]),
            ("a,b\n\n,\n\"\",\n", ["1 4 a|b", "4 11 \"\"|-", "end"]),
            ("a\n\"\"\n", ["1 2 a", "2 5 \"\"", "end"]),
            ("\"a\"\"b\",\"c\nd\r\ne\"\nf,g\n", ["1 16 \"a\"b\"|\"c\nd\r\ne\"", "4 20 f|g", "end"]),
            (" \"a\" , b ,\"c\"\t\n", ["1 15 \"a\"| b |\"c\"", "end"]),
            ("5\" x,y\"z\"\n", ["1 10 5\" x|y\"z\"", "end"]),
            ("a,b,c\n1\n1,2,3,,\n", ["1 6 a|b|c", "2 8 1", "3 16 1|2|3", "end"]),
            ("a,\"\"", ["1 4 a|\"\"", "end"]),
            ("", ["end"]),
            ("\u{FEFF}", ["end"]),
            ("\r", ["end"]),
            ("a\r", ["1 2 a", "end"]),
        ] as [(String, [String])])
    func `tables are read`(_ text: String, _ expected: [String]) {
        #expect(Transcript(text, .bare).lines == expected)
    }

    @Test(
        arguments: [
            ("1\ta\\tb\\\\\\n\t\\N\n", ["1 14 1|a\tb\\\n|-", "end"]),
            ("\\N\t\\Nx\tN\n\t\t\n", ["1 9 -|Nx|N", "2 12 ||", "end"]),
            ("\\101\\x42\\x4a\\0\\q\t\\\n\\\t\n", ["1 22 ABJ\0q|\n\t", "end"]),
            ("1\ta\n\\.\nSELECT 1;\n", ["1 4 1|a", "end"]),
            ("1\ta\n2\n", ["1 4 1|a", "rejected 6 The row in line 2 has 1 cells, and the table 2 columns", "end"]),
            (
                "\\xE4\n",
                [
                    "rejected 5 The row in line 1 has escapes of bytes that are not UTF-8. Write the file in UTF-8",
                    "end",
                ]
            ),
            ("a\n\nb\n", ["1 2 a", "2 3 ", "3 5 b", "end"]),
            ("a\\", ["1 2 a\\", "end"]),
        ] as [(String, [String])])
    func `texts of COPY are read`(_ text: String, _ expected: [String]) {
        #expect(Transcript(text, .copyText).lines == expected)
    }
}

@Suite struct SplitTests {
    /// Texts of bytes that have a meaning, most of them broken.
    private static func text(_ random: inout SeededGenerator, _ alphabet: [UInt8]) -> [UInt8] {
        (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
    }

    @Test func `rows are those of a naive reader`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<10_000 {
            let text = Self.text(&random, Array("ab,,\"\"\"\n\r \t\0".utf8))
            let expected = NaiveReader.lines(text)
            let found = Transcript(text, .bare).lines
            guard found == expected else {
                Issue.record("\(text) \(String(decoding: text, as: UTF8.self)): \(found), naive \(expected)")
                return
            }
        }
    }

    @Test(arguments: [
        TableFormat.bare, .copyText, .csv,
        .with {
            $0.escape = .backslash; $0.noValue = "\\N"
        },
    ])
    func `rows do not depend on how the input is split`(_ format: TableFormat) {
        var random = SeededGenerator(seed: 11)
        let limits = TextLimits(rowBytes: 12, cells: 5)
        for _ in 0..<400 {
            let text = Self.text(&random, Array("a,,\t\"\"\n\n\r\\\\xN.07 \u{FEFF}".utf8))
            for limits in [limits, TextLimits()] {
                let whole = Transcript(text, format, limits: limits)
                for cuts in (0...text.count).map({ [$0] }) + [Array(0...text.count)] {
                    let cut = Transcript(text, format, cuts: cuts, limits: limits)
                    guard cut == whole else {
                        Issue.record("\(text) cut at \(cuts): \(cut.lines), not \(whole.lines)")
                        return
                    }
                }
            }
        }
    }

    @Test func `a reader continues behind any row`() throws {
        let text = Array("\u{FEFF}a,b\r\n1,\"x\ny\"\r\n\r\n2,z\n3\n\n4,\"\"\n".utf8)
        func rest(from start: TextPosition, _ text: ArraySlice<UInt8>) throws -> [(TextPosition, String)] {
            var reader = TableReader(.csv, at: start)
            reader.append(Array(text))
            reader.finish()
            var row = TableRow()
            var found: [(TextPosition, String)] = []
            while true {
                let outcome = try reader.next(&row)
                if outcome == .end { return found }
                found.append((reader.position, "\(outcome) \(row.line) \(row.endOffset) \(row.strings)"))
            }
        }
        let whole = try rest(from: .start, text[...])
        #expect(whole.count == 5)
        for (index, (position, _)) in whole.enumerated() {
            let again = try rest(from: position, text[position.offset...])
            #expect(again.map(\.1) == whole[(index + 1)...].map(\.1))
        }
    }
}

@Suite struct LineReaderTests {
    private static func lines(_ bytes: [UInt8], cuts: [Int], limit: Int = 100) -> [String] {
        var reader = LineReader(limits: TextLimits(rowBytes: limit))
        var found: [String] = []
        var start = 0
        for cut in cuts.filter({ $0 < bytes.count }) + [bytes.count] {
            reader.append(Array(bytes[start..<cut]))
            start = cut
            if cut == bytes.count { reader.finish() }
            reading: while true {
                do {
                    switch try reader.next() {
                    case .line(let number):
                        found.append(
                            "\(number) \(reader.position.offset) \(String(decoding: reader.line, as: UTF8.self))")
                    case .needsBytes: break reading
                    case .end:
                        found.append("end \(reader.position.line)")
                        break reading
                    }
                } catch {
                    found.append(error.reason)
                    return found
                }
            }
        }
        return found
    }

    @Test(arguments: [
        ("{}\n{\"a\":1}\r\n", ["1 3 {}", "2 12 {\"a\":1}", "end 3"]),
        ("\u{FEFF}{}\n\n \t\r\n[]", ["1 6 {}", "4 13 []", "end 4"]),
        ("", ["end 1"]),
        ("a\rb", ["1 3 a\rb", "end 1"]),
    ])
    func `lines are read, however they are split`(_ text: String, _ expected: [String]) {
        let bytes = Array(text.utf8)
        #expect(Self.lines(bytes, cuts: []) == expected)
        #expect(Self.lines(bytes, cuts: Array(0...bytes.count)) == expected)
        for cut in 0...bytes.count { #expect(Self.lines(bytes, cuts: [cut]) == expected) }
    }

    @Test func `a line that is too long ends the reading`() {
        let error = "Line 2 does not end within 4 bytes, the limit of a line"
        for text in ["abcd\nabcde\n", "abcd\r\nabcdefghi"] {
            let bytes = Array(text.utf8)
            for cut in 0...bytes.count {
                #expect(Self.lines(bytes, cuts: [cut], limit: 4).last == error)
            }
        }
    }

    @Test func `a reader continues behind any line`() throws {
        let text = Array("\u{FEFF}a\n\nb\r\nc".utf8)
        var reader = LineReader()
        reader.append(text)
        reader.finish()
        var positions: [TextPosition] = []
        while case .line = try reader.next() { positions.append(reader.position) }
        #expect(positions.count == 3)
        var second = LineReader(at: positions[0])
        second.append(Array(text[positions[0].offset...]))
        second.finish()
        #expect(try second.next() == .line(3))
        #expect(second.line == Array("b".utf8))
        #expect(second.position == positions[1])
    }
}
