internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// What an operation does to one record, found out as a whole before any of it is done: what is refused has changed nothing,
/// and a write of one statement needs no savepoint.
///
/// It knows no store: `PlanWriter` carries it out. A class, since many look at it, and each copy of a struct would count the
/// references of all its arrays.
final class WritePlan: CustomStringConvertible {
    /// A state of a record: the columns of its row and its fields.
    struct State {
        let row: RecordRow
        let fields: StoredFields
    }

    let type: RecordTypeDefinition
    let zone: ZoneID
    let name: String
    /// The record as it is stored; `nil` for one that is made.
    let before: State?
    /// The record as it will be; `nil` for one that goes.
    let after: State?
    /// The row that stands for a record that goes, in the feed; `nil` takes it out without a trace.
    var tombstone: RecordRow?

    /// The JSON texts that are stored beside the row, under the field's number.
    var largeValues: [(fieldID: Int, json: [UInt8])] = []
    /// The fields whose value is stored beside the row no more.
    var removedLargeValues: [Int] = []
    /// Whether `IndexMaintainer` has found entries that come or go.
    var hasEntries = false
    /// Whether its writer has named the record, so that the feed may have a tombstone of that name.
    var isNamed = false
    /// Whether its time of creation is not the server's.
    var isPreserved = false
    /// The fields that the operation names and its caller may not read.
    var unread: Set<Int> = []
    /// The receipts of uploads that the operation has shown.
    var claims: [AssetLinks.Claim] = []
    var notices: [WriteNotice] = []

    /// Whether the access list changes, and with it where the record is found.
    let changesAccess: Bool
    /// Whether some state of it has files.
    let hasAssets: Bool
    /// Whether some state of it has references.
    let hasReferences: Bool
    let record: RecordNumber

    /// - Parameters:
    ///   - before: The record as it is stored; `nil` for one that is made.
    ///   - after: The record as it will be; `nil` for one that goes.
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

    /// Whether one statement does all of it.
    var isOneStatement: Bool {
        after != nil && !isNamed && !isPreserved && !hasEntries && !changesAccess && largeValues.isEmpty
            && removedLargeValues.isEmpty && !hasReferences && !hasAssets
    }

    /// From the record's old references with an action to its new ones.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE.
    func references() throws(RecordError) -> ReferenceChange {
        guard hasReferences else { return ReferenceChange() }
        func binding(_ state: State?) throws(RecordError) -> [(fieldID: Int, reference: Reference)] {
            try state?.fields.withView { view throws(RecordError) in
                try view.references(includingNone: false)
            } ?? []
        }
        return try ReferenceChange(from: try binding(before), to: try binding(after), unconfirmed: unread)
    }

    /// In one line, without values: `change Post 'a': entries, files`.
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

/// What a write does to the references of one record whose action is not NONE: the edges of the store, and what must hold in
/// the end.
struct ReferenceChange: Equatable {
    /// A field that refers to a target. Two references of one list to one target are one edge, with the stronger action:
    /// VALIDATE before DELETE_SELF, since it keeps the target from being deleted at all.
    struct Edge: Hashable {
        let field: Int
        let target: RecordName
    }

    private(set) var removed: [Edge] = []
    private(set) var added: [Edge: ReferenceAction] = [:]
    /// The edges whose target must be there.
    private(set) var validated: [Edge] = []

    init() {}

    /// - Parameter unconfirmed: Fields that the operation names and its caller may not read. What stands in them already is
    ///   checked as if it were new: else the answer would tell that it does.
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
            // One that stood before has protected its target ever since, and is not this caller's to answer for.
            if action == .validate, isNew || unconfirmed.contains(edge.field) { validated.append(edge) }
        }
    }

    private static func edges(_ references: [(fieldID: Int, reference: Reference)]) -> [Edge: ReferenceAction] {
        Dictionary(
            references.map { (Edge(field: $0.fieldID, target: $0.reference.recordName), $0.reference.action) },
            uniquingKeysWith: { $0.rawValue > $1.rawValue ? $0 : $1 })
    }
}
