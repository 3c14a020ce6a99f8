package import RecordModel

extension QueryInput {
    /// Rejects a query that CloudKit would reject, if the query is `strict`.
    ///
    /// - Parameter type: The record type.
    /// - Throws: `BAD_REQUEST` that names the construct and what CloudKit has instead; in the predicate, with the
    ///   `offset`.
    package func checkStrictness(of type: RecordTypeDefinition) throws(RecordError) {
        guard strict else { return }
        if type.name == .users { throw .notInCloudKit("queries of user records", "a lookup of the record") }
        if aggregate != nil { throw .notInCloudKit("aggregates", "the records, whose values the app adds up") }
        if !highlight.isEmpty { throw .notInCloudKit("'highlight'", "the records, whose words the app finds") }
        if !expand.isEmpty { throw .notInCloudKit("'expand'", "a lookup of the references") }
        for term in sort {
            if term.name.contains("(") { throw .notInCloudKit("a function in a sort", "a field alone") }
            if term.name.contains("[") { throw .notInCloudKit("a modifier in a sort", "a field alone") }
            if term.nulls != nil { throw .notInCloudKit("'nulls' in a sort", "a field alone") }
        }
        if filters.contains(where: { $0.value == .null }) {
            throw .notInCloudKit("NULL", "a value; Apple documents no test for NULL")
        }
        let text = condition ?? ""
        try PredicateSyntax.parse(text).requireCloudKit(text, of: type, positional: arguments, named: variables)
    }
}
