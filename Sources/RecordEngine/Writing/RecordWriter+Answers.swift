internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The JSON of answers.
extension RecordWriter {
    /// Appends the saved record, or a stub for writers who may not read it.
    func appendAnswer(
        _ row: RecordRow, type: RecordTypeDefinition, name: String, merge: FieldMerge, to answer: inout [UInt8]
    ) throws(RecordError) {
        let visibility = visibility(of: type)
        guard visibility.mayRead(row.facts) else {
            var copy = name
            copy.withUTF8 {
                RecordComposer.appendStub(
                    name: UnsafeRawBufferPointer($0), typeName: type.name, revision: row.revision, to: &answer)
            }
            return
        }
        let start = answer.count
        try append(
            row, type: type, visibility, name: Array(name.utf8), fields: merge.stored, unsaved: merge.externalPuts,
            to: &answer)
        noteShown(row, type: type.name, name: name, in: start..<answer.count)
    }

    func append(
        _ row: RecordRow, type: RecordTypeDefinition, _ visibility: Visibility, name: [UInt8], fields: StoredFields,
        unsaved: [(fieldID: Int, json: [UInt8])] = [], to answer: inout [UInt8]
    ) throws(RecordError) {
        let creator = try transaction.userName(row.creator)
        let modifier = row.modifier == row.creator ? creator : try transaction.userName(row.modifier)
        let selection = ShownFields(self.fields, of: type, visibility).selection(creator: row.creator)
        let access = try shownAccess(of: row, visibility)
        let records = transaction.records
        try name.withUnsafeBufferPointer { name throws(RecordError) in
            let header = RecordHeader(
                name: UnsafeRawBufferPointer(name), typeName: type.name, revision: row.revision,
                created: row.created, creator: creator, modified: row.modified, modifier: modifier,
                access: access)
            guard !fields.isPlain else {
                try RecordComposer.append(header, plainFields: fields, selection: selection, to: &answer)
                return
            }
            try fields.withView { view throws(RecordError) in
                let urls = view.hasAssets ? transaction.assetURLs() : nil
                try RecordComposer.append(
                    header, fields: view, selection: selection,
                    external: { field, output throws(RecordError) in
                        if let value = unsaved.first(where: { $0.fieldID == field }) {
                            output.append(contentsOf: value.json)
                            return
                        }
                        output.append(
                            contentsOf: try records.largeValue(record: row.id, field: field))
                    }, downloadURL: urls.map { urls in { _, asset in urls.url(of: asset) } }, to: &answer)
            }
        }
    }

    /// The notices as a JSON list; empty for none.
    var noticesJSON: [UInt8] {
        notices.isEmpty ? [] : JSONValue.array(notices.map(\.json)).bytes
    }

    func appendDeletion(_ name: String, to answer: inout [UInt8]) {
        answer.appendLiteral("{\"recordName\":")
        answer.appendString(name)
        answer.appendLiteral(",\"deleted\":true}")
    }
}
