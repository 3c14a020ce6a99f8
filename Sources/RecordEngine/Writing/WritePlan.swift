internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The changes that an operation makes to one record, computed before any of them is executed.
///
/// Therefore a rejected operation changes nothing, and a write of one statement needs no savepoint. `PlanWriter`
/// executes plans. A plan is a class because copying a struct would retain each of its arrays.
final class WritePlan: CustomStringConvertible {
    /// A state of a record: the columns of the record's row, and the fields.
    struct State {
        let row: RecordRow
        let fields: StoredFields
    }

    let type: RecordTypeDefinition
    let zone: ZoneID
    let name: String
    /// The record before the write; `nil` for a new record.
    let before: State?
    /// The record after the write; `nil` if the write deletes the record.
    let after: State?
    /// The tombstone of a deleted record for the change feed; `nil` deletes the record completely.
    var tombstone: RecordRow?

    /// The JSON texts that are stored outside the row, by field id.
    var largeValues: [(fieldID: Int, json: [UInt8])] = []
    /// The fields, by id, whose JSON text outside the row must be deleted.
    var removedLargeValues: [Int] = []
    /// Whether `IndexMaintainer` has found entries to add or remove.
    var hasEntries = false
    /// Whether the client named the record, so that a tombstone with that name may exist.
    var isNamed = false
    /// Whether the creation time comes from the operation instead of the server's clock.
    var isPreserved = false
    /// The fields in the operation that its caller may not read.
    var unread: Set<Int> = []
    /// The change of the record's parent or share; `nil` for none.
    var placement: Placement?
    /// The upload tokens that the operation uses.
    var claims: [AssetLinks.Claim] = []
    var notices: [WriteNotice] = []

    /// Whether the access list changes. Then the record's audiences change too.
    let changesAccess: Bool
    /// Whether the old or new state has assets.
    let hasAssets: Bool
    /// Whether the old or new state has references.
    let hasReferences: Bool
    let record: RecordNumber

    /// - Parameters:
    ///   - before: The record before the write; `nil` for a new record.
    ///   - after: The record after the write; `nil` if the write deletes the record.
    init(_ type: RecordTypeDefinition, zone: ZoneID, name: String, before: State? = nil, after: State? = nil) {
        self.type = type
        self.zone = zone
        self.name = name
        self.before = before
        self.after = after
        record = before?.row.id ?? after?.row.id ?? .unassigned
        changesAccess = before?.row.access != after?.row.access
        let layouts = (before?.fields.layout ?? [], after?.fields.layout ?? [])
        hasAssets = StoredFieldsView.hasAssets(layouts.0) || StoredFieldsView.hasAssets(layouts.1)
        hasReferences = StoredFieldsView.hasReferences(layouts.0) || StoredFieldsView.hasReferences(layouts.1)
    }

    /// Whether one SQL statement executes the whole plan.
    var isOneStatement: Bool {
        after != nil && placement == nil && !isNamed && !isPreserved && !hasEntries && !changesAccess
            && largeValues.isEmpty
            && removedLargeValues.isEmpty && !hasReferences && !hasAssets
    }

    /// Returns the difference between the record's old and new references with an action other than NONE.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for more than `Limits.bindingReferences`.
    func references() throws(RecordError) -> ReferenceChange {
        guard hasReferences else { return ReferenceChange() }
        func binding(_ state: State?) throws(RecordError) -> [(fieldID: Int, reference: Reference)] {
            try state?.fields.withView { view throws(RecordError) in
                try view.references(includingNone: false)
            } ?? []
        }
        return try ReferenceChange(from: try binding(before), to: try binding(after), unconfirmed: unread)
    }

    /// A summary in one line without field values: `change Post 'a': entries, files`.
    var description: String {
        let verb =
            switch (before, after) {
            case (nil, _): "create"
            case (_, nil): tombstone == nil ? "erase" : "delete"
            case (.some, .some): "change"
            }
        var parts: [String] = []
        if hasEntries { parts.append("entries") }
        if changesAccess { parts.append("access") }
        if !largeValues.isEmpty { parts.append("\(largeValues.count) large values") }
        if !removedLargeValues.isEmpty { parts.append("\(removedLargeValues.count) large values less") }
        if hasReferences { parts.append("references") }
        if hasAssets { parts.append("files") }
        return "\(verb) \(type.name) '\(name)'" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }
}

/// The changes of one record's references by a write: edges to add to and remove from the store, and targets to check.
/// References with action NONE have no edges.
struct ReferenceChange: Equatable {
    /// A reference from a field to a target. Two references of one list to the same target become one edge with the
    /// stronger action. VALIDATE is stronger than DELETE_SELF, since VALIDATE prevents the deletion of the target.
    struct Edge: Hashable {
        let field: Int
        let target: RecordName
    }

    private(set) var removed: [Edge] = []
    private(set) var added: [Edge: ReferenceAction] = [:]
    /// The edges whose target must exist.
    private(set) var validated: [Edge] = []

    init() {}

    /// - Parameter unconfirmed: The fields in the operation that its caller may not read. Existing references of these
    ///   fields are checked like new references. Otherwise the response would reveal that they existed.
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for more than `Limits.bindingReferences`.
    init(
        from old: [(fieldID: Int, reference: Reference)], to new: [(fieldID: Int, reference: Reference)],
        unconfirmed: Set<Int>
    ) throws(RecordError) {
        let before = Self.edges(old)
        let after = Self.edges(new)
        guard after.count <= Limits.bindingReferences else {
            throw .badRequest(
                "A record has at most \(Limits.bindingReferences) references with DELETE_SELF or VALIDATE. Use NONE for the others",
                cause: .tooLarge, details: [("limit", .number(Int64(Limits.bindingReferences)))])
        }
        removed = before.keys.filter { after[$0] == nil }
        for (edge, action) in after {
            let isNew = before[edge] != action
            if isNew { added[edge] = action }
            // Existing edges are not checked again, because a VALIDATE edge protects its target from deletion.
            if action == .validate, isNew || unconfirmed.contains(edge.field) { validated.append(edge) }
        }
    }

    private static func edges(_ references: [(fieldID: Int, reference: Reference)]) -> [Edge: ReferenceAction] {
        Dictionary(
            references.map { (Edge(field: $0.fieldID, target: $0.reference.recordName), $0.reference.action) },
            uniquingKeysWith: { $0.rawValue > $1.rawValue ? $0 : $1 })
    }
}
