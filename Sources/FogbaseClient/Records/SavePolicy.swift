/// What a save does when the record has changed since it was read (CloudKit's `CKModifyRecordsOperation.RecordSavePolicy`).
public enum SavePolicy: Hashable, Sendable {
    /// It is refused as a conflict. Fields that have changed are sent. A new record must not be there yet.
    case ifUnchanged
    /// Fields that have changed are written, whatever has become of the others. A record that is gone is made again.
    case changedFields
    /// All fields that the app has are written; those that it does not know stay.
    case allFields
}
