package import RecordModel
internal import RecordStorage
internal import Threads

/// A question about rights: who wants to do what.
package struct AccessQuestion: Sendable {
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
        caller: String, deed: Deed, typeName: RecordTypeName?, recordName: RecordName?, field: String?,
        address: DatabaseAddress
    ) {
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

extension RecordReader {
    /// Tells what a caller may do, and by which rule, from the same judgement that its requests meet.
    ///
    /// - Throws: BAD_REQUEST for a caller that is none, NOT_FOUND for an unknown type, record or field.
    package func explainAccess(_ question: AccessQuestion) throws(RecordError) -> AccessExplanation {
        guard let action = question.deed.action else { return try explainDatabase(question) }
        guard let name = question.typeName else { throw .questionNeedsType }
        guard let type = schema[name] else { throw .unknownType(name) }
        let caller = try caller(named: question.caller)
        let scope = question.address.scope
        var facts = RecordFacts.new
        if let name = question.recordName, action != .create {
            facts = try self.facts(of: name, type: type, in: question.address)
        }
        let isForAnyRecord = question.recordName == nil && action != .create
        // A record of the caller's own is the one that it has the most rights to.
        let judged = isForAnyRecord ? RecordFacts(creator: caller.userID) : facts
        let ruling = Authorization.judge(caller, action, in: scope, type: type, judged)
        var steps = [try step(ruling, (action, type), isForAnyRecord: isForAnyRecord)]
        var decision = ruling.decision
        if let name = question.field {
            guard let field = type[name] else {
                throw RecordError(.notFound, "The type has no field with this name", details: [("field", .text(name))])
            }
            if decision == .allowed {
                let isOwn = try isOwn(question, caller, type, facts)
                let ruling = Authorization.judge(
                    caller, action == .read ? field.readers : field.writers, isOwn: isOwn, in: scope)
                steps.append(step(ruling, action, field))
                if !ruling.isAllowed { decision = Authorization.refusal(of: caller) }
            }
        }
        return AccessExplanation(decision: decision, steps: steps, roles: roles(of: caller))
    }

    /// What concerns a database as a whole.
    private func explainDatabase(_ question: AccessQuestion) throws(RecordError) -> AccessExplanation {
        guard question.typeName == nil, question.recordName == nil, question.field == nil else {
            throw .badRequest(
                "To enter a database and to upload files are about no type. Leave recordType, recordName and field out")
        }
        let caller = try caller(named: question.caller)
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

    /// `anonymous`, `administrator` with `:` and a role, or the record name of a user or a key's account.
    private func caller(named text: String) throws(RecordError) -> Caller {
        if text == "anonymous" || text == RoleName.world.text { return .anonymous }
        if text == "administrator" { return .administrator(.bootstrap) }
        if text.hasPrefix("administrator:"), let role = AdministratorRole(rawValue: String(text.dropFirst(14))) {
            return .administrator(Administrator(id: 0, role: role))
        }
        guard let name = UserRecordName(text) else {
            throw .badRequest(
                "'caller' is anonymous, administrator, administrator: and a role, or the record name of a user or of a key's account",
                details: [("caller", .text(text))])
        }
        let row = try store { () throws(StoreError) in try accounts.find(recordName: name.text) }
        guard let row else {
            throw RecordError(.notFound, "There is no user with this record name", details: [("caller", .text(text))])
        }
        guard row.disabled == nil else {
            throw .badRequest(
                "The account is disabled. Nobody is signed in to it, and it has no right by itself",
                details: [("caller", .text(text))])
        }
        if row.kind == .service { return .service(try serviceKey(of: row)) }
        return .user(row.id, roles: try store { () throws(StoreError) in try accounts.roles(of: row.id) })
    }

    /// The key of a service's account, with its scope.
    private func serviceKey(of account: AccountRow) throws(RecordError) -> ServiceKey {
        let table = try keyTable()
        let row = try store { () throws(StoreError) in try table.find(account: account.id) }
        guard let row, row.isAlive(at: WallClock.milliseconds) else {
            throw .badRequest(
                "The key of this account was revoked or has expired. Its token is refused before any right is looked at",
                details: [("caller", .text(account.recordName))])
        }
        return ServiceKey(account: row.account, scope: KeyScope(stored: row.scope))
    }

    private func facts(
        of name: RecordName, type: RecordTypeDefinition, in address: DatabaseAddress
    ) throws(RecordError) -> RecordFacts {
        guard let zone = try zoneID(address) else { throw .recordNotFound }
        let found = try store { () throws(StoreError) in try reading.find(zone: zone, name: name.text) }
        guard let cursor = found else { throw .recordNotFound }
        defer { cursor.finish() }
        let row = cursor.row
        guard !row.isDeleted, row.type == type.id else { throw .recordNotFound }
        return row.facts
    }

    /// Whether what is asked is about records that the caller has created, and no others.
    private func isOwn(
        _ question: AccessQuestion, _ caller: Caller, _ type: RecordTypeDefinition, _ facts: RecordFacts
    ) throws(RecordError) -> Bool {
        switch question.deed {
        case .create, .enter, .upload: return caller.userID != nil
        case .read, .write:
            if question.recordName != nil { return caller.userID != nil && facts.creator == caller.userID }
            return caller.userID != nil
        case .query:
            guard case .own = Authorization.reach(of: .read, for: caller, in: question.address.scope, type: type),
                let zone = try zoneID(question.address)
            else { return false }
            return try audiences(of: type, for: caller, in: question.address.scope, zone: zone).isEmpty
        }
    }
}

extension RecordError {
    static let questionNeedsType = RecordError.badRequest(
        "The body needs 'recordType'", details: [("key", .text("recordType"))])
}
