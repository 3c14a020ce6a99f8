public import Foundation
internal import RecordModel

/// A record with CloudKit's names (`CKRecord`): a reference to fields that are set in place.
///
/// ```swift
/// let record = FBRecord(recordType: "Post", recordID: FBRecord.ID(recordName: UUID().uuidString))
/// record["title"] = "sea"
/// try await database.save(record)
/// ```
///
/// Unchecked: what it holds is read and written under its lock alone.
public final class FBRecord: @unchecked Sendable {
    /// A record type's name (`CKRecord.RecordType`).
    public typealias SystemType = String

    /// Names a record (`CKRecord.ID`). One that is not taken from a record should say the type: a server of Fogbase is asked
    /// for a record of a type.
    public struct ID: Hashable, Sendable {
        /// The name, 1 to 255 bytes, unique over all types of a database.
        public var recordName: String
        /// The type of the record; `nil` where the code does not say it, as in CloudKit.
        public var recordType: String?

        /// - Parameters:
        ///   - recordName: A name of your own, or one that nobody else has.
        ///   - recordType: The type; needed to fetch or delete by this identifier.
        public init(recordName: String = UUID().uuidString, recordType: String? = nil) {
            self.recordName = recordName
            self.recordType = recordType
        }
    }

    private let lock = NSLock()
    private var state: Record
    /// The files that fields get once they are uploaded, by the names of the fields.
    private var files: [String: FBAsset] = [:]

    /// A record that is not saved yet.
    public init(recordType: String, recordID: ID = ID()) {
        state = Record(recordType, name: recordID.recordName)
    }

    /// A record as the client has it.
    public init(_ record: Record) {
        state = record
    }

    /// The record as the client has it, without files that are yet to be uploaded.
    public var record: Record { lock.withLock { state } }

    /// The record's type, which never changes.
    public var recordType: String { record.recordType }
    /// What the record is named by.
    public var recordID: ID { ID(recordName: record.name, recordType: record.recordType) }
    /// The state that was read; `nil` before the record was saved.
    public var recordChangeTag: String? { record.version }
    /// When the record was made, by the server's clock; `nil` before.
    public var creationDate: Date? { record.metadata?.createdAt }
    /// When the record was last saved, by the server's clock; `nil` before.
    public var modificationDate: Date? { record.metadata?.updatedAt }
    /// Who made the record; `nil` before it was saved.
    public var creatorUserRecordID: ID? { userID(record.metadata?.creator) }
    /// Who saved the record last; `nil` before it was saved.
    public var lastModifiedUserRecordID: ID? { userID(record.metadata?.modifier) }

    /// Who may read and write the record; CloudKit has no such list, NCMB has.
    public var access: RecordAccess? {
        get { record.access }
        set { lock.withLock { state.access = newValue } }
    }

    private func userID(_ name: String?) -> ID? {
        name.map { ID(recordName: $0, recordType: "Users") }
    }

    /// A field's value; set to nil it is taken out. Numbers come as `NSNumber`, which casts to `Int`, `Double` and `Bool`.
    public subscript(key: String) -> (any FBRecordValue)? {
        get {
            lock.withLock { files[key] ?? state.fields[key].flatMap(FBRecord.value) }
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

    /// A field's value, as `record[key]` reads it.
    public func object(forKey key: String) -> (any FBRecordValue)? { self[key] }
    /// A field's value, as `record[key]` reads it, for code that casts it.
    public func value(forKey key: String) -> Any? { self[key] }
    /// Sets a field's value, as `record[key] = object` does.
    public func setObject(_ object: (any FBRecordValue)?, forKey key: String) { self[key] = object }
    /// Sets a field's value, as `record[key] = value` does.
    public func setValue(_ value: (any FBRecordValue)?, forKey key: String) { self[key] = value }

    /// The names of the fields that have values.
    public func allKeys() -> [String] {
        lock.withLock { Set(state.fields.keys).union(files.keys).sorted() }
    }

    /// The names of the fields that differ from what was read.
    public func changedKeys() -> [String] {
        lock.withLock { state.changedFields.union(files.keys).sorted() }
    }

    /// The files that have to be uploaded before the record is saved.
    var pendingFiles: [String: FBAsset] { lock.withLock { files } }

    /// Takes the record as it was saved.
    func didSave(_ record: Record) {
        lock.withLock {
            state = record
            files = [:]
        }
    }

    private static func value(_ value: FieldValue) -> (any FBRecordValue)? {
        switch value {
        case .string(let text): text
        case .int64(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .timestamp(let milliseconds): Date(milliseconds: milliseconds)
        case .bytes(let bytes): Data(bytes)
        case .reference(let reference): Reference(reference)
        case .asset(let asset): FBAsset(asset)
        case .location(let location): location
        case .list(_, let members): members.compactMap(Self.value).asList
        }
    }
}

extension FBRecord {
    /// A pointer to another record (`CKRecord.Reference`).
    public struct Reference: Hashable, Sendable {
        /// What becomes of the record that has the reference when its target is deleted.
        public enum Action: Hashable, Sendable {
            /// The record stays, and its reference leads nowhere.
            case none
            /// The record is deleted too.
            case deleteSelf
        }

        /// The record that it points to.
        public var recordID: ID
        /// What becomes of the holder when that one is deleted.
        public var action: Action

        /// - Parameters:
        ///   - recordID: The record to point to.
        ///   - action: What becomes of the holder when that one is deleted.
        public init(recordID: ID, action: Action = .none) {
            self.recordID = recordID
            self.action = action
        }

        /// A pointer to a record that the app has.
        public init(record: FBRecord, action: Action = .none) {
            self.init(recordID: record.recordID, action: action)
        }

        init(_ reference: RecordModel.Reference) {
            recordID = ID(recordName: reference.recordName.text)
            action = reference.action == .deleteSelf ? .deleteSelf : .none
        }
    }
}

/// What `print` shows: the type, the name, and the fields.
extension FBRecord: CustomStringConvertible {
    public var description: String {
        let fields = allKeys().map { "\($0): \(self[$0].map { "\($0)" } ?? "nil")" }
        return "FBRecord(\(recordType) \(recordID.recordName), {\(fields.joined(separator: ", "))})"
    }
}
