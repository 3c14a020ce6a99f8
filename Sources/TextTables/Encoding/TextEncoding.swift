package import RecordModel
internal import Glibc

/// The encoding of a text file.
package struct TextEncoding: Hashable, Sendable {
    /// The name in mappings and messages, such as `utf-8`, `utf-16le` or `windows-1252`.
    package let name: String
    /// The name for `iconv`.
    let systemName: String

    private init(_ name: String, _ systemName: String? = nil) {
        self.name = name
        self.systemName = systemName ?? name
    }

    /// UTF-8, with or without a byte order mark.
    package static let utf8 = TextEncoding("utf-8")
    /// UTF-16, the low byte first. Excel writes it as "Unicode Text".
    package static let utf16LittleEndian = TextEncoding("utf-16le")
    /// UTF-16, the high byte first.
    package static let utf16BigEndian = TextEncoding("utf-16be")
    /// UTF-32, the low byte first.
    package static let utf32LittleEndian = TextEncoding("utf-32le")
    /// UTF-32, the high byte first.
    package static let utf32BigEndian = TextEncoding("utf-32be")
    /// The encoding of Windows in Western Europe and the Americas.
    package static let windows1252 = TextEncoding("windows-1252")
    /// The encoding of Windows in Japan, which contains Shift_JIS.
    package static let shiftJIS = TextEncoding("shift_jis", "CP932")
    /// The encoding of older Unix systems in Japan.
    package static let eucJP = TextEncoding("euc-jp")

    /// The names that messages list. Any other name that `iconv` knows is valid too.
    package static let usualNames = [
        "utf-8", "utf-16", "utf-16le", "utf-16be", "utf-32", "windows-1252", "iso-8859-1", "iso-8859-15", "macintosh",
        "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1251",
    ]

    /// Creates an encoding from a name in any case. In `utf-16` and `utf-32`, the byte order mark of the file says which
    /// byte is first; without one, the low byte is.
    ///
    /// - Throws: `BAD_REQUEST` if the system does not know the encoding.
    package init(named text: String) throws(RecordError) {
        let lower = text.lowercased()
        switch lower {
        case "utf-8", "utf8": self = .utf8
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        case "utf-32le": self = .utf32LittleEndian
        case "utf-32be": self = .utf32BigEndian
        // The file of every program that writes "Shift_JIS" has the further characters of Windows.
        case "shift_jis", "shift-jis", "sjis", "windows-31j", "cp932": self = .shiftJIS
        default:
            // A slash would begin options of iconv.
            let isName = lower.utf8.allSatisfy { byte in
                byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "_-.:".utf8.contains(byte)
            }
            guard isName, (1...40).contains(lower.utf8.count), TextConverter.isKnown(lower) else {
                throw Self.unknown(text)
            }
            self.init(lower)
        }
    }

    /// BAD_REQUEST: the system does not know an encoding.
    static func unknown(_ name: String) -> RecordError {
        .badRequest(
            "The server does not know this text encoding. Usual names are " + usualNames.joined(separator: ", "),
            details: [("encoding", .text(String(name.prefix(64))))])
    }

    /// Returns the encoding that the first bytes of a file show: a byte order mark, the places of zeros in UTF-16 and
    /// UTF-32, or UTF-8 without errors.
    ///
    /// - Parameters:
    ///   - sample: The first bytes of the file; 64 KiB are enough.
    ///   - isWhole: Whether the sample is the whole file, so that a character cut off at its end is an error.
    /// - Throws: `BAD_REQUEST` with the first byte that is not UTF-8, its `offset` and `line`, and in `suggestion` an
    ///   encoding in which the sample makes sense.
    package static func recognized(
        in sample: UnsafeRawBufferPointer, isWhole: Bool
    ) throws(RecordError) -> TextEncoding {
        if let marked = marked(in: sample) ?? recognizedByZeros(in: sample) { return marked }
        guard let bad = UTF8Prefix(of: sample).badOffset(isWhole: isWhole) else { return .utf8 }
        var lines = LineCount()
        lines.add(UnsafeRawBufferPointer(rebasing: sample[..<bad]))
        throw notUTF8(byte: sample[bad], offset: bad, line: lines.line, suggestion: suggestion(for: sample))
    }

    /// The encoding of a byte order mark; `nil` if the sample begins with none.
    private static func marked(in sample: UnsafeRawBufferPointer) -> TextEncoding? {
        if sample.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if sample.starts(with: [0xFF, 0xFE, 0, 0]) { return .utf32LittleEndian }
        if sample.starts(with: [0, 0, 0xFE, 0xFF]) { return .utf32BigEndian }
        if sample.starts(with: [0xFF, 0xFE]) { return .utf16LittleEndian }
        if sample.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        return nil
    }

    /// The encoding that has zeros at the places where the sample has them, if they are so many that they are no
    /// characters; otherwise `nil`. Tables have line breaks and separators, which are ASCII.
    private static func recognizedByZeros(in sample: UnsafeRawBufferPointer) -> TextEncoding? {
        guard sample.count >= 4 else { return nil }
        var zeros: [Int] = [0, 0, 0, 0]
        for index in 0..<(sample.count & ~3) where sample[index] == 0 { zeros[index & 3] += 1 }
        let units = sample.count / 4
        if zeros[0] == 0, zeros[2] > units / 2, zeros[3] == units { return .utf32LittleEndian }
        if zeros[3] == 0, zeros[1] > units / 2, zeros[0] == units { return .utf32BigEndian }
        let (even, odd) = (zeros[0] + zeros[2], zeros[1] + zeros[3])
        // One unit in ten: texts of other scripts still have separators. A single zero is a NUL.
        let enough = max(2, sample.count / 20)
        if even == 0, odd >= enough { return .utf16LittleEndian }
        if odd == 0, even >= enough { return .utf16BigEndian }
        return nil
    }

    /// The encoding in which a sample that is not UTF-8 makes sense; `nil` if it makes sense in none of the usual ones.
    static func suggestion(for sample: UnsafeRawBufferPointer) -> TextEncoding? {
        for encoding in [TextEncoding.shiftJIS, .eucJP] {
            if let text = decoded(sample, as: encoding), looksJapanese(text) { return encoding }
        }
        return decoded(sample, as: .windows1252) == nil ? nil : .windows1252
    }

    private static func decoded(_ sample: UnsafeRawBufferPointer, as encoding: TextEncoding) -> String? {
        guard let converter = TextConverter(from: encoding) else { return nil }
        var text: [UInt8] = []
        guard converter.convert(sample, into: &text).badOffset == nil else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether most characters beyond ASCII are Japanese, and some of them kana, or none of them alone between others.
    /// Western text decodes to single ideographs, such as an umlaut with the next letter, and to half-width forms.
    private static func looksJapanese(_ text: String) -> Bool {
        var (kana, ideographs, others, single) = (0, 0, 0, 0)
        var run = 0
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x80 else {
                if run == 1 { single += 1 }
                run = 0
                continue
            }
            run += 1
            switch scalar.value {
            case 0x3040...0x30FF: kana += 1
            case 0x3000...0x303F, 0x4E00...0x9FFF, 0xFF01...0xFF5E: ideographs += 1
            default: others += 1
            }
        }
        if run == 1 { single += 1 }
        return (kana > 0 || single == 0) && kana + ideographs > others * 9
    }

    static func notUTF8(byte: UInt8, offset: Int, line: Int, suggestion: TextEncoding?) -> RecordError {
        let hex = String(byte, radix: 16, uppercase: true)
        let advice =
            if let suggestion {
                "Name the encoding of the file; as \(suggestion.name), its beginning has no errors"
            } else {
                "Name the encoding of the file, such as windows-1252 or shift_jis"
            }
        var details: [(key: String, value: RecordError.Detail)] = [
            ("offset", .number(Int64(offset))), ("line", .number(Int64(line))),
        ]
        if let suggestion { details.append(("suggestion", .text(suggestion.name))) }
        return .badRequest(
            "The file is not UTF-8: byte 0x\(hex) at offset \(offset), in line \(line). \(advice)", details: details)
    }
}

/// The number of the current line: lines end with `\n`, `\r\n` or `\r`.
struct LineCount: Hashable, Sendable {
    /// From 1.
    private(set) var line = 1
    private var endsWithReturn = false

    /// Starts at a line other than the first.
    init(line: Int = 1) { self.line = line }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var (count, previous) = (0, endsWithReturn)
        for byte in bytes {
            let isReturn = byte == 0x0D
            if isReturn || (byte == 0x0A && !previous) { count &+= 1 }
            previous = isReturn
        }
        line &+= count
        endsWithReturn = previous
    }
}
