internal import RecordModel
internal import RecordWire

extension FieldSelection {
    /// The fields of a type that a request asks for by name. Names that the type does not have select nothing, as
    /// CloudKit's `desiredKeys` do.
    init(_ names: [String]?, of type: RecordTypeDefinition) {
        guard let names else {
            self = .all
            return
        }
        self = .only(names.compactMap { type[$0]?.id }.sorted())
    }
}
