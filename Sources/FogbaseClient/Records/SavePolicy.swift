/// The policy for saving a record that has changed since it was read (CloudKit's
/// `CKModifyRecordsOperation.RecordSavePolicy`).
public enum SavePolicy: Hashable, Sendable {
    /// Throws a conflict if the record has changed; otherwise saves the changed fields. For a new record, the name must
    /// be unused.
    case ifUnchanged
    /// Saves the changed fields, even if another client has changed the record. A deleted record is created again.
    case changedFields
    /// Saves all fields that the local record has. Other fields on the server are not changed.
    case allFields
}
