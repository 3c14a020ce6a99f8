/// Whom an entry of an access list means.
package enum Principal: Hashable, Sendable {
    /// Anyone, signed in or not: `*`.
    case everyone
    case user(UserID)
    /// All who hold a custom role, directly or through others: `role:name`.
    case role(RoleID)

    /// The number that stands for it in stored lists and in the table of audiences, a role's below zero; part of the
    /// storage format. Nothing but their forms has it.
    package var number: Int64 {
        switch self {
        case .everyone: 0
        case .user(let id): id.rawValue
        case .role(let id): -id.rawValue
        }
    }

    /// - Parameter number: As `number` gives it; `nil` for what is no principal.
    package init?(number: Int64) {
        switch number {
        case .min, .max: return nil
        case 0: self = .everyone
        case 1...: self = .user(UserID(rawValue: number))
        default: self = .role(RoleID(rawValue: -number))
        }
    }
}

/// In the order of stored lists.
extension Principal: Comparable {
    package static func < (left: Principal, right: Principal) -> Bool { left.number < right.number }
}

/// What an entry of an access list gives.
public struct AccessRights: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// To read the record, find it, and learn of its changes.
    public static let read = AccessRights(rawValue: 1)
    /// Update and delete, and changing the list.
    public static let write = AccessRights(rawValue: 2)
    /// Both.
    public static let readWrite: AccessRights = [.read, .write]
}

/// The access list of one record: who may read and who may write it (NCMB's and Parse's `ACL`; CloudKit has none).
///
/// A record that has one is judged by it instead of by `_creator` and `_world`: whoever is not in it has no right, the
/// record's creator included. The grants of the type stay the outer fence.
package struct AccessList: Hashable, Sendable {
    /// Entries that give nothing are not kept.
    package private(set) var rights: [Principal: AccessRights]

    package init(_ rights: [Principal: AccessRights] = [:]) {
        self.rights = rights.filter { !$0.value.isEmpty }
    }

    package subscript(principal: Principal) -> AccessRights {
        get { rights[principal] ?? [] }
        set { rights[principal] = newValue.isEmpty ? nil : newValue }
    }
}

/// Access lists as they are stored, judged without being decoded: entries of nine bytes, ascending by the principal's
/// number, each that number (little endian) and the bits of its rights.
package enum StoredAccess {
    package static let entryBytes = 9

    package static func encode(_ list: AccessList) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(list.rights.count * entryBytes)
        for (principal, rights) in list.rights.sorted(by: { $0.key < $1.key }) {
            withUnsafeBytes(of: principal.number.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(rights.rawValue)
        }
        return bytes
    }

    package static func decode(_ bytes: [UInt8]) -> AccessList {
        var rights: [Principal: AccessRights] = [:]
        forEach(bytes) { rights[$0] = $1 }
        return AccessList(rights)
    }

    /// The principals that a stored list lets read, in its order.
    package static func readers(_ bytes: [UInt8]) -> [Principal] {
        var readers: [Principal] = []
        forEach(bytes) { principal, rights in if rights.contains(.read) { readers.append(principal) } }
        return readers
    }

    /// Calls `body` with each entry of a stored list. What is no principal is ignored, and so are bytes behind the last
    /// whole entry.
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

/// Who could read a record before its access list changed.
package enum FormerReader: Hashable, Sendable {
    /// All whom the grants of the record's type let read it: it had no list.
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

/// Those who could read a record before its access list changed, and cannot any more, each with the sequence
/// number of the change that took it from them. The change feed tells them once that the record is gone.
///
/// Stored as a mark of eight bytes and sixteen for each, ascending, all little endian. Before there were numbers, there was
/// no mark, and eight bytes each.
package enum StoredFormerReaders {
    /// No principal has this number.
    private static let mark = Int64.max

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

    package static func decode(_ bytes: [UInt8]) -> [FormerReader: Int64] {
        var losses: [FormerReader: Int64] = [:]
        forEach(bytes) { losses[$0] = $1 }
        return losses
    }

    /// What becomes of `former` when those who read a record change, in the write with a sequence number.
    ///
    /// - Parameters:
    ///   - before, after: The record's access lists.
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

    /// Calls `body` with each; where a sequence number is not known, with the greatest there is.
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
    /// The principals that the caller is, in the order of stored lists: its roles, everyone, its account.
    package var principals: [Principal] {
        switch self {
        case .anonymous, .service, .administrator: [.everyone]
        case .user(let id, let roles): ([.everyone, .user(id)] + roles.values.map(Principal.role)).sorted()
        }
    }

    /// Whether an entry for a principal means the caller.
    func isPrincipal(_ principal: Principal) -> Bool {
        switch principal {
        case .everyone: true
        case .user(let id): id == userID
        case .role(let id): if case .user(_, let roles) = self { roles.values.contains(id) } else { false }
        }
    }
}
