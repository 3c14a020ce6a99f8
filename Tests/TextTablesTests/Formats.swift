import FuzzTargets
import TextTables

typealias Transcript = TableTranscript

extension TableTranscript {
    init(_ text: String, _ format: TableFormat = .csv) {
        self.init(Array(text.utf8), format)
    }
}

extension TableFormat {
    /// A format with some properties changed.
    static func with(_ change: (inout TableFormat) -> Void) -> TableFormat {
        var format = TableFormat.csv
        change(&format)
        return format
    }

    /// RFC 4180 without a header.
    static let bare = with { $0.hasHeader = false }
}
