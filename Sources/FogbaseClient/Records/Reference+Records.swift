public import RecordModel

extension Reference {
    /// Creates a reference to the record with a name.
    ///
    /// - Parameters:
    ///   - name: The record name. The type is not needed, because names are unique over all record types.
    ///   - action: The effect on the referring record when the target is deleted.
    /// - Throws: `FogbaseError.invalidArgument` if `name` is not a valid record name.
    public init(to name: String, _ action: ReferenceAction = .none) throws {
        guard let checked = RecordName(name) else { throw FogbaseError.notRecordName(name) }
        self.init(recordName: checked, action: action)
    }

    /// The record name of the target.
    public var name: String { recordName.text }
}

extension Stored {
    /// Returns a reference to the record, for a field of another record.
    ///
    /// - Parameter action: The effect on the referring record when this record is deleted.
    public func reference(_ action: ReferenceAction = .none) -> Reference {
        // No check is needed, because the name comes from the server. The server rejects an invalid name that an app
        // invented.
        Reference(recordName: RecordName(unchecked: id), action: action)
    }
}

extension Record {
    /// Returns a reference to the record, for a field of another record. This record can be saved later, or in the same
    /// batch.
    ///
    /// - Parameter action: The effect on the referring record when this record is deleted.
    public func reference(_ action: ReferenceAction = .none) -> Reference {
        // No check is needed, because saving the record throws if its name is not a valid record name.
        Reference(recordName: RecordName(unchecked: name), action: action)
    }
}

extension Batch.Item {
    /// Returns a reference to the record, for a field of another record in the same batch.
    ///
    /// ```swift
    /// let post = try batch.create(Post(title: "sea"))
    /// try batch.create(Comment(post: post.reference(.deleteSelf), text: "fog"))
    /// ```
    ///
    /// In a batch that is not atomic, an operation that writes a reference with the action `validate` must follow the
    /// operation that creates the target.
    ///
    /// - Parameter action: The effect on the referring record when this record is deleted.
    public func reference(_ action: ReferenceAction = .none) -> Reference {
        Reference(recordName: RecordName(unchecked: name), action: action)
    }
}
