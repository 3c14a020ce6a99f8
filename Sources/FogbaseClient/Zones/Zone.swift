public import Foundation
internal import RecordWire

/// A zone: a part of a private or shared database with a change feed of its own.
///
/// The value describes the zone. To read and write its records, use ``Database/zone(_:)-(String)``.
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
    /// The identity of a zone: its name and its owner. In a shared database, zones of different owners may have the same
    /// name.
    public struct ID: Hashable, Sendable, Codable {
        /// The name of the zone. Names are compared by their bytes.
        public var name: String
        /// The record name of the user who owns the zone; `nil` for the owner of the database.
        public var owner: String?

        /// Creates an identity.
        public init(name: String, owner: String? = nil) {
            self.name = name
            self.owner = owner
        }

        public static func == (left: ID, right: ID) -> Bool {
            left.name.utf8.elementsEqual(right.name.utf8) && left.owner == right.owner
        }

        public func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(byte) }
            hasher.combine(owner)
        }
    }

    public var id: ID { ID(name: name, owner: owner) }
}
