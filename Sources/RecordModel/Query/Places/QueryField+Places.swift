package import Geography

extension QueryField {
    /// The field of the type whose values the condition or sort reads; `nil` for a system field.
    package var definition: FieldDefinition? {
        switch self {
        case .field(let field), .distance(let field, _): field
        case .system, .rank: nil
        }
    }

    /// The place to which the distances are measured; `nil` for other fields.
    package var origin: Place? {
        if case .distance(_, let origin) = self { origin } else { nil }
    }

    /// The field as a sort writes it: `title`, or `distance(place, 35.68, 139.77)`.
    var sortText: String {
        guard let origin else { return name }
        return "distance(\(name), \(origin.latitude), \(origin.longitude))"
    }

    /// The field as a sort writes it, with `?` instead of a place. Sorts that differ only in places have one shape.
    var sortShape: String { origin == nil ? name : "distance(\(name), ?)" }
}

extension PredicateSubject {
    /// Returns the value of a scalar field, or the distance of the nearest place; `nil` if the record lacks it.
    func comparedValue(of field: QueryField) -> QueryValue? {
        guard case .distance(let definition, let origin) = field else { return value(of: field) }
        return QueryValue(distanceFrom: origin, to: places(of: .field(definition)))
    }
}

extension QueryValue {
    /// Creates the distance from an origin to the nearest of some places, in meters; `nil` if there are none.
    package init?(distanceFrom origin: Place, to places: [Place]) {
        guard let nearest = places.map({ origin.distance(to: $0) }).min() else { return nil }
        self = .double(nearest)
    }
}

extension Location {
    /// The place on the earth's surface; `nil` for a latitude or longitude out of range.
    package var place: Place? { Place(latitude: latitude, longitude: longitude) }
}

extension FieldValue {
    /// The places of a LOCATION or LOCATION_LIST; empty for other values.
    package var places: [Place] {
        switch self {
        case .location(let location): [location.place].compactMap(\.self)
        case .list(_, let members): members.flatMap(\.places)
        default: []
        }
    }
}
