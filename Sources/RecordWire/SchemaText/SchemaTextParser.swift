package import RecordModel

extension SchemaDocument {
    /// Parses a text of CloudKit's schema language (`.ckdb`).
    ///
    /// Keywords may be in any case. The text is the whole wanted schema: a field without options loses its options, and a
    /// type without GRANT gives no role any permission. For what the language has no words for, the text has comments:
    /// see `text`. If the first of them is missing, as in files that other programs wrote, these properties stay as they
    /// are unless a comment states them. `NUMBER PREFERRED AS` a type is that type.
    ///
    /// - Throws: `SchemaTextError` for the first problem.
    /// - Complexity: O(n) in the length of the text, and O(n) again for the position of an error.
    package static func parse(text: [UInt8]) throws(SchemaTextError) -> SchemaDocument {
        var parser = try SchemaTextParser(text)
        return try parser.schema()
    }

    /// Reads a text of the schema language for a request.
    ///
    /// - Throws: `BAD_REQUEST` with `line` and `column` in the details.
    package static func readText(_ text: [UInt8]) throws(RecordError) -> SchemaDocument {
        do throws(SchemaTextError) { return try parse(text: text) } catch { throw RecordError(error) }
    }
}

/// A recursive descent parser of the schema language.
///
/// ```
/// schema     = "DEFINE" "SCHEMA" ( statement ";" )*
/// statement  = "CREATE" "ROLE" name | "RECORD" "TYPE" name "(" ( member ( "," member )* )? ")"
/// member     = name type option* | "GRANT" permission ( "," permission )* "TO" name
/// ```
struct SchemaTextParser {
    private var lexer: SchemaTextLexer
    /// The current token.
    private(set) var token: SchemaToken
    /// Whether the text states everything: properties without a comment have no value.
    private(set) var statesAll = false

    init(_ text: [UInt8]) throws(SchemaTextError) {
        lexer = try SchemaTextLexer(text)
        token = try lexer.next()
    }

    // MARK: Statements

    mutating func schema() throws(SchemaTextError) -> SchemaDocument {
        var document = SchemaDocument(types: [])
        if let header = try annotation(keys: ["version"]) {
            guard let version = header.object["version"]?.integer, version >= 1 else {
                throw lexer.error("The version is a number, such as {\"version\":1}", at: header.start.start)
            }
            guard version <= SchemaDocument.textVersion else {
                throw lexer.error(
                    "The text has version \(version), and this server reads \(SchemaDocument.textVersion). Export it again from this version, or update the server",
                    at: header.start.start)
            }
            statesAll = true
        }
        try expect("DEFINE", "A schema starts with DEFINE SCHEMA")
        try expect("SCHEMA", "A schema starts with DEFINE SCHEMA")
        var typeNames: Set<RecordTypeName> = []
        while token.kind != .end {
            let start = token
            let comment = try annotation(keys: ["indexes", "acl", "aclRequired", "formerly"])
            if comment == nil, isWord("CREATE") {
                try advance()
                try expect("ROLE", "Only roles are created with CREATE: CREATE ROLE editors")
                try role(into: &document)
            } else if isWord("RECORD") {
                try advance()
                try expect("TYPE", "A record type starts with RECORD TYPE and its name")
                let position = token
                let type = try recordType(comment)
                guard typeNames.insert(type.name).inserted else {
                    throw error("The type \(type.name) is defined twice. Put all its fields in one place", at: position)
                }
                document.types.append(type)
                if document.types.count > Limits.recordTypes {
                    throw error("There are more than \(Limits.recordTypes) types", at: position)
                }
            } else if comment != nil {
                throw error("A fogbase comment here belongs to the RECORD TYPE after it, and there is none", at: start)
            } else {
                throw unexpected("CREATE ROLE, RECORD TYPE or the end of the text")
            }
            guard isSymbol(";") else { throw unexpected("a semicolon at the end of the statement") }
            try advance()
        }
        return document
    }

    private mutating func role(into document: inout SchemaDocument) throws(SchemaTextError) {
        let (name, position) = try self.name("a role")
        guard let role = RoleName(name) else { throw error("A role's name \(Identifier.rule)", at: position) }
        guard !role.isBuiltIn else {
            throw error("The role \(role) is built in. Leave this statement out", at: position)
        }
        guard document.roles.insert(role).inserted else {
            throw error("The role \(role) is created twice. Leave one statement out", at: position)
        }
    }

    private mutating func recordType(_ comment: Annotation?) throws(SchemaTextError) -> SchemaDocument.TypeEntry {
        let (text, position) = try name("a record type")
        guard let name = RecordTypeName(text), name != .share else {
            throw error("A type's name \(Identifier.rule)", at: position)
        }
        var type = SchemaDocument.TypeEntry(
            name: name, indexes: [], grants: Grants(), access: statesAll ? .remove : .none,
            requiresAccess: statesAll ? false : nil)
        type.keepsOtherIndexes = !statesAll
        if statesAll { type.former = [] }
        guard isSymbol("(") else { throw unexpected("( and the fields of the type") }
        try advance()
        var fieldNames: Set<String> = []
        while !isSymbol(")") {
            try member(of: &type, &fieldNames)
            guard isSymbol(",") else {
                guard isSymbol(")") else { throw unexpected("a comma before the next field, or ) at the end") }
                break
            }
            let comma = token
            try advance()
            if isSymbol(")") { throw error("No comma may stand before ). Leave it out", at: comma) }
        }
        try advance()
        if let comment { try apply(comment, to: &type) }
        type.sortIndexes()
        return type
    }

    // MARK: Comments

    /// The JSON object in a fogbase comment.
    struct Annotation {
        let object: JSONObject
        let start: SchemaToken
    }

    /// Returns the fogbase comment at the current position, and moves past it.
    ///
    /// - Parameter keys: The allowed keys.
    mutating func annotation(keys: [String]) throws(SchemaTextError) -> Annotation? {
        guard token.kind == .annotation else { return nil }
        let start = token
        var bytes = Array(lexer.text[start.start..<start.end])
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(bytes) } catch {
            throw lexer.error(
                "The JSON of the fogbase comment is not well formed: \(error.reason)", at: start.start + error.offset)
        }
        guard let object = value.object else {
            let example = keys == ["version"] ? "{\"version\":1}" : "{}"
            throw error("A fogbase comment is a JSON object, such as \(example)", at: start)
        }
        if let unknown = object.keys.first(where: { !keys.contains($0) }) {
            throw error(
                "Unknown key '\(unknown.prefix(64))' in a fogbase comment. Here may be \(keys.joined(separator: ", "))",
                at: start)
        }
        try advance()
        if token.kind == .annotation {
            throw error("Two fogbase comments stand one after the other. Put both into one", at: token)
        }
        return Annotation(object: object, start: start)
    }

    private func apply(
        _ comment: Annotation, to type: inout SchemaDocument.TypeEntry
    ) throws(SchemaTextError) {
        let path = "types.\(type.name)"
        try located(comment) { () throws(RecordError) in
            if let value = comment.object["indexes"] {
                let stated = try SchemaDocument.TypeEntry.indexes(value, fields: type.fields, path: "\(path).indexes")
                let system = (type.indexes ?? []).filter { !stated.contains($0) }
                type.indexes = system + stated
                type.keepsOtherIndexes = false
            }
            if let value = comment.object["formerly"] {
                type.former = try SchemaDocument.formerNames(value, path, RecordTypeName.init)
            }
            if let value = comment.object["acl"] { type.access = try AccessChange(value, path: "\(path).acl") }
            if let value = comment.object["aclRequired"] {
                guard let flag = value.bool else {
                    throw SchemaDocument.invalid("'aclRequired' is true or false", "\(path).aclRequired")
                }
                type.requiresAccess = flag
            }
        }
    }

    /// Gives errors of a comment's values the position of the comment.
    func located(
        _ comment: Annotation, _ read: () throws(RecordError) -> Void
    ) throws(SchemaTextError) {
        do throws(RecordError) { try read() } catch {
            var reason = error.reason
            for (key, detail) in error.details {
                if case .text(let text) = detail { reason += " (\(key) \(text))" }
            }
            throw lexer.error(reason, at: comment.start.start)
        }
    }

    // MARK: Tokens

    mutating func advance() throws(SchemaTextError) {
        token = try lexer.next()
    }

    func isWord(_ word: String) -> Bool {
        guard case .word(let text) = token.kind else { return false }
        return text.uppercased() == word
    }

    func isSymbol(_ symbol: Unicode.Scalar) -> Bool {
        token.kind == .symbol(UInt8(ascii: symbol))
    }

    mutating func expect(_ word: String, _ rule: String) throws(SchemaTextError) {
        guard isWord(word) else { throw error("\(token.description) stands where \(word) belongs. \(rule)", at: token) }
        try advance()
    }

    /// Returns a name in quotes or without, and moves past it.
    ///
    /// - Parameter kind: What the name is the name of, for error messages.
    mutating func name(_ kind: String) throws(SchemaTextError) -> (text: String, position: SchemaToken) {
        let position = token
        switch token.kind {
        case .quoted(let text):
            try advance()
            return (text, position)
        case .word(let text):
            if text.hasPrefix("_") {
                throw error("A name that starts with an underscore needs quotes: \"\(text.prefix(64))\"", at: position)
            }
            if SchemaTextWords.reserved.contains(text.lowercased()) {
                throw error(
                    "\(text.uppercased()) is a word of the language. As a name it needs quotes: \"\(text)\"",
                    at: position)
            }
            try advance()
            return (text, position)
        default: throw unexpected("the name of \(kind)")
        }
    }

    func unexpected(_ expected: String) -> SchemaTextError {
        if token.kind == .annotation {
            return error("A fogbase comment stands before the type or field that it belongs to, not inside", at: token)
        }
        return error("\(token.description) stands where something else belongs: \(expected)", at: token)
    }

    func error(_ reason: String, at token: SchemaToken) -> SchemaTextError {
        lexer.error(reason, at: token.start)
    }
}
