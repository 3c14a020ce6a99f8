package import RecordModel
internal import RecordStorage
internal import RecordWire

/// A share as someone sees it who has its link.
package struct ShareInfo: Hashable, Sendable {
    /// The GUID of the link.
    package var guid: String
    /// The shared zone.
    package var address: DatabaseAddress
    /// The record name of the zone's owner.
    package var owner: String
    /// The record name of the share record.
    package var share: String
    /// The record name of the record at the top of the shared hierarchy; `nil` for the whole zone.
    package var root: String?
    /// What the caller is in the share. A caller that has not joined yet is what it would become.
    package var kind: ParticipantKind
    /// The caller's permission.
    package var permission: SharePermission
    /// Whether the caller has joined; `nil` for a caller that is not named and has not joined.
    package var status: ParticipantStatus?
}

/// Joins shares.
package struct Shares: Sendable {
    let database: RecordDatabase

    /// Lets a user join a share by its link. Does nothing if the user has joined already or is the owner.
    ///
    /// - Parameters:
    ///   - guid: The GUID of the share's link, or of a link for one person.
    ///   - rightsVersion: The rights version with which the caller was authenticated; see `WriteRequest`.
    /// - Throws: NOT_FOUND for an unknown link, and for a share that is not public and does not name the caller;
    ///   AUTHENTICATION_REQUIRED and ACCESS_DENIED for callers that are no users.
    package func accept(
        _ guid: String, by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) -> ShareInfo {
        try await database.write { transaction throws(RecordError) in
            let current = try transaction.current(caller, since: rightsVersion)
            return try ShareAcceptance(transaction: transaction, caller: current).accept(guid)
        }
    }
}

/// Looks up shares by their links, in the snapshot of one reader.
package struct ShareReader {
    let reader: RecordReader

    /// Returns the share of a link.
    ///
    /// - Throws: NOT_FOUND for an unknown link, and for a share that is not public and does not name the caller.
    package func resolve(_ guid: String, for caller: Caller) throws(RecordError) -> ShareInfo {
        try reader.refresh()
        return try reader.links.resolve(guid, for: caller).info
    }
}

extension RecordReader {
    /// The shares of links.
    package var shares: ShareReader { ShareReader(reader: self) }

    fileprivate var links: ShareLinks {
        ShareLinks(
            shares: store.shares, hierarchies: store.hierarchies, zones: store.zones, userName: userNames.name)
    }
}

extension RecordDatabase {
    /// Joins shares.
    package nonisolated var shares: Shares { Shares(database: self) }
}

/// Finds what a link leads to, on a reader or on the writer.
private struct ShareLinks {
    let shares: ShareTable
    let hierarchies: HierarchyTable
    let zones: ZoneTable
    let userName: (UserID) throws(RecordError) -> String

    /// A link that the caller may use.
    struct Link {
        var info: ShareInfo
        var share: ShareRow
        /// The caller's entry, or the invitation of the link; `nil` for none.
        var participant: ParticipantRow?
    }

    func resolve(_ guid: String, for caller: Caller) throws(RecordError) -> Link {
        guard let found = try shares.find(guid: guid), let zone = try zones.address(of: found.share.zone),
            zone.scope == 1, let name = ZoneName(zone.name),
            let record = try hierarchies.record(found.share.record)
        else { throw .shareNotFound }
        let user = caller.account.userID
        // The link of an invitation works once. Afterwards it leads only the account that it has let in.
        if let account = found.participant?.account, account != user { throw .shareNotFound }
        let own = try user.flatMap { id throws(RecordError) in try shares.participant(id, of: found.share.id) }
        let participant = own ?? found.participant
        let share = found.share
        var info = ShareInfo(
            guid: guid, address: DatabaseAddress(scope: .privateDatabase(owner: zone.owner), zone: name),
            owner: try userName(zone.owner), share: record.name,
            root: try share.root.flatMap { root throws(RecordError) in try hierarchies.record(root)?.name },
            kind: .publicUser, permission: share.publicPermission, status: nil)
        if user == zone.owner {
            (info.kind, info.permission, info.status) = (.owner, .readWrite, .accepted)
        } else if let participant {
            info.kind = participant.kind
            info.permission = participant.kind == .publicUser ? share.publicPermission : participant.permission
            info.status = participant.status
        }
        guard info.permission != .none else { throw .shareNotFound }
        return Link(info: info, share: share, participant: participant)
    }
}

/// Lets one user join a share, in a write transaction.
private struct ShareAcceptance {
    let transaction: WriteTransaction
    let caller: Caller

    func accept(_ guid: String) throws(RecordError) -> ShareInfo {
        guard let user = caller.account.userID else {
            throw RecordError(
                caller == .anonymous ? .authenticationRequired : .accessDenied, "Only users join shares. Sign in as one"
            )
        }
        let store = transaction.store
        let links = ShareLinks(
            shares: store.shares, hierarchies: store.hierarchies, zones: store.zones,
            userName: transaction.userNames.name)
        var link = try links.resolve(guid, for: caller)
        guard link.info.kind != .owner else { return link.info }
        if link.participant?.status == .accepted, link.participant?.account == user { return link.info }
        let sequence = try transaction.nextSequence()
        if var participant = link.participant {
            participant.account = user
            participant.status = .accepted
            participant.changed = sequence
            try store.shares.update(participant)
        } else {
            try store.shares.add(
                ParticipantRow(
                    share: link.share.id, account: user, kind: .publicUser, permission: link.share.publicPermission,
                    status: .accepted, changed: sequence))
        }
        transaction.rightsChanged = true
        transaction.noteChange(ofZonesIn: .privateDatabase(owner: user))
        let request = WriteRequest(caller: caller.account, address: link.info.address, shape: .single, operations: [])
        try ShareWriter(writer: RecordWriter(transaction, request)).touch(link.share)
        link.info.status = .accepted
        return link.info
    }
}

extension RecordError {
    fileprivate static let shareNotFound = RecordError(
        .notFound, "There is no share with this link for you. Ask its owner to name you or to make it public")
}
