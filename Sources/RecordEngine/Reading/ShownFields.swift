internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// What an answer shows of the records of a type: the fields that were asked for and that the caller reads, and access lists
/// to callers that may change them.
struct ShownFields: Sendable {
    let visibility: Visibility
    private let ofOthers: FieldSelection
    private let ofOwn: FieldSelection

    /// - Parameter names: The fields that the request asks for; `nil` for all. Names that the type does not have, or not
    ///   for this caller, select nothing, as CloudKit's `desiredKeys` do.
    init(_ names: [String]?, of type: RecordTypeDefinition, _ visibility: Visibility) {
        self.visibility = visibility
        let hidden = visibility.fields?.unreadable ?? FieldAccess.Fields()
        ofOthers = Self.selection(names, of: type, without: hidden.ofOthers)
        ofOwn = visibility.fields == nil ? ofOthers : Self.selection(names, of: type, without: hidden.ofOwn)
    }

    /// - Parameter creator: The record's.
    func selection(creator: UserID) -> FieldSelection {
        visibility.isOwn(creator) ? ofOwn : ofOthers
    }

    /// The bytes of a record that count for where a page ends: those of fields that the caller may see, asked for or not.
    /// What it may not see must not tell of itself by shorter pages.
    func bytes(of record: RecordCursor, creator: UserID) -> Int {
        let hidden = visibility.unreadable(creator: creator)
        return hidden.isEmpty
            ? record.fields.count
            : StoredFieldsView.bytes(of: record.fields, layout: record.layout, without: hidden)
    }

    /// Whether every field of every record is shown.
    var isAll: Bool { ofOthers == .all && ofOwn == .all }

    private static func selection(
        _ names: [String]?, of type: RecordTypeDefinition, without hidden: [Int]
    ) -> FieldSelection {
        guard let names else {
            return hidden.isEmpty ? .all : .except(hidden)
        }
        return .only(names.compactMap { type[$0]?.id }.filter { !hidden.contains($0) }.sorted())
    }
}
