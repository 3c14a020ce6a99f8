/// A path from the records of a page to others that ``Query/expanding(_:paths:)`` adds.
public struct Expansion<Model: RecordDecodable>: Hashable, Sendable {
    /// The path as the server reads it.
    let text: String

    /// A path of two reference fields: `.through(.author, "team")` adds the authors and their teams.
    public static func through(_ field: Model.Fields, _ second: String) -> Expansion {
        Expansion(text: "\(field.rawValue).\(second)")
    }

    /// The records that refer to those of the page.
    ///
    /// - Parameters:
    ///   - other: The model of the records to add.
    ///   - field: The reference field of the other model.
    ///   - limit: The most records for each record of the page, 1 to 100.
    ///   - sort: The order of the records, with a minus sign before each descending field; the order of creation by
    ///     default.
    ///   - condition: The condition that the records must match, such as `state == 'ok'`; all by default.
    ///   - second: A reference field of the other model whose targets are added too.
    public static func from<Other: RecordDecodable>(
        _ other: Other.Type, by field: Other.Fields, limit: Int = 10, sort: String? = nil,
        where condition: String? = nil, then second: String? = nil
    ) -> Expansion {
        let options =
            "limit=\(limit)" + (sort.map { ",sort=\($0)" } ?? "") + (condition.map { ",where=\($0)" } ?? "")
        let text = "\(Other.recordType).\(field.rawValue)(\(options))"
        return Expansion(text: text + (second.map { ".\($0)" } ?? ""))
    }
}
