/// The owner name of zones that the signed-in user owns (`CKCurrentUserDefaultName`).
public let FBCurrentUserDefaultName = "__defaultOwner__"

/// A zone of a private database with CloudKit's names (`CKRecordZone`).
public struct FBRecordZone: Hashable, Sendable {
    /// The identifier of a zone (`CKRecordZone.ID`).
    public struct ID: Hashable, Sendable, Codable {
        /// The name of the zone that every database has.
        public static let defaultZoneName = Zone.defaultName
        /// The identifier of the default zone.
        public static let `default` = ID()

        /// The name of the zone, unique in its database.
        public var zoneName: String
        /// The owner of the zone. It is ``FBCurrentUserDefaultName``, because zones of other users cannot be read yet.
        public var ownerName: String

        /// Creates an identifier.
        ///
        /// - Parameters:
        ///   - zoneName: The name of the zone.
        ///   - ownerName: The owner of the zone.
        public init(zoneName: String = defaultZoneName, ownerName: String = FBCurrentUserDefaultName) {
            self.zoneName = zoneName
            self.ownerName = ownerName
        }

        init(_ zone: Zone) {
            self.init(zoneName: zone.name)
        }
    }

    /// The identifier of the zone.
    public let zoneID: ID

    /// Creates a zone that is not saved yet.
    public init(zoneName: String) {
        self.init(zoneID: ID(zoneName: zoneName))
    }

    /// Creates a zone that is not saved yet.
    public init(zoneID: ID) {
        self.zoneID = zoneID
    }

    /// Returns the zone that every database has.
    public static func `default`() -> FBRecordZone { FBRecordZone(zoneID: .default) }
}

/// A sync token of a zone or of a database (`CKServerChangeToken`). Use it only with the call that returned it.
public struct FBServerChangeToken: Hashable, Sendable, Codable {
    /// The token as text.
    let text: String
}
