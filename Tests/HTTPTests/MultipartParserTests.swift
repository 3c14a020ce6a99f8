import FuzzTargets
import TestSupport
import Testing

@testable import HTTP

@Suite struct MultipartParserTests {
    /// One with all that is legal: a preamble, padding, boundary-like content, empty parts, an epilogue.
    private static let sample = """
        preamble --AaB03x\r
        --AaB03xy\r
        --AaB03x\r
        Content-Disposition: form-data; name="text"\r
        \r
        one\r
        two\r
        --AaB03x \t \r
        content-disposition: form-data; name="file"; filename="a \\"b\\".txt"\r
        Content-Type:  text/plain \r
        X-Other: y\r
        \r
        \r
        --AaB03\r
        --AaB03xx\r
        --AaB03x-\r
        \r\r
        --AaB03x\r\r
        -\r
        \r
        --AaB03x\r
        Content-Disposition: form-data; name="no line"\r
        \r
        --AaB03x\r
        Content-Disposition: form-data; name="empty"\r
        \r
        \r
        --AaB03x--\t\r
        --AaB03x\r
        epilogue
        """

    private static func transcript(
        _ body: String, cuts: [Int] = [], boundary: String = "AaB03x", limits: MultipartParser.Limits = .init()
    ) throws -> MultipartTranscript {
        try MultipartTranscript(Array(body.utf8), cuts: cuts, boundary: boundary, limits: limits)
    }

    private static func part(_ content: String, _ fields: String = "") -> String {
        "--AaB03x\r\nContent-Disposition: form-data; name=a\r\n\(fields)\r\n\(content)\r\n"
    }

    @Test func `a body is parsed into these parts`() throws {
        let transcript = try Self.transcript(Self.sample)
        let odd = "\r\n--AaB03\r\n--AaB03xx\r\n--AaB03x-\r\n\r\r\n--AaB03x\r\r\n-\r\n"
        #expect(
            transcript.events == [
                "part text - -", "content one\r\ntwo of 8", "part file a \"b\".txt text/plain",
                "content \(odd) of \(odd.utf8.count)", "part no line - -", "content  of 0", "part empty - -",
                "content  of 0", "finished",
            ])
        #expect(transcript.error == nil)
        #expect(try MultipartOracle.events(Array(Self.sample.utf8), boundary: "AaB03x") == transcript.events)
    }

    @Test func `a body is parsed alike at every cut and byte by byte`() throws {
        let body = Array(Self.sample.utf8)
        let whole = try MultipartTranscript(body, boundary: "AaB03x")
        for cut in 0...body.count {
            #expect(try MultipartTranscript(body, cuts: [cut], boundary: "AaB03x") == whole, "cut at \(cut)")
        }
        #expect(try MultipartTranscript(body, cuts: Array(0...body.count), boundary: "AaB03x") == whole)
    }

    @Test func `random bodies are read as a simple reader does, however they are cut`() throws {
        var random = SeededGenerator(seed: 5)
        let tokens = [
            "\r\n", "\r", "\n", "--", "-", "B", "--B", "\r\n--B", "\r\n--B\r\n", "\r\n--B--", "x", " ", "\r\n--",
            "\r\n--B\r\nContent-Disposition: form-data; name=n\r\n\r\n",
            "\r\n--B \r\nContent-Disposition: form-data; name=m\r\n\r\n", "A: b\r\n", "\r\n\r\n",
        ]
        var wholes = 0
        for round in 0..<6000 {
            var text = round % 3 == 0 ? "" : "--B\r\nContent-Disposition: form-data; name=n\r\n\r\n"
            for _ in 0..<Int.random(in: 0...12, using: &random) { text += tokens.randomElement(using: &random) ?? "" }
            if round % 2 == 0 { text += "\r\n--B--" }
            let body = Array(text.utf8)
            let whole = try MultipartTranscript(body, boundary: "B")
            if let events = try? MultipartOracle.events(body, boundary: "B") {
                wholes += 1
                #expect(whole.error == nil, "\(text.debugDescription)")
                #expect(whole.events == events, "\(text.debugDescription)")
            } else {
                #expect(whole.error != nil, "\(text.debugDescription)")
            }
            let cuts = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Int.random(in: 0...body.count, using: &random)
            }
            let pieces = try MultipartTranscript(body, cuts: cuts.sorted(), boundary: "B")
            #expect(pieces == whole, "\(text.debugDescription) cut at \(cuts)")
        }
        #expect(wholes > 1500)
    }

    @Test func `a body with a byte changed is read alike however it is cut`() throws {
        var random = SeededGenerator(seed: 9)
        let sample = Array(Self.sample.utf8)
        for _ in 0..<1500 {
            var body = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: body.remove(at: at)
                case 1: body.insert([13, 10, 45, 0, 255].randomElement(using: &random) ?? 0, at: at)
                default: body[at] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let whole = try MultipartTranscript(body, boundary: "AaB03x")
            let cuts = (0..<4).map { _ in Int.random(in: 0...body.count, using: &random) }.sorted()
            #expect(try MultipartTranscript(body, cuts: cuts, boundary: "AaB03x") == whole)
            let events = try? MultipartOracle.events(body, boundary: "AaB03x")
            #expect((events == nil) == (whole.error != nil))
            if let events { #expect(whole.events == events) }
        }
    }

    @Test(arguments: malformedMultipartBodies)
    func `a malformed body is rejected with a sentence`(_ body: String, _ sentence: String) throws {
        let whole = try Self.transcript(body)
        #expect(whole.error == .malformed(sentence))
        for cut in 0...body.utf8.count { #expect(try Self.transcript(body, cuts: [cut]) == whole, "cut at \(cut)") }
    }

    @Test func `a form without parts is complete, and harmless codings are ignored`() throws {
        #expect(try Self.transcript("--AaB03x--").events == ["finished"])
        #expect(try Self.transcript("--AaB03x--\r\n").error == nil)
        #expect(
            try Self.transcript(Self.part("x", "Content-Transfer-Encoding: Binary\r\n") + "--AaB03x--").error == nil)
    }

    @Test func `each limit holds at its last byte and not one beyond`() throws {
        var limits = MultipartParser.Limits()
        limits.maxParts = 2
        #expect(try Self.transcript(Self.part("x") + Self.part("y") + "--AaB03x--", limits: limits).error == nil)
        #expect(
            try Self.transcript(Self.part("x") + Self.part("y") + Self.part("z"), limits: limits).error
                == .tooLarge("The body has more than 2 parts."))
        let head = "Content-Disposition: form-data; name=a\r\n\r\n".utf8.count
        for (limit, isFine) in [(head, true), (head - 1, false)] {
            limits = .init()
            limits.maxPartHeadBytes = limit
            let body = Self.part("x") + "--AaB03x--"
            let error = try Self.transcript(body, limits: limits).error
            #expect(error == (isFine ? nil : .tooLarge("The head of a part has more than \(limit) bytes.")))
            #expect(try Self.transcript(body, cuts: [20, 40, 52, 53], limits: limits).error == error)
        }
        limits = .init()
        limits.maxPreambleBytes = 10
        limits.maxEpilogueBytes = 10
        for (count, isFine) in [(10, true), (11, false)] {
            let preamble = String(repeating: "p", count: count) + "\r\n--AaB03x--"
            let epilogue = "--AaB03x--\r\n" + String(repeating: "e", count: count - 2)
            for cuts in [[], [5], [9, 10, 11], [12, 13, 14]] {
                #expect((try Self.transcript(preamble, cuts: cuts, limits: limits).error == nil) == isFine)
                #expect((try Self.transcript(epilogue, cuts: cuts, limits: limits).error == nil) == isFine)
            }
        }
    }

    @Test func `a boundary has one to seventy legal characters`() throws {
        for (text, isFine) in [
            ("multipart/form-data; boundary=x", true), ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", true),
            ("multipart/form-data; boundary=\"'()+_,-./:=?\"", true), ("multipart/form-data", false),
            ("multipart/form-data; boundary=\"\"", false), ("multipart/form-data; boundary=\"a \"", false),
            ("multipart/form-data; boundary=\"a\\\"b\"", false), ("multipart/form-data; boundary=a&b", false),
            ("multipart/form-data; boundary=\"ä\"", false), ("multipart/mixed; boundary=x", false),
            ("multipart/form-data; boundary=" + String(repeating: "x", count: 70), true),
            ("multipart/form-data; boundary=" + String(repeating: "x", count: 71), false),
        ] {
            let type = try #require(MediaType(text))
            #expect(((try? MultipartParser(contentType: type)) != nil) == isFine, "\(text)")
        }
    }

    @Test func `large content is scanned once, even if it consists of beginnings of boundaries`() throws {
        let boundary = String(repeating: "-", count: 69) + "x"
        for unit in ["\r\n" + String(repeating: "-", count: 60), "\r", "-", "x", "\r\n-", "a"] {
            let count = 200_000 / unit.utf8.count
            var body = Array("--\(boundary)\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8)
            let unitBytes = Array(unit.utf8)
            for _ in 0..<count { body += unitBytes }
            body += Array("\r\n--\(boundary)--".utf8)
            let whole = try MultipartTranscript(body, boundary: boundary)
            #expect(whole.error == nil)
            #expect(whole.events.count == 3 && whole.events[1].hasSuffix(" of \(count * unitBytes.count)"))
            let cuts = Array(stride(from: 0, to: body.count, by: 1009))
            #expect(try MultipartTranscript(body, cuts: cuts, boundary: boundary) == whole)
        }
    }
}
