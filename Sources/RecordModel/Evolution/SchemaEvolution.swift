/// The steps from one schema to another, or the rule that the change breaks.
///
/// Planning has no side effects. The store supplies the facts before planning and applies the steps afterward.
///
/// If a change breaks several rules, the error is that of the first broken rule. For each type, in the order of the
/// document:
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 1 | A document names a type once. | Two entries contradict each other. | `BAD_REQUEST` |
/// | 2 | There are at most `Limits.recordTypes` types. | All of them are in memory. | `BAD_REQUEST`, `TOO_LARGE` |
/// | 3 | A field that records have stays. | Its values would be lost. | `BAD_REQUEST` |
/// | 4 | A field that records have keeps its type; INT64 may become DOUBLE. | Values would not fit. | `BAD_REQUEST` |
/// | 5 | A type has at most `Limits.fieldsPerType` fields. | Each request scans them. | `BAD_REQUEST`, `TOO_LARGE` |
/// | 6 | A type has at most `IndexDefinition.maxPerType` indexes that did not fail. | Writes update each of them. | `BAD_REQUEST`, `TOO_LARGE` |
/// | 7 | Each value of a field that becomes DOUBLE equals a DOUBLE. Only `buildIndexes` can check it. | Numbers would change. | `BAD_REQUEST` |
/// | 8 | Roles in changed grants of fields exist. | A misspelled role gives access to nobody. | `BAD_REQUEST`, `UNKNOWN_NAME` |
/// | 9 | Roles in changed grants of an existing type exist. | As for 8. | `BAD_REQUEST`, `UNKNOWN_NAME` |
/// | 10 | Users and roles in a default access list exist. | As for 8. | `BAD_REQUEST`, `UNKNOWN_NAME` |
/// | 11 | New UNIQUE indexes have fields with the same readers. | A rejected write would disclose the other fields. | `BAD_REQUEST` |
///
/// For all types together:
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 12 | A document leaves out no type with records. `Users` stays, even if left out, while accounts exist. | Records would be lost. | `BAD_REQUEST` |
/// | 13 | Only a caller with the right `changeRights` changes permissions or creates roles. | `changeSchema` does not include it. | `ACCESS_DENIED` |
/// | 17 | A promotion removes no type and no field, and retypes none, even without records; INT64 may become DOUBLE. On request, it removes fields that no record has. | Apps in production may know them. | `BAD_REQUEST` |
///
/// For a record that adds a type or fields, first rule 14, then rules 2 and 5:
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 14 | The environment is development. | Clients do not change the production schema. | `BAD_REQUEST`, `UNKNOWN_NAME` |
///
/// For each index of a request that only adds indexes, rules 15, 16 and 11 in this order; then rule 6:
///
/// | # | rule | reason | error |
/// |---|---|---|---|
/// | 15 | The fields exist, and their types allow the options. | Some values have no order. | `BAD_REQUEST` |
/// | 16 | The columns exist, differ, and suit an index of the kind: see `IndexRules`. | As for 15. | `BAD_REQUEST` |
package struct SchemaEvolution: Sendable {
    /// The steps in order. If the change breaks a rule, the steps end there.
    package let steps: [SchemaStep]
    /// The error of the first broken rule except rule 7; `nil` if the change breaks none.
    ///
    /// Rule 7 is checked while the steps build indexes. An error of rule 7 precedes the errors of the rules after 7.
    package let violation: RecordError?
    /// Everything that `validate` finds: each definition that the change would lose, and the first other problem of each
    /// type. The error of the first is `violation`.
    package let refusals: [SchemaRefusal]
    /// The roles that the change creates, sorted by name.
    package let newRoles: [RoleName]

    /// The wanted state of one type.
    package struct Target: Sendable {
        /// The requested type without indexes. A field that is to be widened to DOUBLE already has the type DOUBLE
        /// here.
        package var type: RecordTypeDefinition
        /// The indexes that the schema names.
        package var declared: [IndexRequest.Shape] = []
        /// Whether failed indexes are built again.
        package var retriesFailed = false
        /// Whether the request itself contains the default access list, so that its names must be checked.
        package var statesAccess = false

        /// Creates a target with no declared indexes.
        package init(_ type: RecordTypeDefinition) {
            self.type = type
        }
    }

    /// The facts that planning needs from the store and the caller's permissions.
    package struct Facts: Sendable {
        /// The types with records, among the types that the change removes and the types whose fields it removes or
        /// retypes.
        package var typesWithRecords: Set<RecordTypeName> = []
        /// The fields of types with records that no record has, by type and number. They can be removed or retyped.
        package var emptyFields: [RecordTypeName: Set<Int>] = [:]
        /// Whether a promotion removes fields of production that no record has.
        package var dropsEmptyFields = false
        /// The custom roles of the container.
        package var roles: Set<RoleName> = []
        /// The users in default access lists that exist.
        package var users: Set<UserRecordName> = []
        /// Whether the container has accounts.
        package var hasAccounts = false
        /// Whether errors may name types and fields that the document leaves out.
        package var tellsNames = true
        /// Whether the caller has the right `changeRights`.
        package var mayChangeRights = true
        /// Whether the document is the schema of another environment that is promoted to this one.
        package var isPromotion = false

        /// Creates facts for an empty store and a caller with all rights.
        package init() {}
    }

    /// Plans the change from a schema to the state that a document describes.
    ///
    /// - Parameters:
    ///   - to: The wanted state of all types, in the order of the document.
    ///   - roles: The custom roles that the document needs. Those that are missing become `newRoles`.
    package static func validate(
        from: Schema, to: [Target], roles: Set<RoleName> = [], facts: Facts
    ) -> SchemaEvolution {
        var validation = SchemaValidation(from: from, roles: roles, facts: facts)
        validation.plan(to)
        return SchemaEvolution(validation)
    }

    /// Plans adding fields to a type for a record or an account. A missing type is added too.
    ///
    /// - Parameter environment: The environment of the record that needs the fields; `nil` for an account.
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

    /// Plans the change of one field's type. The other fields keep their types and their pending changes to DOUBLE.
    /// Passing the field's present type cancels the field's own pending change.
    package static func changing(
        _ field: FieldDefinition, to wanted: FieldType, of type: RecordTypeDefinition, hasRecords: Bool
    ) -> SchemaEvolution {
        let widening = type.wideningFields
        let fields = type.fields.map { known in
            let goesOn = widening.contains(known.id) ? known.type.widened : nil
            return (known.name, known.id == field.id ? wanted : goesOn ?? known.type)
        }
        return planning(type) { evolution throws(RecordError) in
            let widening = try evolution.changeFields(
                to: type.fields(becoming: fields), reason: hasRecords ? .records : .none)
            let declared = type.declaredShapes.filter(evolution.type.has)
            try evolution.changeIndexes(declared: declared, retries: { _ in false }, widening: widening)
        }
    }

    /// Plans another name of a field.
    package static func renaming(
        _ field: FieldDefinition, to name: FieldName, of type: RecordTypeDefinition
    ) -> SchemaEvolution {
        planning(type) { evolution throws(RecordError) in
            guard name != field.name else { return }
            guard type[name.text] == nil else {
                throw .badSchema(
                    "The type \(type.name) has a field \(name) already. Choose another name, or rename that field first",
                    type.name, name)
            }
            let former = (type.renames?.fields[field.id] ?? []) + [field.name]
            evolution.add(
                .renameFields([
                    SchemaStep.FieldRename(
                        id: field.id, from: field.name, to: name, former: former.suffix(TypeRenames.most))
                ]))
        }
    }

    /// Plans another name of a type.
    package static func renaming(
        _ type: RecordTypeDefinition, to name: RecordTypeName, in schema: Schema
    ) -> SchemaEvolution {
        planning(type) { evolution throws(RecordError) in
            guard name != type.name else { return }
            guard type.name != .users, name != .users else {
                throw .badSchema(
                    "The records of accounts have the type Users. Choose another type, or another name", name)
            }
            guard schema[name] == nil else {
                throw .badSchema(
                    "There is a type \(name) already. Choose another name, or rename that type first", name)
            }
            let former = (type.renames?.type ?? []) + [type.name]
            evolution.add(
                .renameTypes([
                    SchemaStep.TypeRename(from: type.name, to: name, former: former.suffix(TypeRenames.most))
                ]))
        }
    }

    /// Plans adding indexes to a type. Existing indexes stay.
    package static func adding(_ request: IndexRequest, to type: RecordTypeDefinition) -> SchemaEvolution {
        planning(type) { evolution throws(RecordError) in try evolution.add(request) }
    }

    /// Plans the steps after indexes and widening checks of a type become ready or fail.
    ///
    /// - Parameters:
    ///   - ready: The ready indexes and checks. An index in both arguments counts as failed.
    ///   - failures: The reasons of failed indexes and checks. Failures can make replacement indexes necessary.
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
            try evolution.changeIndexes(declared: declared, retries: { _ in false }, widening: nil)
        }
    }

    /// Plans setting the grants of a type. The step is planned even if the grants do not change.
    package static func granting(_ grants: Grants, of type: RecordTypeDefinition, facts: Facts) -> SchemaEvolution {
        planning(type) { evolution throws(RecordError) in
            try facts.require(grants.byRole.keys)
            evolution.add(.setGrants(grants))
        }
    }

    /// Plans the removal of a role from all grants. If a field was readable by this role only, no role can read the
    /// field afterward.
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

    init(_ plan: (inout [SchemaStep]) throws(RecordError) -> Void) {
        var steps: [SchemaStep] = []
        var violation: RecordError?
        do { try plan(&steps) } catch { violation = error }
        self.steps = steps
        self.violation = violation
        refusals = violation.map { [SchemaRefusal($0)] } ?? []
        newRoles = []
    }

    private init(_ validation: SchemaValidation) {
        steps = validation.steps
        violation = validation.refusals.first?.error
        refusals = validation.refusals
        newRoles = validation.newRoles
    }

    /// Whether applying the steps can break rule 7.
    package var dependsOnValues: Bool {
        steps.contains { step in
            if case .buildIndexes(let widening) = step.change { !widening.isEmpty } else { false }
        }
    }
}

extension SchemaEvolution.Facts {
    /// Checks that roles are built in or exist.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `UNKNOWN_NAME` for the unknown name that sorts first.
    func require(_ roles: some Sequence<RoleName>) throws(RecordError) {
        let unknown = roles.filter { !$0.isBuiltIn && !self.roles.contains($0) }
        if let role = unknown.min(by: { $0.text < $1.text }) { throw .unknownRole(role) }
    }

    /// Returns whether a name in an access list exists.
    func knows(_ name: AccessTemplate.Name) -> Bool {
        switch name {
        case .everyone, .creator: true
        case .user(let name): users.contains(name)
        case .role(let name): roles.contains(name)
        }
    }
}

extension RecordTypeDefinition {
    /// Returns the type's fields after a change to the given names and types. A field that keeps its values keeps its
    /// number, options and grants. All other fields are new.
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
