/// A part of a schema change that breaks a rule.
package struct SchemaRefusal: Error, Hashable, Sendable {
    /// The definition that the change would lose, together with values or with what another environment relies on.
    package enum Loss: Hashable, Sendable {
        case type(RecordTypeName)
        case field(RecordTypeName, FieldName)
    }

    /// The rule, and what to do.
    package let error: RecordError
    /// What would be lost; `nil` if the change breaks another rule.
    package let loss: Loss?

    init(_ error: RecordError, loss: Loss? = nil) {
        self.error = error
        self.loss = loss
    }
}

/// Collects the steps of a document, and all the rules that it breaks.
struct SchemaValidation {
    private let from: Schema
    private var facts: SchemaEvolution.Facts
    /// The steps up to the first broken rule.
    private(set) var steps: [SchemaStep] = []
    private(set) var refusals: [SchemaRefusal] = []
    /// The roles of the document that do not exist.
    let newRoles: [RoleName]

    init(from: Schema, roles: Set<RoleName>, facts: SchemaEvolution.Facts) {
        self.from = from
        self.facts = facts
        newRoles = roles.filter { !$0.isBuiltIn && !facts.roles.contains($0) }.sorted { $0.text < $1.text }
        self.facts.roles.formUnion(newRoles)
    }

    /// Plans the change to the wanted state of all types.
    mutating func plan(_ targets: [SchemaEvolution.Target]) {
        var names: Set<RecordTypeName> = []
        var count = from.types.count
        for target in targets {
            let name = target.type.name
            guard names.insert(name).inserted else {
                refusals.append(SchemaRefusal(.badSchema("The type \(name) is named twice", name)))
                continue
            }
            if from[name] == nil { count += 1 }
            plan(target, among: from[name] == nil ? count - 1 : count)
        }
        var after = Schema(types: targets.map(\.type))
        if facts.hasAccounts || facts.isPromotion, after[.users] == nil, let users = from[.users] { after.set(users) }
        removeTypes(notIn: after)
        checkRights(of: after)
    }

    /// Plans the change of one type.
    ///
    /// - Parameter count: The number of other types if the type is new.
    private mutating func plan(_ target: SchemaEvolution.Target, among count: Int) {
        let name = target.type.name
        do throws(RecordError) {
            var evolution = try TypeEvolution(from[name], orNew: name, target.type.grants, among: count)
            let broken = evolution.broken { evolution throws(RecordError) in try evolution.become(target, facts) }
            if refusals.isEmpty { steps += evolution.steps }
            refusals += broken
        } catch {
            refusals.append(SchemaRefusal(error))
        }
    }

    private mutating func removeTypes(notIn after: Schema) {
        for name in from.types.values.map(\.name).sorted(by: { $0.text < $1.text }) where after[name] == nil {
            if facts.isPromotion {
                refusals.append(
                    SchemaRefusal(
                        .badSchema(
                            facts.tellsNames
                                ? "Production has the type \(name), and a promotion removes no types. Add it to development, or remove it from production with PUT /schema"
                                : "Production has a type that development lacks, and a promotion removes no types",
                            facts.tellsNames ? name : nil), loss: .type(name)))
            } else if facts.typesWithRecords.contains(name) {
                refusals.append(
                    SchemaRefusal(
                        facts.tellsNames
                            ? .badSchema(
                                "The type \(name) has records and cannot be left out. Delete its records first", name)
                            : .badSchema("The document leaves out a type that has records. Send all types"),
                        loss: .type(name)))
            } else if refusals.isEmpty {
                steps.append(SchemaStep(name, .removeType))
            }
        }
    }

    private mutating func checkRights(of after: Schema) {
        guard !facts.mayChangeRights else { return }
        if let changed = after.changedRights(since: from).first {
            let name = changed.after.name
            let isNamed = facts.tellsNames || after[name] != nil
            refusals.append(
                SchemaRefusal(
                    RecordError(
                        .accessDenied,
                        isNamed
                            ? "The document changes the permissions of \(name), which needs the right changeRights. Leave out grants, acl, read and write, or send them as they are"
                            : "The document leaves out a type with rights of its own, which takes the right changeRights",
                        details: (isNamed ? [("recordType", .text(name.text))] : [])
                            + [("right", .text("changeRights"))])))
        }
        if let role = newRoles.first {
            refusals.append(
                SchemaRefusal(
                    RecordError(
                        .accessDenied,
                        "The document creates the role \(role), which takes the right changeRights. Let an administrator create it first",
                        details: [("role", .text(role.text)), ("right", .text("changeRights"))])))
        }
    }
}

extension TypeEvolution {
    /// Changes the type, and returns what breaks a rule: the losses if there are any, else the first other problem.
    mutating func broken(by change: (inout TypeEvolution) throws(RecordError) -> Void) -> [SchemaRefusal] {
        do throws(RecordError) {
            try change(&self)
            return []
        } catch {
            return losses.isEmpty ? [SchemaRefusal(error)] : losses
        }
    }
}
