import Geography
import RecordModel

/// Random places, with many near each other, at the poles and at the date line.
extension OracleSamples {
    private static let centers: [(Double, Double)] = [
        (0, 0), (35.68, 139.77), (90, 0), (-90, 0), (89.999, 10), (-89.9, -170), (0, 180), (12, -179.999),
        (12, 179.999), (-33.86, 151.2), (0, -90), (-35.68, -40.23),
    ]

    mutating func place() -> Place {
        let (latitude, longitude) = pick(Self.centers)
        let spread = pick([0, 0, 1e-7, 1e-4, 0.01, 1, 30])
        let north = latitude + spread * Double(number(-8...8)) / 8
        var east = longitude + spread * Double(number(-8...8)) / 8
        if east > 180 { east -= 360 }
        if east < -180 { east += 360 }
        return Place(latitude: min(90, max(-90, north)), longitude: east) ?? Place(latitude: 0, longitude: 0)!
    }

    /// A place that some record has, or another one.
    private mutating func place(_ field: OracleField, _ records: [OracleRecord]) -> Place {
        if chance(50), !records.isEmpty, let known = pick(records).places[field.name], !known.isEmpty {
            return pick(known)
        }
        return place()
    }

    /// Appends a test of the distance or of the region of a field's places.
    mutating func appendPlaceTest(
        _ field: OracleField, _ records: [OracleRecord], to condition: inout OracleCondition
    ) {
        let origin = place(field, records)
        if chance(8) { condition.text += "NOT " }
        switch number(0...9) {
        case 0...4:
            condition.text += "distance(\(field.name), %@) "
            condition.arguments.append(.location(origin))
            appendDistance(from: origin, to: place(field, records), in: &condition)
        case 5:
            condition.text +=
                "\(field.name) IN circle(loc(\(origin.latitude), \(origin.longitude)), \(number(0...900)) km)"
        case 6, 7:
            let other = place(field, records)
            let (south, north) = (min(origin.latitude, other.latitude), max(origin.latitude, other.latitude))
            condition.text += "\(field.name) IN box(%@, %@, %@, %@)"
            condition.arguments += [south, origin.longitude, north, other.longitude].map(QueryArgument.double)
        default:
            let corners = (0..<number(4...6)).map { _ in
                Place(
                    latitude: min(90, max(-90, origin.latitude + Double(number(-20...20)))),
                    longitude: min(180, max(-180, origin.longitude + Double(number(-20...20)))))!
            }
            if field.type.isList { condition.text += pick(["", "ANY ", "ALL "]) }
            condition.text += "\(field.name) IN polygon(%@)"
            condition.arguments.append(.list(corners.map(QueryArgument.location)))
        }
    }

    private mutating func appendDistance(from origin: Place, to other: Place, in condition: inout OracleCondition) {
        let exact = origin.distance(to: other)
        let meters = pick([exact, exact, exact.nextUp, max(0, exact.nextDown), exact + 1, 0, 1, 5_000, 1e6, 2.1e7, -1])
        switch number(0...6) {
        case 0...4:
            condition.text += pick(["<", "<=", "<=", ">", ">=", "=="]) + " %@"
            condition.arguments.append(.double(meters))
        case 5:
            condition.text += "BETWEEN %@"
            condition.arguments.append(.list([.double(meters / 2), .double(meters)]))
        default: condition.text += pick(["==", "!="]) + " NULL"
        }
    }
}
