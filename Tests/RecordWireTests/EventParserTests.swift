import RecordWire
import TestSupport
import Testing

@Suite struct EventParserTests {
    private func parse(_ pieces: some Sequence<[UInt8]>, _ parser: inout EventParser) throws -> [ServerSentEvent] {
        try pieces.reduce(into: []) { events, piece in events += try piece.withUnsafeBytes { try parser.parse($0) } }
    }

    private func parse(_ text: String) throws -> (events: [ServerSentEvent], parser: EventParser) {
        var parser = EventParser()
        return (try parse([Array(text.utf8)], &parser), parser)
    }

    private func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: Array(data.utf8), lastID: id)
    }

    @Test func `an event has its type, data and id`() throws {
        let (events, parser) = try parse("retry: 2000\n\nevent: change\ndata: {\"a\":1}\nid: t1\n\n:\n\n")
        #expect(events == [event("{\"a\":1}", "change", id: "t1")])
        #expect(parser.lastID == "t1" && parser.retry == 2_000)
    }

    /// The examples of WHATWG HTML.
    @Test func `data has one space less and a line feed between its lines`() throws {
        #expect(
            try parse(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n")
                .events
                == [event("first event", id: "1"), event("second event"), event(" third event")])
        #expect(try parse("data: YHOO\ndata: +2\ndata: 10\n\n").events == [event("YHOO\n+2\n10")])
        #expect(try parse("data\n\ndata\ndata\n\ndata:").events == [event(""), event("\n")])
        #expect(try parse("data:test\n\ndata: test\n\n").events == [event("test"), event("test")])
    }

    @Test func `lines end with CR, LF or CRLF, and a byte order mark precedes the first line`() throws {
        #expect(try parse("data: a\r\rdata: b\r\n\r\ndata: c\n\n").events.map(\.data) == [[97], [98], [99]])
        #expect(try parse("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n").events == [event("a")])
        #expect(try parse("data: a\r\n\n").events == [event("a")])
        #expect(try parse("data: a\n\r\n").events == [event("a")])
    }

    @Test func `an id counts with the blank line after it, also without data`() throws {
        #expect(try parse("data: a\nid: 1\n").parser.lastID == "")
        let silent = try parse("id: 1\n\n")
        #expect(silent.events.isEmpty && silent.parser.lastID == "1")
        #expect(try parse("id: 1\ndata: a\n\ndata: b\n\n").events == [event("a", id: "1"), event("b", id: "1")])
        #expect(try parse("id: 1\nid: 2\0\ndata: a\n\n").events == [event("a", id: "1")])
        #expect(try parse("id: 1\n\nid:\n\n").parser.lastID == "")
        #expect(EventParser(lastID: "t").lastID == "t")
    }

    @Test(arguments: [("10", 10), ("007", 7), ("1s", nil), ("-1", nil), ("", nil), ("99999999999999999999", nil)])
    func `retry has digits only`(text: String, milliseconds: Int64?) throws {
        #expect(try parse("retry: \(text)\n\n").parser.retry == milliseconds)
    }

    @Test func `unknown names, and a type without data, have no effect`() throws {
        #expect(try parse("Data: a\nother: b\n data: c\nevent: x\n\ndata: d\n\n").events == [event("d")])
        #expect(try parse("event: x\nevent\ndata: d\n\n").events == [event("d")])
        #expect(try parse("data: \u{E9}").events.isEmpty)
    }

    @Test func `the size of an event is limited`() throws {
        func fits(_ text: String) -> Bool {
            var parser = EventParser(maxBytes: 20)
            return (try? parse([Array(text.utf8)], &parser)) != nil
        }
        // Each line counts together with the data before it, and a comment counts as well.
        #expect(fits("data: 12345678901234\n\ndata: 12345678901234\n\n"))
        #expect(!fits("data: 123456789012345"))
        #expect(fits("data: 12\ndata: 34\ndata: 56\n\n") && !fits("data: 1234567\ndata: 1234567"))
        #expect(!fits(":" + String(repeating: " ", count: 20)))
    }

    private static let sample = Array(
        "\u{FEFF}: hello\r\n\r\nretry: 5\revent: change\r\ndata: {\"é\":\r\ndata: 1}\r\nid: t1\r\n\r\nid: t2\n\n\rdata\n\n:\n\r\nid:\ndata: x\r\r"
            .utf8)

    @Test func `every split of a stream into two pieces has the same events`() throws {
        var whole = EventParser()
        let expected = try parse([Self.sample], &whole)
        #expect(expected == [event("{\"é\":\n1}", "change", id: "t1"), event("", id: "t2"), event("x")])
        for cut in 0...Self.sample.count {
            var parser = EventParser()
            let pieces = [Array(Self.sample[..<cut]), Array(Self.sample[cut...])]
            #expect(try parse(pieces, &parser) == expected, "cut at \(cut)")
            #expect(parser.lastID == whole.lastID && parser.retry == 5, "cut at \(cut)")
        }
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `random pieces of random streams have the events of the oracle`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let words = [
            "data", "id", "event", "retry", ":", ": ", " ", "\n", "\r", "\r\n", "\n\n", "1", "x", "\0", "\u{FEFF}", "ü",
        ]
        let text = (0..<120).map { _ in words.randomElement(using: &random) ?? "" }.joined()
        var parser = EventParser()
        var rest = Array(text.utf8)[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let count = Int.random(in: 0...min(9, rest.count), using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let events = try parse(pieces, &parser)
        let expected = EventOracle(text)
        #expect(events == expected.events, "\(text.debugDescription)")
        #expect(parser.lastID == expected.lastID && parser.retry == expected.retry, "\(text.debugDescription)")
    }
}

/// Reads a whole stream at once: splits it into lines, and these into blocks.
private struct EventOracle {
    var events: [ServerSentEvent] = []
    var lastID = ""
    var retry: Int64?

    init(_ text: String) {
        var id = ""
        for block in Self.lines(text).split(separator: [], omittingEmptySubsequences: false) {
            // The last block has no blank line after it.
            let isComplete = block.endIndex < Self.lines(text).endIndex
            var (type, data): (String, [String]) = ("message", [])
            for line in block {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                var value = parts.count > 1 ? parts[1] : []
                if value.first == " " { value.removeFirst() }
                switch Self.text(parts[0]) {
                case "data": data.append(Self.text(value))
                case "event": type = value.isEmpty ? "message" : Self.text(value)
                case "id": if !value.contains("\0") { id = Self.text(value) }
                case "retry": if value.allSatisfy(Self.digits.contains) { retry = Int64(Self.text(value)) ?? retry }
                default: break
                }
            }
            guard isComplete else { continue }
            lastID = id
            guard !data.isEmpty else { continue }
            events.append(ServerSentEvent(type: type, data: Array(data.joined(separator: "\n").utf8), lastID: id))
        }
    }

    private static let digits: ClosedRange<Unicode.Scalar> = "0"..."9"

    /// The complete lines. These are scalars, because characters can join CR and LF.
    private static func lines(_ text: String) -> [[Unicode.Scalar]] {
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines: [[Unicode.Scalar]] = [[]]
        for (index, scalar) in scalars.enumerated() {
            if scalar == "\n", index > 0, scalars[index - 1] == "\r" { continue }
            if scalar == "\n" || scalar == "\r" { lines.append([]) } else { lines[lines.count - 1].append(scalar) }
        }
        return lines.dropLast()
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
