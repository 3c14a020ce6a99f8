public import RecordModel

extension Reference {
    /// A pointer to the record with a name.
    ///
    /// - Parameters:
    ///   - name: The name; types do not count, as it is unique over all of them.
    ///   - action: What the deletion of that record means for the one that has the pointer.
    /// - Throws: `FogbaseError.invalidArgument` if no record can have the name.
    public init(to name: String, _ action: ReferenceAction = .none) throws {
        guard let checked = RecordName(name) else { throw FogbaseError.notRecordName(name) }
        self.init(recordName: checked, action: action)
    }

    /// The name of the record that it points to.
    public var name: String { recordName.text }
}

extension Stored {
    /// A pointer to the record, for another record's field.
    ///
    /// - Parameter action: What the deletion of this record means for the one that has the pointer.
    public func reference(_ action: ReferenceAction = .none) -> Reference {
        // The server has given the name; one that an app has made up is the server's to refuse.
        Reference(recordName: RecordName(unchecked: id), action: action)
    }
}

extension Record {
    /// A pointer to the record, for another record's field; it may be saved later, or in the same batch.
    ///
    /// - Parameter action: What the deletion of this record means for the one that has the pointer.
    public func reference(_ action: ReferenceAction = .none) -> Reference {
        // A name that cannot be is refused when the record is saved.
        Reference(recordName: RecordName(unchecked: name), action: action)
    }
}

extension Batch.Item {
    /// A pointer to the record, for the field of another one in the same batch.
    ///
    /// ```swift
    /// let post = try batch.create(Post(title: "sea"))
    /// try batch.create(Comment(post: post.reference(.deleteSelf), text: "fog"))
    /// ```
    ///
    /// With the action `validate`, the record must stand before the one that points to it.
    ///
    /// - Parameter action: What the deletion of this record means for the one that has the pointer.
    public func reference(_ action: ReferenceAction = .none) -> Reference {
        Reference(recordName: RecordName(unchecked: name), action: action)
    }
}
