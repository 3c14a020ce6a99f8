/// Advice for clients that use the parameter names of other servers.
extension QueryInput {
    /// Returns the replacement for a key that other servers have and this server lacks.
    ///
    /// - Returns: The name on this server and an explanation; `nil` for keys without a counterpart.
    package static func advice(for key: String) -> (name: String, sentence: String)? {
        switch key.lowercased().filter({ $0 != "_" && $0 != "$" && $0 != "-" }) {
        case "skip", "offset", "page", "start", "startafter", "startat", "continuationmarker":
            ("cursor", "Pages have no numbers: for the next page, pass the 'cursor' of the last response")
        case "filter", "q", "query", "condition", "predicate":
            ("where", "The condition is 'where', such as where=likes > 3")
        case "order", "orderby", "sortby", "ordering":
            ("sort", "The order is 'sort', such as sort=-likes,title")
        case "perpage", "pagesize", "resultslimit", "top", "max", "maxresults", "first":
            ("limit", "The length of a page is 'limit'")
        case "select", "keys", "columns", "desiredkeys":
            ("fields", "The fields of the response are 'fields', such as fields=title,likes")
        case "endbefore", "endat", "previous", "prev", "last", "endingbefore":
            ("before", "For the page before, pass the 'previousCursor' of a response as 'before'")
        case "include", "populate", "embed", "with", "expands":
            ("expand", "Records that others refer to come with 'expand', such as expand=author,comments.author")
        default: nil
        }
    }
}
