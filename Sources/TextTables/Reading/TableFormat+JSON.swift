package import RecordModel
package import RecordWire

extension TableFormat {
    private static let names: [String: UInt8] = [
        "comma": UInt8(ascii: ","), "semicolon": UInt8(ascii: ";"), "tab": UInt8(ascii: "\t"),
        "pipe": UInt8(ascii: "|"),
    ]

    /// Reads a format. Absent keys are as in ``csv``:
    ///
    /// ```json
    /// {"separator":";","quote":"\"","escape":"doubled","noValue":"","header":true,"separatorLine":false,"shortRows":"fill"}
    /// ```
    ///
    /// - Parameter path: The path of the document in a larger one, for messages.
    /// - Throws: `BAD_REQUEST` with the `path` of what is wrong.
    package init(json: JSONValue, path: String = "") throws(RecordError) {
        self.init()
        let reader = try DocumentReader(
            json, path: path,
            keys: ["separator", "quote", "escape", "noValue", "header", "separatorLine", "shortRows"])
        if let byte = try reader.character("separator", names: Self.names) { separator = byte }
        if reader.has("quote") { quote = try reader.character("quote") }
        if let word: Escape = try reader.word("escape") { escape = word }
        if let text = try reader.string("noValue") { noValue = text }
        if let flag = try reader.bool("header") { hasHeader = flag }
        if let flag = try reader.bool("separatorLine") { hasSeparatorLine = flag }
        if let word: ShortRows = try reader.word("shortRows") { shortRows = word }
        if separator == quote { throw reader.error("quote", "must differ from the separator") }
        if escape == .backslash, separator == UInt8(ascii: "\\") || quote == UInt8(ascii: "\\") {
            throw reader.error("escape", "must be doubled if separator or quote is the backslash")
        }
        if noValue.utf8.contains(where: { $0 == separator || $0 == quote || $0 == 0x0A || $0 == 0x0D })
            || noValue.utf8.count > 64
        {
            throw reader.error(
                "noValue", "must be a cell of at most 64 bytes without separators, quotes and line breaks")
        }
    }

    /// The format as JSON, with all keys.
    package var json: JSONValue {
        [
            "separator": JSONValue(character: separator), "quote": quote.map { JSONValue(character: $0) } ?? .null,
            "escape": .string(escape.rawValue), "noValue": .string(noValue), "header": .bool(hasHeader),
            "separatorLine": .bool(hasSeparatorLine), "shortRows": .string(shortRows.rawValue),
        ]
    }
}
