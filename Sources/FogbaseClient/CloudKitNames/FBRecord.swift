public import Foundation
internal import RecordModel

/// A record with CloudKit's names (`CKRecord`): an object with mutable fields.
///
/// ```swift
/// let record = FBRecord(recordType: "Post", recordID: FBRecord.ID(recordName: UUID().uuidString))
/// record["title"] = "sea"
/// try await database.save(record)
/// ```
///
/// Sendable is unchecked, because a lock protects the state.
public final class FBRecord: @unchecked Sendable {
    /// The name of a record type (`CKRecord.RecordType`).
    public typealias SystemType = String

    /// The identifier of a record (`CKRecord.ID`).
    ///
    /// Unlike CloudKit, a Fogbase server needs the record type to fetch a record. The identifiers of fetched records
    /// have a record type.
    public struct ID: Hashable, Sendable {
        /// The record name, 1 to 255 bytes, unique over all record types of a zone.
        public var recordName: String
        /// The record type; `nil` if the app created the identifier without a type, as in CloudKit.
        public var recordType: String?
        /// The zone of the record.
        public var zoneID: FBRecordZone.ID

        /// Creates an identifier.
        ///
        /// - Parameters:
        ///   - recordName: The record name. The default is a new UUID.
        ///   - recordType: The record type. It is required for fetching a record by this identifier.
        ///   - zoneID: The zone of the record.
        public init(
            recordName: String = UUID().uuidString, recordType: String? = nil, zoneID: FBRecordZone.ID = .default
        ) {
            self.recordName = recordName
            self.recordType = recordType
            self.zoneID = zoneID
        }
    }

    private let lock = NSLock()
    private var state: Record
    /// The files to upload before the next save, by field.
    private var files: [String: FBAsset] = [:]
    private let zoneID: FBRecordZone.ID

    /// Creates a record that is not saved yet.
    public init(recordType: String, recordID: ID = ID()) {
        state = Record(recordType, name: recordID.recordName)
        zoneID = recordID.zoneID
    }

    /// Creates a record with CloudKit's names from an existing record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - zoneID: The zone from which the record was read, or to which it is saved.
    public init(_ record: Record, zoneID: FBRecordZone.ID = .default) {
        state = record
        self.zoneID = zoneID
    }

    /// The underlying record. Its fields do not contain files that are not uploaded yet.
    public var record: Record { lock.withLock { state } }

    /// The record type. It never changes.
    public var recordType: String { record.recordType }
    /// The identifier of the record, with its type and zone.
    public var recordID: ID {
        let record = record
        return ID(recordName: record.name, recordType: record.recordType, zoneID: zoneID)
    }
    /// The change tag of the record when it was last read or saved; `nil` if the record was never saved.
    public var recordChangeTag: String? { record.version }
    /// When the record was created, by the server's clock; `nil` if the record was never saved.
    public var creationDate: Date? { record.metadata?.createdAt }
    /// When the record was last saved, by the server's clock; `nil` if the record was never saved.
    public var modificationDate: Date? { record.metadata?.updatedAt }
    /// The user who created the record; `nil` if the record was never saved.
    public var creatorUserRecordID: ID? { userID(record.metadata?.creator) }
    /// The user who saved the record last; `nil` if the record was never saved.
    public var lastModifiedUserRecordID: ID? { userID(record.metadata?.modifier) }

    /// The access list of the record. CloudKit has no access lists.
    public var access: RecordAccess? {
        get { record.access }
        set { lock.withLock { state.access = newValue } }
    }

    private func userID(_ name: String?) -> ID? {
        name.map { ID(recordName: $0, recordType: "Users") }
    }

    /// The value of a field. Assigning `nil` removes the field. Numbers are returned as `NSNumber`, which casts to
    /// `Int`, `Double` and `Bool`.
    public subscript(key: String) -> (any FBRecordValue)? {
        get {
            lock.withLock { files[key] ?? state.fields[key].flatMap(value) }
        }
        set {
            lock.withLock {
                files[key] = nil
                if let asset = newValue as? FBAsset, asset.asset == nil {
                    files[key] = asset
                } else {
                    state.fields[key] = newValue?.recordFieldValue
                }
            }
        }
    }

    /// Returns the value of a field, as `record[key]` does.
    public func object(forKey key: String) -> (any FBRecordValue)? { self[key] }
    /// Returns the value of a field as `Any`, for code that casts it.
    public func value(forKey key: String) -> Any? { self[key] }
    /// Sets the value of a field, as `record[key] = object` does.
    public func setObject(_ object: (any FBRecordValue)?, forKey key: String) { self[key] = object }
    /// Sets the value of a field, as `record[key] = value` does.
    public func setValue(_ value: (any FBRecordValue)?, forKey key: String) { self[key] = value }

    /// Returns the names of the fields that have values.
    public func allKeys() -> [String] {
        lock.withLock { Set(state.fields.keys).union(files.keys).sorted() }
    }

    /// Returns the names of the fields that have changed since the record was read.
    public func changedKeys() -> [String] {
        lock.withLock { state.changedFields.union(files.keys).sorted() }
    }

    /// The files to upload before the record is saved, by field.
    var pendingFiles: [String: FBAsset] { lock.withLock { files } }

    /// Replaces the state with the record that the server returned for a save.
    func didSave(_ record: Record) {
        lock.withLock {
            state = record
            files = [:]
        }
    }

    private func value(_ value: FieldValue) -> (any FBRecordValue)? {
        switch value {
        case .string(let text): text
        case .int64(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .timestamp(let milliseconds): Date(milliseconds: milliseconds)
        case .bytes(let bytes): Data(bytes)
        case .reference(let reference): Reference(reference, zoneID: zoneID)
        case .asset(let asset): FBAsset(asset)
        case .location(let location): location
        case .list(_, let members): members.compactMap(self.value).asList
        }
    }
}

extension FBRecord {
    /// A reference to another record of the same zone (`CKRecord.Reference`).
    public struct Reference: Hashable, Sendable {
        /// The effect on the referring record when the target is deleted.
        public enum Action: Hashable, Sendable {
            /// The referring record remains, with a reference to a missing record.
            case none
            /// The referring record is deleted too.
            case deleteSelf
        }

        /// The target of the reference.
        public var recordID: ID
        /// The effect on the referring record when the target is deleted.
        public var action: Action

        /// Creates a reference.
        ///
        /// - Parameters:
        ///   - recordID: The target of the reference.
        ///   - action: The effect on the referring record when the target is deleted.
        public init(recordID: ID, action: Action = .none) {
            self.recordID = recordID
            self.action = action
        }

        /// Creates a reference to a record.
        public init(record: FBRecord, action: Action = .none) {
            self.init(recordID: record.recordID, action: action)
        }

        init(_ reference: RecordModel.Reference, zoneID: FBRecordZone.ID) {
            recordID = ID(recordName: reference.recordName.text, zoneID: zoneID)
            action = reference.action == .deleteSelf ? .deleteSelf : .none
        }
    }
}

/// A description for logs, with the record type, the name and the fields.
extension FBRecord: CustomStringConvertible {
    public var description: String {
        let fields = allKeys().map { "\($0): \(self[$0].map { "\($0)" } ?? "nil")" }
        return "FBRecord(\(recordType) \(recordID.recordName), {\(fields.joined(separator: ", "))})"
    }
}
