internal import RecordModel

/// A zone as a request of CloudKit's protocol names it (CloudKit Web Services Reference, "Zone ID Dictionary").
package struct CloudKitZoneID: Hashable, Sendable {
    /// The name of the zone, as received.
    package var zoneName: String
    /// The record name of the zone's owner; `nil` for the caller.
    package var ownerRecordName: String?

    /// Creates a zone identifier. By default it names the default zone of the caller.
    package init(zoneName: String = ZoneName.defaultZone.text, ownerRecordName: String? = nil) {
        self.zoneName = zoneName
        self.ownerRecordName = ownerRecordName
    }

    /// Whether a zone's owner is the caller: `__defaultOwner__`, which is `CKCurrentUserDefaultName`, or `_defaultOwner`.
    package static func isCaller(_ owner: String) -> Bool { owner == "__defaultOwner__" || owner == "_defaultOwner" }

    /// Whether the zone is a default zone.
    package var isDefault: Bool { zoneName == ZoneName.defaultZone.text }
}

extension CloudKitReader {
    /// Reads a `zoneID`. Clients also send `zoneType`, which is ignored. The owners `__defaultOwner__` and
    /// `_defaultOwner` are the caller.
    ///
    /// - Returns: `nil` for null.
    /// - Throws: `BAD_REQUEST`.
    mutating func zone() throws(RecordError) -> CloudKitZoneID? {
        if try null() { return nil }
        var zone = CloudKitZoneID()
        try object("'zoneID'") { reader, key throws(RecordError) in
            switch key {
            case "zoneName": zone.zoneName = try reader.string("zoneName") ?? zone.zoneName
            case "ownerRecordName", "ownerName":
                let owner = try reader.string("ownerRecordName")
                if let owner, !CloudKitZoneID.isCaller(owner) { zone.ownerRecordName = owner }
            default: _ = try reader.value()
            }
        }
        return zone
    }
}
