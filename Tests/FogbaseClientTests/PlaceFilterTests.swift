import FogbaseClient
import Foundation
import RecordWire
import Testing

/// A model with places.
private struct Spot: RecordCodable, Codable {
    var place: Location?
    var name: String

    enum Fields: String, RecordFields, CaseIterable {
        case place, name
    }

    static func field(for keyPath: PartialKeyPath<Spot>) -> Fields? { keyPath == \Spot.place ? .place : nil }
}

/// Conditions and sorts on places in the client.
@Suite struct PlaceFilterTests {
    private static let tokyo = Location(latitude: 35.68, longitude: 139.77)

    @Test func `conditions and sorts are sent as text and arguments`() throws {
        let query = Query<Spot>(.near(.place, Self.tokyo, within: 5_000))
            .filter(!.inside(\.place, .box(south: -1, west: 170, north: 1, east: -170)))
            .filter(.inside(.place, .polygon([Self.tokyo, Self.tokyo])), .or)
            .sorted(byDistanceOf: .place, from: Self.tokyo).sorted(
                byDistanceOf: .place, from: Self.tokyo, ascending: false)
        let body = try query.body()
        #expect(
            body["where"]?.string
                == "(distance(place, %@) <= %@ AND NOT (place IN box(%@, %@, %@, %@))) OR place IN polygon(%@)")
        #expect(
            body["sort"]?.array == ["distance(place, 35.68, 139.77)", "-distance(place, 35.68, 139.77)"])
        #expect(try QueryInput.read(body.bytes).arguments.count == 7)
        #expect(throws: FogbaseError.self) {
            _ = try Query<Spot>(.inside(.place, .circle(center: Self.tokyo, radius: .infinity))).body()
        }
        #expect(throws: FogbaseError.self) { _ = try Query<Spot>(.near(\.name, Self.tokyo, within: 1)).body() }
    }

    @Test func `the server in memory and the real one find the same records`() async throws {
        let live = try LiveServer()
        let memory = InMemoryServer().makeClient().container()
        try await memory.signUp("ada", password: "correct horse")
        for database in [live.administrator.publicDatabase, memory.publicDatabase] {
            for (name, place) in [
                ("tokyo", Self.tokyo), ("yokohama", Location(latitude: 35.44, longitude: 139.64)),
                ("fiji", Location(latitude: -17, longitude: 180)), ("nowhere", nil),
            ] {
                _ = try await database.create(Spot(place: place, name: name))
            }
            func names(_ query: Query<Spot>) async throws -> [String] {
                try await database.fetch(query).items.map(\.model.name)
            }
            #expect(try await names(Query(.near(.place, Self.tokyo, within: 50_000))) == ["tokyo", "yokohama"])
            #expect(
                try await names(Query(.inside(.place, .box(south: -20, west: 179, north: 0, east: -179)))) == ["fiji"])
            #expect(
                try await names(Query().sorted(byDistanceOf: .place, from: Self.tokyo))
                    == ["tokyo", "yokohama", "fiji", "nowhere"])
        }
    }
}
