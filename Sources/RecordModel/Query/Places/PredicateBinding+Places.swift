package import Geography

/// Binding of places, distances and regions. All functions throw the errors of `PredicateBinder.bind`.
extension PredicateBinding {
    /// Returns the distance between the places of a field and a location.
    mutating func distance(
        of field: LocatedField, from operand: PredicateSyntax.Operand
    ) throws(RecordError) -> LocatedField {
        let origin = try place(try value(operand))
        return LocatedField(
            field: try PredicateBinder.distance(of: field.field, from: origin, at: field.location),
            location: field.location)
    }

    private func place(_ value: LocatedValue) throws(RecordError) -> Place {
        guard case .location(let place) = value.argument, value.members == nil, value.area == nil else {
            throw .condition(
                "A location is needed here", cause: .typeMismatch, at: value.location,
                found: value.argument.typeName, expected: "loc(latitude, longitude), or an argument of type LOCATION")
        }
        return place
    }

    /// Returns the region that a function such as `box()` describes.
    mutating func area(
        _ kind: PredicateSyntax.RegionKind, _ operands: [PredicateSyntax.Operand], at location: PredicateLocation
    ) throws(RecordError) -> LocatedValue {
        var numbers: [Double] = []
        var corners: [Place] = []
        var center: Place?
        switch kind {
        case .circle:
            center = try place(try value(operands[0]))
            numbers.append(try number(try value(operands[1])))
        case .box: for operand in operands { numbers.append(try number(try value(operand))) }
        case .polygon: corners = try self.corners(try value(operands[0]))
        }
        do throws(RegionError) {
            let region: Region =
                switch kind {
                case .circle:
                    .circle(try Circle(center: center ?? .northPole, radius: numbers[0]))
                case .box:
                    .box(
                        try BoundingBox(south: numbers[0], west: numbers[1], north: numbers[2], east: numbers[3]))
                case .polygon: .polygon(try Polygon(corners))
                }
            return LocatedValue(argument: .list([]), location: location, area: PlaceArea(region))
        } catch {
            throw .condition(
                error.description, at: location, found: kind.rawValue,
                expected: kind.example)
        }
    }

    private mutating func corners(_ list: LocatedValue) throws(RecordError) -> [Place] {
        if let members = list.members {
            try countCorners(members.count, at: list.location)
            var corners: [Place] = []
            for member in members { corners.append(try place(member)) }
            return corners
        }
        guard case .list(let members) = list.argument else {
            throw .condition(
                "A polygon is a list of locations", cause: .typeMismatch, at: list.location,
                found: list.argument.typeName, expected: "a list of locations")
        }
        var corners: [Place] = []
        corners.reserveCapacity(members.count)
        for member in members {
            corners.append(try place(LocatedValue(argument: member, location: list.location)))
        }
        return corners
    }
}

extension PredicateSyntax.RegionKind {
    /// An example of the function, for error messages.
    fileprivate var example: String {
        switch self {
        case .circle: "circle(loc(35.68, 139.77), 5 km)"
        case .box: "box(south, west, north, east)"
        case .polygon: "polygon({loc(0, 0), loc(0, 1), loc(1, 1)})"
        }
    }
}

extension Place {
    fileprivate static let northPole = Place(latitude: 90, longitude: 0)!
}

extension PredicateBinder {
    /// Returns the distance between the places of a field and an origin.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `TYPE_MISMATCH` for a field without places.
    static func distance(
        of field: QueryField, from origin: Place, at location: PredicateLocation
    ) throws(RecordError) -> QueryField {
        guard case .field(let definition) = field, definition.type.element == .location else {
            throw .condition(
                "Field '\(field.name)' of type \(field.type.schemaName) has no places to measure distances to",
                cause: .typeMismatch, field: field.name, at: location, found: field.type.schemaName,
                expected: "a LOCATION")
        }
        return .distance(definition, origin)
    }

    /// Returns the sort term for a distance such as `distance(place, 35.68, 139.77)`; `nil` for another text.
    ///
    /// Records without a place come last, unless the sort says otherwise.
    ///
    /// - Parameters:
    ///   - text: The text of the term without its direction.
    ///   - nulls: The place of records that lack the field; `nil` for the last.
    /// - Throws: As `sortTerm`.
    func distanceTerm(_ text: String, isAscending: Bool, nulls: NullPlacement?) throws(RecordError) -> SortTerm? {
        guard let distance = try SortedDistance(parsing: text) else { return nil }
        return try distanceTerm(of: distance.name, from: distance.origin, isAscending: isAscending, nulls: nulls)
    }

    /// Returns the sort term for the distance between a field and a place.
    ///
    /// - Parameter nulls: The place of records that lack the field; `nil` for the last.
    /// - Throws: `BAD_REQUEST`, with the cause `UNKNOWN_NAME` for a field that the type lacks, and `TYPE_MISMATCH` for
    ///   a field that is no location.
    package func distanceTerm(
        of name: String, from origin: Place, isAscending: Bool, nulls: NullPlacement? = nil
    ) throws(RecordError) -> SortTerm {
        let field = try Self.distance(
            of: try self.field(name, at: PredicateLocation()), from: origin, at: PredicateLocation())
        return SortTerm(field, isAscending: isAscending, nulls: nulls ?? .last)
    }
}

/// A distance as a sort writes it, before its name is bound to a field.
package struct SortedDistance: Hashable, Sendable {
    /// The name of the field.
    package let name: String
    /// The place to which the distances are measured.
    package let origin: Place

    /// Parses `distance(place, 35.68, 139.77)` or `distance(place, loc(35.68, 139.77))`.
    ///
    /// - Returns: `nil` for another text.
    /// - Throws: `BAD_REQUEST` for a malformed distance.
    package init?(parsing text: String) throws(RecordError) {
        guard let open = text.firstIndex(of: "("),
            text[..<open].filter({ $0 != " " }).lowercased() == "distance" || text.hasPrefix("distanceToLocation:")
        else { return nil }
        var parser = PredicateParser(Array("distance\(text[open...])".utf8))
        (name, origin) = try PlaceSyntax.sortedDistance(&parser)
    }
}

extension PlaceSyntax {
    /// Parses `distance(place, 35.68, 139.77)` or `distance(place, loc(35.68, 139.77))` as the whole text.
    fileprivate static func sortedDistance(
        _ parser: inout PredicateParser
    ) throws(RecordError) -> (field: String, origin: Place) {
        let expected = "distance(field, latitude, longitude)"
        try parser.advance()
        try parser.advance()
        try parser.take("(", expected)
        guard case .name(let name) = parser.token.kind else { throw parser.unexpected(expected) }
        try parser.advance()
        guard parser.token.isSign(",") else { throw parser.unexpected(expected) }
        let form: Operand.Form
        var rest = parser
        try rest.advance()
        if case .name(let word) = rest.token.kind, word.lowercased() == "loc" {
            parser = rest
            try parser.advance()
            guard parser.token.isSign("(") else { throw parser.unexpected(expected) }
            form = try place(&parser)
            try parser.take(")", "a closing parenthesis")
        } else {
            // The comma stands where `loc` has its opening parenthesis.
            form = try place(&parser)
        }
        guard parser.token.kind == .end else { throw parser.unexpected("the end of the sort term") }
        guard case .literal(.location(let origin)) = form else { throw parser.unexpected(expected) }
        return (name, origin)
    }
}
