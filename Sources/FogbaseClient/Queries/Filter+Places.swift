public import RecordModel
internal import RecordWire

// Conditions and sorts on places: `Filter.near(.place, tokyo, within: 5_000)`.

/// A part of the earth, for ``Filter/inside(_:_:)-(Model.Fields,_)``.
public enum PlaceRegion: Hashable, Sendable {
    /// The places whose distance from a center is at most a radius, in meters.
    case circle(center: Location, radius: Double)
    /// The places between two parallels and two meridians, in degrees. If `west` is greater than `east`, the box crosses
    /// the date line.
    case box(south: Double, west: Double, north: Double, east: Double)
    /// The places inside a ring of 3 to 10,000 corners. Its edges are the shortest lines on the sphere, and inside is the
    /// smaller side.
    case polygon([Location])

    /// The region as text with placeholders.
    fileprivate var text: String {
        switch self {
        case .circle: "circle(%@, %@)"
        case .box: "box(%@, %@, %@, %@)"
        case .polygon: "polygon(%@)"
        }
    }

    fileprivate var values: [any FieldConvertible] {
        switch self {
        case .circle(let center, let radius): [center, radius]
        case .box(let south, let west, let north, let east): [south, west, north, east]
        case .polygon(let corners): [corners]
        }
    }
}

extension Filter {
    /// Returns the condition that a place, or the nearest place of a list, is near a location.
    ///
    /// - Parameters:
    ///   - field: A field of type LOCATION or LOCATION_LIST.
    ///   - location: The location. The distance is the great-circle distance on a sphere.
    ///   - meters: The largest distance in meters.
    public static func near(_ field: Model.Fields, _ location: Location, within meters: Double) -> Filter {
        near(named: field.rawValue, location, meters)
    }

    /// Returns the condition that the place of a property is near a location.
    ///
    /// - Parameters:
    ///   - path: A property of type `Location` or a list of them.
    ///   - location: The location.
    ///   - meters: The largest distance in meters.
    public static func near<Value>(
        _ path: KeyPath<Model, Value>, _ location: Location, within meters: Double
    ) -> Filter {
        on(path) { near(named: $0, location, meters) }
    }

    /// Returns the condition that a place, or at least one place of a list, lies in a region.
    ///
    /// - Parameters:
    ///   - field: A field of type LOCATION or LOCATION_LIST.
    ///   - region: The region.
    public static func inside(_ field: Model.Fields, _ region: PlaceRegion) -> Filter {
        inside(named: field.rawValue, region)
    }

    /// Returns the condition that the place of a property lies in a region.
    ///
    /// - Parameters:
    ///   - path: A property of type `Location` or a list of them.
    ///   - region: The region.
    public static func inside<Value>(_ path: KeyPath<Model, Value>, _ region: PlaceRegion) -> Filter {
        on(path) { inside(named: $0, region) }
    }

    private static func near(named field: String, _ location: Location, _ meters: Double) -> Filter {
        Filter(
            "distance(\(written(field)), %@) <= %@", arguments: [JSONValue(location), JSONValue(meters)],
            problem: problem(location, field) ?? problem(meters, field))
    }

    private static func inside(named field: String, _ region: PlaceRegion) -> Filter {
        Filter(
            "\(written(field)) IN \(region.text)", arguments: region.values.map { JSONValue($0) },
            problem: region.values.lazy.compactMap { problem($0, field) }.first)
    }
}

extension Query {
    /// Returns the query with an additional sort by the distance of a place, or of the nearest place of a list.
    ///
    /// Records without a place come last.
    ///
    /// - Parameters:
    ///   - field: A field of type LOCATION or LOCATION_LIST.
    ///   - location: The location to which the distances are measured.
    ///   - ascending: Whether the nearest records come first.
    public func sorted(
        byDistanceOf field: Model.Fields, from location: Location, ascending: Bool = true
    ) -> Query {
        let name = Filter<Model>.written(field.rawValue)
        let distance = "distance(\(name), \(location.latitude), \(location.longitude))"
        return Query(self, sortedBy: distance, ascending: ascending)
    }
}
