/// The subject of an entry of an access list: everyone, one user or one role.
package enum Principal: Hashable, Sendable {
    /// Anyone, signed in or not: `*`.
    case everyone
    case user(UserID)
    /// All users who hold a custom role, directly or through other roles: `role:name`.
    case role(RoleID)
    /// The participants of a share of a hierarchy. Only the server adds such entries.
    case share(ShareID)

    /// The number of the principal in stored lists and in the audience table: 0 for everyone, positive for users,
    /// negative for roles, and below -2^62 for shares.
    ///
    /// The number is part of the storage format. Only the types of stored lists and audiences use it.
    package var number: Int64 {
        switch self {
        case .everyone: 0
        case .user(let id): id.rawValue
        case .role(let id): -id.rawValue
        case .share(let id): Self.firstShare - id.rawValue
        }
    }

    /// The number above those of all shares.
    private static let firstShare: Int64 = -(1 << 62)

    /// Decodes a number that `number` returned. The result is `nil` for a number that is no principal.
    package init?(number: Int64) {
        switch number {
        case .min, .max: return nil
        case 0: self = .everyone
        case 1...: self = .user(UserID(rawValue: number))
        case ..<Self.firstShare: self = .share(ShareID(rawValue: Self.firstShare - number))
        default: self = .role(RoleID(rawValue: -number))
        }
    }
}

/// Sorts principals as stored lists do: by `number`.
extension Principal: Comparable {
    package static func < (left: Principal, right: Principal) -> Bool { left.number < right.number }
}

/// The permissions that an entry of an access list gives.
public struct AccessRights: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Permission to read the record, to find it and to receive its changes.
    public static let read = AccessRights(rawValue: 1)
    /// Permission to update and delete the record and to change its access list.
    public static let write = AccessRights(rawValue: 2)
    /// Permission to read and write the record.
    public static let readWrite: AccessRights = [.read, .write]
}

/// The access list of one record: the principals that may read the record or write it. NCMB and Parse use the name
/// `ACL`. CloudKit has no access lists.
///
/// The list replaces the grants of `_creator` and `_world` for the record. A principal that is not in the list has no
/// permission, and this includes the record's creator. The type's grants still limit what the list can give.
package struct AccessList: Hashable, Sendable {
    /// The permissions by principal. Entries without a permission are dropped.
    package private(set) var rights: [Principal: AccessRights]

    /// Creates a list from its entries. Entries without a permission are dropped.
    package init(_ rights: [Principal: AccessRights] = [:]) {
        self.rights = rights.filter { !$0.value.isEmpty }
    }

    /// The permissions of one principal; empty if the list has no entry for it.
    package subscript(principal: Principal) -> AccessRights {
        get { rights[principal] ?? [] }
        set { rights[principal] = newValue.isEmpty ? nil : newValue }
    }
}

/// The stored form of access lists. Permission checks read it without decoding the whole list.
///
/// Entries are sorted by principal number. Each entry has 9 bytes:
///
/// ```
/// | principal number, Int64 little endian | rights |
/// |                   8                   |   1    |
/// ```
package enum StoredAccess {
    /// The size of one entry, in bytes.
    package static let entryBytes = 9

    /// Returns the stored form of a list.
    package static func encode(_ list: AccessList) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(list.rights.count * entryBytes)
        for (principal, rights) in list.rights.sorted(by: { $0.key < $1.key }) {
            withUnsafeBytes(of: principal.number.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(rights.rawValue)
        }
        return bytes
    }

    /// Decodes a stored access list.
    package static func decode(_ bytes: [UInt8]) -> AccessList {
        var rights: [Principal: AccessRights] = [:]
        forEach(bytes) { rights[$0] = $1 }
        return AccessList(rights)
    }

    /// Returns the principals with read permission, in stored order.
    package static func readers(_ bytes: [UInt8]) -> [Principal] {
        var readers: [Principal] = []
        forEach(bytes) { principal, rights in if rights.contains(.read) { readers.append(principal) } }
        return readers
    }

    /// Calls `body` with each entry of a stored list. Entries whose number is no principal are skipped. Bytes after the
    /// last whole entry are ignored.
    ///
    /// - Throws: Any error that `body` throws.
    package static func forEach<Failure: Error>(
        _ bytes: [UInt8], _ body: (_ principal: Principal, _ rights: AccessRights) throws(Failure) -> Void
    ) throws(Failure) {
        let raw = bytes.span.bytes
        var offset = 0
        while offset + entryBytes <= raw.byteCount {
            let number = Int64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: Int64.self))
            if let principal = Principal(number: number) {
                try body(principal, AccessRights(rawValue: bytes[offset + 8]))
            }
            offset += entryBytes
        }
    }
}

/// A principal, or all callers with a grant, that could read a record before its access list changed.
package enum FormerReader: Hashable, Sendable {
    /// All callers that could read the record through the type's grants. The record had no access list.
    case byGrants
    case principal(Principal)

    fileprivate var number: Int64 {
        switch self {
        case .byGrants: .min
        case .principal(let principal): principal.number
        }
    }

    fileprivate init?(number: Int64) {
        if number == .min {
            self = .byGrants
        } else if let principal = Principal(number: number) {
            self = .principal(principal)
        } else {
            return nil
        }
    }
}

/// The stored form of a record's former readers: the callers that lost read access when its access list changed. The
/// list has the sequence number of the write that removed the access of each reader. The change feed sends a former
/// reader one tombstone.
///
/// The stored form is sorted by reader number. All numbers are Int64, little endian:
///
/// ```
/// | Int64.max |  reader  |  sequence number  |  reader  |  sequence number  | ...
/// |     8     |    8     |         8         |    8     |         8         |
/// ```
///
/// The reader is the principal's number, or `Int64.min` for `FormerReader.byGrants`. A stored form that does not start
/// with `Int64.max` is the older format: readers of 8 bytes each, without sequence numbers.
package enum StoredFormerReaders {
    /// The first 8 bytes of the stored form. No principal has this number.
    private static let mark = Int64.max

    /// Returns the stored form of former readers.
    ///
    /// - Parameter losses: The sequence numbers by reader.
    package static func encode(_ losses: [FormerReader: Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: Int64) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(mark)
        for (reader, sequence) in losses.sorted(by: { $0.key.number < $1.key.number }) {
            append(reader.number)
            append(sequence)
        }
        return bytes
    }

    /// Returns the former readers that a stored form contains, with their sequence numbers.
    package static func decode(_ bytes: [UInt8]) -> [FormerReader: Int64] {
        var losses: [FormerReader: Int64] = [:]
        forEach(bytes) { losses[$0] = $1 }
        return losses
    }

    /// Returns the former readers of a record after its access list changes in the write with the given sequence
    /// number.
    ///
    /// - Parameters:
    ///   - former: The stored former readers before the write.
    ///   - before: The record's stored access list before the write.
    ///   - after: The record's stored access list after the write.
    ///   - sequence: The sequence number of the write.
    package static func losses(
        _ former: [UInt8]?, before: [UInt8]?, after: [UInt8]?, at sequence: Int64
    ) -> [FormerReader: Int64] {
        var losses = former.map(decode) ?? [:]
        for reader in readers(before) where losses[reader] == nil { losses[reader] = sequence }
        for reader in readers(after) { losses[reader] = nil }
        return losses
    }

    private static func readers(_ access: [UInt8]?) -> [FormerReader] {
        access.map { StoredAccess.readers($0).map(FormerReader.principal) } ?? [.byGrants]
    }

    /// Calls `body` with each former reader. In the older format, which has no sequence numbers, the sequence is
    /// `Int64.max`.
    static func forEach(_ bytes: [UInt8], _ body: (_ reader: FormerReader, _ sequence: Int64) -> Void) {
        bytes.withUnsafeBytes { bytes in
            func number(_ offset: Int) -> Int64 {
                Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
            }
            guard bytes.count >= 8 else { return }
            guard number(0) == mark else {
                for offset in stride(from: 0, through: bytes.count - 8, by: 8) {
                    if let reader = FormerReader(number: number(offset)) { body(reader, .max) }
                }
                return
            }
            for offset in stride(from: 8, through: bytes.count - 16, by: 16) {
                if let reader = FormerReader(number: number(offset)) { body(reader, number(offset + 8)) }
            }
        }
    }
}

extension Caller {
    /// The principals that include the caller, in the order of stored lists: its roles, everyone, its account.
    package var principals: [Principal] {
        switch self {
        case .anonymous, .service, .administrator: [.everyone]
        case .user(let id, let roles): ([.everyone, .user(id)] + roles.values.map(Principal.role)).sorted()
        case .participant(_, _, let participation): participation.principals(with: .read)
        }
    }

    /// Returns whether a principal includes the caller.
    func isPrincipal(_ principal: Principal) -> Bool {
        switch principal {
        case .everyone: true
        case .user(let id): id == userID
        case .role(let id): if case .user(_, let roles) = self { roles.values.contains(id) } else { false }
        case .share(let id): participation?.shares[id]?.contains(.read) ?? false
        }
    }
}
