internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Which fields of a type's records an answer shows: those that were asked for and that the caller reads.
struct ShownFields: Hashable {
    private let caller: UserID?
    private let ofOthers: FieldSelection
    private let ofOwn: FieldSelection
    /// The fields that are held back, whether they are asked for or not.
    private let hidden: FieldAccess.Fields

    /// - Parameter names: The fields that the request asks for; `nil` for all. Names that the type does not have, or not
    ///   for this caller, select nothing, as CloudKit's `desiredKeys` do.
    init(_ names: [String]?, of type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope) {
        self.caller = caller.userID
        guard let access = Authorization.fields(of: type, for: caller, in: scope) else {
            ofOthers = Self.selection(names, of: type, without: [])
            ofOwn = ofOthers
            hidden = FieldAccess.Fields()
            return
        }
        hidden = access.unreadable
        ofOthers = Self.selection(names, of: type, without: access.unreadable.ofOthers)
        ofOwn = Self.selection(names, of: type, without: access.unreadable.ofOwn)
    }

    /// - Parameter creator: The record's.
    func selection(creator: UserID) -> FieldSelection {
        creator == caller ? ofOwn : ofOthers
    }

    /// The numbers of the fields that are held back of a record, ascending.
    ///
    /// - Parameter creator: The record's.
    func hidden(creator: UserID) -> [Int] {
        hidden(isOwn: creator == caller)
    }

    /// The bytes of a record that count for where a page ends: those of fields that the caller may see, asked for or not.
    /// What it may not see must not tell of itself by shorter pages.
    func bytes(of record: RecordCursor, creator: UserID) -> Int {
        let hidden = hidden(isOwn: creator == caller)
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
