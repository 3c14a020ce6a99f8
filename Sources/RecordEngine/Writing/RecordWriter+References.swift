internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// References whose action is not NONE: edges in the store, and promises to check.
extension RecordWriter {
    /// Brings the edges of a record from its old references to its new ones, and notes what must be checked.
    ///
    /// - Parameter unconfirmed: Fields that the operation names and its caller may not read. What stands in them already is
    ///   checked as if it were new: else the answer would tell that it does.
    func setEdges(
        of fields: StoredFields, before: StoredFields?, record: RecordNumber, zone: ZoneID, position: Int,
        unconfirmed: Set<Int> = []
    ) throws(RecordError) {
        let old = try before?.withView { view throws(RecordError) in try view.references(includingNone: false) } ?? []
        let new = try fields.withView { view throws(RecordError) in try view.references(includingNone: false) }
        let oldEdges = Self.edges(old)
        let newEdges = Self.edges(new)
        guard newEdges.count <= Limits.bindingReferences else {
            throw .badRequest(
                "A record has at most \(Limits.bindingReferences) references with DELETE_SELF or VALIDATE. Use NONE for the others",
                cause: .tooLarge, details: [("limit", .number(Int64(Limits.bindingReferences)))])
        }
        for edge in oldEdges.keys where newEdges[edge] == nil {
            try transaction.records.removeEdge(
                zone: zone, target: edge.target.text, source: record, field: edge.field)
        }
        for (edge, action) in newEdges {
            let isNew = oldEdges[edge] != action
            if isNew {
                try transaction.records.addEdge(
                    zone: zone, target: edge.target.text, source: record, field: edge.field,
                    action: action.rawValue)
            }
            // One that stood before has protected its target ever since, and is not this caller's to answer for.
            guard action == .validate, isNew || unconfirmed.contains(edge.field) else { continue }
            checks.append(
                .targetExists(
                    zone: zone, target: edge.target, field: edge.field, source: record, position: position))
        }
    }

    /// A field that refers to a target. Two references of one list to one target are one edge, with the stronger action:
    /// VALIDATE before DELETE_SELF, since it keeps the target from being deleted at all.
    struct Edge: Hashable {
        let field: Int
        let target: RecordName
    }

    static func edges(_ references: [(fieldID: Int, reference: Reference)]) -> [Edge: ReferenceAction] {
        Dictionary(
            references.map { (Edge(field: $0.fieldID, target: $0.reference.recordName), $0.reference.action) },
            uniquingKeysWith: { $0.rawValue > $1.rawValue ? $0 : $1 })
    }

    /// Checks what the operations so far have promised: VALIDATE references have targets, and deleted records have none.
    func checkReferences() throws(RecordError) {
        defer { checks.removeAll() }
        for check in checks {
            do throws(RecordError) {
                try self.check(check)
            } catch {
                guilty = (check.position, error)
                throw error
            }
        }
    }

    func check(_ check: ReferenceCheck) throws(RecordError) {
        switch check {
        case .isUnique(let duplicate, let zone, let record, _):
            try checkUnique(duplicate, zone: zone, record: record)
        case .targetExists(let zone, let target, let field, let source, _):
            // A record that goes later in the same batch needs no target.
            let records = transaction.records
            guard let holder = try records.row(id: source), !holder.isDeleted
            else { return }
            if let found = try records.row(zone: zone, name: target.text),
                let type = transaction.schema[id: found.type], visibility(of: type).mayRead(found.facts)
            {
                return
            }
            throw .missingTarget(target, field: fieldName(field, of: holder.type))
        case .nobodyValidates(let zone, let target, _):
            let records = transaction.records
            guard try records.row(zone: zone, name: target) == nil else {
                return
            }
            let blocker = try transaction.records.firstEdge(
                zone: zone, target: target, action: ReferenceAction.validate.rawValue)
            guard let blocker,
                let holder = try transaction.records.find(id: blocker.source)
            else { return }
            // Who may not read the record that blocks, or the field of it that does, does not learn its name.
            let isReadable =
                transaction.schema[id: holder.row.type].map { type in
                    visibility(of: type).mayRead(field: blocker.field, of: holder.row.facts)
                } ?? false
            throw .stillReferenced(
                by: isReadable ? String(decoding: holder.name, as: UTF8.self) : nil,
                field: isReadable ? fieldName(blocker.field, of: holder.row.type) : nil)
        }
    }

    func fieldName(_ field: Int, of type: TypeID) -> String {
        transaction.schema[id: type]?[id: field]?.name.text ?? ""
    }
}

/// A promise that an operation made and that is looked at when its request, or it alone, is done.
enum ReferenceCheck {
    case targetExists(zone: ZoneID, target: RecordName, field: Int, source: RecordNumber, position: Int)
    case nobodyValidates(zone: ZoneID, target: String, position: Int)
    /// Of an atomic batch: a value that another record had when the operation was performed.
    case isUnique(IndexMaintainer.Duplicate, zone: ZoneID, record: RecordNumber, position: Int)

    var position: Int {
        switch self {
        case .targetExists(_, _, _, _, let position), .nobodyValidates(_, _, let position),
            .isUnique(_, _, _, let position):
            position
        }
    }
}
