public import Foundation
internal import RecordWire

/// A zone: a part of a private database with a change feed of its own.
///
/// The value describes the zone. To read and write its records, use ``Database/zone(_:)``.
public struct Zone: Hashable, Sendable, Codable {
    /// The name of the zone that every database has.
    public static let defaultName = "_defaultZone"

    /// The name, unique in the database: 1 to 255 bytes.
    public var name: String
    /// The record name of the user who owns the zone; `nil` in the public database.
    public var owner: String?
    /// When the zone was created, by the server's clock; `nil` for a default zone and for a deleted zone.
    public var createdAt: Date?

    /// Creates a zone for tests and previews.
    public init(name: String, owner: String? = nil, createdAt: Date? = nil) {
        self.name = name
        self.owner = owner
        self.createdAt = createdAt
    }

    /// Reads a zone from a response: `{"zoneName","ownerRecordName"?,"created"?}`.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the JSON is not a zone.
    init(_ tree: JSONValue, status: Int) throws {
        guard let name = tree["zoneName"]?.string else {
            throw FogbaseError.notFogbase(status: status, "A zone has no name")
        }
        self.name = name
        owner = tree["ownerRecordName"]?.string
        createdAt = tree["created"]?.integer.map { Date(milliseconds: $0) }
    }
}

extension Zone: Identifiable {
    public var id: String { name }
}
