internal import Geography
internal import RecordModel

/// Indexes with the places of a LOCATION or LOCATION_LIST, in the order of a curve on which near keys are near places.
/// They serve tests of distances and regions, and sorts by distance.
struct PlaceIndexes: IndexKind {
    /// The most ranges of keys that stand for a region.
    private static let maxRanges = 16
    /// The most regions of a predicate for which paths are made. Each takes about 25 µs, once for each branch of an OR.
    private static let maxRegions = 4

    func paths(
        _ index: IndexDefinition, for parts: Conjuncts, in finder: AccessPathFinder
    ) throws(RecordError) -> [AccessPath] {
        guard case .field(let id)? = index.columns.first?.source, let definition = finder.type[id: id] else {
            return []
        }
        let search = Search(index: index, isList: definition.type.isList, parts: parts, finder: finder)
        var found: [AccessPath] = []
        for field in parts.fields {
            guard case .distance(definition, let origin) = field.field, let facts = parts.facts[field],
                found.count < Self.maxRegions
            else { continue }
            if let path = try search.distances(from: origin, facts) { found.append(path) }
        }
        for part in parts.placeParts where part.field == .field(definition) && found.count < Self.maxRegions {
            found.append(search.path(to: part.area.prepared, isExact: true, covering: [part.part]))
        }
        if case .distance(definition, let origin)? = finder.order.columns.first?.field {
            found.append(search.nearest(to: origin))
        }
        return found
    }

    /// The paths through one index for one predicate.
    private struct Search {
        let index: IndexDefinition
        let isList: Bool
        let parts: Conjuncts
        let finder: AccessPathFinder

        /// Returns the path to the records whose distance is known or has an upper bound; `nil` for others.
        func distances(from origin: Place, _ facts: FieldConstraints) throws(RecordError) -> AccessPath? {
            var isExact = false
            let radius: Double
            if let values = facts.values {
                if values == [nil] { return try absent(facts.parts) }
                let distances = values.compactMap { $0?.number }
                guard let farthest = distances.max(), distances.count == values.count else { return nil }
                radius = farthest
            } else {
                guard let upper = facts.range?.radius else { return nil }
                radius = upper
                isExact = facts.range?.lower == nil
            }
            // No distance is negative. The test of the records in the smallest circle says so.
            guard let circle = try? Circle(center: origin, radius: max(0, radius)) else { return nil }
            return path(
                to: Region.circle(circle).prepared(), isExact: isExact && radius >= 0, covering: facts.parts)
        }

        /// Returns the path to the records with a place in a region.
        ///
        /// - Parameter isExact: Whether each record with a place in the region satisfies the covered conjuncts.
        func path(to region: PreparedRegion, isExact: Bool, covering covered: Set<Int>) -> AccessPath {
            let condition = parts.together(covered)
            let scans = region.cover(maxRanges: PlaceIndexes.maxRanges).map { range in
                let (lower, upper) = PlaceIndexes.bounds(range.lower...range.upper)
                return IndexScan(
                    source: .index(index), lower: lower, upper: upper, prefixCount: lower.count,
                    isBackward: !finder.order.isIDAscending, condition: condition,
                    isInexact: !isExact || !range.isInside)
            }
            return AccessPath(scans: scans, covered: covered, isInOrder: false, hasOverlaps: isList)
        }

        private func absent(_ covered: Set<Int>) throws(RecordError) -> AccessPath {
            let created = try finder.creation(parts)
            let all = covered.union(created.covered)
            var scan = PlaceIndexes.absentScan(index, in: finder.order, parts.together(all))
            scan.ids = created.ids
            return AccessPath(scans: [scan], covered: all, isInOrder: finder.order.isByID)
        }

        /// Returns the path through the cells around a place, in the order of their distance.
        func nearest(to origin: Place) -> AccessPath {
            let facts = finder.order.columns.first.flatMap { parts.facts[$0.indexedField] }
            // The nearest place of a list may lie outside of a region in which another one is.
            let area = isList ? nil : parts.placeParts.first { $0.field.definition == finder.order.definition }?.area
            let scan = IndexScan(source: .index(index), condition: .constant(true))
            return AccessPath(
                scans: [scan], isInOrder: true,
                nearest: NearestSearch(
                    index: index, origin: origin, upTo: facts?.range?.radius ?? .infinity, area: area,
                    isPresent: facts?.isPresent ?? false || area != nil))
        }
    }

    /// Returns the bounds of the entries with keys in a range.
    static func bounds(_ keys: ClosedRange<PlaceKey>) -> (lower: [UInt8], upper: [UInt8]?) {
        var lower: [UInt8] = []
        var last: [UInt8] = []
        IndexKey.append(keys.lowerBound, to: &lower)
        IndexKey.append(keys.upperBound, to: &last)
        return (lower, IndexKey.successor(of: last))
    }

    /// Returns the scan of the records without a place, by id.
    static func absentScan(_ index: IndexDefinition, in order: QueryOrder, _ condition: Predicate) -> IndexScan {
        var key: [UInt8] = []
        IndexKey.append(nil as PlaceKey?, to: &key)
        let bounds = KeyBounds.all(under: key)
        return IndexScan(
            source: .index(index), lower: bounds.lower, upper: bounds.upper, prefixCount: key.count,
            isBackward: !order.isIDAscending, condition: condition, isOneKey: true)
    }
}

/// A search for the nearest or the farthest places: the runner reads the cells of an index in the order of their
/// distance, until a page is full.
struct NearestSearch: Hashable, Sendable {
    /// The index on places.
    var index: IndexDefinition
    /// The place to which the distances are measured.
    var origin: Place
    /// The largest distance of a match in meters.
    var upTo: Double
    /// A region in which all matches lie; `nil` for the whole earth.
    var area: PlaceArea?
    /// Whether all matches have a place.
    var isPresent: Bool
}

extension ValueRange {
    /// The radius of the circle that contains all distances of the range; `nil` if there is no upper bound.
    fileprivate var radius: Double? {
        guard let upper, let number = upper.value.number else { return nil }
        return upper.isInclusive ? number : number.nextDown
    }
}

extension QueryValue {
    fileprivate var number: Double? { if case .double(let double) = self { double } else { nil } }
}

extension QueryOrder {
    fileprivate var definition: FieldDefinition? { columns.first?.field.definition }
}

extension RecordTypeDefinition {
    /// Whether the type has an index on the places of a field.
    ///
    /// - Parameter isWanted: Returns whether an index counts in its state.
    func hasPlaceIndex(on field: FieldDefinition, where isWanted: (IndexDefinition) -> Bool) -> Bool {
        indexes.contains { $0.kind == .places && $0.columns.first?.source == .field(field.id) && isWanted($0) }
    }
}

extension Predicate {
    /// The fields that need an index on places, without duplicates.
    var placeFields: [FieldDefinition] {
        var found: [FieldDefinition] = []
        collectPlaces(into: &found)
        return found
    }

    private func collectPlaces(into found: inout [FieldDefinition]) {
        switch self {
        case .constant, .search: return
        case .not(let inner): inner.collectPlaces(into: &found)
        case .and(let list), .or(let list): for part in list { part.collectPlaces(into: &found) }
        case .condition(let condition):
            guard condition.needsPlaces, let field = condition.field.definition, !found.contains(field) else { return }
            found.append(field)
        }
    }
}

extension Condition {
    fileprivate var needsPlaces: Bool {
        if case .isInside = test { true } else { field.origin != nil }
    }
}
