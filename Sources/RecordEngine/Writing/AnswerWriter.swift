internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Writes what the answer to a request shows of records, and keeps what it tells besides.
struct AnswerWriter {
    private let context: WriteContext
    /// The fields that answers show; `nil` means all.
    private let fields: [String]?
    /// Where records stand in the answer, for one that is to be remembered.
    private(set) var shown: [ShownRecord] = []
    private let notesShown: Bool
    /// What the answer tells besides outcomes.
    private(set) var notices: [WriteNotice] = []

    private var transaction: WriteTransaction { context.transaction }

    init(_ context: WriteContext, _ request: WriteRequest) {
        self.context = context
        fields = request.fields
        notesShown = request.idempotency != nil
    }

    /// Appends the record that a plan saves, or a stub for writers who may not read it.
    mutating func append(_ plan: WritePlan, to answer: inout [UInt8]) throws(RecordError) {
        guard let after = plan.after else { return }
        let visibility = context.visibility(of: plan.type)
        guard visibility.mayRead(after.row.facts) else {
            var name = plan.name
            name.withUTF8 {
                RecordComposer.appendStub(
                    name: UnsafeRawBufferPointer($0), typeName: plan.type.name, revision: after.row.revision,
                    to: &answer)
            }
            return
        }
        let start = answer.count
        try append(
            after.row, type: plan.type, visibility, name: Array(plan.name.utf8), fields: after.fields,
            unsaved: plan.largeValues, to: &answer)
        if notesShown {
            noteShown(after.row, type: plan.type.name, name: plan.name, in: start..<answer.count)
        }
    }

    /// Appends a record.
    ///
    /// - Parameter unsaved: Texts that are about to be stored beside the row.
    func append(
        _ row: RecordRow, type: RecordTypeDefinition, _ visibility: Visibility, name: [UInt8], fields: StoredFields,
        unsaved: [(fieldID: Int, json: [UInt8])] = [], to answer: inout [UInt8]
    ) throws(RecordError) {
        let creator = try transaction.userNames.name(of: row.creator)
        let modifier = row.modifier == row.creator ? creator : try transaction.userNames.name(of: row.modifier)
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

    private func shownAccess(of row: RecordRow, _ visibility: Visibility) throws(RecordError) -> [UInt8]? {
        guard let access = row.access, visibility.mayWrite(row.facts) else { return nil }
        let transaction = transaction
        return try StoredAccess.shown(access) { principal throws(RecordError) in
            try principal.name(user: transaction.userNames.name) { id throws(RecordError) in
                try transaction.store.roles.name(of: id)
            }
        }
    }

    // MARK: What it tells besides

    /// Adds notices about a record's fields.
    mutating func note(_ notices: [WriteNotice], of name: String) {
        for var notice in notices where self.notices.count < Limits.writeNotices {
            notice.recordName = name
            self.notices.append(notice)
        }
    }

    /// Forgets all notices but the first ones: their operations were undone.
    mutating func forgetNotices(from count: Int) {
        notices.removeSubrange(count...)
    }

    // MARK: What is remembered of it

    /// Notes that an answer shows a record, from a place on.
    private mutating func noteShown(_ row: RecordRow, type: RecordTypeName, name: String, in range: Range<Int>) {
        shown.append(
            ShownRecord(
                range: range,
                part: .record(
                    AnswerOutline.RememberedRecord(
                        id: row.id, creator: row.creator, isGuarded: row.access != nil, revision: row.revision,
                        sequence: row.sequence, typeName: type.text, name: name))))
    }

    /// Appends the error of an item, and notes the record that it shows.
    mutating func append(_ error: RecordError, name: RecordName?, to list: inout RecordList) {
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

    /// Forgets what was shown behind a place in the answer, from which on it is undone.
    mutating func forgetShown(from place: Int) {
        while let last = shown.last, last.range.upperBound > place { shown.removeLast() }
    }
}
