package import RecordModel

extension OperationInput {
    /// Returns the verb and precondition of an operation in a batch (CloudKit reference, "Operation types").
    ///
    /// - Throws: `BAD_REQUEST` if the operation lacks a change tag or record name that its type requires.
    package func write() throws(RecordError) -> (verb: WriteVerb, precondition: WritePrecondition) {
        let verb: WriteVerb
        var precondition = WritePrecondition.none
        switch kind {
        case .create: verb = .create
        case .update, .replace:
            guard let tag = record.recordChangeTag else {
                throw .badRequest(
                    "The operation '\(kind.rawValue)' needs the recordChangeTag of the record as it was read; use the force form to write without one",
                    details: [("recordName", .text(record.recordName?.text ?? ""))])
            }
            precondition = .tags([tag])
            verb = .modify(createsMissing: false, replacesAll: kind == .replace)
        case .forceUpdate: verb = .modify(createsMissing: true, replacesAll: false)
        case .forceReplace: verb = .modify(createsMissing: true, replacesAll: true)
        case .delete:
            if let tag = record.recordChangeTag { precondition = .tags([tag]) }
            verb = .delete(ignoresMissing: false)
        case .forceDelete: verb = .delete(ignoresMissing: true)
        }
        if verb != .create, record.recordName == nil {
            throw .badRequest("The operation '\(kind.rawValue)' needs a recordName")
        }
        return (verb, precondition)
    }
}
