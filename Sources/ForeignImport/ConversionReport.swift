package import RecordWire

/// What a conversion has read, what it has left out, and why.
///
/// The number of listed records is limited, so that the report of a hostile file has a bounded size; all are counted.
package struct ConversionReport: Sendable {
    /// The counts of one type.
    package struct Row: Hashable, Sendable {
        /// The name of the collection or class at the source.
        package let source: String
        /// The record type here.
        package let type: String
        /// The records that were converted.
        package var records = 0
        /// The records that were left out.
        package var rejected = 0
        /// The number of fields.
        package var fields = 0
    }

    /// A record that was left out.
    package struct Rejection: Hashable, Sendable {
        /// Where it is, such as `Item.json:12` or `posts abc123`.
        package let place: String
        /// Why, as a sentence without a period.
        package let reason: String
    }

    /// A difference from the source, and how often it occurs.
    package struct Note: Hashable, Sendable {
        /// What differs, such as `Post.title`; empty for the whole data set.
        package let subject: String
        /// How, as a sentence without a period.
        package let text: String
    }

    /// The most records and account names that are listed.
    package static let mostListed = 1_000

    /// The counts, in the order of conversion.
    package internal(set) var rows: [Row] = []
    /// The first records that were left out.
    package private(set) var rejections: [Rejection] = []
    /// The number of all records that were left out.
    package private(set) var rejected = 0
    private var notes: [Note: (count: Int, example: String?)] = [:]
    private var order: [Note] = []
    /// The number of accounts.
    package internal(set) var accounts = 0
    /// The number of accounts without a password.
    package private(set) var withoutPassword = 0
    /// The names of the first accounts without a password.
    package private(set) var namesWithoutPassword: [String] = []
    /// The number of roles.
    package internal(set) var roles = 0
    /// The number of files, and their size in bytes.
    package internal(set) var files = 0
    package internal(set) var fileBytes: Int64 = 0

    init() {}

    /// Whether all records and accounts were converted. Differences do not count.
    package var isComplete: Bool { rejected == 0 }

    /// The differences in the order in which they were found, with the number of values or records that have them (0 if
    /// there is nothing to count), and where the first one is.
    package var differences: [(note: Note, count: Int, example: String?)] {
        order.map { ($0, notes[$0]?.count ?? 0, notes[$0]?.example) }
    }

    mutating func reject(_ place: String, _ reason: String) {
        rejected += 1
        if rejections.count < Self.mostListed { rejections.append(Rejection(place: place, reason: reason)) }
    }

    /// Adds a difference.
    ///
    /// - Parameters:
    ///   - text: A sentence without a period that does not depend on the record, as each text is listed once.
    ///   - example: Where it is; the first example is kept.
    mutating func note(_ subject: String, _ text: String, count: Int = 1, example: String? = nil) {
        let note = Note(subject: subject, text: text)
        if notes[note] == nil { order.append(note) }
        notes[note, default: (0, example)].count += count
    }

    mutating func noteMissingPassword(of name: String) {
        withoutPassword += 1
        if namesWithoutPassword.count < Self.mostListed { namesWithoutPassword.append(name) }
    }

    /// The report as JSON, with all that is listed.
    package var json: JSONValue {
        let counts = rows.map { row -> JSONValue in
            [
                "source": .string(row.source), "type": .string(row.type), "records": .integer(Int64(row.records)),
                "rejected": .integer(Int64(row.rejected)), "fields": .integer(Int64(row.fields)),
            ]
        }
        let problems = rejections.map { rejection -> JSONValue in
            ["place": .string(rejection.place), "reason": .string(rejection.reason)]
        }
        let differences = differences.map { entry -> JSONValue in
            [
                "subject": .string(entry.note.subject), "text": .string(entry.note.text),
                "count": .integer(Int64(entry.count)), "example": entry.example.map(JSONValue.string) ?? .null,
            ]
        }
        return [
            "counts": .array(counts), "rejected": .integer(Int64(rejected)), "problems": .array(problems),
            "differences": .array(differences), "accounts": .integer(Int64(accounts)),
            "accountsWithoutPassword": [
                "count": .integer(Int64(withoutPassword)),
                "names": .array(namesWithoutPassword.map(JSONValue.string)),
            ],
            "roles": .integer(Int64(roles)), "files": .integer(Int64(files)), "fileBytes": .integer(fileBytes),
        ]
    }
}
