internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension IndexedRecord {
    /// Creates a view of a record from its fields, its name and the columns of its row. Borrows the fields and the
    /// name.
    init(_ fields: StoredFieldsView, name: UnsafeRawBufferPointer, _ row: RecordRow) {
        self.init(
            fields: fields, name: name, creator: row.creator, created: row.created, modifier: row.modifier,
            modified: row.modified)
    }

    /// Creates a view of the record at a cursor's position. The view is valid until the cursor moves.
    ///
    /// - Throws: INTERNAL_ERROR if the stored form is damaged.
    init(_ cursor: RecordCursor) throws(RecordError) {
        let system = cursor.systemFields
        self.init(
            fields: try StoredFieldsView(text: cursor.fields, layout: cursor.layout), name: cursor.name,
            creator: system.creator, created: system.created, modifier: system.modifier, modified: system.modified)
    }

    /// Replaces the numbers of deleted accounts by the one value that represents all deleted accounts.
    ///
    /// - Parameter name: Returns the record name of an account.
    mutating func hideDeletedAccounts(_ name: (UserID) throws(RecordError) -> String) throws(RecordError) {
        let isCreators = modifier == creator
        if try name(creator) == SystemUser.deleted { creator = .gone }
        if isCreators {
            modifier = creator
        } else if try name(modifier) == SystemUser.deleted {
            modifier = .gone
        }
    }
}
