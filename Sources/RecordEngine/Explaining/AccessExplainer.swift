package import RecordModel
internal import RecordStorage
internal import Threads

/// A question about the permissions of a caller.
package struct AccessQuestion: Sendable {
    /// The caller that asks. Other callers are found only if the asking caller may list them. Records count as missing
    /// if the asking caller may not read them.
    package var asker: Caller
    /// An action whose permission can be explained.
    package enum RequestedAction: String, CaseIterable, Sendable {
        case create, read, write
        /// Use of a field in a predicate or a sort.
        case query
        /// Any access to a private database.
        case enter
        /// Upload of files for records.
        case upload

        /// The corresponding action on records; `nil` for an action on a database as a whole.
        package var action: Action? {
            switch self {
            case .create: .create
            case .read, .query: .read
            case .write: .write
            case .enter, .upload: nil
            }
        }
    }

    /// The name of the caller whose permissions are explained.
    package var caller: String
    /// The action whose permission is explained.
    package var deed: RequestedAction
    /// The record type; `nil` for a database as a whole.
    package var typeName: RecordTypeName?
    /// The record; `nil` for any record of the type.
    package var recordName: RecordName?
    /// The field; `nil` for the record as a whole.
    package var field: String?
    /// The database of the action.
    package var address: DatabaseAddress

    /// Asks about an action of one caller. Type, record and field narrow the question.
    package init(
        by asker: Caller, caller: String, deed: RequestedAction, typeName: RecordTypeName?, recordName: RecordName?,
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

/// The response to a question: the same decision as for a request by the caller, with the reasons.
package struct AccessExplanation: Hashable, Sendable {
    /// One rule that was checked.
    package struct Step: Hashable, Sendable {
        /// The name of the rule, such as `GRANT`.
        package let rule: String
        /// Whether the rule allows the action.
        package let isAllowed: Bool
        /// A sentence for the administrator.
        package let reason: String
    }

    /// The decision.
    package let decision: Decision
    /// The rules in the order in which they were checked. The last rule decided.
    package var steps: [Step]
    /// The custom roles of the caller, direct or through other roles.
    package let roles: [String]
}

/// Explains the permissions of callers.
package struct AccessExplainer {
    let reader: RecordReader

    var store: StoreReader { reader.store }
    private var schema: Schema { reader.schema }

    /// Explains whether a caller may perform an action, and which rule decides. Uses the same authorization code as
    /// requests.
    ///
    /// - Throws: BAD_REQUEST for a malformed question; NOT_FOUND for an unknown caller, type, record or field.
    package func explain(_ question: AccessQuestion) throws(RecordError) -> AccessExplanation {
        guard let action = question.deed.action else { return try explainDatabase(question) }
        guard let name = question.typeName else { throw .questionNeedsType }
        guard let type = schema[name] else { throw .unknownType(name) }
        let subject = try subject(question.caller, for: question.asker)
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
        case .rejected(let step): return AccessExplanation(decision: .denied, steps: [step], roles: [])
        }
        let isForAnyRecord = question.recordName == nil && action != .create
        // A question about any record assumes a record created by the caller, on which it has the most permissions.
        let judged = isForAnyRecord ? RecordFacts(creator: caller.userID) : facts
        let explained = Authorization.judge(caller, action, in: scope, type: type, judged)
        var steps = [try step(explained, (action, type), isForAnyRecord: isForAnyRecord)]
        var decision = explained.decision
        if let field = question.field.flatMap({ type[$0] }), decision == .allowed {
            let isOwn = isOwn(question, caller, type, facts)
            let explained = Authorization.judge(
                caller, action == .read ? field.readers : field.writers, isOwn: isOwn, in: scope)
            steps.append(step(explained, action, field, for: caller, in: scope))
            if !explained.isAllowed { decision = Authorization.rejection(of: caller) }
        }
        return AccessExplanation(decision: decision, steps: steps, roles: roles(of: caller))
    }

    /// Explains an action on a database as a whole.
    private func explainDatabase(_ question: AccessQuestion) throws(RecordError) -> AccessExplanation {
        guard question.typeName == nil, question.recordName == nil, question.field == nil else {
            throw .badRequest(
                "To enter a database and to upload files are about no type. Leave recordType, recordName and field out")
        }
        let caller: Caller
        switch try subject(question.caller, for: question.asker) {
        case .caller(let found): caller = found
        case .rejected(let step): return AccessExplanation(decision: .denied, steps: [step], roles: [])
        }
        let explained: ExplainedDecision
        switch (question.deed, question.address.scope) {
        case (.enter, .privateDatabase(let owner)): explained = Authorization.judgeEntering(caller, of: owner)
        case (.enter, .publicDatabase):
            throw .badRequest(
                "Everybody enters the public database. Say whose private one is meant, with database=private and owner",
                details: [("parameter", .text("database"))])
        case (_, let scope): explained = Authorization.judgeUploading(caller, to: scope, schema: schema)
        }
        return AccessExplanation(decision: explained.decision, steps: [try step(explained)], roles: roles(of: caller))
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

    /// Returns whether the decision applies only to records that the caller has created.
    private func isOwn(
        _ question: AccessQuestion, _ caller: Caller, _ type: RecordTypeDefinition, _ facts: RecordFacts
    ) -> Bool {
        switch question.deed {
        case .create, .enter, .upload: return caller.userID != nil
        case .read, .write:
            if question.recordName != nil { return caller.userID != nil && facts.creator == caller.userID }
            return caller.userID != nil
        case .query:
            // If the caller may read only its own records, its queries return only its own records.
            guard case .own = Authorization.permitted(of: .read, for: caller, in: question.address.scope, type: type)
            else { return false }
            return true
        }
    }
}

extension RecordError {
    /// The error for a question without a record type.
    static let questionNeedsType = RecordError.badRequest(
        "The body needs 'recordType'", details: [("key", .text("recordType"))])
}
