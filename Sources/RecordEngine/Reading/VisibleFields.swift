internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The fields of a type's records that a response shows: the fields that the request names and the caller may read. A
/// caller that may change access lists also sees the access lists.
struct VisibleFields: Sendable {
    let visibility: Visibility
    /// The protocol of the response.
    let face: RecordFace
    private let ofOthers: FieldSelection
    private let ofOwn: FieldSelection

    /// - Parameters:
    ///   - names: The fields that the request names; `nil` for all. Names of unknown fields select nothing, as in
    ///     CloudKit's `desiredKeys`. A field that the caller may not see counts as unknown.
    ///   - face: The protocol of the response.
    init(
        _ names: [String]?, of type: RecordTypeDefinition, _ visibility: Visibility, as face: RecordFace = .native
    ) {
        self.visibility = visibility
        self.face = face
        let hidden = visibility.fields?.unreadable ?? FieldAccess.Fields()
        ofOthers = Self.selection(names, of: type, without: hidden.ofOthers)
        ofOwn = visibility.fields == nil ? ofOthers : Self.selection(names, of: type, without: hidden.ofOwn)
    }

    /// Returns the fields to show in the records of one creator.
    func selection(creator: UserID) -> FieldSelection {
        visibility.isOwn(creator) ? ofOwn : ofOthers
    }

    /// Returns the number of bytes that a record adds to the page size. Counts all fields that the caller may read,
    /// requested or not. Other fields do not count, because the length of pages would reveal them.
    func bytes(of record: RecordCursor, creator: UserID) -> Int {
        let hidden = visibility.unreadable(creator: creator)
        return hidden.isEmpty
            ? record.fields.count
            : StoredFieldsView.bytes(of: record.fields, layout: record.layout, without: hidden)
    }

    /// Whether the response shows all fields of all records.
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
