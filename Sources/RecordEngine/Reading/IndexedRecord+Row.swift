internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension IndexedRecord {
    /// A record from its fields, its name, which is borrowed like them, and the columns of its row.
    init(_ fields: StoredFieldsView, name: UnsafeRawBufferPointer, _ row: RecordRow) {
        self.init(
            fields: fields, name: name, creator: row.creator, created: row.created, modifier: row.modifier,
            modified: row.modified)
    }

    /// The record under a cursor, as long as the cursor stands there.
    ///
    /// - Throws: `INTERNAL_ERROR` if its stored form is damaged.
    init(_ cursor: RecordCursor) throws(RecordError) {
        let system = cursor.systemFields
        self.init(
            fields: try StoredFieldsView(text: cursor.fields, layout: cursor.layout), name: cursor.name,
            creator: system.creator, created: system.created, modifier: system.modifier, modified: system.modified)
    }

    /// Puts the one value that stands for accounts that are gone in the place of their numbers.
    ///
    /// - Parameter name: The public name of an account.
    mutating func hideGoneAccounts(_ name: (UserID) throws(RecordError) -> String) throws(RecordError) {
        let isCreators = modifier == creator
        if try name(creator) == SystemUser.deleted { creator = .gone }
        if isCreators {
            modifier = creator
        } else if try name(modifier) == SystemUser.deleted {
            modifier = .gone
        }
    }
}
