package import RecordModel

extension OperationInput {
    /// What an item of a batch does, and under which condition, in CloudKit's terms (CloudKit reference, "Operation
    /// types").
    ///
    /// - Throws: BAD_REQUEST if the type needs a tag or a name that the item lacks.
    package func write() throws(RecordError) -> (verb: WriteVerb, writeGuard: WriteGuard) {
        let verb: WriteVerb
        var writeGuard = WriteGuard.none
        switch kind {
        case .create: verb = .create
        case .update, .replace:
            guard let tag = record.recordChangeTag else {
                throw .badRequest(
                    "The operation '\(kind.rawValue)' needs the recordChangeTag of the record as it was read; use the force form to write without one",
                    details: [("recordName", .text(record.recordName?.text ?? ""))])
            }
            writeGuard = .tags([tag])
            verb = .modify(createsMissing: false, replacesAll: kind == .replace)
        case .forceUpdate: verb = .modify(createsMissing: true, replacesAll: false)
        case .forceReplace: verb = .modify(createsMissing: true, replacesAll: true)
        case .delete:
            if let tag = record.recordChangeTag { writeGuard = .tags([tag]) }
            verb = .delete(forgivesMissing: false)
        case .forceDelete: verb = .delete(forgivesMissing: true)
        }
        if verb != .create, record.recordName == nil {
            throw .badRequest("The operation '\(kind.rawValue)' needs a recordName")
        }
        return (verb, writeGuard)
    }
}
