package import RecordModel

/// The members of a record in a request that concern hierarchies and shares, with CloudKit's names.
///
/// A class, because few records have them, and a record in a request is passed on several times.
package final class SharingInput: Sendable {
    /// A change of a record's parent.
    package enum Parent: Hashable, Sendable {
        case remove
        case record(RecordName)
    }

    /// A participant that an owner names.
    package struct Participant: Hashable, Sendable {
        /// The number of a known participant.
        package var id: Int64?
        /// The user; `nil` for a person that gets a link of its own.
        package var user: UserRecordName?
        /// An e-mail address, a telephone number or another text by which the owner knows the person.
        package var label: String?
        /// The participant's permission.
        package var permission: SharePermission
        /// Whether the entry is the owner's, or that of a user that came with the share's link. A client sends such
        /// entries back as it received them.
        package var kind: ParticipantKind
        /// Whether the participant has accepted, and the secret part of its link. Only restored shares state them;
        /// requests cannot.
        package var status = ParticipantStatus.invited
        package var guid: String?

        /// Creates a participant of a restored share.
        package init(
            user: UserRecordName?, label: String?, guid: String?, kind: ParticipantKind, permission: SharePermission,
            status: ParticipantStatus
        ) {
            (self.user, self.label, self.guid) = (user, label, guid)
            (self.kind, self.permission, self.status) = (kind, permission, status)
        }
    }

    /// The change of the parent; `nil` leaves it as it is.
    package let parent: Parent?
    /// Whether the record gets a short GUID, for a share that the client will save.
    package let wantsGUID: Bool
    /// The record that a share record shares; `nil` for the whole zone.
    package let root: RecordName?
    /// The change tag that the shared record must have; `nil` for any.
    package let rootTag: String?
    /// The permission of everyone who has the link; `nil` leaves it as it is.
    package let publicPermission: SharePermission?
    /// The participants; `nil` leaves them as they are.
    package let participants: [Participant]?

    /// The short GUID of a restored share, or of a restored record whose share is to come; `nil` for a new GUID.
    package let guid: String?

    /// Creates the members of a restored record.
    ///
    /// - Parameter isShare: Whether the record is a share.
    package init(
        restoring parent: RecordName?, guid: String?, isShare: Bool = false, root: RecordName? = nil,
        publicPermission: SharePermission? = nil, participants: [Participant]? = nil
    ) {
        self.parent = parent.map(Parent.record)
        self.guid = guid
        wantsGUID = !isShare && guid != nil
        (self.root, rootTag) = (root, nil)
        self.publicPermission = publicPermission
        self.participants = participants
    }

    /// Whether the record has members that only share records have.
    package var isOfShare: Bool { root != nil || publicPermission != nil || participants != nil }

    /// The most participants of one share.
    package static let mostParticipants = 100

    /// The keys, in the order of the messages about them.
    static let keys: [StaticString] = ["parent", "createShortGUID", "forRecord", "publicPermission", "participants"]

    /// Reads the members.
    ///
    /// - Parameter members: The values of `keys` in the request.
    /// - Throws: `BAD_REQUEST` with the key in the details.
    init(_ members: JSONObject) throws(RecordError) {
        guid = nil
        func fail(_ key: String, _ what: String) -> RecordError {
            .badRequest("'\(key)' \(what)", details: [("key", .text(key))])
        }
        switch members["parent"] {
        case nil: parent = nil
        case .null?: parent = .remove
        case let value?:
            guard let name = value["recordName"]?.string.flatMap(RecordName.init) else {
                throw fail("parent", "is an object with the 'recordName' of a record, or null")
            }
            parent = .record(name)
        }
        switch members["createShortGUID"] {
        case nil, .null?: wantsGUID = false
        case .bool(let flag)?: wantsGUID = flag
        default: throw fail("createShortGUID", "must be a Boolean")
        }
        switch members["forRecord"] {
        case nil, .null?: (root, rootTag) = (nil, nil)
        case let value?:
            guard let name = value["recordName"]?.string.flatMap(RecordName.init) else {
                throw fail("forRecord", "is an object with the 'recordName' of the record to share")
            }
            root = name
            rootTag = value["recordChangeTag"]?.string
        }
        switch members["publicPermission"] {
        case nil, .null?: publicPermission = nil
        case let value?:
            // CloudKit's clients send UNKNOWN for a permission that they do not know.
            if value.string == "UNKNOWN" {
                publicPermission = nil
            } else {
                guard let permission = value.string.flatMap(SharePermission.init(word:)) else {
                    throw fail("publicPermission", "is NONE, READ_ONLY or READ_WRITE")
                }
                publicPermission = permission
            }
        }
        guard let list = members["participants"], list != .null else {
            participants = nil
            return
        }
        let entries = list.array ?? [list]
        // The owner's own entry comes on top.
        guard entries.count <= Self.mostParticipants + 1 else {
            throw .badRequest(
                "A share has at most \(Self.mostParticipants) participants", cause: .tooLarge,
                details: [("key", .text("participants")), ("limit", .number(Int64(Self.mostParticipants)))])
        }
        var participants: [Participant] = []
        for entry in entries { participants.append(try Participant(entry)) }
        self.participants = participants
    }
}

extension SharingInput.Participant {
    /// Reads a participant in CloudKit's form, or in the short form with the members of `lookupInfo` at the top.
    fileprivate init(_ entry: JSONValue) throws(RecordError) {
        let identity = entry["userIdentity"]
        let places = [entry, identity, identity?["lookupInfo"]].compactMap(\.self)
        func text(_ key: String) -> String? {
            for place in places { if let text = place[key]?.string { return text } }
            return nil
        }
        switch text("type") {
        case "OWNER": kind = .owner
        case "PUBLIC_USER": kind = .publicUser
        case nil, "USER", "ADMINISTRATOR", "UNKNOWN": kind = .user
        default: throw Self.invalid("'type' of a participant is OWNER, USER or PUBLIC_USER")
        }
        if let word = text("permission") {
            guard let known = SharePermission(word: word == "UNKNOWN" ? "READ_ONLY" : word) else {
                throw Self.invalid("'permission' of a participant is NONE, READ_ONLY or READ_WRITE")
            }
            permission = known
        } else {
            permission = .readOnly
        }
        id = text("participantId").flatMap { Int64($0) }
        if let name = text("userRecordName") {
            guard let known = UserRecordName(name) else {
                throw Self.invalid("'userRecordName' is the record name of a user: _ and 32 hexadecimal digits")
            }
            user = known
        }
        label = text("emailAddress") ?? text("phoneNumber") ?? text("label")
        if let label, !(1...Limits.recordNameBytes).contains(label.utf8.count) {
            throw Self.invalid("The text by which a participant is known has 1 to \(Limits.recordNameBytes) bytes")
        }
        guard id != nil || user != nil || label != nil || kind == .owner else {
            throw Self.invalid(
                "A participant needs 'userRecordName', or 'label' for a person that gets a link of its own")
        }
    }

    private static func invalid(_ reason: String) -> RecordError {
        .badRequest(reason, details: [("key", .text("participants"))])
    }
}

/// Collects the members of `SharingInput` while a record is read.
struct SharingMembers {
    private var members: JSONObject?

    /// Reads the value of a key, if the key is one of `SharingInput`.
    ///
    /// - Returns: False, with nothing read, for any other key.
    mutating func read(_ key: JSONToken, _ reader: inout RequestReader) throws(RecordError) -> Bool {
        guard let name = SharingInput.keys.first(where: { reader.json.string(key, is: $0) }) else { return false }
        try readValue("\(name)", &reader)
        return true
    }

    /// Reads the value of a key, if the key is one of `SharingInput`.
    ///
    /// - Returns: False, with nothing read, for any other key.
    mutating func read(named key: String, _ reader: inout RequestReader) throws(RecordError) -> Bool {
        guard SharingInput.keys.contains(where: { "\($0)" == key }) else { return false }
        try readValue(key, &reader)
        return true
    }

    private mutating func readValue(_ key: String, _ reader: inout RequestReader) throws(RecordError) {
        let token = try reader.value()
        var object = members ?? JSONObject()
        let bytes = UnsafeRawBufferPointer(rebasing: reader.json.bytes[token.start..<token.end])
        do throws(JSONError) {
            object[key] = try JSONValue.parse([UInt8](bytes))
        } catch {
            throw RecordError(error)
        }
        members = object
    }

    /// Returns the input; `nil` if the record had none of the keys.
    func input() throws(RecordError) -> SharingInput? {
        guard let members else { return nil }
        return try SharingInput(members)
    }
}
