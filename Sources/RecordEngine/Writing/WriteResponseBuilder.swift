internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Builds the records of a write response, and collects its notices.
struct WriteResponseBuilder {
    private let context: WriteContext
    /// The names of the fields in the response; `nil` for all fields.
    private let fields: [String]?
    private let face: RecordFace
    /// The index of the running operation in its request.
    var position = 0
    /// The byte ranges of records in a response that will be stored for an idempotency key.
    private(set) var shown: [ShownRecord] = []
    private let notesShown: Bool
    /// The notices of the response.
    private(set) var notices: [WriteNotice] = []

    private var transaction: WriteTransaction { context.transaction }

    init(_ context: WriteContext, _ request: WriteRequest) {
        self.context = context
        fields = request.fields
        face = request.face
        notesShown = request.idempotency != nil
    }

    /// Appends the record that a plan saves, or a stub if the caller may not read the record.
    mutating func append(_ plan: WritePlan, to response: inout [UInt8]) throws(RecordError) {
        guard let after = plan.after else { return }
        let visibility = context.visibility(of: plan.type)
        guard visibility.mayRead(after.row.facts) else {
            var name = plan.name
            name.withUTF8 {
                let name = UnsafeRawBufferPointer($0)
                if let face = face.cloudKit {
                    CloudKitComposer.appendStub(
                        name: name, typeName: plan.type.name, revision: after.row.revision, as: face, to: &response)
                } else {
                    RecordComposer.appendStub(
                        name: name, typeName: plan.type.name, revision: after.row.revision, to: &response)
                }
            }
            return
        }
        let start = response.count
        try append(
            after.row, type: plan.type, visibility, name: Array(plan.name.utf8), fields: after.fields,
            unsaved: plan.largeValues, to: &response)
        if notesShown {
            noteShown(after.row, type: plan.type.name, name: plan.name, in: start..<response.count)
        }
    }

    /// Appends a record with the fields that the caller may read.
    ///
    /// - Parameter unsaved: The large values of the record that are not stored yet.
    func append(
        _ row: RecordRow, type: RecordTypeDefinition, _ visibility: Visibility, name: [UInt8], fields: StoredFields,
        unsaved: [(fieldID: Int, json: [UInt8])] = [], to response: inout [UInt8]
    ) throws(RecordError) {
        try appendFields(
            of: row, type: type, visibility, name: name, fields: fields, unsaved: unsaved, to: &response)
        guard transaction.usesSharing else { return }
        let members = ShareMembers(
            hierarchies: transaction.store.hierarchies, shares: transaction.store.shares, visibility: visibility,
            userName: transaction.userNames.name)
        try members.add(to: &response, of: row.id, isShare: type.name == .share)
    }

    private func appendFields(
        of row: RecordRow, type: RecordTypeDefinition, _ visibility: Visibility, name: [UInt8], fields: StoredFields,
        unsaved: [(fieldID: Int, json: [UInt8])], to response: inout [UInt8]
    ) throws(RecordError) {
        let fields = type.hasFormerNames ? try fields.renamed(for: type) : fields
        let creator = try transaction.userNames.name(of: row.creator)
        let modifier = row.modifier == row.creator ? creator : try transaction.userNames.name(of: row.modifier)
        if case .cloudKit(let face) = face {
            return try append(
                row, type: type, visibility, name: name, fields: fields, unsaved: unsaved, as: face,
                creator: creator, modifier: modifier, to: &response)
        }
        let selection = VisibleFields(self.fields, of: type, visibility).selection(creator: row.creator)
        let access = try shownAccess(of: row, visibility)
        let records = transaction.records
        try name.withUnsafeBufferPointer { name throws(RecordError) in
            let header = RecordHeader(
                name: UnsafeRawBufferPointer(name), typeName: type.name, revision: row.revision,
                created: row.created, creator: creator, modified: row.modified, modifier: modifier,
                access: access)
            guard !fields.isPlain else {
                try RecordComposer.append(header, plainFields: fields, selection: selection, to: &response)
                return
            }
            try fields.withView { view throws(RecordError) in
                let urls = view.hasAssets ? transaction.assets.urls() : nil
                try RecordComposer.append(
                    header, fields: view, selection: selection,
                    external: { field, output throws(RecordError) in
                        if let value = unsaved.first(where: { $0.fieldID == field }) {
                            output.append(contentsOf: value.json)
                            return
                        }
                        output.append(
                            contentsOf: try records.largeValue(record: row.id, field: field))
                    }, downloadURL: urls.map { urls in { _, asset in urls.url(of: asset) } }, to: &response)
            }
        }
    }

    /// Appends a record of CloudKit's protocol.
    private func append(
        _ row: RecordRow, type: RecordTypeDefinition, _ visibility: Visibility, name: [UInt8], fields: StoredFields,
        unsaved: [(fieldID: Int, json: [UInt8])], as face: CloudKitFace, creator: String, modifier: String,
        to response: inout [UInt8]
    ) throws(RecordError) {
        let names = face.desiredKeys(at: position) ?? self.fields
        let selection = VisibleFields(names, of: type, visibility).selection(creator: row.creator)
        let records = transaction.records
        try name.withUnsafeBufferPointer { name throws(RecordError) in
            let header = RecordHeader(
                name: UnsafeRawBufferPointer(name), typeName: type.name, revision: row.revision,
                created: row.created, creator: creator, modified: row.modified, modifier: modifier)
            try fields.withView { view throws(RecordError) in
                let urls = view.hasAssets ? transaction.assets.urls() : nil
                try CloudKitComposer.append(
                    header, fields: view, selection: selection, as: face,
                    external: { field, output throws(RecordError) in
                        if let value = unsaved.first(where: { $0.fieldID == field }) {
                            output.append(contentsOf: value.json)
                        } else {
                            output.append(contentsOf: try records.largeValue(record: row.id, field: field))
                        }
                    }, zone: face.zone.json, downloadURL: { urls?.url(ofAnyName: $0, from: face.baseURL) },
                    to: &response)
            }
        }
    }

    /// The notices as a JSON array; empty if there are none.
    var noticesJSON: [UInt8] {
        notices.isEmpty ? [] : JSONValue.array(notices.map(\.json)).bytes
    }

    /// Appends the response to a deletion.
    func appendDeletion(_ name: String, to response: inout [UInt8]) {
        response.appendLiteral("{\"recordName\":")
        response.appendString(name)
        response.appendLiteral(",\"deleted\":true}")
    }

    private func shownAccess(of row: RecordRow, _ visibility: Visibility) throws(RecordError) -> [UInt8]? {
        guard let access = row.access, visibility.scope == .publicDatabase, visibility.mayWrite(row.facts) else {
            return nil
        }
        let transaction = transaction
        return try StoredAccess.shown(access) { principal throws(RecordError) in
            try principal.name(user: transaction.userNames.name) { id throws(RecordError) in
                try transaction.store.roles.name(of: id)
            }
        }
    }

    // MARK: Notices

    /// Adds notices about a record's fields.
    mutating func note(_ notices: [WriteNotice], of name: String) {
        for var notice in notices where self.notices.count < Limits.writeNotices {
            notice.recordName = name
            self.notices.append(notice)
        }
    }

    /// Discards all but the first `count` notices, because their operations were undone.
    mutating func forgetNotices(from count: Int) {
        notices.removeSubrange(count...)
    }

    // MARK: Positions of records

    /// Remembers the byte range of a record in the response.
    private mutating func noteShown(_ row: RecordRow, type: RecordTypeName, name: String, in range: Range<Int>) {
        shown.append(
            ShownRecord(
                range: range,
                part: .record(
                    ResponseOutline.StoredResponseRecord(
                        id: row.id, creator: row.creator, hasAccessList: row.access != nil, revision: row.revision,
                        sequence: row.sequence, typeName: type.text, name: name))))
    }

    /// Appends the error of a batch item, and remembers the byte range of the error's `serverRecord`.
    mutating func append(_ error: RecordError, of operation: RecordOperation, to list: inout RecordList) {
        let name = operation.recordName
        if let face = face.cloudKit {
            list.beginMember()
            CloudKitComposer.append(
                error, recordName: name?.text, ofOperation: operation.precondition.hasTags, as: face, to: &list.json)
            return
        }
        var bare = error
        bare.serverRecord = nil
        list.beginMember()
        ErrorComposer.append(bare, uuid: nil, recordName: name?.text, to: &list.json)
        guard let record = error.serverRecord, let name else { return }
        let brace = list.json.removeLast()
        let start = list.json.count
        list.json.appendServerRecord(record)
        if notesShown {
            shown.append(ShownRecord(range: start..<list.json.count, part: .serverRecord(name: name.text)))
        }
        list.json.append(brace)
    }

    /// Discards the ranges of records after the offset `place`, because that text of the response is undone.
    mutating func forgetShown(from place: Int) {
        while let last = shown.last, last.range.upperBound > place { shown.removeLast() }
    }
}
