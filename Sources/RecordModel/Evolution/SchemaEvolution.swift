/// The steps from one schema to another, or the rule that the change breaks. Pure: the store is asked for the facts
/// before, and applies the steps after.
///
/// The rules, in order of precedence; of two broken ones the first is reported. For each type, in the order of the document:
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 1 | A document names a type once. | Two entries contradict each other. | `BAD_REQUEST` |
/// | 2 | There are at most `Limits.recordTypes` types. | All of them are in memory. | `BAD_REQUEST`, `TOO_LARGE` |
/// | 3 | A type with records keeps its fields. | Their values would be lost. | `BAD_REQUEST` |
/// | 4 | A type with records keeps its fields' types; INT64 may become DOUBLE. | Values would not fit. | `BAD_REQUEST` |
/// | 5 | A type has at most `Limits.fieldsPerType` fields. | Each request looks at them. | `BAD_REQUEST`, `TOO_LARGE` |
/// | 6 | A type has at most `IndexDefinition.maxPerType` indexes that did not fail. | Writes keep each up to date. | `BAD_REQUEST`, `TOO_LARGE` |
/// | 7 | Each value of a field that becomes DOUBLE equals one. Only `buildIndexes` finds out. | Numbers would change. | `BAD_REQUEST` |
/// | 8 | Roles in changed grants of fields exist. | A misspelt role gives access to nobody. | `BAD_REQUEST`, `UNKNOWN_NAME` |
/// | 9 | Roles in changed grants of a type that was there exist. | As before. | `BAD_REQUEST`, `UNKNOWN_NAME` |
/// | 10 | Users and roles in a default access list exist. | As before. | `BAD_REQUEST`, `UNKNOWN_NAME` |
/// | 11 | New UNIQUE indexes have fields with the same readers. | A rejected write would tell of the other fields. | `BAD_REQUEST` |
///
/// For all types together:
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 12 | A type with records is not left out. `Users` stays, tacitly, while there are accounts. | Records would be lost. | `BAD_REQUEST` |
/// | 13 | Who may do what changes only by a caller with the right `changeRights`. | `changeSchema` does not include it. | `ACCESS_DENIED` |
///
/// For a record that brings a new type or new fields: rules 2 and 5, and before them
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 14 | It does so in development only. | Clients do not change production. | `BAD_REQUEST`, `UNKNOWN_NAME` |
///
/// For indexes that are added one by one, before rule 6, each followed by rule 11 for the same index:
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 15 | The fields exist, and a field's type suits its options. | Some values have no order. | `BAD_REQUEST` |
/// | 16 | The columns exist, differ, and suit an index of the kind: see `IndexRules`. | As before. | `BAD_REQUEST` |
package struct SchemaEvolution: Sendable {
    /// What is to be done, in order, up to the violation.
    package let steps: [SchemaStep]
    /// The error of the first broken rule but 7, which is found after earlier and before later ones.
    package let violation: RecordError?

    /// What a type shall be.
    package struct Target: Sendable {
        /// A widened field has its new type, and no indexes are in it.
        package var type: RecordTypeDefinition
        /// The indexes that the schema names.
        package var declared: [IndexWish.Shape] = []
        /// Whether indexes that could not be built are tried again.
        package var retriesFailed = false
        /// Whether somebody has given the default access list just now, so that its names are checked.
        package var statesAccess = false

        package init(_ type: RecordTypeDefinition) {
            self.type = type
        }
    }

    /// What only the store and the caller's credential tell.
    package struct Facts: Sendable {
        /// Of the types that go, or lose a field or its type, those that have records.
        package var typesWithRecords: Set<RecordTypeName> = []
        /// The custom roles.
        package var roles: Set<RoleName> = []
        /// Of the users whom default access lists name, those who exist.
        package var users: Set<UserRecordName> = []
        package var hasAccounts = false
        /// Whether errors may name types and fields that the document leaves out.
        package var tellsNames = true
        package var mayChangeRights = true

        package init() {}
    }

    /// Makes a schema what a document says.
    ///
    /// - Parameter to: All types, in the order of the document.
    package static func validate(from: Schema, to: [Target], facts: Facts) -> SchemaEvolution {
        SchemaEvolution { steps throws(RecordError) in
            var names: Set<RecordTypeName> = []
            var count = from.types.count
            for target in to {
                let name = target.type.name
                guard names.insert(name).inserted else {
                    throw .badSchema("The type \(name) is named twice", name)
                }
                var evolution = try TypeEvolution(from[name], orNew: name, target.type.grants, among: count)
                if from[name] == nil { count += 1 }
                defer { steps += evolution.steps }
                try evolution.become(target, facts)
            }
            var after = Schema(types: to.map(\.type))
            if facts.hasAccounts, after[.users] == nil, let users = from[.users] { after.set(users) }
            for name in from.types.values.map(\.name).sorted(by: { $0.text < $1.text }) where after[name] == nil {
                guard !facts.typesWithRecords.contains(name) else {
                    guard facts.tellsNames else {
                        throw .badSchema("The document leaves out a type that has records. Send all types")
                    }
                    throw .badSchema(
                        "The type \(name) has records and cannot be left out. Delete its records first", name)
                }
                steps.append(SchemaStep(name, .removeType))
            }
            guard !facts.mayChangeRights, let changed = after.changedRights(since: from).first else { return }
            let name = changed.after.name
            let isNamed = facts.tellsNames || after[name] != nil
            throw RecordError(
                .accessDenied,
                isNamed
                    ? "The document changes who may do what with \(name), which takes the right changeRights. Leave out grants, acl, read and write, or send them as they are"
                    : "The document leaves out a type with rights of its own, which takes the right changeRights",
                details: (isNamed ? [("recordType", .text(name.text))] : []) + [("right", .text("changeRights"))])
        }
    }

    /// Adds a type, if it is missing, and fields to it: what a record brings, or an account.
    ///
    /// - Parameter environment: Where a record brings it.
    package static func extending(
        _ schema: Schema, _ name: RecordTypeName, _ grants: Grants,
        with fields: [(name: FieldName, type: FieldType)] = [], justInTimeIn environment: RecordEnvironment? = nil
    ) -> SchemaEvolution {
        SchemaEvolution { steps throws(RecordError) in
            guard environment != .production else {
                throw .badRequest(
                    "The schema of the production environment changes by PUT /schema only", cause: .unknownName)
            }
            var evolution = try TypeEvolution(schema[name], orNew: name, grants, among: schema.types.count)
            defer { steps += evolution.steps }
            for (name, type) in fields {
                try evolution.addField(FieldDefinition(id: evolution.type.nextFieldID, name: name, type: type))
            }
        }
    }

    /// Gives one field another type, and has the others go on as they are. The type that it has takes back a change under way.
    package static func changing(
        _ field: FieldDefinition, to wanted: FieldType, of type: RecordTypeDefinition, hasRecords: Bool
    ) -> SchemaEvolution {
        let widening = type.wideningFields
        let fields = type.fields.map { known in
            let goesOn = widening.contains(known.id) ? known.type.widened : nil
            return (known.name, known.id == field.id ? wanted : goesOn ?? known.type)
        }
        return planning(type) { evolution throws(RecordError) in
            let widening = try evolution.changeFields(to: type.fields(becoming: fields), hasRecords: hasRecords)
            let declared = type.declaredShapes.filter(evolution.type.has)
            try evolution.changeIndexes(declared: declared, retriesFailed: false, widening: widening)
        }
    }

    /// Adds indexes; those that are there stay.
    package static func adding(_ wish: IndexWish, to type: RecordTypeDefinition) -> SchemaEvolution {
        planning(type) { evolution throws(RecordError) in try evolution.add(wish) }
    }

    /// Goes on when indexes and checks of a type are ready or have failed.
    ///
    /// - Parameters:
    ///   - ready: Those that are ready, unless they have failed.
    ///   - failures: Why the others have failed; some that are there may have to stand in for them.
    package static func settling(
        _ type: RecordTypeDefinition, ready: [IndexID], failures: [IndexID: String]
    ) -> SchemaEvolution {
        planning(type) { evolution throws(RecordError) in
            for index in type.maintainedIndexes {
                if let reason = failures[index.id] {
                    evolution.add(.failIndex(index.id, reason: reason))
                } else if ready.contains(index.id) {
                    evolution.add(.readyIndex(index.id))
                }
            }
            if !evolution.steps.isEmpty { evolution.settleWidening() }
            guard !failures.isEmpty else { return }
            let declared = evolution.type.declaredShapes
            try evolution.changeIndexes(declared: declared, retriesFailed: false, widening: nil)
        }
    }

    /// Sets who may do what with a type's records, also if that is what they may do already.
    package static func granting(_ grants: Grants, of type: RecordTypeDefinition, facts: Facts) -> SchemaEvolution {
        planning(type) { evolution throws(RecordError) in
            try facts.require(grants.byRole.keys)
            evolution.add(.setGrants(grants))
        }
    }

    /// Takes a role out of all grants. A field that only this role reads is nobody's then, not everybody's.
    package static func removing(_ role: RoleName, from schema: Schema) -> SchemaEvolution {
        SchemaEvolution { steps throws(RecordError) in
            for type in schema.types.values {
                var (evolution, after) = (TypeEvolution(type), type)
                after.grants.byRole[role] = nil
                for var field in type.fieldsWithGrants {
                    field.readers?.remove(role)
                    field.writers?.remove(role)
                    after.add(field)
                }
                evolution.changeRights(to: after)
                steps += evolution.steps
            }
        }
    }

    private static func planning(
        _ type: RecordTypeDefinition, _ change: (inout TypeEvolution) throws(RecordError) -> Void
    ) -> SchemaEvolution {
        SchemaEvolution { steps throws(RecordError) in
            var evolution = TypeEvolution(type)
            defer { steps += evolution.steps }
            try change(&evolution)
        }
    }

    private init(_ plan: (inout [SchemaStep]) throws(RecordError) -> Void) {
        var steps: [SchemaStep] = []
        var violation: RecordError?
        do { try plan(&steps) } catch { violation = error }
        self.steps = steps
        self.violation = violation
    }

    /// Whether applying the steps may show that rule 7 is broken.
    package var dependsOnValues: Bool {
        steps.contains { step in
            if case .buildIndexes(let widening) = step.change { !widening.isEmpty } else { false }
        }
    }
}

extension SchemaEvolution.Facts {
    func require(_ roles: some Sequence<RoleName>) throws(RecordError) {
        let unknown = roles.filter { !$0.isBuiltIn && !self.roles.contains($0) }
        if let role = unknown.min(by: { $0.text < $1.text }) { throw .unknownRole(role) }
    }

    func knows(_ name: AccessTemplate.Name) -> Bool {
        switch name {
        case .everyone, .creator: true
        case .user(let name): users.contains(name)
        case .role(let name): roles.contains(name)
        }
    }
}

extension RecordTypeDefinition {
    /// The fields of the type when they have these names and types. Those whose values stay keep their number, options and
    /// grants; the others are new.
    package func fields(becoming wanted: [(name: FieldName, type: FieldType)]) -> [FieldDefinition] {
        let known = wanted.map { name, type in
            self[name.text].flatMap { $0.type == type || $0.type.widened == type ? $0.retyped(type) : nil }
        }
        var next = known.compactMap { $0?.id }.max() ?? 0
        return zip(wanted, known).map { wanted, known in
            if let known { return known }
            next += 1
            return FieldDefinition(id: next, name: wanted.name, type: wanted.type)
        }
    }
}
