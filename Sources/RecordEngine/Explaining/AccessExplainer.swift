package import RecordModel
internal import RecordStorage
internal import Threads

/// A question about rights: who wants to do what.
package struct AccessQuestion: Sendable {
    /// Who asks. Names of others are looked up only for those who may list them, and a record that it may not read answers
    /// as one that is not there.
    package var asker: Caller
    /// What is to be done.
    package enum Deed: String, CaseIterable, Sendable {
        case create, read, write
        /// To stand in a condition or a sort.
        case query
        /// To use a private database at all.
        case enter
        /// To upload files for records.
        case upload

        /// What it is to records of a type; `nil` for what concerns a database as a whole.
        package var action: Action? {
            switch self {
            case .create: .create
            case .read, .query: .read
            case .write: .write
            case .enter, .upload: nil
            }
        }
    }

    package var caller: String
    package var deed: Deed
    /// `nil` for what concerns a database as a whole.
    package var typeName: RecordTypeName?
    package var recordName: RecordName?
    package var field: String?
    package var address: DatabaseAddress

    package init(
        by asker: Caller, caller: String, deed: Deed, typeName: RecordTypeName?, recordName: RecordName?,
        field: String?, address: DatabaseAddress
    ) {
        self.asker = asker
        self.caller = caller
        self.deed = deed
        self.typeName = typeName
        self.recordName = recordName
        self.field = field
        self.address = address
    }
}

/// The answer: the decision that the caller itself would meet, and what it rests on.
package struct AccessExplanation: Hashable, Sendable {
    /// One thing that was looked at.
    package struct Step: Hashable, Sendable {
        /// The name of the rule, such as `GRANT`.
        package let rule: String
        package let isAllowed: Bool
        /// A sentence for the administrator.
        package let reason: String
    }

    package let decision: Decision
    /// In the order in which they were looked at; the last one decided.
    package var steps: [Step]
    /// The custom roles of the caller, directly or through others.
    package let roles: [String]
}

/// Explains what callers may do.
package struct AccessExplainer {
    let reader: RecordReader

    var store: StoreReader { reader.store }
    private var schema: Schema { reader.schema }

    /// Tells what a caller may do, and by which rule, from the same judgement that its requests meet.
    ///
    /// - Throws: BAD_REQUEST for a caller that is none, NOT_FOUND for an unknown type, record or field.
    package func explain(_ question: AccessQuestion) throws(RecordError) -> AccessExplanation {
        guard let action = question.deed.action else { return try explainDatabase(question) }
        guard let name = question.typeName else { throw .questionNeedsType }
        guard let type = schema[name] else { throw .unknownType(name) }
        let subject = try subject(of: question)
        let scope = question.address.scope
        var facts = RecordFacts.new
        if let name = question.recordName, action != .create {
            facts = try self.facts(of: name, type: type, in: question.address)
            guard Authorization.authorize(question.asker, .read, in: scope, type: type, facts) == .allowed else {
                throw .recordNotFound
            }
        }
        if let name = question.field, type[name] == nil {
            throw RecordError(.notFound, "The type has no field with this name", details: [("field", .text(name))])
        }
        let caller: Caller
        switch subject {
        case .caller(let found): caller = found
        case .refused(let step): return AccessExplanation(decision: .denied, steps: [step], roles: [])
        }
        let isForAnyRecord = question.recordName == nil && action != .create
        // A record of the caller's own is the one that it has the most rights to.
        let judged = isForAnyRecord ? RecordFacts(creator: caller.userID) : facts
        let ruling = Authorization.judge(caller, action, in: scope, type: type, judged)
        var steps = [try step(ruling, (action, type), isForAnyRecord: isForAnyRecord)]
        var decision = ruling.decision
        if let field = question.field.flatMap({ type[$0] }), decision == .allowed {
            let isOwn = isOwn(question, caller, type, facts)
            let ruling = Authorization.judge(
                caller, action == .read ? field.readers : field.writers, isOwn: isOwn, in: scope)
            steps.append(step(ruling, action, field, for: caller, in: scope))
            if !ruling.isAllowed { decision = Authorization.refusal(of: caller) }
        }
        return AccessExplanation(decision: decision, steps: steps, roles: roles(of: caller))
    }

    /// What concerns a database as a whole.
    private func explainDatabase(_ question: AccessQuestion) throws(RecordError) -> AccessExplanation {
        guard question.typeName == nil, question.recordName == nil, question.field == nil else {
            throw .badRequest(
                "To enter a database and to upload files are about no type. Leave recordType, recordName and field out")
        }
        let caller: Caller
        switch try subject(of: question) {
        case .caller(let found): caller = found
        case .refused(let step): return AccessExplanation(decision: .denied, steps: [step], roles: [])
        }
        let ruling: Ruling
        switch (question.deed, question.address.scope) {
        case (.enter, .privateDatabase(let owner)): ruling = Authorization.judgeEntering(caller, of: owner)
        case (.enter, .publicDatabase):
            throw .badRequest(
                "Everybody enters the public database. Say whose private one is meant, with database=private and owner",
                details: [("parameter", .text("database"))])
        case (_, let scope): ruling = Authorization.judgeUploading(caller, to: scope, schema: schema)
        }
        return AccessExplanation(decision: ruling.decision, steps: [try step(ruling)], roles: roles(of: caller))
    }

    private func roles(of caller: Caller) -> [String] {
        guard case .user(_, let held) = caller else { return [] }
        return held.keys.map(\.text).sorted()
    }

    private func facts(
        of name: RecordName, type: RecordTypeDefinition, in address: DatabaseAddress
    ) throws(RecordError) -> RecordFacts {
        guard let zone = try reader.zoneID(address) else { throw .recordNotFound }
        let found = try store.records.find(zone: zone, name: name.text)
        guard let cursor = found else { throw .recordNotFound }
        defer { cursor.finish() }
        let row = cursor.row
        guard !row.isDeleted, row.type == type.id else { throw .recordNotFound }
        return row.facts
    }

    /// Whether what is asked is about records that the caller has created, and no others.
    private func isOwn(
        _ question: AccessQuestion, _ caller: Caller, _ type: RecordTypeDefinition, _ facts: RecordFacts
    ) -> Bool {
        switch question.deed {
        case .create, .enter, .upload: return caller.userID != nil
        case .read, .write:
            if question.recordName != nil { return caller.userID != nil && facts.creator == caller.userID }
            return caller.userID != nil
        case .query:
            // Where none but its own records are read by the grants, it asks for them alone.
            guard case .own = Authorization.reach(of: .read, for: caller, in: question.address.scope, type: type)
            else { return false }
            return true
        }
    }
}

extension RecordError {
    static let questionNeedsType = RecordError.badRequest(
        "The body needs 'recordType'", details: [("key", .text("recordType"))])
}
