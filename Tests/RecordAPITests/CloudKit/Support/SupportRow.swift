import Testing

/// One row of the table of what is supported, with an exchange of the interface that proves it.
///
/// In requests and expected texts, an apostrophe stands for a quotation mark and a backtick for an apostrophe, so that
/// JSON stays readable. `{word}` is a value of the world; see `SupportWorld.value`.
struct SupportRow: Sendable {
    enum Kind: CaseIterable {
        case endpoint, requestKey, responseKey, comparator, type, code, reason
    }

    /// The sender of a request.
    enum Caller: Sendable {
        /// Users with an API token. Ann owns the records; she shares one with Bob.
        case ann, bob
        /// An API token alone.
        case token
        /// A server-to-server key.
        case key
        /// A key ID with another's signature.
        case forger
        /// A page of an origin for which the API token is not.
        case foreignPage
        /// No credential besides those of the request itself.
        case nobody
    }

    /// What goes wrong with the server during the exchange.
    enum Trouble: Sendable {
        case none
        /// The store fails.
        case broken
        /// The request takes more time than the server gives to one.
        case late
        /// The second request for an upload in an hour, and bodies above 4,000 bytes, are too many.
        case limited
    }

    let kind: Kind
    /// The operation, the dictionary, or the code of a reason.
    let place: String
    /// The names that the row is about.
    let names: [String]
    /// `yes`, `no` and why, or a note.
    let answer: String
    /// The method, unless it is POST; the path; the body, if there is one.
    var request: String
    /// Texts that the response has: in the body, or in one of the header fields of `SupportWorld.fields`.
    var expected: [String]
    /// Texts that the response does not have.
    var absent: [String] = []
    var status = 200
    var caller = Caller.ann
    var trouble = Trouble.none
    /// The databases to which an endpoint applies.
    var databases: [String] = []
    /// The member of `CloudKitReason`.
    var member = ""
}

extension SupportRow {
    /// - Parameters:
    ///   - operation: The path behind the database, or a pattern of a whole path.
    ///   - databases: The databases, the first of which the exchange uses.
    ///   - path: The path and query of the exchange, if it is not that of the operation.
    static func endpoint(
        _ method: String, _ operation: String, _ databases: String, _ answer: String, _ body: String,
        _ expected: String..., path: String? = nil, status: Int = 200, as caller: Caller = .ann
    ) -> SupportRow {
        let databases = databases.split(separator: " ").map(String.init)
        return SupportRow(
            kind: .endpoint, place: operation, names: [method], answer: answer,
            request: "\(method) \(path ?? "\(databases.first ?? "public")/\(operation)") \(body)", expected: expected,
            status: status, caller: caller, databases: databases)
    }

    static func request(
        _ place: String, _ names: String, _ answer: String, _ request: String, _ expected: String...,
        absent: String..., status: Int = 200, as caller: Caller = .ann
    ) -> SupportRow {
        SupportRow(
            kind: .requestKey, place: place, names: names.components, answer: answer, request: request,
            expected: expected, absent: absent, status: status, caller: caller)
    }

    /// A row about keys of a response. All names are expected as keys, unless the answer begins with no.
    static func response(
        _ place: String, _ names: String, _ answer: String, _ request: String, _ expected: String...,
        absent: String..., status: Int = 200, as caller: Caller = .ann
    ) -> SupportRow {
        let keys = names.components.map { "'\($0)':" }
        let isSent = !answer.hasPrefix("no")
        return SupportRow(
            kind: .responseKey, place: place, names: names.components, answer: answer, request: request,
            expected: expected + (isSent ? keys : []), absent: absent + (isSent ? [] : keys), status: status,
            caller: caller)
    }

    /// A comparator, with the names of the records that a filter with it finds, of `a`, `b` and `c`.
    static func comparator(
        _ name: String, _ answer: String, _ field: String, _ value: String, _ found: String,
        distance: Int? = nil
    ) -> SupportRow {
        let distance = distance.map { ",'distance':\($0)" } ?? ""
        let rows = ["a", "b", "c"].map { (name: $0, isFound: found.components.contains($0)) }
        return SupportRow(
            kind: .comparator, place: "", names: [name], answer: answer,
            request: "public/records/query {'query':{'recordType':'Tree','filterBy':[{'comparator':'\(name)',"
                + "'fieldName':'\(field)','fieldValue':{'value':\(value)}\(distance)}]},'desiredKeys':[]}",
            expected: rows.filter(\.isFound).map { "'recordName':'\($0.name)'" },
            absent: rows.filter { !$0.isFound }.map { "'recordName':'\($0.name)'" })
    }

    /// A type of a field, with a value and the field of the response.
    static func type(_ tag: String, _ answer: String, _ value: String, _ expected: String? = nil) -> SupportRow {
        SupportRow(
            kind: .type, place: "", names: [tag], answer: answer,
            request: "public/records/modify {'operations':[{'operationType':'create','record':{'recordName':'p',"
                + "'recordType':'Tree','fields':{'photo':{'value':\(value),'type':'\(tag)'}}}}]}",
            expected: [expected ?? "'photo':{'value':\(value),'type':'\(tag)'}"])
    }

    static func code(
        _ code: String, _ answer: String, _ request: String, status: Int = 200, as caller: Caller = .ann,
        in trouble: Trouble = .none
    ) -> SupportRow {
        let text = "'serverErrorCode':'\(code)'"
        let isSent = !answer.hasPrefix("no")
        return SupportRow(
            kind: .code, place: "", names: [code], answer: answer, request: request, expected: isSent ? [text] : [],
            absent: isSent ? [] : [text], status: status, caller: caller, trouble: trouble)
    }

    /// A text of `reason`. A text that ends in … is the beginning of one.
    static func reason(
        _ member: String, _ text: String, _ code: String, _ answer: String, _ request: String, status: Int = 200,
        as caller: Caller = .ann
    ) -> SupportRow {
        let isSent = !answer.hasPrefix("no")
        let reason = "'reason':'" + (text.hasSuffix("…") ? String(text.dropLast()) : text + "'")
        return SupportRow(
            kind: .reason, place: code, names: [text], answer: answer, request: request,
            expected: isSent ? ["'serverErrorCode':'\(code)'", reason] : [], absent: isSent ? [] : [reason],
            status: status, caller: caller, member: member)
    }
}

extension SupportRow: CustomTestStringConvertible {
    /// Whether the field `title` is SEARCHABLE from the beginning. A search without a field needs that.
    var isOfSearches: Bool { request.contains("'CONTAINS_ANY_TOKENS','fieldValue'") }

    var testDescription: String { "\(kind) \(place) \(names.joined(separator: ", ")): \(answer)" }
}

extension String {
    /// The parts of a list of names.
    fileprivate var components: [String] { split(separator: ", ").map(String.init) }
}
