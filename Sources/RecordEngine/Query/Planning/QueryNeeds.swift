internal import RecordModel

/// What a query needs of the schema: the marks without which it is refused, and the index that would serve it best.
struct QueryNeeds {
    let type: RecordTypeDefinition
    private let predicate: Predicate
    private let sort: [SortTerm]
    private let createdFollowsIDs: Bool
    /// Taken apart when that is first needed: most queries lack nothing, and that can be seen without.
    private lazy var parts = ConditionParts(predicate)
    private lazy var order = QueryOrder(
        sort, constants: Set(parts.facts.filter { $0.value.isConstant }.keys), createdFollowsIDs: createdFollowsIDs)

    init(_ predicate: Predicate, sort: [SortTerm], type: RecordTypeDefinition, createdFollowsIDs: Bool) {
        self.type = type
        self.predicate = predicate
        self.sort = sort
        self.createdFollowsIDs = createdFollowsIDs
    }

    /// What a field lacks.
    enum Lack: Hashable {
        /// No index can be asked for it.
        case queryable(QueryField)
        /// No index has it in order.
        case sortable(QueryField)
    }

    /// The first field without which the query is refused (CloudKit reference, "Index options").
    ///
    /// - Parameter countsUnfinished: Whether indexes that are being built count.
    mutating func lack(countsUnfinished: Bool) -> Lack? {
        let field = predicate.fields.first { !isCovered($0, isSort: false, countsUnfinished) }
        // Most queries lack nothing, whatever the condition makes of their fields.
        if field == nil, sort.allSatisfy({ isCovered($0.field, isSort: true, countsUnfinished) }) { return nil }
        if isByName { return nil }
        if let field { return .queryable(field) }
        for term in order.columns where !isCovered(term.field, isSort: true, countsUnfinished) {
            return .sortable(term.field)
        }
        return nil
    }

    private func isCovered(_ field: QueryField, isSort: Bool, _ countsUnfinished: Bool) -> Bool {
        if isAlwaysUsable(field) { return true }
        guard let source = field.source else { return true }
        // What no index can hold, such as a picture, can only be asked whether it is there.
        if !isSort, !field.isOrdered, !field.isListOfOrdered { return true }
        return type.indexes.contains { index in
            guard index.isReady || (countsUnfinished && index.isBuilding), !isSort || index.kind == .ordered,
                index.columns.contains(where: { $0.source == source })
            else { return false }
            // The index behind a field's options is in order for queries only if the options say so.
            guard isSort, !index.isDeclared, case .field(let known) = field else { return true }
            return type[id: known.id]?.options.contains(.sortable) ?? false
        }
    }

    private func isAlwaysUsable(_ field: QueryField) -> Bool {
        switch field {
        case .system(.recordName), .system(.createdUserRecordName): true
        case .system(.createdTimestamp): createdFollowsIDs
        case .system, .field: false
        }
    }

    /// Whether records are named: no index finds them better.
    private var isByName: Bool { mutating get { parts.facts[.system(.recordName)]?.values != nil } }

    // MARK: The index that would serve

    /// What is missing of the index that would serve the query best: fields with known values first, then those of the
    /// sort or a range; and the marks of fields that it leaves over.
    mutating func wish() -> IndexWish {
        if isByName { return IndexWish() }
        var wish = IndexWish()
        let columns = bestColumns()
        if columns.count == 1, case .field(let id) = columns[0].source {
            want(sort.contains { $0.field.source == columns[0].source } ? .sortable : .queryable, of: id, in: &wish)
            if predicate.fields.contains(where: { $0.source == columns[0].source }) {
                want(.queryable, of: id, in: &wish)
            }
        } else if !columns.isEmpty, !hasIndex(on: columns) {
            wish.indexes.append(IndexWish.Shape(kind: .ordered, columns: columns))
        }
        let used = Set(columns.map(\.source))
        for field in predicate.fields {
            guard case .field(let definition) = field, !used.contains(.field(definition.id)),
                field.isOrdered || field.isListOfOrdered
            else { continue }
            want(.queryable, of: definition.id, in: &wish)
        }
        for case .field(let definition) in order.columns.map(\.field) where !used.contains(.field(definition.id)) {
            want(.sortable, of: definition.id, in: &wish)
        }
        for field in predicate.fields + order.columns.map(\.field) {
            guard case .system = field, let source = field.source, !isAlwaysUsable(field), !used.contains(source),
                !hasIndex(on: [IndexDefinition.Column(source)])
            else { continue }
            let shape = IndexWish.Shape(kind: .ordered, columns: [IndexDefinition.Column(source)])
            if !wish.indexes.contains(shape) { wish.indexes.append(shape) }
        }
        return wish
    }

    private func want(_ options: IndexOptions, of field: Int, in wish: inout IndexWish) {
        guard let known = type[id: field], !known.options.contains(options) else { return }
        wish.options[field, default: []].formUnion(options)
    }

    /// The columns by which an index can bring the order about. None where ids do: records that are sorted by their time of
    /// creation first come by id.
    private var indexedOrder: [SortTerm] {
        mutating get { createdFollowsIDs && order.isByTimeFirst ? [] : order.columns }
    }

    private mutating func bestColumns() -> [IndexDefinition.Column] {
        let terms = indexedOrder
        let ordered = Set(terms.map(\.field))
        let known = parts.fields.filter { field in
            parts.facts[field]?.values != nil && !ordered.contains(field) && field.source != nil
                && !(field == .system(.createdTimestamp) && createdFollowsIDs)
        }
        var columns = known.compactMap { $0.source.map { IndexDefinition.Column($0) } }
        if terms.isEmpty {
            let range = parts.fields.first { field in
                field.source != nil && parts.facts[field]?.values == nil && !isAlwaysUsable(field)
            }
            if let source = range?.source { columns.append(IndexDefinition.Column(source)) }
        } else {
            for term in terms {
                guard let source = term.field.source else { return [] }
                columns.append(IndexDefinition.Column(source, isAscending: term.isAscending))
            }
        }
        // The records of one creator by id are always at hand.
        if columns.map(\.source) == [.system(.createdUserRecordName)] { return [] }
        return columns.count <= IndexDefinition.maxColumns ? columns : []
    }

    /// Whether an index has these columns: the ones with known values in any order, the others as they are or all turned
    /// around.
    private mutating func hasIndex(on columns: [IndexDefinition.Column]) -> Bool {
        let fixed = columns.count - max(1, indexedOrder.count)
        let head = Set(columns.prefix(max(0, fixed)).map(\.source))
        let tail = columns.dropFirst(max(0, fixed))
        return type.indexes.contains { index in
            guard index.kind == .ordered, index.isReady || index.isBuilding, index.columns.count == columns.count,
                Set(index.columns.prefix(max(0, fixed)).map(\.source)) == head
            else { return false }
            let rest = index.columns.dropFirst(max(0, fixed))
            let turns = zip(rest, tail).map { mine, wanted in
                mine.source == wanted.source ? (mine.isAscending == wanted.isAscending ? 1 : -1) : 0
            }
            return turns.allSatisfy { $0 == 1 } || turns.allSatisfy { $0 == -1 }
        }
    }
}

extension QueryField {
    /// Whether its values are lists whose members an index keeps.
    var isListOfOrdered: Bool {
        switch type {
        case .stringList, .int64List, .doubleList, .timestampList, .referenceList: true
        default: false
        }
    }
}

extension Predicate {
    /// The fields that it looks at, each once, in the order in which they stand.
    var fields: [QueryField] {
        var found: [QueryField] = []
        collect(into: &found)
        return found
    }

    private func collect(into found: inout [QueryField]) {
        switch self {
        case .constant: return
        case .not(let inner): inner.collect(into: &found)
        case .and(let list), .or(let list): for part in list { part.collect(into: &found) }
        case .condition(let condition): if !found.contains(condition.field) { found.append(condition.field) }
        }
    }
}

extension IndexWish {
    /// The columns of the first index that is wished for.
    func fieldNames(in type: RecordTypeDefinition) -> [String] {
        if let shape = indexes.first { return type.names(of: shape.columns) }
        return options.keys.sorted().prefix(1).compactMap { type[id: $0]?.name.text }
    }
}
