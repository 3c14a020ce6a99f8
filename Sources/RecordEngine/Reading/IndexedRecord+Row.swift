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
    init(_ cursor: RecordCursor, _ row: RecordRow) throws(RecordError) {
        self.init(try StoredFieldsView(text: cursor.fields, layout: cursor.layout), name: cursor.name, row)
    }
}
