import Calendars
import RecordModel
import RecordWire
import TextTables

/// Properties of the readers of tables.
enum TableFuzz {
    private static let formats: [TableFormat] = {
        var backslash = TableFormat.csv
        backslash.escape = .backslash
        backslash.noValue = "\\N"
        var bare = TableFormat.csv
        bare.hasHeader = false
        var separated = TableFormat.csv
        separated.separator = UInt8(ascii: ";")
        separated.hasSeparatorLine = true
        return [.csv, .copyText, backslash, bare, separated]
    }()

    /// How the input is cut does not matter; a preview of any bytes is one; and its records are what writes read.
    static func objection(_ bytes: [UInt8]) -> String? {
        var choices = FuzzChoices(bytes)
        let format = formats[choices.number(below: formats.count)]
        let place = choices.number(below: 512)
        let input = Array(choices.rest)
        if String(validating: input, as: UTF8.self) != nil {
            let cut = place * max(1, input.count / 512)
            let limits = TextLimits(rowBytes: 300, cells: 20)
            let whole = TableTranscript(input, format, limits: limits)
            let pieces = TableTranscript(input, format, cuts: [cut, cut + 1], limits: limits)
            if whole != pieces { return "Cut at \(cut), it is \(pieces), not \(whole)." }
        }
        return preview(input, isWhole: place % 2 == 0)
    }

    private static func preview(_ input: [UInt8], isWhole: Bool) -> String? {
        guard
            let preview = try? TablePreview(
                input, isWhole: isWhole, recordType: .users, timeZones: { _ in .utc })
        else { return nil }
        guard (try? JSONValue.parse(preview.json)) != nil else { return "A preview that is no JSON." }
        guard (try? TableMapping(json: preview.mapping.json)) == preview.mapping else {
            return "A mapping that is another when it is read again."
        }
        guard (try? TableFormat(json: preview.format.json)) == preview.format else {
            return "A format that is another when it is read again."
        }
        for record in preview.records {
            do {
                let body =
                    Array(#"{"operations":[{"operationType":"create","record":"#.utf8) + record + Array("}]}".utf8)
                _ = try BatchInput.read(body, maxOperations: 1)
            } catch {
                return "A record that cannot be read: \(String(decoding: record, as: UTF8.self))"
            }
        }
        return nil
    }
}
