internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Zones of requests, and the face of their responses.
extension CloudKitCall {
    /// Returns the address of a zone in the database that the URL names. In the shared database, the caller becomes a
    /// participant with its rights in the zone.
    ///
    /// - Throws: ZONE_NOT_FOUND; the errors of `scope`.
    mutating func address(of zone: CloudKitZoneID) throws(RecordError) -> DatabaseAddress {
        if path.database == .sharedDatabase { return try sharedAddress(of: zone) }
        let scope = try scope()
        guard let name = ZoneName(zone.zoneName), try isOwner(zone.ownerRecordName, of: scope) else {
            throw .zoneNotFound
        }
        let address = DatabaseAddress(scope: scope, zone: name)
        try reader.requireZone(address)
        return address
    }

    private mutating func sharedAddress(of zone: CloudKitZoneID) throws(RecordError) -> DatabaseAddress {
        guard caller.userID != nil else { throw .cloudKitUserNeeded }
        guard !zone.isDefault, let name = ZoneName(zone.zoneName),
            let owner = zone.ownerRecordName.flatMap(UserRecordName.init), let id = try reader.accounts.id(of: owner)
        else { throw .zoneNotFound }
        let address = DatabaseAddress(scope: .privateDatabase(owner: id), zone: name)
        let participant = try reader.participant(caller, in: address)
        // The caller's own zones are not in its shared database.
        guard participant.participation != nil else { throw .zoneNotFound }
        caller = participant
        return address
    }

    /// Whether a record name is that of a database's owner. No name means the caller. In the public database, which has
    /// no owner, any name will do.
    func isOwner(_ name: String?, of scope: DatabaseScope) throws(RecordError) -> Bool {
        guard let name, case .privateDatabase(let owner) = scope else { return true }
        return try reader.accounts.user(owner)?.recordName == name
    }

    /// Returns the record name of a database's owner; `nil` for the public database.
    func ownerName(of scope: DatabaseScope) throws(RecordError) -> String? {
        guard case .privateDatabase(let owner) = scope else { return nil }
        return try reader.accounts.user(owner)?.recordName
    }

    /// Returns how the records and errors of the response are written.
    ///
    /// - Parameters:
    ///   - zone: The zone of the records; `nil` for those of several zones.
    ///   - desiredKeys: The fields of each item of the request.
    func face(
        zone: CloudKitZoneID?, numbersAsStrings: Bool, desiredKeys: [[String]?] = []
    ) throws(RecordError) -> CloudKitFace {
        var shown = CloudKitFace.Zone.none
        if !(zone?.isDefault ?? false), let user = caller.userID {
            let isForeign = path.database == .sharedDatabase || caller.participation != nil
            let owner = isForeign ? zone?.ownerRecordName : try reader.accounts.user(user)?.recordName
            shown =
                if let zone {
                    .one(CloudKitZoneID(zoneName: zone.zoneName, ownerRecordName: owner).json)
                } else {
                    .ofRecords(owner: owner)
                }
        }
        return CloudKitFace(
            requestID: request.id, baseURL: baseURL, zone: shown, numbersAsStrings: numbersAsStrings,
            redirectURL: caller == .anonymous ? signInURL : nil,
            desiredKeys: desiredKeys.contains { $0 != nil } ? desiredKeys : [])
    }

    /// The sign-in page for the request; `nil` without an API token.
    private var signInURL: String? {
        var exchange = CloudKitExchange(request)
        exchange.token = credential.token
        exchange.path = path
        return exchange.signInURL(baseURL)
    }
}
