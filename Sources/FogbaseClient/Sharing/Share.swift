public import Foundation
internal import RecordWire

/// A share: who takes part in a hierarchy of records, or in a whole zone.
///
/// ```swift
/// let lists = try container.privateDatabase.zone("Lists")
/// let home = try await lists.create(List(title: "Home"))
/// try await lists.create(Item(title: "Milk"), under: home.id)
/// let share = try await lists.shares.create(for: home, participants: [.user(bob, .readWrite)])
/// ```
///
/// A participant joins with ``Container/acceptShare(_:)``. It then finds the zone in ``Container/sharedDatabase``, with the
/// records of the hierarchy alone. ``ZoneShares`` changes and ends shares.
public struct Share: Hashable, Sendable, Identifiable {
    /// What a share lets a participant do.
    public enum Permission: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nothing.
        case none = "NONE"
        /// Reading the shared records.
        case readOnly = "READ_ONLY"
        /// Reading, changing and deleting them, and creating records below them.
        case readWrite = "READ_WRITE"
    }

    /// The record type of shares in changes and responses.
    public static let recordType = "cloudkit.share"

    /// The name of the share record, unique in its zone.
    public let id: String
    /// The name of the record at the top of the shared hierarchy; `nil` for the whole zone.
    public let rootName: String?
    /// A title for people.
    public var title: String?
    /// What is shared, as a text of the app's choice (`CKShare.SystemFieldKey.shareType`).
    public var type: String?
    /// A small picture.
    public var thumbnail: Data?
    /// The permission of everyone who joins by the link.
    public var publicPermission: Permission = .none
    /// The participants, without the owner. ``ZoneShares/save(_:)`` replaces those of the server by these.
    public var participants: [Participant] = []
    /// The owner of the zone; `nil` before the share is saved.
    public internal(set) var owner: Participant?
    /// What the signed-in user is in the share; `nil` before the share is saved.
    public internal(set) var currentUser: Participant?
    /// The link: the text for ``Container/acceptShare(_:)``, which an app puts into a URL of its own. `nil` before the share
    /// is saved.
    public internal(set) var link: String?
    /// The change tag; `nil` before the share is saved.
    public internal(set) var version: String?

    /// Creates a share that is not saved yet.
    ///
    /// - Parameters:
    ///   - id: The name of the share record; `nil` generates one.
    ///   - rootName: The name of the record at the top of the shared hierarchy; `nil` for the whole zone.
    public init(id: String? = nil, rootName: String? = nil) {
        self.id = id ?? RecordNames.make()
        self.rootName = rootName
    }

    /// Reads a share record from a response.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the JSON is not a share record.
    init(_ tree: JSONValue, status: Int) throws {
        guard let name = tree["recordName"]?.string, tree["recordType"]?.string == Self.recordType else {
            throw FogbaseError.notFogbase(status: status, "A share record was expected")
        }
        self.init(id: name, rootName: tree["forRecord"]?["recordName"]?.string)
        func field(_ name: String) -> String? { tree["fields"]?[name]?["value"]?.string }
        title = field(Self.titleField)
        type = field(Self.typeField)
        thumbnail = field(Self.thumbnailField).flatMap { Data(base64Encoded: $0) }
        publicPermission = tree["publicPermission"]?.string.flatMap(Permission.init) ?? .none
        participants = (tree["participants"]?.array ?? []).map(Participant.init).filter { $0.kind != .owner }
        owner = tree["owner"].map(Participant.init)
        currentUser = tree["currentUserParticipant"].map(Participant.init)
        link = tree["shortGUID"]?.string
        version = tree["recordChangeTag"]?.string
    }

    private static let titleField = "cloudkit.title"
    private static let typeField = "cloudkit.type"
    private static let thumbnailField = "cloudkit.thumbnailImageData"

    /// The body of a request that saves the share.
    var body: JSONValue {
        func value(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        var fields = JSONObject([(Self.titleField, value(title)), (Self.typeField, value(type))])
        fields[Self.thumbnailField] =
            thumbnail.map { ["value": .string($0.base64EncodedString()), "type": "BYTES"] } ?? .null
        var body = JSONObject([
            ("fields", .object(fields)), ("publicPermission", .string(publicPermission.rawValue)),
            ("participants", .array(participants.map(\.json))),
        ])
        if version == nil, let rootName { body["forRecord"] = Batch.link(rootName) }
        return .object(body)
    }
}

extension Share {
    /// A participant of a share.
    public struct Participant: Hashable, Sendable {
        /// How a user became a participant.
        public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
            /// The owner of the zone.
            case owner = "OWNER"
            /// The owner has named the user.
            case user = "USER"
            /// The user has joined by the link of a public share.
            case publicUser = "PUBLIC_USER"
        }

        /// The record name of the user; `nil` for an invitation that nobody has accepted.
        public let user: String?
        /// The text by which the owner names the participant, such as an e-mail address; `nil` for none, and for everyone but
        /// the owner.
        public let label: String?
        /// What the participant may do, once it has joined.
        public var permission: Permission
        /// How the user became a participant.
        public let kind: Kind
        /// Whether the user has joined.
        public let hasAccepted: Bool
        /// The link of an invitation, which works once; `nil` after that, and for everyone but the owner.
        public let link: String?
        /// The number of the participant in its share; `nil` before it is saved.
        let id: String?

        /// Returns a participant that is a user.
        ///
        /// - Parameters:
        ///   - recordName: The record name of the user, as in `User.recordName` and `RecordMetadata.creator`.
        ///   - permission: What the user may do.
        public static func user(_ recordName: String, _ permission: Permission = .readOnly) -> Participant {
            Participant(user: recordName, label: nil, permission)
        }

        /// Returns a participant that is a user.
        public static func user(_ user: User, _ permission: Permission = .readOnly) -> Participant {
            .user(user.recordName, permission)
        }

        /// Returns an invitation for somebody without a known account. After the share is saved, it has a ``link`` of its own.
        ///
        /// - Parameters:
        ///   - label: A text for the owner, such as an e-mail address.
        ///   - permission: What the user may do that accepts the invitation.
        public static func invitation(_ label: String, _ permission: Permission = .readOnly) -> Participant {
            Participant(user: nil, label: label, permission)
        }

        private init(user: String?, label: String?, _ permission: Permission) {
            self.user = user
            self.label = label
            self.permission = permission
            (kind, hasAccepted, link, id) = (.user, false, nil, nil)
        }

        init(_ tree: JSONValue) {
            user = tree["userIdentity"]?["userRecordName"]?.string
            label = tree["label"]?.string
            permission = tree["permission"]?.string.flatMap(Permission.init) ?? .none
            kind = tree["type"]?.string.flatMap(Kind.init) ?? .user
            hasAccepted = tree["acceptanceStatus"]?.string == "ACCEPTED"
            link = tree["shortGUID"]?.string
            id = tree["participantId"]?.string
        }

        /// The participant in the form of requests.
        var json: JSONValue {
            var json = JSONObject([("type", .string(kind.rawValue)), ("permission", .string(permission.rawValue))])
            json["participantId"] = id.map(JSONValue.string)
            json["userRecordName"] = user.map(JSONValue.string)
            json["label"] = label.map(JSONValue.string)
            return .object(json)
        }
    }

    /// What the link of a share leads to.
    public struct Invitation: Hashable, Sendable {
        /// The link.
        public let link: String
        /// The zone, for ``Container/sharedDatabase``.
        public let zone: Zone.ID
        /// The name of the share record.
        public let share: String
        /// The name of the record at the top of the shared hierarchy; `nil` for the whole zone.
        public let rootName: String?
        /// What the signed-in user is in the share, or becomes by accepting.
        public let kind: Participant.Kind
        /// What the signed-in user may do, once it has joined.
        public let permission: Permission
        /// Whether the signed-in user has joined.
        public let hasAccepted: Bool

        init(_ tree: JSONValue, status: Int) throws {
            guard let link = tree["shortGUID"]?.string, let zone = tree["zoneName"]?.string,
                let share = tree["shareRecordName"]?.string
            else { throw FogbaseError.notFogbase(status: status, "A share has no link or zone") }
            self.link = link
            self.zone = Zone.ID(name: zone, owner: tree["ownerRecordName"]?.string)
            self.share = share
            rootName = tree["rootRecordName"]?.string
            kind = tree["participantType"]?.string.flatMap(Participant.Kind.init) ?? .user
            permission = tree["permission"]?.string.flatMap(Permission.init) ?? .none
            hasAccepted = tree["acceptanceStatus"]?.string == "ACCEPTED"
        }
    }
}
