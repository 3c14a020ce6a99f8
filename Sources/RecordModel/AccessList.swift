/// Whom an entry of an access list means.
package enum Principal: Hashable, Sendable {
    /// Anyone, signed in or not: `*`.
    case everyone
    case user(UserID)
    /// All who hold a custom role, directly or through others: `role:name`.
    case role(RoleID)

    /// The number that stands for it in stored lists and in the table of audiences; part of the storage format.
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
        case 0: self = .everyone
        case 1...: self = .user(UserID(rawValue: number))
        case Self.byGrants: return nil
        default: self = .role(RoleID(rawValue: -number))
        }
    }

    /// Among former readers: all whom the grants of the record's type let read it before it had a list.
    package static let byGrants = Int64.min
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

    /// The principals that may read, by number.
    package var readers: [Int64] {
        rights.filter { $0.value.contains(.read) }.map(\.key.number).sorted()
    }
}

/// Access lists as they are stored, judged without being decoded: entries of nine bytes, ascending by the principal's
/// number, each that number (little endian) and the bits of its rights.
package enum StoredAccess {
    package static let entryBytes = 9

    package static func encode(_ list: AccessList) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(list.rights.count * entryBytes)
        for (number, rights) in list.rights.map({ ($0.key.number, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(rights.rawValue)
        }
        return bytes
    }

    package static func decode(_ bytes: [UInt8]) -> AccessList {
        var rights: [Principal: AccessRights] = [:]
        forEach(bytes) { number, given in
            if let principal = Principal(number: number) { rights[principal] = given }
        }
        return AccessList(rights)
    }

    /// The numbers of the principals that a stored list lets read, ascending.
    package static func readers(_ bytes: [UInt8]) -> [Int64] {
        var numbers: [Int64] = []
        forEach(bytes) { number, rights in if rights.contains(.read) { numbers.append(number) } }
        return numbers
    }

    /// Calls `body` with each entry of a stored list. Bytes behind the last whole entry are ignored.
    package static func forEach<Failure: Error>(
        _ bytes: [UInt8], _ body: (_ number: Int64, _ rights: AccessRights) throws(Failure) -> Void
    ) throws(Failure) {
        let raw = bytes.span.bytes
        var offset = 0
        while offset + entryBytes <= raw.byteCount {
            let number = Int64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: Int64.self))
            try body(number, AccessRights(rawValue: bytes[offset + 8]))
            offset += entryBytes
        }
    }
}

/// The principals that could read a record before its access list changed, and cannot any more, each with the sequence
/// number of the change that took it from them. The change feed tells them once that the record is gone.
///
/// Stored as a mark of eight bytes and sixteen for each, ascending, all little endian. Before there were numbers, there was
/// no mark, and eight bytes each.
package enum StoredFormerReaders {
    /// No principal has this number.
    private static let mark = Int64.max

    /// - Parameter losses: The sequence numbers by the principals' numbers.
    package static func encode(_ losses: [Int64: Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: Int64) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(mark)
        for (principal, sequence) in losses.sorted(by: { $0.key < $1.key }) {
            append(principal)
            append(sequence)
        }
        return bytes
    }

    package static func decode(_ bytes: [UInt8]) -> [Int64: Int64] {
        var losses: [Int64: Int64] = [:]
        forEach(bytes) { losses[$0] = $1 }
        return losses
    }

    /// What becomes of `former` when those who read a record change, in the write with a sequence number.
    ///
    /// - Parameters:
    ///   - before, after: The record's access lists.
    package static func losses(
        _ former: [UInt8]?, before: [UInt8]?, after: [UInt8]?, at sequence: Int64
    ) -> [Int64: Int64] {
        var losses = former.map(decode) ?? [:]
        for principal in before.map(StoredAccess.readers) ?? [Principal.byGrants] where losses[principal] == nil {
            losses[principal] = sequence
        }
        for principal in after.map(StoredAccess.readers) ?? [Principal.byGrants] { losses[principal] = nil }
        return losses
    }

    /// Calls `body` with each; where a number is not known, with the greatest there is.
    static func forEach(_ bytes: [UInt8], _ body: (_ principal: Int64, _ sequence: Int64) -> Void) {
        bytes.withUnsafeBytes { bytes in
            func number(_ offset: Int) -> Int64 {
                Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
            }
            guard bytes.count >= 8 else { return }
            guard number(0) == mark else {
                for offset in stride(from: 0, through: bytes.count - 8, by: 8) { body(number(offset), .max) }
                return
            }
            for offset in stride(from: 8, through: bytes.count - 16, by: 16) {
                body(number(offset), number(offset + 8))
            }
        }
    }
}

extension Caller {
    /// The numbers of the principals that the caller is, ascending: everyone, its account, its roles.
    package var principals: [Int64] {
        switch self {
        case .anonymous, .service, .administrator: [Principal.everyone.number]
        case .user(let id, let roles):
            ([Principal.everyone.number, id.rawValue] + roles.values.map { Principal.role($0).number }).sorted()
        }
    }

    /// Whether an entry with this number means the caller.
    func isPrincipal(_ number: Int64) -> Bool {
        if number == Principal.everyone.number { return true }
        guard case .user(let id, let roles) = self else { return false }
        return number == id.rawValue
            || (number < 0 && number != Principal.byGrants && roles.values.contains(RoleID(rawValue: -number)))
    }
}
