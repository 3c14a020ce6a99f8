extension TimeZoneRules {
    /// The reason why a time zone file cannot be used.
    package struct FileProblem: Error, Hashable {}

    /// Reads a compiled time zone file, version 2 or later (TZif, RFC 9636).
    ///
    /// - Throws: `FileProblem` for other data, a damaged file, or a file that counts leap seconds.
    package init(file: [UInt8]) throws(FileProblem) {
        var reader = FileReader(bytes: file)
        let old = try reader.header()
        // The first block has 32-bit times; the second repeats all with 64 bits.
        try reader.skip(old.bytes(perTime: 4))
        let counts = try reader.header()
        guard counts.leaps == 0, counts.types > 0 else { throw FileProblem() }
        var changes: [Int] = []
        for _ in 0..<counts.times { changes.append(try reader.integer(bytes: 8)) }
        var kinds: [Int] = []
        for _ in 0..<counts.times { kinds.append(try reader.integer(bytes: 1) & 0xFF) }
        var offsets: [Int] = []
        for _ in 0..<counts.types {
            offsets.append(try reader.integer(bytes: 4))
            try reader.skip(2)
        }
        guard kinds.allSatisfy({ $0 < counts.types }), offsets.allSatisfy({ abs($0) <= 93_600 }),
            changes.allSatisfy({ $0.magnitude < 1 << 60 }), zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw FileProblem() }
        try reader.skip(counts.characters + counts.standards + counts.universals)
        let rule = try FooterReader.read(reader.rest)
        self.init(changes: changes, offsets: [offsets[0]] + kinds.map { offsets[$0] }, rule: rule)
    }
}

/// Reads the binary parts of a time zone file.
private struct FileReader {
    typealias Problem = TimeZoneRules.FileProblem

    struct Counts {
        let universals, standards, leaps, times, types, characters: Int

        func bytes(perTime: Int) -> Int {
            times * (perTime + 1) + types * 6 + characters + leaps * (perTime + 4) + standards + universals
        }
    }

    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func header() throws(Problem) -> Counts {
        guard bytes.count - position >= 44, bytes[position...].starts(with: "TZif".utf8), bytes[position + 4] >= 0x32
        else { throw Problem() }
        position += 20
        var counts: [Int] = []
        for _ in 0..<6 { counts.append(try integer(bytes: 4)) }
        // No file of the time zone database comes near this.
        guard counts.allSatisfy({ (0...100_000).contains($0) }) else { throw Problem() }
        return Counts(
            universals: counts[0], standards: counts[1], leaps: counts[2], times: counts[3], types: counts[4],
            characters: counts[5])
    }

    /// Reads a signed integer, the most significant byte first.
    mutating func integer(bytes count: Int) throws(Problem) -> Int {
        guard bytes.count - position >= count else { throw Problem() }
        var value = bytes[position] >= 0x80 ? -1 : 0
        for byte in bytes[position..<(position + count)] { value = value << 8 | Int(byte) }
        position += count
        return value
    }

    mutating func skip(_ count: Int) throws(Problem) {
        guard count >= 0, bytes.count - position >= count else { throw Problem() }
        position += count
    }
}

/// Reads the footer of a time zone file: the offset and the rule for later times (RFC 9636 §3.3).
private struct FooterReader {
    typealias Problem = TimeZoneRules.FileProblem

    private var text: ArraySlice<UInt8>

    /// Returns the rule; `nil` if the last offset of the file stays.
    static func read(_ bytes: ArraySlice<UInt8>) throws(Problem) -> DaylightRule? {
        let newline = UInt8(ascii: "\n")
        guard bytes.first == newline, let end = bytes.dropFirst().firstIndex(of: newline) else { throw Problem() }
        var reader = FooterReader(text: bytes[(bytes.startIndex + 1)..<end])
        if reader.text.isEmpty { return nil }
        try reader.name()
        // POSIX offsets are what to add to local time to get UTC.
        let standard = -(try reader.time())
        if reader.text.isEmpty { return nil }
        try reader.name()
        let daylight = reader.text.first == UInt8(ascii: ",") ? standard + 3_600 : -(try reader.time())
        let start = try reader.moment()
        let finish = try reader.moment()
        guard reader.text.isEmpty else { throw Problem() }
        return DaylightRule(standard: standard, daylight: daylight, start: start, end: finish)
    }

    private init(text: ArraySlice<UInt8>) { self.text = text }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard text.first == UInt8(ascii: sign) else { return false }
        text.removeFirst()
        return true
    }

    /// Skips the abbreviation of an offset, such as `CET` or `<+03>`.
    private mutating func name() throws(Problem) {
        if take("<") {
            guard let end = text.firstIndex(of: UInt8(ascii: ">")) else { throw Problem() }
            text = text[(end + 1)...]
        } else {
            let rest = text.drop { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
            guard text.count - rest.count >= 3 else { throw Problem() }
            text = rest
        }
    }

    private mutating func number(upTo most: Int) throws(Problem) -> Int {
        var value = 0
        let digits = text.prefix { $0 &- UInt8(ascii: "0") < 10 }
        guard (1...4).contains(digits.count) else { throw Problem() }
        for digit in digits { value = value * 10 + Int(digit &- UInt8(ascii: "0")) }
        guard value <= most else { throw Problem() }
        text = text[digits.endIndex...]
        return value
    }

    /// Reads `[+|-]hh[:mm[:ss]]` as seconds.
    private mutating func time() throws(Problem) -> Int {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        var seconds = try number(upTo: 167) * 3_600
        if take(":") { seconds += try number(upTo: 59) * 60 }
        if take(":") { seconds += try number(upTo: 59) }
        return isNegative ? -seconds : seconds
    }

    /// Reads `,day[/time]`.
    private mutating func moment() throws(Problem) -> DaylightRule.Moment {
        guard take(",") else { throw Problem() }
        let day: DaylightRule.Day
        if take("J") {
            day = .withoutLeapDay(try number(upTo: 365))
        } else if take("M") {
            let month = try number(upTo: 12)
            guard take(".") else { throw Problem() }
            let week = try number(upTo: 5)
            guard take(".") else { throw Problem() }
            guard month >= 1, week >= 1 else { throw Problem() }
            day = .weekday(try number(upTo: 6), week: week, month: month)
        } else {
            day = .ofYear(try number(upTo: 365))
        }
        return DaylightRule.Moment(day: day, time: take("/") ? try time() : 7_200)
    }
}
