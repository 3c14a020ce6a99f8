import RecordModel
import Testing

@testable import TextTables

/// Files that are broken, or try to break the reader: each has an exact report.
@Suite struct HostileTests {
    /// Reads a whole file as an import does, in chunks of 64 KiB: how many rows it has, and what is wrong.
    private static func report(
        _ chunks: some Sequence<[UInt8]>, _ format: TableFormat = .csv, encoding: TextEncoding = .utf8
    ) -> (rows: Int, problems: [String], bytes: Int) {
        var (rows, problems, bytes) = (0, [String](), 0)
        var reader = TableReader(format)
        var row = TableRow()
        func read() throws(RecordError) -> Bool {
            while true {
                switch try reader.next(&row) {
                case .header: continue
                case .row: rows += 1
                case .rejected(let error): problems.append(error.reason)
                case .needsBytes: return true
                case .end: return false
                }
            }
        }
        do {
            var decoder = try TextDecoder(encoding)
            var text: [UInt8] = []
            for chunk in chunks {
                bytes += chunk.count
                text.removeAll(keepingCapacity: true)
                var failure: RecordError?
                do throws(RecordError) { try decoder.decode(chunk, into: &text) } catch { failure = error }
                reader.append(text)
                _ = try read()
                if let failure { throw failure }
            }
            try decoder.finish()
            reader.finish()
            _ = try read()
        } catch {
            problems.append("end: " + ((error as? RecordError)?.reason ?? "\(error)"))
        }
        return (rows, problems, bytes)
    }

    private static let advice = "Quotes in a cell are written twice"
    private static let nul = "has a NUL byte. The file is binary, or has another encoding, such as utf-16"

    @Test(
        arguments: [
            // Quotes
            (
                "a,b\n1,\"x\n2,y\n", 0,
                ["end: The quote that begins in line 2 does not end before the end of the file. \(advice)"]
            ),
            ("\"", 0, ["end: The quote that begins in line 1 does not end before the end of the file. \(advice)"]),
            (
                "a\n\"x\"\"", 0,
                ["end: The quote that begins in line 2 does not end before the end of the file. \(advice)"]
            ),
            ("a,b\n1,\"x\"y\n2,z\n", 1, ["Cell 2 of the row in line 2 has text after its closing quote. \(advice)"]),
            (
                "a,b\n\"x\" \"y\",1\n2,z\n", 1,
                ["Cell 1 of the row in line 2 has text after its closing quote. \(advice)"]
            ),
            (
                "a,b\n1,\"he said \"no\", twice\"\n2,z\n", 1,
                ["Cell 2 of the row in line 2 has text after its closing quote. \(advice)"]
            ),
            ("\"a\"x,b\n1,2\n", 0, ["end: Cell 1 of the row in line 1 has text after its closing quote. \(advice)"]),
            ("a,b\n1,5\" pipe\n", 1, []),
            (
                "a,b\n1,\"x\n\n\ny\"z\n2,3\n", 1,
                ["Cell 2 of the row in line 2 has text after its closing quote. \(advice)"]
            ),
            // Cells
            (
                "a,b\n1,2,3\n4,5\n", 1,
                ["The row in line 2 has 3 cells, and the table 2 columns. Cells that contain the separator need quotes"]
            ),
            ("a,b\n1\n", 1, []),
            ("a,b\n1,2,,,\n", 1, []),
            (
                "a,b\n1,2,\"\"\n", 0,
                ["The row in line 2 has 3 cells, and the table 2 columns. Cells that contain the separator need quotes"]
            ),
            // Lines
            ("a,b\r\n1,2\r3,4\n\n\r\n\r5,6", 3, []),
            ("a\n\n\n\n", 0, []),
            ("\n\n\n", 0, []),
            ("", 0, []),
            ("a,b", 0, []),
            (",,,\n,,,\n", 0, []),
            // Bytes
            ("a,b\n1,x\0y\n2,z\n", 1, ["Cell 2 of the row in line 2 \(nul)"]),
            ("a\0,b\n1,2\n", 0, ["end: Cell 1 of the row in line 1 \(nul)"]),
            ("a,b\n1,\"x\0y\"\n", 1, []),
            ("\u{FEFF}\u{FEFF}a\n1\n", 1, []),
            ("a,b\n1,\u{FEFF}x\n", 1, []),
            ("a\n\u{1}\u{2}\u{1B}[31m\n", 1, []),
        ] as [(String, Int, [String])])
    func `broken texts are reported`(_ text: String, _ rows: Int, _ problems: [String]) {
        let report = Self.report([Array(text.utf8)])
        #expect(report.rows == rows)
        #expect(report.problems == problems)
    }

    @Test(
        arguments: [
            (
                [0x61, 0x0A, 0x62, 0xE4, 0x0A], "utf-8",
                "The file is not UTF-8: byte 0xE4 at offset 3, in line 2. Name the encoding of the file, such as windows-1252 or shift_jis"
            ),
            (
                [0x61, 0x0A, 0xE3, 0x81], "utf-8",
                "The file is not UTF-8: byte 0xE3 at offset 2, in line 2. Name the encoding of the file, such as windows-1252 or shift_jis"
            ),
            (
                [0x61, 0xED, 0xA0, 0x80], "utf-8",
                "The file is not UTF-8: byte 0xED at offset 1, in line 1. Name the encoding of the file, such as windows-1252 or shift_jis"
            ),
            (
                [0x61, 0x00, 0x0A, 0x00, 0x00, 0xDC], "utf-16le",
                "The file is not utf-16le: byte 0x0 at offset 4, in line 2, begins no character. Name another encoding, or correct the file"
            ),
            (
                [0x61, 0x00, 0x0A], "utf-16le",
                "The file is not utf-16le: byte 0xA at offset 2, in line 1, begins no character. Name another encoding, or correct the file"
            ),
            (
                [0x61, 0x0D, 0x0A, 0x81, 0x20], "shift_jis",
                "The file is not shift_jis: byte 0x81 at offset 3, in line 2, begins no character. Name another encoding, or correct the file"
            ),
            (
                [0x61, 0x0D, 0x81], "windows-1252",
                "The file is not windows-1252: byte 0x81 at offset 2, in line 2, begins no character. Name another encoding, or correct the file"
            ),
        ] as [([UInt8], String, String)])
    func `bytes that are no text are reported`(_ bytes: [UInt8], _ encoding: String, _ problem: String) throws {
        let encoding = try TextEncoding(named: encoding)
        #expect(Self.report([bytes], .bare, encoding: encoding).problems == ["end: " + problem])
        #expect(Self.report(bytes.map { [$0] }, .bare, encoding: encoding).problems == ["end: " + problem])
    }

    /// A gigabyte that is made while it is read.
    private static func endless(_ start: String, _ filling: String) -> some Sequence<[UInt8]> {
        let chunk = Array(String(repeating: filling, count: 65_536 / filling.utf8.count).utf8)
        return sequence(state: 0) { (count: inout Int) -> [UInt8]? in
            count += 1
            return count == 1 ? Array(start.utf8) : count < 16_384 ? chunk : nil
        }
    }

    @Test(arguments: [
        ("a,b\n", "x", "The row in line 2 does not end within 8388608 bytes, the limit of a row"),
        (
            "a,b\n1,2\n3,\"", "x",
            "The quote that begins in line 3 does not end within 8388608 bytes, the limit of a row. \(advice)"
        ),
        (
            "a,b\n1,\"", "x\n",
            "The quote that begins in line 2 does not end within 8388608 bytes, the limit of a row. \(advice)"
        ),
        ("a,b\n", ",", "The row in line 2 has more than 10000 cells. Check the separator of the format"),
        ("", "a,", "The row in line 1 has more than 10000 cells. Check the separator of the format"),
    ])
    func `endless files end early`(_ start: String, _ filling: String, _ problem: String) {
        let report = Self.report(Self.endless(start, filling))
        #expect(report.problems == ["end: " + problem])
        #expect(report.bytes <= 8_388_608 + 2 * 65_536)
    }

    @Test func `any number of blank lines is skipped`() {
        let blank = [UInt8](repeating: 0x0A, count: 65_536)
        let report = Self.report([blank, blank, Array("a\n".utf8), blank, Array("\"".utf8)])
        #expect(
            report.problems == [
                "end: The quote that begins in line 196610 does not end before the end of the file. \(Self.advice)"
            ])
    }

    @Test func `an unknown encoding is rejected with the usual ones`() {
        for name in ["", "klingon", "utf-8//IGNORE", "../x", String(repeating: "a", count: 41)] {
            let error = #expect(throws: RecordError.self) { try TextEncoding(named: name) }
            #expect(
                error?.reason.hasPrefix("The server does not know this text encoding. Usual names are utf-8, ") == true)
        }
        for name in TextEncoding.usualNames { #expect(throws: Never.self) { try TextEncoding(named: name) } }
    }
}

@Suite struct EncodingTests {
    private func recognized(_ bytes: [UInt8], isWhole: Bool = true) throws -> String {
        try bytes.withUnsafeBytes { try TextEncoding.recognized(in: $0, isWhole: isWhole).name }
    }

    @Test func `the first bytes show the encoding`() throws {
        #expect(try recognized([]) == "utf-8")
        #expect(try recognized(Array("Größe".utf8)) == "utf-8")
        #expect(try recognized([0xEF, 0xBB, 0xBF, 0x61]) == "utf-8")
        #expect(try recognized(Array("Grö".utf8.dropLast()), isWhole: false) == "utf-8")
        #expect(try recognized([0xFF, 0xFE, 0x61, 0]) == "utf-16le")
        #expect(try recognized([0xFE, 0xFF, 0, 0x61]) == "utf-16be")
        #expect(try recognized([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0]) == "utf-32le")
        #expect(try recognized([0, 0, 0xFE, 0xFF]) == "utf-32be")
        let text = "名前,値\n茶,1\n"
        #expect(try recognized(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == "utf-16le")
        #expect(try recognized(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == "utf-16be")
        #expect(
            try recognized(text.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), UInt8($0.value >> 8), 0, 0] })
                == "utf-32le")
        // A byte of zero in a text of UTF-8 is no sign of another encoding.
        #expect(try recognized(Array("a,b\n1,x\0y\n2,z and more text".utf8)) == "utf-8")
    }

    @Test func `the byte order mark decides in utf-16`() throws {
        for bytes: [UInt8] in [[0xFE, 0xFF, 0, 0x61], [0xFF, 0xFE, 0x61, 0], [0x61, 0]] {
            var decoder = try TextDecoder(try TextEncoding(named: "UTF-16"))
            var text: [UInt8] = []
            try decoder.decode(bytes, into: &text)
            #expect(text == [0x61])
        }
    }

    @Test func `an encoding is suggested in which the bytes make sense`() {
        func rejection(_ bytes: [UInt8]) -> (reason: String, suggestion: RecordError.Detail?, line: RecordError.Detail?)
        {
            let error = #expect(throws: RecordError.self) { try recognized(bytes) }
            func detail(_ key: String) -> RecordError.Detail? { error?.details.first { $0.key == key }?.value }
            return (error?.reason ?? "", detail("suggestion"), detail("line"))
        }
        // Märkte in windows-1252, where Shift_JIS has an ideograph.
        let western = rejection([0x4D, 0xE4, 0x72, 0x6B, 0x74, 0x65])
        #expect(
            western.reason
                == "The file is not UTF-8: byte 0xE4 at offset 1, in line 1. Name the encoding of the file; as windows-1252, its beginning has no errors"
        )
        #expect(western.suggestion == .text("windows-1252"))
        // ほうじ茶
        let japanese = rejection([0x0A, 0x82, 0xD9, 0x82, 0xA4, 0x82, 0xB6, 0x92, 0x83])
        #expect(japanese.suggestion == .text("shift_jis"))
        #expect(japanese.line == .number(2))
        // 山田 in Shift_JIS; the apostrophe of Windows before an s; a name in EUC-JP without kana.
        #expect(rejection([0x8E, 0x52, 0x93, 0x63]).suggestion == .text("shift_jis"))
        #expect(rejection([0x69, 0x74, 0x92, 0x73]).suggestion == .text("windows-1252"))
        #expect(rejection([0xBB, 0xB3, 0xC5, 0xC4]).suggestion == .text("euc-jp"))
        #expect(rejection([0xA4, 0xDB, 0xA4, 0xA6, 0xA4, 0xB8]).suggestion == .text("euc-jp"))
        #expect(rejection([0x81, 0x81, 0x81, 0x8D]).suggestion == nil)
    }
}
