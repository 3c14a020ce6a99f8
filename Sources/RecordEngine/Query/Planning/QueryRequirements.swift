internal import RecordModel

/// The indexes that a query needs. The server rejects a query if a field lacks a required index option.
struct QueryRequirements {
    let type: RecordTypeDefinition
    private let predicate: Predicate
    private let sort: [SortTerm]
    private let createdFollowsIDs: Bool
    /// Computed on first use, because a query that has all indexes does not need it.
    private lazy var parts = Conjuncts(predicate)
    private lazy var order = QueryOrder(
        sort, constants: Set(parts.facts.filter { $0.value.isConstant }.keys), createdFollowsIDs: createdFollowsIDs)

    init(_ predicate: Predicate, sort: [SortTerm], type: RecordTypeDefinition, createdFollowsIDs: Bool) {
        self.type = type
        self.predicate = predicate
        self.sort = sort
        self.createdFollowsIDs = createdFollowsIDs
    }

    /// A missing index option of a field.
    enum MissingIndex: Hashable {
        /// The field lacks QUERYABLE.
        case queryable(QueryField)
        /// The field lacks SORTABLE.
        case sortable(QueryField)
        /// The field lacks SEARCHABLE.
        case searchable(QueryField)
    }

    /// The first field that lacks a required index option; `nil` if there is none. The server rejects the query because
    /// of this field (CloudKit reference, "Index options").
    ///
    /// - Parameter countsUnfinished: Whether to count indexes that are being built.
    mutating func missingIndex(countsUnfinished: Bool) -> MissingIndex? {
        let unsearchable = predicate.searchedFields.first { !isSearchable($0, countsUnfinished) }
        if let unsearchable, !isByName { return .searchable(.field(unsearchable)) }
        let field =
            predicate.comparedFields.first { !isCovered($0, isSort: false, countsUnfinished) }
            ?? predicate.placeFields.first { !hasPlaces($0, countsUnfinished) }.map(QueryField.field)
        // Most queries need only this check.
        if field == nil, sort.allSatisfy({ isCovered($0.field, isSort: true, countsUnfinished) }) { return nil }
        if isByName { return nil }
        if let field { return .queryable(field) }
        for term in order.columns where !isCovered(term.field, isSort: true, countsUnfinished) {
            return term.field.origin == nil ? .sortable(term.field) : .queryable(term.field)
        }
        return nil
    }

    private func hasPlaces(_ field: FieldDefinition, _ countsUnfinished: Bool) -> Bool {
        type.hasPlaceIndex(on: field) { $0.isReady || (countsUnfinished && $0.isBuilding) }
    }

    private func isCovered(_ field: QueryField, isSort: Bool, _ countsUnfinished: Bool) -> Bool {
        if isAlwaysUsable(field) { return true }
        if case .distance(let definition, _) = field { return hasPlaces(definition, countsUnfinished) }
        guard let source = field.source else { return true }
        // No index can hold some fields, such as assets. Conditions on them can only test for presence.
        if !isSort, !field.isOrdered, !field.isListOfOrdered { return true }
        return type.indexes.contains { index in
            guard index.isReady || (countsUnfinished && index.isBuilding), !isSort || index.kind == .ordered,
                index.columns.contains(where: { $0.source == source })
            else { return false }
            // The index behind a field's options serves a sort only if the options include SORTABLE.
            guard isSort, !index.isDeclared, case .field(let known) = field else { return true }
            return type[id: known.id]?.options.contains(.sortable) ?? false
        }
    }

    private func isSearchable(_ field: FieldDefinition, _ countsUnfinished: Bool) -> Bool {
        type.wordIndex(of: field) { $0.isReady || (countsUnfinished && $0.isBuilding) } != nil
    }

    private func isAlwaysUsable(_ field: QueryField) -> Bool {
        switch field {
        // Without an index, a sort by the time of creation is slow for types with preserved dates, and after the clock
        // went back. No client can know of either, so none is rejected.
        case .system(.recordName), .system(.createdUserRecordName), .system(.createdTimestamp): true
        case .rank: true
        case .system, .field, .distance: false
        }
    }

    /// Whether the predicate names records. A lookup by name is faster than any index.
    private var isByName: Bool { mutating get { parts.facts[IndexedField(.system(.recordName))]?.values != nil } }

    // MARK: The best index

    /// The index request that would serve the query best. The index has fields with known values first, then the fields
    /// of the sort or of a range. The request also adds the missing index options of the remaining fields.
    mutating func request() -> IndexRequest {
        if isByName { return IndexRequest() }
        var request = IndexRequest()
        let columns = bestColumns()
        if columns.count == 1, columns[0].form == .exact, case .field(let id) = columns[0].source {
            want(sort.contains { $0.field.source == columns[0].source } ? .sortable : .queryable, of: id, in: &request)
            if predicate.comparedFields.contains(where: { $0.source == columns[0].source }) {
                want(.queryable, of: id, in: &request)
            }
        } else if !columns.isEmpty, !hasIndex(on: columns) {
            request.indexes.append(IndexRequest.Shape(kind: .ordered, columns: columns))
        }
        var used = Set(columns.map(\.source))
        for shape in textShapes {
            used.formUnion(shape.columns.map(\.source))
            if !type.indexes.contains(where: { $0.shape.serves(shape) && !$0.isFailed }) {
                request.indexes.append(shape)
            }
        }
        for field in predicate.comparedFields {
            guard case .field(let definition) = field, !used.contains(.field(definition.id)),
                field.isOrdered || field.isListOfOrdered
            else { continue }
            want(.queryable, of: definition.id, in: &request)
        }
        // The mark SEARCHABLE would add the field to the searches of SELF, and change the results of other queries.
        for field in predicate.searchedFields where !isSearchable(field, true) {
            request.indexes.append(
                IndexRequest.Shape(kind: .words, columns: [IndexDefinition.Column(.field(field.id))]))
        }
        for case .field(let definition) in order.columns.map(\.field) where !used.contains(.field(definition.id)) {
            want(.sortable, of: definition.id, in: &request)
        }
        let sorted = order.columns.map(\.field).filter { $0.origin != nil }.compactMap(\.definition)
        for field in predicate.placeFields + sorted where !type.hasPlaceIndex(on: field, where: { !$0.isFailed }) {
            want(.queryable, of: field.id, in: &request)
        }
        for field in predicate.comparedFields + order.columns.map(\.field) {
            guard case .system = field, let source = field.source, !isAlwaysUsable(field), !used.contains(source),
                !hasIndex(on: [IndexDefinition.Column(source)])
            else { continue }
            let shape = IndexRequest.Shape(kind: .ordered, columns: [IndexDefinition.Column(source)])
            if !request.indexes.contains(shape) { request.indexes.append(shape) }
        }
        return request
    }

    /// The indexes that searches within texts need.
    private var textShapes: [IndexRequest.Shape] {
        mutating get {
            var shapes: [IndexRequest.Shape] = []
            for part in parts.textParts {
                guard let column = part.field.textColumn else { continue }
                let shape = IndexRequest.Shape(kind: .parts, columns: [column])
                if !shapes.contains(shape) { shapes.append(shape) }
            }
            return shapes
        }
    }

    private func want(_ options: IndexOptions, of field: Int, in request: inout IndexRequest) {
        guard let known = type[id: field], !known.options.contains(options) else { return }
        request.options[field, default: []].formUnion(options)
    }

    /// The columns that an index must have to return the order. Empty if a scan by id suffices, because the order
    /// starts with the creation time.
    private var indexedOrder: [SortTerm] {
        mutating get { createdFollowsIDs && order.isByTimeFirst ? [] : order.columns }
    }

    private mutating func bestColumns() -> [IndexDefinition.Column] {
        let terms = indexedOrder
        let ordered = Set(terms.map(\.indexedField))
        let known = parts.fields.filter { field in
            parts.facts[field]?.values != nil && !ordered.contains(field)
                && !(field.field == .system(.createdTimestamp) && createdFollowsIDs)
        }
        var columns = known.compactMap(\.column)
        if terms.isEmpty {
            let range = parts.fields.first { field in
                field.column != nil && parts.facts[field]?.values == nil && !isAlwaysUsable(field.field)
            }
            if let column = range?.column { columns.append(column) }
        } else {
            for term in terms {
                guard var column = term.indexedField.column else { return [] }
                column.isAscending = term.isAscending
                columns.append(column)
            }
        }
        // A scan by id can always return the records of one creator.
        if columns.map(\.source) == [.system(.createdUserRecordName)] { return [] }
        return columns.count <= IndexDefinition.maxColumns ? columns : []
    }

    /// Whether the type has an index on these columns. Columns with known values may be in any order. The other columns
    /// must be as given or all reversed.
    private mutating func hasIndex(on columns: [IndexDefinition.Column]) -> Bool {
        let fixed = columns.count - max(1, indexedOrder.count)
        let head = Set(columns.prefix(max(0, fixed)).map(\.ascending))
        let tail = columns.dropFirst(max(0, fixed))
        return type.indexes.contains { index in
            guard index.kind == .ordered, index.isReady || index.isBuilding, index.columns.count == columns.count,
                Set(index.columns.prefix(max(0, fixed)).map(\.ascending)) == head
            else { return false }
            let rest = index.columns.dropFirst(max(0, fixed))
            let turns = zip(rest, tail).map { mine, wanted in
                mine.ascending == wanted.ascending ? (mine.isAscending == wanted.isAscending ? 1 : -1) : 0
            }
            return turns.allSatisfy { $0 == 1 } || turns.allSatisfy { $0 == -1 }
        }
    }
}

extension IndexedField {
    /// The ascending index column of the field; `nil` if no index can contain it.
    var column: IndexDefinition.Column? {
        field.source.map { IndexDefinition.Column($0, form: form) }
    }

    /// The column of the field in an index for searches within texts; `nil` for system fields.
    var textColumn: IndexDefinition.Column? {
        if case .field = field { column } else { nil }
    }
}

extension IndexDefinition.Column {
    /// The column without its direction.
    fileprivate var ascending: IndexDefinition.Column { IndexDefinition.Column(source, form: form) }
}

extension QueryField {
    /// Whether the field is a list whose members an index can hold.
    var isListOfOrdered: Bool {
        switch type {
        case .stringList, .int64List, .doubleList, .timestampList, .referenceList: true
        default: false
        }
    }
}

extension Predicate {
    /// The fields of the predicate without duplicates, by first mention.
    var fields: [QueryField] {
        var found = comparedFields
        for field in searchedFields.map(QueryField.field) where !found.contains(field) { found.append(field) }
        return found
    }

    /// The fields of the conditions without duplicates, by first mention.
    var comparedFields: [QueryField] {
        var found: [QueryField] = []
        forEachTest { test in
            if case .condition(let condition) = test, !found.contains(condition.field) { found.append(condition.field) }
        }
        return found
    }

    /// The fields of the searches for words without duplicates, by first mention.
    var searchedFields: [FieldDefinition] {
        var found: [FieldDefinition] = []
        forEachTest { test in
            guard case .search(let search) = test else { return }
            for field in search.fields where !found.contains(field) { found.append(field) }
        }
        return found
    }

    private func forEachTest(_ body: (Predicate) -> Void) {
        switch self {
        case .constant: return
        case .not(let inner): inner.forEachTest(body)
        case .and(let list), .or(let list): for part in list { part.forEachTest(body) }
        case .condition, .search: body(self)
        }
    }
}

extension IndexRequest {
    /// The names of the columns of the first requested index.
    func fieldNames(in type: RecordTypeDefinition) -> [String] {
        if let shape = indexes.first { return type.names(of: shape) }
        return options.keys.sorted().prefix(1).compactMap { type[id: $0]?.name.text }
    }
}
