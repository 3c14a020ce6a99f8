internal import RecordModel

/// One way to find the matches of a condition.
struct AccessPath: Hashable, Sendable {
    var walks: [IndexWalk]
    /// The parts of the condition that the walks answer for.
    var covered: Set<Int> = []
    /// Whether merged walks come in the query's order.
    var isInOrder: Bool
    /// Whether walks can meet a record twice.
    var hasOverlaps = false

    /// Whether it goes straight to records by their names.
    var isByName: Bool {
        walks.contains { if case .name = $0.source { true } else { false } }
    }
}

/// Lists the ways in which the indexes of a type can find the matches of a condition, in an order or not.
struct WalkFinder {
    let type: RecordTypeDefinition
    let order: QueryOrder
    let createdFollowsIDs: Bool
    /// The ids of records whose time of creation is within a range.
    let ids: (ValueRange) throws(RecordError) -> IDRange

    /// The most walks of one plan: values of an IN, times those of another.
    static let maxWalks = 1_000

    func paths(for parts: ConditionParts) throws(RecordError) -> [AccessPath] {
        var found = [try allRecords(parts)]
        if let path = try creators(parts) { found.append(path) }
        if let path = names(parts) { found.append(path) }
        for index in type.indexes where index.isReady {
            switch index.kind {
            case .ordered:
                if let path = try ordered(index, parts) { found.append(path) }
            case .members: found += try members(index, parts)
            case .widening: continue
            }
        }
        return found
    }

    // MARK: What every type has

    /// Ids from a condition on the time of creation, and the parts that they answer for.
    private func creation(_ parts: ConditionParts) throws(RecordError) -> (ids: IDRange, covered: Set<Int>) {
        guard createdFollowsIDs, let facts = parts.facts[.system(.createdTimestamp)] else { return (IDRange(), []) }
        if let values = facts.values {
            guard values.count == 1, let value = values[0] else { return (IDRange(), []) }
            let bound = ValueRange.Bound(value, isInclusive: true)
            return (try ids(ValueRange(lower: bound, upper: bound)), facts.parts)
        }
        guard let range = facts.range, range.lower != nil || range.upper != nil else { return (IDRange(), []) }
        return (try ids(range), facts.parts)
    }

    private func allRecords(_ parts: ConditionParts) throws(RecordError) -> AccessPath {
        let (ids, covered) = try creation(parts)
        let walk = IndexWalk(
            source: .records, isBackward: !order.isIDAscending, ids: ids, condition: parts.together(covered),
            isOneKey: true)
        return AccessPath(walks: [walk], covered: covered, isInOrder: order.isByID)
    }

    private func creators(_ parts: ConditionParts) throws(RecordError) -> AccessPath? {
        guard let facts = parts.facts[.system(.createdUserRecordName)], let values = facts.values,
            values.count <= Self.maxWalks
        else { return nil }
        let (ids, created) = try creation(parts)
        let covered = facts.parts.union(created)
        let condition = parts.together(covered)
        let walks = values.compactMap { value -> IndexWalk? in
            guard case .integer(let creator)? = value else { return nil }
            return IndexWalk(
                source: .creator(UserID(rawValue: creator)), isBackward: !order.isIDAscending, ids: ids,
                condition: condition,
                isOneKey: true)
        }
        return AccessPath(walks: walks, covered: covered, isInOrder: order.isByID)
    }

    private func names(_ parts: ConditionParts) -> AccessPath? {
        guard let facts = parts.facts[.system(.recordName)], let values = facts.values,
            values.count <= Self.maxWalks
        else { return nil }
        let condition = parts.together(facts.parts)
        let walks = values.compactMap { value -> IndexWalk? in
            guard case .text(let name)? = value else { return nil }
            return IndexWalk(
                source: .name(name), isBackward: !order.isIDAscending, condition: condition, isOneKey: true)
        }
        // One record is in any order.
        return AccessPath(walks: walks, covered: facts.parts, isInOrder: order.isByID || walks.count <= 1)
    }

    // MARK: Indexes

    private func ordered(_ index: IndexDefinition, _ parts: ConditionParts) throws(RecordError) -> AccessPath? {
        var heads: [[UInt8]] = [[]]
        var covered: Set<Int> = []
        var next = 0
        while next < index.columns.count, let field = type.field(of: index.columns[next].source),
            let facts = parts.facts[field], let values = facts.values,
            heads.count * values.count <= Self.maxWalks
        {
            let column = index.columns[next]
            heads = heads.flatMap { head in
                values.map { value in
                    var key = head
                    IndexKey.append(value, isAscending: column.isAscending, to: &key)
                    return key
                }
            }
            if heads.contains(where: { IndexKey.mayBeCut($0.count) }) {
                // Texts that differ behind what keys keep of them have one key.
                var seen: Set<[UInt8]> = []
                heads = heads.filter { seen.insert($0).inserted }
            }
            covered.formUnion(facts.parts)
            next += 1
        }
        let rest = Array(index.columns[next...])
        let direction = self.direction(of: rest)
        var ranges: [(lower: [UInt8], upper: [UInt8]?, head: Int)] = []
        if let column = rest.first, let field = type.field(of: column.source), let facts = parts.facts[field],
            facts.values == nil
        {
            for head in heads {
                var bounds: (lower: [UInt8], upper: [UInt8]?)? = KeyBounds.all(under: head)
                if let range = facts.range, let known = bounds {
                    bounds = KeyBounds.both(known, KeyBounds.within(range, column: column, under: head))
                }
                if let prefix = facts.prefix, let known = bounds {
                    bounds = KeyBounds.both(known, KeyBounds.beginning(with: prefix, column: column, under: head))
                }
                if let bounds { ranges.append((bounds.lower, bounds.upper, head.count)) }
            }
            covered.formUnion(facts.parts)
        } else {
            ranges = heads.map { head in
                let bounds = KeyBounds.all(under: head)
                return (bounds.lower, bounds.upper, head.count)
            }
        }
        guard !covered.isEmpty || direction != nil else { return nil }
        var ids = IDRange()
        if rest.isEmpty {
            let created = try creation(parts)
            ids = created.ids
            covered.formUnion(created.covered)
        }
        let condition = parts.together(covered)
        let walks = ranges.map { range in
            IndexWalk(
                source: .index(index), lower: range.lower, upper: range.upper, prefixCount: range.head,
                isBackward: direction == .backward, ids: ids, condition: condition, isOneKey: rest.isEmpty)
        }
        return AccessPath(walks: walks, covered: covered, isInOrder: direction != nil)
    }

    private enum Direction { case forward, backward }

    /// How an index is to be walked so that what is behind its fixed columns comes in the query's order; `nil` if it
    /// cannot be.
    private func direction(of columns: [IndexDefinition.Column]) -> Direction? {
        guard columns.count == order.columns.count else { return nil }
        guard let first = columns.first, let wanted = order.columns.first else {
            return order.isIDAscending ? .forward : .backward
        }
        let isBackward = first.isAscending != wanted.isAscending
        for (column, term) in zip(columns, order.columns) {
            guard column.source == term.field.source, (column.isAscending != term.isAscending) == isBackward else {
                return nil
            }
        }
        // Entries of one key come by id; turned around they can be put in order again, key by key. Not so the other way.
        return isBackward ? .backward : order.isIDAscending ? .forward : nil
    }

    private func members(_ index: IndexDefinition, _ parts: ConditionParts) throws(RecordError) -> [AccessPath] {
        guard let column = index.columns.first, let field = type.field(of: column.source) else { return [] }
        var found: [AccessPath] = []
        for part in parts.listParts where part.field == field {
            var covered: Set<Int> = [part.part]
            var ids = IDRange()
            var bounds: [(lower: [UInt8], upper: [UInt8]?)] = []
            var areKeys = true
            switch part.test {
            case .equals(let value): bounds = [one(value, column)]
            case .isIn(let values):
                guard values.count <= Self.maxWalks else { continue }
                bounds = values.map { one($0, column) }
            case .isWithin(let range):
                bounds = [KeyBounds.within(range, column: column, under: [])]
                areKeys = false
            case .hasPrefix(let prefix):
                bounds = [KeyBounds.beginning(with: prefix, column: column, under: [])]
                areKeys = false
            case .isNull: continue
            }
            if areKeys {
                let created = try creation(parts)
                ids = created.ids
                covered.formUnion(created.covered)
            }
            let condition = parts.together(covered)
            let walks = bounds.map { bounds in
                IndexWalk(
                    source: .index(index), lower: bounds.lower, upper: bounds.upper, prefixCount: bounds.lower.count,
                    isBackward: !order.isIDAscending, ids: ids, condition: condition, isOneKey: areKeys)
            }
            found.append(
                AccessPath(
                    walks: walks, covered: covered, isInOrder: areKeys && order.isByID,
                    hasOverlaps: walks.count > 1 || !areKeys))
        }
        return found
    }

    private func one(_ value: QueryValue, _ column: IndexDefinition.Column) -> (lower: [UInt8], upper: [UInt8]?) {
        var key: [UInt8] = []
        IndexKey.append(value, isAscending: column.isAscending, to: &key)
        return KeyBounds.all(under: key)
    }
}
