internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension RecordReader {
    /// Appends the record at a cursor's position as JSON.
    ///
    /// - Returns: Whether the JSON contains an access list.
    @discardableResult
    func append(
        _ cursor: RecordCursor, _ system: RecordSystemFields, _ type: RecordTypeDefinition, _ shown: VisibleFields,
        to output: inout [UInt8]
    ) throws(RecordError) -> Bool {
        // Read each column once, because each access to a column costs several calls.
        let (fields, layout) = (cursor.fields, cursor.layout)
        let hasAccess: Bool
        if type.hasFormerNames, let renamed = try StoredFieldsView(text: fields, layout: layout).renamed(for: type) {
            hasAccess = try renamed.withView { view throws(RecordError) in
                try appendFields(view.text, view.layout, cursor, system, type, shown, to: &output)
            }
        } else {
            hasAccess = try appendFields(fields, layout, cursor, system, type, shown, to: &output)
        }
        if shown.visibility.scope != .publicDatabase, try usesSharing() {
            let members = ShareMembers(
                hierarchies: store.hierarchies, shares: store.shares, visibility: shown.visibility,
                userName: userNames.name)
            try members.add(to: &output, of: system.id, isShare: type.name == .share)
        }
        return hasAccess
    }

    private func appendFields(
        _ fields: UnsafeRawBufferPointer, _ layout: UnsafeRawBufferPointer, _ cursor: RecordCursor,
        _ system: RecordSystemFields, _ type: RecordTypeDefinition, _ shown: VisibleFields, to output: inout [UInt8]
    ) throws(RecordError) -> Bool {
        let creator = try userNames.name(of: system.creator)
        let modifier = system.modifier == system.creator ? creator : try userNames.name(of: system.modifier)
        if case .cloudKit(let face) = shown.face {
            let header = RecordHeader(
                name: cursor.name, typeName: type.name, revision: system.revision, created: system.created,
                creator: creator, modified: system.modified, modifier: modifier)
            let view = try StoredFieldsView(text: fields, layout: layout)
            let urls = view.hasAssets ? assets.urls() : nil
            try CloudKitComposer.append(
                header, fields: view, selection: shown.selection(creator: system.creator), as: face,
                external: { field, output throws(RecordError) in
                    try store.records.appendLargeValue(record: system.id, field: field, to: &output)
                }, zone: try zone(of: system.id, as: face),
                downloadURL: { urls?.url(ofAnyName: $0, from: face.baseURL) }, to: &output)
            return false
        }
        let access = try shownAccess(of: system, shown.visibility)
        let selection = shown.selection(creator: system.creator)
        let header = RecordHeader(
            name: cursor.name, typeName: type.name, revision: system.revision, created: system.created,
            creator: creator, modified: system.modified, modifier: modifier, access: access)
        if StoredFieldsView.isPlain(layout) {
            try RecordComposer.append(header, plainFields: fields, layout: layout, selection: selection, to: &output)
            return access != nil
        }
        let view = try StoredFieldsView(text: fields, layout: layout)
        let urls = view.hasAssets ? assets.urls() : nil
        try RecordComposer.append(
            header, fields: view, selection: selection,
            external: { field, output throws(RecordError) in
                try store.records.appendLargeValue(record: system.id, field: field, to: &output)
            }, downloadURL: urls.map { urls in { _, asset in urls.url(of: asset) } }, to: &output)
        return access != nil
    }

    /// Returns the zone dictionary of a record as JSON; `nil` if the response shows none.
    private func zone(of record: RecordNumber, as face: CloudKitFace) throws(RecordError) -> [UInt8]? {
        guard case .ofRecords(let owner) = face.zone else { return face.zone.json }
        // Default zones have no entry, and their records no zone.
        guard let id = try store.zones.zone(of: record), let zone = try store.zones.custom(id) else { return nil }
        return CloudKitZoneID(zoneName: zone.name, ownerRecordName: owner).json
    }
}
