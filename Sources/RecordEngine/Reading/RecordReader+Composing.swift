internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension RecordReader {
    /// Appends the record under a cursor.
    ///
    /// - Parameter caller: Those who may write a record see its access list.
    /// - Returns: Whether it has one and shows it.
    @discardableResult
    func append(
        _ cursor: RecordCursor, _ row: RecordRow, _ type: RecordTypeDefinition, selection: FieldSelection,
        for caller: Caller, in scope: DatabaseScope, to output: inout [UInt8]
    ) throws(RecordError) -> Bool {
        let creator = try userName(row.creator)
        let modifier = row.modifier == row.creator ? creator : try userName(row.modifier)
        let header = RecordHeader(
            name: cursor.name, typeName: type.name, revision: row.revision, created: row.created, creator: creator,
            modified: row.modified, modifier: modifier, access: try shownAccess(of: row, type, for: caller, in: scope))
        if StoredFieldsView.isPlain(cursor.layout) {
            try RecordComposer.append(
                header, plainFields: cursor.fields, layout: cursor.layout, selection: selection, to: &output)
            return header.access != nil
        }
        let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
        let urls = view.hasAssets ? assetURLs() : nil
        try RecordComposer.append(
            header, fields: view, selection: selection,
            external: { field, output throws(RecordError) in
                try appendLargeValue(record: row.id, field: field, to: &output)
            }, downloadURL: urls.map { urls in { _, asset in urls.url(of: asset) } }, to: &output)
        return header.access != nil
    }

    private func appendLargeValue(
        record: Int64, field: Int, to output: inout [UInt8]
    ) throws(RecordError) {
        do {
            try reading.appendLargeValue(record: record, field: field, to: &output)
        } catch {
            database.statistics.didFail(error.description)
            throw RecordError(error)
        }
    }
}
